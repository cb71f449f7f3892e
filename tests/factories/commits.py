"""Concurrent commits, and checks of what is stored afterwards."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection

from games.matches import history, service
from games.matches.commit.batch import BatchCommitter
from games.matches.commit.changeset import Acted, ChangeSet, Command
from games.matches.models import Match

#: How many of the statements that store a move PostgreSQL takes together with another (``games.matches.sql``).
JOINED = 2 if connection.vendor == "postgresql" else 0

Moves = Sequence[tuple[int, str]]


def first_moves(match: Match, count: int) -> Moves:
    """The first legal move, this many times in a row."""
    table = service.load(match.pk)
    moves = []
    for _ in range(count):
        seat = table.state.to_move()[0]
        moves.append((seat, table.state.legal_moves(seat)[0]))
        table.enter(*moves[-1], f"m{table.version}")
    return moves


def command_of(match: Match, moves: Moves, number: int) -> Command:
    """The command of move ``number`` (from 0) by its player."""
    seat, move = moves[number]
    player_id = match.seats.get(number=seat).player_id
    return service.move_command(match.pk, seat, move, request_id=f"m{number}", player_id=player_id)


def silent(change: ChangeSet) -> None:
    """Announce to no one."""


def at_once(*work: Callable[[], Any]) -> list[Any]:
    """Run everything at the same time in separate threads; returns results or refusals in order."""
    results: list[Any] = [None] * len(work)
    barrier = threading.Barrier(len(work))

    def do(number: int) -> None:
        barrier.wait(10)
        try:
            results[number] = work[number]()
        except Exception as error:
            results[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=(number,)) for number in range(len(work))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def done(committer: BatchCommitter, *commands: Command) -> list[Acted | Exception]:
    """The results of commands committed together."""
    committer.commit(commands)
    return [command.answer.exception() or command.answer.result() for command in commands]


def assert_log_is_whole(match: Match, count: int) -> None:
    """Check that move numbers have no gaps, request ids are unique, and the log leads to the shown state."""
    stored = list(match.moves.values_list("number", "request_id"))
    assert [number for number, _ in stored] == list(range(1, count + 1))
    assert len({name for _, name in stored}) == count
    match.refresh_from_db()
    assert match.version == count
    whole = history.last(match)
    shown = service.load(match.pk)
    assert (whole.version, shown.version) == (count, count)
    for viewer in (*range(match.seat_count), None):
        assert shown.state.view(viewer).to_json() == whole.state.view(viewer).to_json()
