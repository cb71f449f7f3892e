"""The application's configuration."""

from typing import Any

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LobbyConfig(AppConfig):
    """The lobby, invitations and offers to end."""

    name = "games.lobby"
    label = "lobby"
    verbose_name = _("Lobby")

    def ready(self) -> None:
        """Make blocked players leave the tables of those who blocked them."""
        from accounts import social

        social.blocked.connect(_part_at_tables, dispatch_uid="lobby.leave_tables_of_blocker")


def _part_at_tables(*, owner_id: int, other_id: int, **_kwargs: Any) -> None:
    from games.lobby import invitations

    invitations.leave_tables_of_blocker(owner_id, other_id)
