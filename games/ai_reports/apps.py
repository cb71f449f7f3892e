"""The application of reported moves."""

from django.apps import AppConfig


class CasesConfig(AppConfig):
    """Reported moves of AI players, and how they are looked at again."""

    name = "games.ai_reports"
    label = "cases"
    default_auto_field = "django.db.models.BigAutoField"
