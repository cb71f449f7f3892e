"""The application's configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OperationsConfig(AppConfig):
    """Switches, announcements, failures and figures of the site."""

    name = "games.operations"
    label = "operations"
    verbose_name = _("Operations")

    def ready(self) -> None:
        """Remember what failed at a match."""
        from games.matches import events
        from games.operations import failures

        events.listeners[events.Failed].append(failures.follow)
