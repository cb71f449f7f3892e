"""Give up a deleted account's seats in matches, and remove its name."""

from typing import Any

from accounts.models import User
from games.matches import service


def leave_tables(*, user: User, **_signal: Any) -> None:
    """Resign through the match service, as players do, so that no match waits for the seat."""
    service.leave_everything(user)


def take_names_out(*, user: User, called: set[str], **_signal: Any) -> None:
    """Remove the names from the events of matches, and make every process reload those matches."""
    service.forget_names(user, called)
