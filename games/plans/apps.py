"""The application of plans."""

from django.apps import AppConfig


class PlansConfig(AppConfig):
    """Conditional moves and forced ones."""

    name = "games.plans"
    label = "plans"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Check for plans whenever a seat's turn begins."""
        from games.matches import events
        from games.matches.commit.changeset import ChangeSet
        from games.plans import tasks

        events.listeners[ChangeSet].append(tasks.follow)
