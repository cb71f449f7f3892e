"""What a moderator's decision does to matches, who gets an email, and who is too close to decide."""

from collections.abc import Callable
from typing import Any

from accounts.models import User
from accounts.moderation.models import Sanction
from accounts.moderation.sanctions import SanctionError
from games.matches import service
from games.matches.models import Match
from games.moderation.conflict_of_interest import too_close
from games.moderation.notify import tell

Kind = Sanction.Kind


def keep_distance(*, moderator: User, person_id: int, **_signal: Any) -> None:
    """Raises :class:`SanctionError` for a decision about a friend or a frequent partner."""
    reason = too_close(moderator, [person_id])
    if reason:
        raise SanctionError(reason)


def carry_out(*, sanction: Sanction, **_signal: Any) -> None:
    """Do to matches what the decision says. Raises :class:`SanctionError` if a match does not allow it."""
    does = _DOES.get(Kind(sanction.kind))
    if does is not None:
        does(sanction)


def take_back(*, sanction: Sanction, **_signal: Any) -> None:
    """Let an annulled result count again; seats that were left are not given back."""
    if sanction.kind == Kind.ANNULLED and sanction.match is not None:
        service.annul(sanction.match, is_annulled=False)


def write(*, person: User | None, key: str, subject: str, paragraphs: list[str], **_signal: Any) -> None:
    """Mail what the moderators have to say to the person, with the way to the page of their standing."""
    tell(person, key, subject, paragraphs, "my_standing")


def _remove_from_table(sanction: Sanction) -> None:
    if sanction.match is not None and sanction.person is not None:
        _out_of(sanction.match, sanction.person)


def _out_of(match: Match, person: User) -> None:
    try:
        if match.status == Match.Status.OPEN:
            service.leave(match, person)
        else:
            service.resign(match, person)
    except service.Refused as refusal:
        raise SanctionError(str(refusal)) from refusal


def _annul(sanction: Sanction) -> None:
    if sanction.match is not None:
        service.annul(sanction.match)


def _shut_out(sanction: Sanction) -> None:
    """Have a player who may not play leave open tables and running matches, so that they don't wait."""
    if sanction.person is not None:
        service.leave_everything(sanction.person)


#: What a kind does when it comes into force.
_DOES: dict[Kind, Callable[[Sanction], None]] = {
    Kind.REMOVED: _remove_from_table,
    Kind.ANNULLED: _annul,
    Kind.SUSPENDED: _shut_out,
    Kind.CLOSED: _shut_out,
}
