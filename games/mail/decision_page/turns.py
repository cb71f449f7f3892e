"""The turn that a token names, as it stands now: open, or over and how."""

import enum
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter

from django.utils.translation import gettext as _

from games.engine import Event, View
from games.mail.moves import Numbered, numbered
from games.mail.tokens import BadToken, Ticket
from games.matches import history, live_match, service
from games.matches.live_match import Table
from games.matches.models import Match, Move, Seat
from games.table.labels import move_label
from games.table.projection import Line, incident_line


class Ended(enum.StrEnum):
    """How a turn ended that is no longer open."""

    #: The player has made their move, by whatever way.
    PLAYED = "played"
    #: Somebody else moved for them: a stand-in, or whoever the seat was given to.
    STOOD_IN = "stood_in"
    #: The seat is somebody else's, or the match is over: there was nothing left to decide.
    GONE = "gone"


@dataclass
class Turn:
    """One turn of one seat: what was read of it, and whether its player may still move."""

    ticket: Ticket
    seat: Seat
    match: Match
    #: The table after its newest move.
    table: Table
    is_open: bool
    #: What the moves after version ``heard_from`` brought, in their order.
    heard: list[Line]
    heard_from: int

    @cached_property
    def view(self) -> View:
        """What whoever holds the token may see: the seat's view while its turn lasts, a spectator's afterwards.

        A token is good for one turn; a mail that somebody else finds later must not show the hand of the day.
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

        Only what whoever looks may know.
        """
        viewer, since = (self.seat.number, -1) if self.is_open else (None, self.ticket.asked_version)
        lines = self._lines(viewer, since)
        if len(lines) < most and since < self.heard_from:
            # So much has not happened since the snapshot that the table was read from.
            self.heard, self.heard_from = [], -1
            history.last(self.match, partial(_hear, self.match, self.table.names, self.heard))
            lines = self._lines(viewer, since)
        return [line.text for line in lines[-most:]]

    def _lines(self, viewer: int | None, since: int) -> list[Line]:
        incidents = self.match.incidents.filter(version__gt=max(since, self.heard_from))
        told = [incident_line(*row) for row in incidents.values_list("version", "seat", "kind", "name", "other")]
        lines = sorted([*self.heard, *told], key=attrgetter("version"))
        return [line for line in lines if since < line.version <= self.table.version and line.event.is_for(viewer)]

    def how_it_ended(self) -> Ended:
        """What became of a turn that is no longer open."""
        later = Move.objects.filter(match=self.match, number__gt=self.ticket.asked_version).order_by("number")
        sources = set()
        for seat, source in later.values_list("seat", "source"):
            if seat == self.seat.number:
                sources.add(source)
            elif sources:
                break
        if not sources:
            return Ended.GONE
        return Ended.PLAYED if sources == {Move.Source.PLAYER} else Ended.STOOD_IN


def find(ticket: Ticket) -> Turn:
    """The turn of a ticket, read anew. Raises ``BadToken`` if its match or its seat is gone."""
    whole = Seat.objects.select_related("match", "player")
    asked = whole.filter(pk=ticket.seat_id, match__started_at__isnull=False).first()
    if asked is None:
        raise BadToken("the seat, or its match, is gone")
    match = asked.match
    moves = live_match.moves_since(match, match.snapshot_version)
    # Read after the moves: if the seat is still asked now, it was asked at the version read.
    seats = list(match.seats.all())
    heard: list[Line] = []
    hear = partial(_hear, match, [seat.name for seat in seats], heard)
    table = live_match.resume(match, seats, moves, hear)
    return _turn(ticket, asked, table, seats, heard, match.snapshot_version or -1)


def again(turn: Turn) -> Turn:
    """A turn as it stands now, going on from what was read of it; the ``turn`` given is of no use any more."""
    match, table = turn.match, turn.table
    match.refresh_from_db(fields=["status"])
    moves = live_match.moves_since(match, table.version)
    seats = list(match.seats.all())
    table.sit(seats)
    for made in moves:
        table.enter(made.seat, made.move, made.request_id, partial(_hear, match, table.names, turn.heard, made.number))
    return _turn(turn.ticket, turn.seat, table, seats, turn.heard, turn.heard_from)


def _hear(match: Match, names: list[str], heard: list[Line], version: int, event: Event) -> None:
    heard.append(Line(version, event, partial(match.rules.say, event, names)))


def _turn(ticket: Ticket, before: Seat, table: Table, seats: list[Seat], heard: list[Line], heard_from: int) -> Turn:
    """The turn of one of ``seats``, which was read ``before``, with its match and its player."""
    seat = next((seat for seat in seats if seat.pk == ticket.seat_id), None)
    if seat is None:
        raise BadToken("the seat is gone")
    if seat.player_id == before.player_id:
        seat.player = before.player
    return Turn(ticket, seat, before.match, table, _is_open(ticket, seat), heard, heard_from)


def _is_open(ticket: Ticket, seat: Seat) -> bool:
    return (
        seat.asked_version == ticket.asked_version
        and seat.player_id == ticket.user_id
        and seat.player is not None
        and seat.player.is_active
        and not seat.ai_level
    )


def moves_at(turn: Turn, version: int) -> list[Numbered]:
    """The numbered moves as the seat was shown them at an earlier ``version``; none if it was not asked then."""
    match = turn.match
    if match.snapshot_version <= version:
        moves = live_match.moves_since(match, match.snapshot_version)
        table = live_match.resume(match, list(match.seats.all()), [made for made in moves if made.number <= version])
    else:
        table = live_match.deal(match)
        for made in live_match.moves_since(match, 0)[:version]:
            table.enter(made.seat, made.move, made.request_id)
    return numbered(table.view(turn.seat.number), table.names)


def made_on(turn: Turn, version: int) -> str | None:
    """What was played before, in words, in answer to what a mail or page showed of ``version``; None if nothing was."""
    move = turn.match.moves.filter(request_id=_name(turn, version)).values_list("move", flat=True).first()
    return None if move is None else move_label(move, turn.table.names)


def _name(turn: Turn, version: int) -> str:
    """The name of the move that answers what was shown of ``version``: there is only one."""
    return f"mail-{turn.seat.pk}-{version}"


def act(turn: Turn, move: str, version: int) -> service.Acted:
    """Make a move of an open turn through the door, as its player.

    It is named after what it answers, so it counts once, however often the same page or mail comes.

    Args:
        turn: an open one.
        move: one of its moves.
        version: the version on which it was decided: what the page or the mail showed.

    Raises:
        Refused: the turn is over, the table has changed meanwhile, or the move is not legal any more.
    """
    if not turn.is_open or version > turn.table.version:
        raise service.Refused("stale", _("This turn is over."))
    return service.act(
        turn.match.pk,
        turn.seat.number,
        move,
        request_id=_name(turn, version),
        seen_version=version,
        player=turn.seat.player,
    )
