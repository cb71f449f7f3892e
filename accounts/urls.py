"""Addresses of the account pages; those not here are allauth's own, included after these."""

from allauth.account import views as allauth_views
from django.urls import path, re_path

from . import views

urlpatterns = [
    path("guest/", views.try_guest, name="try_guest"),
    path("accounts/settings/", views.SettingsView.as_view(), name="account_settings"),
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
    re_path(
        r"^accounts/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        views.PasswordResetFromKeyView.as_view(),
        name="account_reset_password_from_key",
    ),
]
