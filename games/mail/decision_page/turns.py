"""The turn that a token names, in its current state: open, or over."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.compiled import compiled, first
from games.engine import Event, Move, View
from games.mail.moves import Numbered, numbered
from games.mail.tokens import BadToken, Ticket
from games.mail.turn_summary import names_by
from games.matches import history, service
from games.matches.live_match import LiveMatch
from games.matches.models import Match, Seat
from games.matches.models import Move as StoredMove
from games.matches.stored import Made, moves_since, seats_of
from games.table.labels import move_label
from games.table.projection import LogEntry, incident_line

#: Events that tell a player which cards they drew.
_DRAWING = ("drawn", "drew")
#: With this many moves since the snapshot, a turn is read from there: they tell enough of the story.
ENOUGH = 12


class Ended(enum.StrEnum):
    """How a closed turn ended."""

    #: The player has moved, on any page or by email.
    PLAYED = "played"
    #: Autoplay or a player who took over the seat made the move.
    STOOD_IN = "stood_in"
    #: The seat has another player, or the match is over, so there was nothing left to decide.
    GONE = "gone"


@dataclass
class Turn:
    """One turn of one seat, as read, and whether its player can still move."""

    ticket: Ticket
    seat: Seat
    match: Match
    #: The table after its newest move.
    table: LiveMatch
    is_open: bool
    #: Events of the moves after version ``events_from``, in order.
    entries: list[LogEntry]
    events_from: int
    #: The numbered moves that the seat's email showed; none if it was not asked then.
    shown: list[Numbered]

    @cached_property
    def view(self) -> View:
        """What the token's holder may see: the seat's view while the turn lasts, a spectator's afterwards.

        A token is valid for one turn; an old email must not show today's hand.
        """
        return self.table.view(self.seat.number if self.is_open else None)

    @cached_property
    def moves(self) -> list[Numbered]:
        """The numbered moves; none once the turn is over, or while the table makes the next move itself."""
        if not self.is_open or self.table.forced_step() or self.table.at_slap_point:
            return []
        return numbered(self.view, self.table.names)

    def happened(self, most: int) -> list[str]:
        """The last sentences of the log, oldest first: those leading to an open turn, or those after a closed one.

        Only events that the viewer may know. While the turn is open, its player reads "You draw a card".
        """
        viewer, since = (self.seat.number, -1) if self.is_open else (None, self.ticket.asked_version)
        lines = self._lines(viewer, since)
        return [line.text(viewer) for line in lines[-most:]]

    def _lines(self, viewer: int | None, since: int) -> list[LogEntry]:
        incidents = self.match.incidents.filter(version__gt=max(since, self.events_from))
        rows = incidents.values_list("version", "seat", "kind", "name", "other")
        lines = sorted([*self.entries, *(incident_line(*row) for row in rows)], key=attrgetter("version"))
        return [line for line in lines if since < line.version <= self.table.version and line.event.is_for(viewer)]

    def drawn(self, since: int) -> list[str]:
        """The cards that the player has drawn since version ``since``, while the turn lasts."""
        own = frozenset((self.seat.number,))
        drew = (line.event for line in self.entries if line.version > since and line.event.kind in _DRAWING)
        return [code for event in drew if self.is_open and event.to == own for code in _cards_of(event)]

    def how_it_ended(self) -> Ended:
        """What happened to a turn that is no longer open."""
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


@compiled
def _seat(seat_id: int) -> QuerySet[Seat]:
    return Seat.objects.select_related("match", "player").filter(pk=seat_id, match__started_at__isnull=False)


def find(ticket: Ticket) -> Turn:
    """Read the turn of a ticket. Raises ``BadToken`` if its match or seat no longer exists."""
    asked = first(_seat(ticket.seat_id))
    if asked is None:
        raise BadToken("the seat, or its match, is gone")
    match = asked.match
    moves = moves_since(match.pk, match.snapshot_version)
    is_enough = ticket.shown_version >= match.snapshot_version and len(moves) >= ENOUGH
    if match.snapshot_version and not is_enough:
        moves = moves_since(match.pk, 0)
    events_from = moves[0].number - 1 if moves else 0
    # Read after the moves: if the seat is still asked now, it was also asked at the version read.
    seats = seats_of(match.pk)
    names = [seat.name for seat in seats]
    entries: list[LogEntry] = []
    shown: list[Numbered] = []
    for position in history.replay(match, moves=moves, seats=seats):
        for event in position.events:
            _record_event(match, position.made, names, entries, position.table.version, event)
        if position.table.version == ticket.shown_version:
            shown = numbered(position.table.view(asked.number), names)
    return _turn(ticket, asked, position.table, seats, entries, events_from or -1, shown)


def again(turn: Turn) -> Turn:
    """Bring a turn up to date, reusing what was read; the old ``turn`` must not be used any more."""
    match, table = turn.match, turn.table
    match.refresh_from_db(fields=["status"])
    moves = moves_since(match.pk, table.version)
    seats = seats_of(match.pk)
    table.sit(seats)
    for made in moves:
        record = partial(_record_event, match, made, table.names, turn.entries, made.number)
        table.enter(made.seat, made.move, made.request_id, record)
    return _turn(turn.ticket, turn.seat, table, seats, turn.entries, turn.events_from, turn.shown)


def _cards_of(event: Event) -> list[str]:
    card = event.data.get("card")
    return [card] if isinstance(card, str) else [str(code) for code in event.data.get("cards", ())]


def _record_event(
    match: Match, made: Made | None, names: Sequence[str], entries: list[LogEntry], version: int, event: Event
) -> None:
    """Record an event with a sentence that is made when read, in the reader's language."""
    entries.append(LogEntry(version, event, lambda viewer: match.rules.say(event, names_by(made, names, viewer))))


def _turn(
    ticket: Ticket,
    before: Seat,
    table: LiveMatch,
    seats: list[Seat],
    entries: list[LogEntry],
    events_from: int,
    shown: list[Numbered],
) -> Turn:
    """Build the turn of one of ``seats``; ``before`` is an earlier read of that seat."""
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
    """The move already made in answer to the email or page that showed ``version``; None if there is none."""
    return turn.match.moves.filter(request_id=_name(turn, version, step)).values_list("move", flat=True).first()


def label(turn: Turn, move: Move) -> str:
    """A move in words."""
    return move_label(turn.match.slug, move, turn.table.names)


def _name(turn: Turn, version: int, step: int) -> str:
    """The request id for a step of the answer to what was shown at ``version``: always the same one."""
    return f"mail-{turn.seat.pk}-{version}" + (f"-{step}" if step else "")


def act(turn: Turn, move: Move, version: int, *, answers: int | None = None, step: int = 0) -> service.Acted:
    """Make a move of an open turn through the match service, as its player.

    The request id is derived from what the move answers, so it counts once, however often the same page or email
    arrives.

    Args:
        turn: an open turn.
        move: one of its moves.
        version: the version at which it was decided.
        answers: the version that the page or email showed; defaults to ``version``.
        step: the number of this move within the answer.

    Raises:
        Refused: the turn is over, the table has changed meanwhile, or the move is no longer legal.
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
