"""The application of finished matches."""

from django.apps import AppConfig


class ReplaysConfig(AppConfig):
    """Replays, and matches that continue from a position of another one."""

    name = "games.replays"
    label = "replays"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Record which match a new one continues."""
        from games.matches import events
        from games.replays.models import Continuation

        events.recorders[events.MatchContinued].append(Continuation.remember)
