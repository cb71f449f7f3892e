"""The turn that a token names, as it is now: open, or over and how."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter

from django.utils.translation import gettext as _

from games.engine import Event, Move, View
from games.mail.moves import Numbered, numbered
from games.mail.tokens import BadToken, Ticket
from games.mail.turn_summary import names_by, your_name
from games.matches import history, live_match, service
from games.matches.live_match import LiveMatch, Made
from games.matches.models import Match, Seat
from games.matches.models import Move as StoredMove
from games.table.labels import move_label
from games.table.projection import LogEntry, incident_line

#: Events that tell one player what they have drawn.
_DRAWING = ("drawn", "drew")
#: With so many moves since the snapshot a turn is read from there: they tell enough of what happened.
ENOUGH = 12


class Ended(enum.StrEnum):
    """How a turn ended that is no longer open."""

    #: The player has made their move, by whatever way.
    PLAYED = "played"
    #: A stand-in moved for them, or the player who took the seat over.
    STOOD_IN = "stood_in"
    #: The seat has another player, or the match is over: there was nothing left to decide.
    GONE = "gone"


@dataclass
class Turn:
    """One turn of one seat: what was read of it, and whether its player may still move."""

    ticket: Ticket
    seat: Seat
    match: Match
    #: The table after its newest move.
    table: LiveMatch
    is_open: bool
    #: What the moves after version ``events_from`` brought, in their order.
    entries: list[LogEntry]
    events_from: int
    #: The numbered moves as the seat was shown them with its ticket; none if it was not asked then.
    shown: list[Numbered]

    @cached_property
    def view(self) -> View:
        """What the holder of the token may see: the seat's view while its turn lasts, a spectator's afterwards.

        A token is good for one turn; an email that is found later must not show the hand of the day.
        """
        return self.table.view(self.seat.number if self.is_open else None)

    @cached_property
    def moves(self) -> list[Numbered]:
        """The numbered moves; none once the turn is over, or while the table makes the next move itself."""
        if not self.is_open or self.table.forced_step() or self.table.at_slap_point:
            return []
        return numbered(self.view, self.table.names)

    def happened(self, most: int) -> list[str]:
        """The last sentences on what happened, oldest first: on all that led here, or, after a turn, on what came then.

        Only what the viewer may know.
        """
        viewer, since = (self.seat.number, -1) if self.is_open else (None, self.ticket.asked_version)
        lines = self._lines(viewer, since)
        return [line.text for line in lines[-most:]]

    def _lines(self, viewer: int | None, since: int) -> list[LogEntry]:
        incidents = self.match.incidents.filter(version__gt=max(since, self.events_from))
        rows = incidents.values_list("version", "seat", "kind", "name", "other")
        own = self.seat.number
        told = [
            incident_line(version, seat, kind, your_name(name) if seat == own else name, other)
            for version, seat, kind, name, other in rows
        ]
        lines = sorted([*self.entries, *told], key=attrgetter("version"))
        return [line for line in lines if since < line.version <= self.table.version and line.event.is_for(viewer)]

    def drawn(self, since: int) -> list[str]:
        """The cards that the player has drawn after version ``since``, while the turn lasts."""
        own = frozenset((self.seat.number,))
        drew = (line.event for line in self.entries if line.version > since and line.event.kind in _DRAWING)
        return [code for event in drew if self.is_open and event.to == own for code in _cards_of(event)]

    def how_it_ended(self) -> Ended:
        """What became of a turn that is no longer open."""
        later = StoredMove.objects.filter(match=self.match, number__gt=self.ticket.asked_version).order_by("number")
        sources = set()
        for seat, source in later.values_list("seat", "source"):
            if seat == self.seat.number:
                sources.add(source)
            elif sources:
                break
        if not sources:
            return Ended.GONE
        return Ended.PLAYED if sources == {StoredMove.Source.PLAYER} else Ended.STOOD_IN


def find(ticket: Ticket) -> Turn:
    """The turn of a ticket, read again. Raises ``BadToken`` if its match or its seat is gone."""
    whole = Seat.objects.select_related("match", "player")
    asked = whole.filter(pk=ticket.seat_id, match__started_at__isnull=False).first()
    if asked is None:
        raise BadToken("the seat, or its match, is gone")
    match = asked.match
    moves = live_match.moves_since(match, match.snapshot_version)
    is_enough = ticket.shown_version >= match.snapshot_version and len(moves) >= ENOUGH
    if match.snapshot_version and not is_enough:
        moves = live_match.moves_since(match, 0)
    events_from = moves[0].number - 1 if moves else 0
    # Read after the moves: if the seat is still asked now, it was asked at the version read.
    seats = list(match.seats.all())
    names = [seat.name for seat in seats]
    entries: list[LogEntry] = []
    shown: list[Numbered] = []
    for position in history.replay(match, moves=moves, seats=seats):
        for event in position.events:
            _record_event(asked, position.made, names, entries, position.table.version, event)
        if position.table.version == ticket.shown_version:
            shown = numbered(position.table.view(asked.number), names)
    return _turn(ticket, asked, position.table, seats, entries, events_from or -1, shown)


def again(turn: Turn) -> Turn:
    """A turn as it stands now, going on from what was read of it; the ``turn`` given is of no use any more."""
    match, table = turn.match, turn.table
    match.refresh_from_db(fields=["status"])
    moves = live_match.moves_since(match, table.version)
    seats = list(match.seats.all())
    table.sit(seats)
    for made in moves:
        record = partial(_record_event, turn.seat, made, table.names, turn.entries, made.number)
        table.enter(made.seat, made.move, made.request_id, record)
    return _turn(turn.ticket, turn.seat, table, seats, turn.entries, turn.events_from, turn.shown)


def _cards_of(event: Event) -> list[str]:
    card = event.data.get("card")
    return [card] if isinstance(card, str) else [str(code) for code in event.data.get("cards", ())]


def _record_event(
    seat: Seat, made: Made | None, names: Sequence[str], entries: list[LogEntry], version: int, event: Event
) -> None:
    """Note an event with its sentence for the player of ``seat``, made in the language in which it is read."""
    entries.append(LogEntry(version, event, lambda: seat.match.rules.say(event, names_by(made, names, seat.number))))


def _turn(
    ticket: Ticket,
    before: Seat,
    table: LiveMatch,
    seats: list[Seat],
    entries: list[LogEntry],
    events_from: int,
    shown: list[Numbered],
) -> Turn:
    """The turn of one of ``seats``, which was read ``before``, with its match and its player."""
    seat = next((seat for seat in seats if seat.pk == ticket.seat_id), None)
    if seat is None:
        raise BadToken("the seat is gone")
    if seat.player_id == before.player_id:
        seat.player = before.player
    return Turn(ticket, seat, before.match, table, _is_open(ticket, seat), entries, events_from, shown)


def _is_open(ticket: Ticket, seat: Seat) -> bool:
    return (
        seat.asked_version == ticket.asked_version
        and seat.player_id == ticket.user_id
        and seat.player is not None
        and seat.player.is_active
        and not seat.ai_level
    )


def made_on(turn: Turn, version: int, step: int = 0) -> Move | None:
    """What was played before in answer to what an email or page showed of ``version``; None if nothing was."""
    return turn.match.moves.filter(request_id=_name(turn, version, step)).values_list("move", flat=True).first()


def label(turn: Turn, move: Move) -> str:
    """A move in words."""
    return move_label(turn.match.slug, move, turn.table.names)


def _name(turn: Turn, version: int, step: int) -> str:
    """The name of the move that is a step of the answer to what was shown of ``version``: there is only one."""
    return f"mail-{turn.seat.pk}-{version}" + (f"-{step}" if step else "")


def act(turn: Turn, move: Move, version: int, *, answers: int | None = None, step: int = 0) -> service.Acted:
    """Make a move of an open turn through the match service, as its player.

    It is named after what it answers, so it counts once, however often the same page or email comes.

    Args:
        turn: an open one.
        move: one of its moves.
        version: the version on which it was decided.
        answers: the version that the page or the email showed; ``version`` if none is given.
        step: which one of several moves of one answer it is.

    Raises:
        Refused: the turn is over, the table has changed meanwhile, or the move is not legal any more.
    """
    if not turn.is_open or version > turn.table.version:
        raise service.Refused("stale", _("This turn is over."))
    return service.act(
        turn.match.pk,
        turn.seat.number,
        move,
        request_id=_name(turn, version if answers is None else answers, step),
        seen_version=version,
        player=turn.seat.player,
    )
