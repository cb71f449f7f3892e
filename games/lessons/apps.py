"""The application of lessons."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LessonsConfig(AppConfig):
    """Lessons, and who has done which."""

    name = "games.lessons"
    label = "lessons"
    verbose_name = _("Lessons")

    def ready(self) -> None:
        """Record completed lessons, and move them from guest to account."""
        from accounts import signals
        from games.lessons import progress
        from games.matches import events
        from games.matches.commit.changeset import ChangeSet

        events.listeners[ChangeSet].append(progress.follow)
        signals.guest_logged_in.connect(progress.import_guest_progress, dispatch_uid="lessons.import_guest_progress")
