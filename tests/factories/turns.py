"""Turns of a match, for tests of playing by email."""

import random

from games.mail import tokens
from games.matches import events, service
from games.matches.commit.batch import BatchCommitter
from games.matches.models import Match, Seat
from tests.factories.tables import keep_up


def asked(match: Match) -> Seat:
    """The first seat that a match waits for, with its player."""
    seats = match.seats.select_related("player").filter(asked_version__isnull=False)
    return seats.order_by("number")[0]


def turn_path(seat: Seat) -> str:
    """The path of the decision page for the current turn of ``seat``."""
    version = Seat.objects.values_list("asked_version", flat=True).get(pk=seat.pk)
    assert version is not None
    return "/turn/" + tokens.turn_url(seat, version).partition("/turn/")[2]


def play_on(match: Match, number: int, rng: random.Random) -> None:
    """Make this many random moves of the awaited players through the service, or all that are left."""
    table = service.load(match.pk)
    players = {seat.number: seat.player for seat in match.seats.select_related("player")}
    for _move in range(number):
        if table.status != Match.Status.RUNNING:
            return
        seat = table.state.to_move()[0]
        move = rng.choice([move for move in table.state.legal_moves(seat) if move != "slap"])
        service.act(match.pk, seat, move, request_id=f"t{table.version}", player=players[seat])
        keep_up(table)


class Players:
    """The people at a table that no one else changes: their moves are applied instead of loaded."""

    def __init__(self, match: Match, rng: random.Random) -> None:
        self.table = service.load(match.pk)
        self._rng = rng
        self._committer = BatchCommitter(events.publish)

    @property
    def is_over(self) -> bool:
        return self.table.state.outcome() is not None

    def move(self, number: int = 1) -> None:
        """Make random moves while the match waits for choices, stored together as by the match service."""
        table = self.table
        commands = []
        while len(commands) < number and not self.is_over and not table.at_slap_point:
            seat = min(table.deciders())
            move = self._rng.choice([move for move in table.state.legal_moves(seat) if move != "slap"])
            name, player = f"r{table.version}", table.sitters[seat].player_id
            commands.append(service.move_command(table.match_id, seat, move, request_id=name, player_id=player))
            table.enter(seat, move, name)
        self._committer.commit(commands)
        for command in commands:
            command.answer.result()
