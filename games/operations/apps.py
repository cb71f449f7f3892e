"""The application's configuration."""

from typing import Any

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OperationsConfig(AppConfig):
    """Switches, announcements, failures and figures of the site."""

    name = "games.operations"
    label = "operations"
    verbose_name = _("Operations")

    def ready(self) -> None:
        """Record failures at matches, and answer whether sign-ups are open."""
        from accounts.signals import signup_asked
        from games.matches import events
        from games.operations import failures

        events.listeners[events.Failed].append(failures.follow)
        signup_asked.connect(_is_signup_open, dispatch_uid="operations.signup")


def _is_signup_open(**_kwargs: Any) -> bool:
    """The operators' setting."""
    from games.site_status import state

    return state.current().signup_open
