"""The effects of a moderator's decision on matches, its emails, and the check for conflicts of interest."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.moderation.models import Sanction
from accounts.moderation.sanctions import SanctionError, stands_elsewhere
from games.matches import service
from games.matches.models import Match
from games.moderation.conflict_of_interest import too_close
from games.moderation.notify import email_person

Kind = Sanction.Kind


def keep_distance(*, moderator: User, person_id: int, **_signal: Any) -> None:
    """Raise :class:`SanctionError` for a decision about a friend or a frequent partner."""
    reason = too_close(moderator, [person_id])
    if reason:
        raise SanctionError(reason)


def carry_out(*, sanction: Sanction, **_signal: Any) -> None:
    """Apply the decision to matches. Raises :class:`SanctionError` if a match doesn't allow it."""
    does = _DOES.get(Kind(sanction.kind))
    if does is not None:
        does(sanction)


def take_back(*, sanction: Sanction, **_signal: Any) -> None:
    """Let an annulled result count again unless another decision annuls it; seats given up are not returned."""
    match = sanction.match
    if sanction.kind == Kind.ANNULLED and match is not None and not stands_elsewhere(sanction, match=match):
        service.annul(match, is_annulled=False)


def write(*, person: User | None, key: str, subject: str, paragraphs: list[str], **_signal: Any) -> None:
    """Email the person what the moderators say, with a link to the account status page."""
    email_person(person, key, subject, paragraphs, "my_standing")


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
    """Take a suspended player out of open tables and running matches, so that these don't wait for them."""
    if sanction.person is not None:
        try:
            service.leave_everything(sanction.person)
        except service.Unavailable as failure:
            raise SanctionError(_("We couldn't end a match of this person just now. Please try again.")) from failure


#: The effect of each kind when it comes into force.
_DOES: dict[Kind, Callable[[Sanction], None]] = {
    Kind.REMOVED: _remove_from_table,
    Kind.ANNULLED: _annul,
    Kind.SUSPENDED: _shut_out,
    Kind.CLOSED: _shut_out,
}
