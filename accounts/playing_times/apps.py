"""The application of people's playing times."""

from django.apps import AppConfig


class HoursConfig(AppConfig):
    """When people's clocks run."""

    name = "accounts.playing_times"
    label = "hours"
    default_auto_field = "django.db.models.BigAutoField"
