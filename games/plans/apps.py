"""The application of plans."""

from django.apps import AppConfig


class PlansConfig(AppConfig):
    """Conditional moves and forced ones."""

    name = "games.plans"
    label = "plans"
    default_auto_field = "django.db.models.BigAutoField"
