"""The turn that a token names, as it stands now: open, or over and how."""

import enum
from dataclasses import dataclass

from django.utils.translation import gettext as _

from games import play, tables
from games.engine import View
from games.live import rooms
from games.mail.moves import Numbered, numbered
from games.mail.tokens import BadToken, Ticket
from games.models import Match, Move, Seat
from games.table_words import move_label
from games.tables import Table


class Ended(enum.StrEnum):
    """How a turn ended that is no longer open."""

    #: The player has made their move, by whatever way.
    PLAYED = "played"
    #: Somebody else moved for them: a stand-in, or whoever the seat was given to.
    STOOD_IN = "stood_in"
    #: The seat is somebody else's, or the match is over: there was nothing left to decide.
    GONE = "gone"


@dataclass(slots=True)
class Turn:
    """One turn of one seat: what was read of it, and whether its player may still move."""

    ticket: Ticket
    seat: Seat
    reading: rooms.Reading
    is_open: bool

    @property
    def match(self) -> Match:
        """The match."""
        return self.reading.match

    @property
    def table(self) -> Table:
        """The table after its newest move."""
        return self.reading.table

    @property
    def view(self) -> View:
        """What whoever holds the token may see: the seat's view while its turn lasts, a spectator's afterwards.

        A token is good for one turn; a mail that somebody else finds later must not show the hand of the day.
        """
        return self.table.view(self.seat.number if self.is_open else None)

    @property
    def moves(self) -> list[Numbered]:
        """The numbered moves; none once the turn is over, or while the table makes the next move itself."""
        if not self.is_open or self.table.forced_step() or self.table.at_slap_point:
            return []
        return numbered(self.view, self.table.names)

    @property
    def happened(self) -> list[str]:
        """Sentences on what happened, oldest first: all that led here, or, of a turn that is over, what came after it.

        Only what whoever looks may know.
        """
        viewer, since = (self.seat.number, -1) if self.is_open else (None, self.ticket.asked_version)
        return [line.text for line in self.reading.lines if line.version > since and line.event.is_for(viewer)]

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
    seat = Seat.objects.select_related("player").filter(pk=ticket.seat_id).first()
    if seat is None:
        raise BadToken("the seat is gone")
    try:
        reading = rooms.read(seat.match_id)
    except KeyError:
        raise BadToken("the match is gone") from None
    # Read after the table: if the seat is still asked now, it was asked at the version read.
    seat.refresh_from_db()
    return Turn(ticket, seat, reading, _is_open(ticket, seat))


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
    table = tables.deal(turn.match)
    entries = turn.match.moves.filter(number__lte=version).order_by("number")
    for seat, move, request_id in entries.values_list("seat", "move", "request_id"):
        table.enter(seat, move, request_id)
    return numbered(table.view(turn.seat.number), table.names)


def made_on(turn: Turn, version: int) -> str | None:
    """What was played before, in words, in answer to what a mail or page showed of ``version``; None if nothing was."""
    move = turn.match.moves.filter(request_id=_name(turn, version)).values_list("move", flat=True).first()
    return None if move is None else move_label(move, turn.table.names)


def _name(turn: Turn, version: int) -> str:
    """The name of the move that answers what was shown of ``version``: there is only one."""
    return f"mail-{turn.seat.pk}-{version}"


def act(turn: Turn, move: str, version: int) -> play.Acted:
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
        raise play.Refused("stale", _("This turn is over."))
    return play.act(
        turn.match.pk,
        turn.seat.number,
        move,
        request_id=_name(turn, version),
        seen_version=version,
        player=turn.seat.player,
    )
