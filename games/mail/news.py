"""What has happened since somebody's last turn, told as they may know it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.engine import Event
from games.matches import live_match
from games.matches.live_match import Made, Table
from games.matches.models import Match, Move

#: Lines that a mail has room for.
MOST_LINES = 6
#: Cards that a player draws at once; more of them are a hand that is dealt.
MOST_DRAWN = 4
#: What an event says about whom it is done to.
_VICTIMS = ("victim", "claimer", "taker", "by")
_PLACES = ("source", "target")


@dataclass(frozen=True, slots=True)
class News:
    """The state now, and the sentences about what led to it since the last turn; those about the reader first."""

    table: Table
    lines: Sequence[str]
    #: The one that matters most: the newest about the reader, else the newest; empty if nothing has happened.
    headline: str
    #: The newest sentence that everybody at the table may know: for a screen that others see, too.
    public_headline: str = ""


def since_last_turn(match: Match, seat: int, *, shows_hand: bool) -> News:
    """Listen, as ``seat``, to what followed the last move that its player made.

    Without ``shows_hand`` only what the whole table knows is told. The moves are made again from the snapshot on, and
    from the deal only if that last move is older.
    """
    if match.snapshot_version and "snapshot" in match.get_deferred_fields():
        match.refresh_from_db(fields=["snapshot", "snapshot_version"])
    seats = list(match.seats.all())
    moves = live_match.moves_since(match, match.snapshot_version)
    last = _last_own(moves, seat)
    if last is None and match.snapshot_version:
        moves = live_match.moves_since(match, 0)
        last = _last_own(moves, seat)
    since = last or 0
    heard: list[tuple[bool, Event]] = []

    def listen(number: int, event: Event) -> None:
        if number > since and event.is_for(seat if shows_hand else None) and not _is_deal(event):
            heard.append((_is_about(event, seat), event))

    table = live_match.resume(match, seats, moves, listen)
    own = (made for made in moves if made.number > since and made.seat == seat)
    was_missed = any(made.source == Move.Source.STAND_IN for made in own)
    public = [event for _mine, event in heard if event.to is None]
    newest = table.rules.say(public[-1], table.names) if public else ""
    mine, others = _said(heard, table, was_missed=was_missed)
    headline = (mine or others)[-1] if mine or others else ""
    return News(table, _lines(mine, others), headline, newest)


def _last_own(moves: Sequence[Made], seat: int) -> int | None:
    """The number of the last of ``moves`` that the player of ``seat`` made."""
    own = (made.number for made in reversed(moves) if made.seat == seat and made.source == Move.Source.PLAYER)
    return next(own, None)


def _is_deal(event: Event) -> bool:
    """Whether this tells one player their new hand, which a mail shows anyway."""
    cards = event.data.get("cards")
    return event.to is not None and isinstance(cards, Sequence) and len(cards) > MOST_DRAWN


def _is_about(event: Event, seat: int) -> bool:
    """Whether something is done to ``seat`` by this event."""
    if event.seat == seat or event.to == frozenset((seat,)):
        return True
    data = event.data
    if any(data.get(name) == seat for name in _VICTIMS):
        return True
    return any(isinstance(data.get(name), str) and data[name].endswith(f":{seat}") for name in _PLACES)


def _said(heard: Sequence[tuple[bool, Event]], table: Table, *, was_missed: bool) -> tuple[list[str], list[str]]:
    """Sentences about the reader, and about the others, in their order."""
    said = [(is_mine, table.rules.say(event, table.names)) for is_mine, event in heard]
    mine = [text for is_mine, text in said if is_mine and text]
    if was_missed:
        mine.append(_("The time for your last turn was over: a stand-in played it for you."))
    return mine, [text for is_mine, text in said if not is_mine and text]


def _lines(mine: Sequence[str], others: Sequence[str]) -> list[str]:
    """At most ``MOST_LINES`` sentences: about the reader, the newest first, then the newest of the others in order."""
    total = len(mine) + len(others)
    room = MOST_LINES if total <= MOST_LINES else MOST_LINES - 1
    lines = list(mine[-room:][::-1])
    if room > len(lines):
        lines += others[-(room - len(lines)) :]
    left = total - len(lines)
    if left:
        more = ngettext("… and %(n)d more thing before that.", "… and %(n)d more things before that.", left)
        lines.append(more % {"n": left})
    return lines
