"""The rows of one match: the queries that pages, moves and emails make for the match they are about."""

from typing import NamedTuple

from django.db.models import QuerySet

from accounts.compiled import compiled
from games.matches.models import Match, Move, Seat


class Made(NamedTuple):
    """A stored move."""

    number: int
    seat: int
    move: str
    request_id: str
    source: str


@compiled
def begun(match_id: int) -> QuerySet[Match]:
    """The match, if it is running or finished."""
    return Match.objects.filter(pk=match_id, started_at__isnull=False)


@compiled
def seats_of(match_id: int) -> QuerySet[Seat]:
    """The seats of a match in order."""
    return Seat.objects.filter(match=match_id)


@compiled
def _moves(match_id: int, after: int) -> QuerySet[Move, tuple[int, int, str, str, str]]:
    return Move.objects.filter(match=match_id, number__gt=after).order_by("number").values_list(*Made._fields)


def moves_since(match_id: int, version: int) -> list[Made]:
    """The stored moves of a match after ``version``, in one query."""
    return [Made(*row) for row in _moves(match_id, version)]
