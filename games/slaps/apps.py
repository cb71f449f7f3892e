"""The application of slaps."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SlapsConfig(AppConfig):
    """Pauses, practice runs and flags."""

    name = "games.slaps"
    label = "slaps"
    verbose_name = _("Slaps")

    def ready(self) -> None:
        """Tell matches how fast players are when they ask."""
        from games.matches import events
        from games.slaps import baselines

        events.recorders[events.HandicapsWanted].append(baselines.calibrate)
