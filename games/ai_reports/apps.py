"""The application of reported moves."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CasesConfig(AppConfig):
    """Reported moves of AI players."""

    name = "games.ai_reports"
    label = "cases"
    verbose_name = _("Reported moves of AI players")
    default_auto_field = "django.db.models.BigAutoField"
