"""The application's configuration."""

from django.apps import AppConfig


class LiveConfig(AppConfig):
    """Tables over sockets."""

    name = "games.live"
    label = "live"

    def ready(self) -> None:
        """Tell open tables of what is stored."""
        from games.live import announce
        from games.matches import events
        from games.matches.commit.changeset import ChangeSet

        # First: players wait for it, and for nothing else that follows a move.
        events.listeners[ChangeSet].insert(0, announce.changed)
        events.listeners[events.MatchStarted].append(announce.started)
