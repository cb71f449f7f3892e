"""The application of feeds."""

from django.apps import AppConfig


class FeedsConfig(AppConfig):
    """Calendar and Atom feeds."""

    name = "games.feeds"
    label = "feeds"
    default_auto_field = "django.db.models.BigAutoField"
