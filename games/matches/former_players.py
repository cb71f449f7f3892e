"""Give up a closed account's seats in matches, and remove its name."""

from typing import Any

from accounts.models import User
from games.matches import service


def leave_tables(*, user: User, **_signal: Any) -> None:
    """Resign by the match service, as players do, so that no match waits for the seat."""
    service.leave_everything(user)


def take_names_out(*, user: User, called: set[str], **_signal: Any) -> None:
    """Take the names out of what is told of the matches, and have what is remembered of them read again."""
    service.forget_names(user, called)
