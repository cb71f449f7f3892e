"""The turns of a match as tests of playing by mail take them up."""

import random

from games import play
from games.commit import Committer
from games.live import publish
from games.mail import tokens
from games.models import Match, Seat


def asked(match: Match) -> Seat:
    """The first seat that a match waits for, with its player."""
    seats = match.seats.select_related("player").filter(asked_version__isnull=False)
    return seats.order_by("number")[0]


def turn_path(seat: Seat) -> str:
    """The path of the decision page for the turn that ``seat`` is asked for now."""
    version = Seat.objects.values_list("asked_version", flat=True).get(pk=seat.pk)
    assert version is not None
    return "/turn/" + tokens.turn_url(seat, version).partition("/turn/")[2]


def some_moves(match: Match, number: int, rng: random.Random) -> int:
    """Random moves, for as long as the match waits for choices, stored together as the door stores what comes at once.

    How many there were; the match may be over afterwards.
    """
    table = play.load(match.pk)
    people = [sitter.player_id for sitter in table.sitters]
    deeds = []
    while len(deeds) < number and table.state.outcome() is None and not table.at_slap_point:
        seat = min(table.deciders())
        move = rng.choice([move for move in table.state.legal_moves(seat) if move != "slap"])
        name = f"r{table.version}"
        deeds.append(play.move_deed(match.pk, seat, move, request_id=name, player_id=people[seat]))
        table.enter(seat, move, name)
    Committer(publish.changed).commit(deeds)
    for deed in deeds:
        deed.answer.result()
    # What the door remembers of this match is older.
    play.forget_all()
    return len(deeds)
