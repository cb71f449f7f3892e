"""URLs of notices: settings, email links and pushes."""

from django.urls import path

from games.mail import match_emails, preferences

urlpatterns = [
    path("accounts/settings/notices/", preferences.notices, name="account_settings_notices"),
    path("accounts/settings/notices/address/", preferences.try_address, name="try_address"),
    path("mail/stop/<str:token>/", preferences.stop, name="mail_stop"),
    path("my/emails/", match_emails.save, name="match_emails"),
    path("my/next/", match_emails.next_turn, name="next_turn"),
    path("push/", preferences.push_subscribe, name="push_subscribe"),
    path("push/forget/", preferences.push_forget, name="push_forget"),
]
