"""URLs of the profile and preference forms; ``games`` has the profile page, because it shows matches."""

from django.urls import path, re_path

from . import views

urlpatterns = [
    path("accounts/settings/profile/", views.ProfileSettingsView.as_view(), name="account_settings_profile"),
    path("accounts/settings/look/", views.LookSettingsView.as_view(), name="account_settings_look"),
    path("accounts/settings/moves/", views.MovesSettingsView.as_view(), name="account_settings_moves"),
    path("accounts/talk/", views.switch_talk, name="talk_switch"),
    path("accounts/preferences/", views.save_preferences, name="save_preferences"),
    re_path(
        r"^player/(?P<name_key>[^/]+)/(?P<name>befriend|part|block|mute|unblock)/$", views.act, name="player_action"
    ),
]
