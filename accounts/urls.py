"""URLs of the account pages; allauth's own follow after these."""

from allauth.account import views as allauth_views
from allauth.mfa.base import views as mfa_views
from allauth.mfa.totp import views as totp_views
from allauth.mfa.webauthn import views as webauthn_views
from django.urls import path, re_path
from django.views.generic import RedirectView

from . import data_views, languages, sessions, views
from .security_txt import security_txt

urlpatterns = [
    path("language/", languages.set_language, name="set_language"),
    path(".well-known/security.txt", security_txt, name="security_txt"),
    path("privacy/", data_views.privacy, name="privacy"),
    path("guest/", views.try_guest, name="try_guest"),
    path("accounts/settings/", views.settings_hub, name="account_settings"),
    path("accounts/settings/account/", views.AccountSettingsView.as_view(), name="account_settings_account"),
    path("accounts/settings/sessions/", sessions.sessions, name="account_sessions"),
    path("accounts/settings/sessions/others/end/", sessions.end_others, name="account_end_other_sessions"),
    path("accounts/settings/sessions/<int:pk>/end/", sessions.end_session, name="account_end_session"),
    path("accounts/sessions/", RedirectView.as_view(pattern_name="account_sessions"), name="usersessions_list"),
    path("accounts/settings/data/", data_views.your_data, name="account_settings_data"),
    path("accounts/settings/data/export/", data_views.export, name="export"),
    path("accounts/settings/data/delete/", data_views.leave, name="account_delete"),
    path("accounts/signup/", views.SignupView.as_view(), name="account_signup"),
    path("accounts/login/", views.LoginView.as_view(), name="account_login"),
    path("accounts/confirm-email/", views.VerificationSentView.as_view(), name="account_email_verification_sent"),
    re_path(
        r"^accounts/confirm-email/(?P<key>[-:\w]+)/$", views.ConfirmEmailView.as_view(), name="account_confirm_email"
    ),
    path("accounts/email/", views.members_only(allauth_views.email), name="account_email"),
    path(
        "accounts/password/change/",
        views.members_only(allauth_views.password_change),
        name="account_change_password",
    ),
    path("accounts/password/set/", views.members_only(allauth_views.password_set), name="account_set_password"),
    path("accounts/2fa/", views.members_only(mfa_views.index), name="mfa_index"),
    path("accounts/2fa/totp/activate/", views.members_only(totp_views.activate_totp), name="mfa_activate_totp"),
    path("accounts/2fa/webauthn/add/", views.members_only(webauthn_views.add_webauthn), name="mfa_add_webauthn"),
    re_path(
        r"^accounts/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        views.PasswordResetFromKeyView.as_view(),
        name="account_reset_password_from_key",
    ),
]
