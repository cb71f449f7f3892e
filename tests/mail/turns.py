"""The turns of a match as tests of playing by mail take them up."""

from games.mail import tokens
from games.models import Match, Seat


def asked(match: Match) -> Seat:
    """The first seat that a match waits for."""
    return match.seats.filter(asked_version__isnull=False).order_by("number")[0]


def turn_path(seat: Seat) -> str:
    """The path of the decision page for the turn that ``seat`` is asked for now."""
    seat.refresh_from_db()
    assert seat.asked_version is not None
    return "/turn/" + tokens.turn_url(seat, seat.asked_version).partition("/turn/")[2]
