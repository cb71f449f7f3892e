"""What has happened since somebody's last turn, told as they may know it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games import tables
from games.engine import Event
from games.models import Match, Move
from games.tables import Table

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
    """Replay ``match`` and listen, as ``seat``, to what followed the last move that its player made.

    Without ``shows_hand`` only what the whole table knows is told.
    """
    own = match.moves.filter(seat=seat, source=Move.Source.PLAYER).order_by("-number")
    last = own.values_list("number", flat=True).first() or 0
    was_missed = match.moves.filter(number__gt=last, seat=seat, source=Move.Source.STAND_IN).exists()
    heard: list[tuple[bool, Event]] = []

    def listen(number: int, event: Event) -> None:
        if number > last and event.is_for(seat if shows_hand else None) and not _is_deal(event):
            heard.append((_is_about(event, seat), event))

    table = tables.replay(match, listen)
    public = [event for _mine, event in heard if event.to is None]
    newest = table.rules.say(public[-1], table.names) if public else ""
    mine, others = _said(heard, table, was_missed=was_missed)
    headline = (mine or others)[-1] if mine or others else ""
    return News(table, _lines(mine, others), headline, newest)


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
