"""The application's configuration."""

from django.apps import AppConfig


class LiveConfig(AppConfig):
    """The application of live tables."""

    name = "games.live"
    label = "live"

    def ready(self) -> None:
        """Connect the announcements to the events of the kernel."""
        from games.live import announce
        from games.matches import events
        from games.matches.commit.changeset import ChangeSet

        # First of all listeners, because players wait for it and for nothing else that follows a move.
        events.listeners[ChangeSet].insert(0, announce.changed)
        events.listeners[events.MatchStarted].append(announce.started)
