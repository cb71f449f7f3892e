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

        events.listeners[ChangeSet].append(announce.changed)
        events.listeners[events.MatchStarted].append(announce.started)
