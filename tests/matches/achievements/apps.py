"""The application's configuration."""

from django.apps import AppConfig


class AchievementsConfig(AppConfig):
    """Counts wins."""

    name = "tests.matches.achievements"
    label = "achievements"

    def ready(self) -> None:
        """Register a recorder for the ends of matches."""
        from games.matches import events

        from .models import Wins

        events.recorders[events.MatchEnded].append(Wins.count_one)
