"""The application of turn-based slaps."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PointsConfig(AppConfig):
    """Slap points, and who has watched them."""

    name = "games.matches.slap_points"
    label = "points"
    verbose_name = _("Turn-based slaps")
    default_auto_field = "django.db.models.BigAutoField"
