"""The events since a player's last turn, as far as they may know them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.engine import Event
from games.engine.text import Name, names_for
from games.matches import history
from games.matches.live_match import LiveMatch
from games.matches.models import Incident, Match, Move
from games.matches.stored import Made, moves_since
from games.table import clock_text

#: Maximum lines in an email, and lines reserved for moves.
MOST_LINES = 6
LEAST_ABOUT_MOVES = 2
#: From this number on, drawn cards are a dealt hand.
MOST_DRAWN = 4
#: Keys of an event that name the affected seat.
_VICTIMS = ("victim", "claimer", "taker", "by")
_PLACES = ("source", "target")
#: Events about drawn cards.
_DRAWING = ("draw", "drawn", "drew")


#: Incidents that affected the reader and aren't moves.
_OWN: dict[str, Any] = {
    Incident.Kind.EXCUSED: gettext_lazy("You ran out of time, so you got your one extension."),
    Incident.Kind.STAND_IN: gettext_lazy("You ran out of time, so autoplay made a safe move."),
    Incident.Kind.AUTOPILOT: gettext_lazy("You missed two turns in a row. Autoplay plays on until you make a move."),
    Incident.Kind.RETURNED: gettext_lazy("You're back, so autoplay has stopped."),
    Incident.Kind.OFFERED: gettext_lazy("You were away for a while, so we offered your seat to others."),
    Incident.Kind.TAKEN: gettext_lazy("You took over the seat of %(name)s."),
    Incident.Kind.REPLACED: gettext_lazy("%(other)s, an AI player, plays on for %(name)s."),
    Incident.Kind.UNRATED: gettext_lazy(
        "Fewer than two people are left. AI players finish this match, and it isn't rated."
    ),
}


@dataclass(frozen=True, slots=True)
class PastEvent:
    """An event and its move."""

    event: Event
    made: Made | None

    def said_at(self, table: LiveMatch, you: int) -> str:
        """The event's sentence, for the player of seat ``you``."""
        return table.rules.say(self.event, names_by(self.made, table.names, you)) or ""


def names_by(made: Made | None, names: Sequence[str], you: int | None) -> Sequence[Name]:
    """The names for sentences about a move, which the player of seat ``you`` reads.

    Moves by autoplay are never attributed to the player.
    """
    called: list[Name] = [*names_for(names, you)]
    if made is not None and made.source == Move.Source.STAND_IN:
        autoplay = _("Autoplay for you") if made.seat == you else _("Autoplay for %(name)s")
        called[made.seat] = Name(autoplay % {"name": names[made.seat]})
    return called


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """The current state, and sentences about events since the last turn, those about the reader first."""

    table: LiveMatch
    lines: Sequence[str]
    #: The most important one: the newest about the reader, else the newest; empty if nothing has happened.
    headline: str
    #: The newest public sentence, for a screen that others may see.
    public_headline: str = ""


def since_last_turn(match: Match, seat: int, *, shows_hand: bool) -> TurnSummary:
    """Summarize, for ``seat``, the events since its player's last move.

    Without ``shows_hand``, only public events are included. The moves are replayed from the snapshot, or from the deal
    if the last move is older.
    """
    if match.snapshot_version and "snapshot" in match.get_deferred_fields():
        match.refresh_from_db(fields=["snapshot", "snapshot_version"])
    moves = moves_since(match.pk, match.snapshot_version)
    last = _last_own(moves, seat)
    if last is None and match.snapshot_version:
        moves = moves_since(match.pk, 0)
        last = _last_own(moves, seat)
    since = last or 0
    past: list[PastEvent] = []
    for position in history.replay(match, moves=moves, events_from=since + 1):
        told = (event for event in position.events if event.is_for(seat if shows_hand else None))
        past += [PastEvent(event, position.made) for event in told if not _is_deal(event)]
    table = position.table
    public = [each.said_at(table, seat) for each in past if each.event.to is None]
    mine = [each for each in past if _is_about(each.event, seat)]
    others = [each for each in past if not _is_about(each.event, seat)]
    # Public events that affected the reader come first: they know their own cards. Draws come last: they follow every
    # trick and battle, and mean little.
    done = [each for each in mine if each.event.to is None]
    newest = sorted([*done[::-1], *others[::-1], *mine[::-1]], key=lambda each: each.event.kind in _DRAWING)
    absence = _absence(match, seat, since)
    headline = next(iter([*_said(newest, table, seat), *absence]), "")
    lines = _lines(absence, _said(mine, table, seat), _said(others, table, seat))
    return TurnSummary(table, lines, headline, public[-1] if public else "")


def _said(past: Sequence[PastEvent], table: LiveMatch, you: int) -> list[str]:
    return [text for each in past if (text := each.said_at(table, you))]


def absence_lines(match: Match, seat: int) -> list[str]:
    """Absences since the last move by the player of ``seat``, and what followed, newest first."""
    own = Move.objects.filter(match=match, seat=seat, source=Move.Source.PLAYER)
    last = own.order_by("-number").values_list("number", flat=True).first()
    return _absence(match, seat, last or 0)


def _absence(match: Match, seat: int, since: int) -> list[str]:
    """Incidents since a version, newest first, in words for the player of ``seat``."""
    lines = []
    for told in match.incidents.filter(version__gte=since).order_by("-pk"):
        if told.seat != seat:
            lines.append(clock_text.say(told.kind, told.name, told.other))
        elif not (told.kind == Incident.Kind.RETURNED and told.version == since):
            lines.append(_OWN[told.kind] % {"name": told.name, "other": told.other})
    return lines


def _last_own(moves: Sequence[Made], seat: int) -> int | None:
    """The number of the last move made by the player of ``seat``."""
    own = (made.number for made in reversed(moves) if made.seat == seat and made.source == Move.Source.PLAYER)
    return next(own, None)


def _is_deal(event: Event) -> bool:
    """Whether this shows a player their new hand, which an email contains anyway."""
    cards = event.data.get("cards")
    return event.to is not None and isinstance(cards, Sequence) and len(cards) > MOST_DRAWN


def _is_about(event: Event, seat: int) -> bool:
    """Whether an event affects ``seat``."""
    if event.seat == seat or event.to == frozenset((seat,)):
        return True
    data = event.data
    if any(data.get(name) == seat for name in _VICTIMS):
        return True
    return any(isinstance(data.get(name), str) and data[name].endswith(f":{seat}") for name in _PLACES)


def _lines(absence: Sequence[str], mine: Sequence[str], others: Sequence[str]) -> list[str]:
    """All sentences about absence, then some about the reader, newest first, then others in order.

    At most ``MOST_LINES``, unless absence alone needs more: it is never cut.
    """
    room = max(MOST_LINES - len(absence), LEAST_ABOUT_MOVES)
    total = len(mine) + len(others)
    if total > room:
        room -= 1
    lines = list(mine[::-1][:room])
    if room > len(lines):
        lines += others[-(room - len(lines)) :]
    left = total - len(lines)
    if left:
        more = ngettext("… and %(n)d more move before that.", "… and %(n)d more moves before that.", left)
        lines.append(more % {"n": left})
    return [*absence, *lines]
