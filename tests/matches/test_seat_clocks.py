"""Clocks in the rows of seats: who is asked, since when, until when, and what is in the bank."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from games import rules
from games.matches import service
from games.matches.commit.batch import BatchCommitter
from games.matches.commit.changeset import ChangeSet, RemoteCommit
from games.matches.live_match import LiveMatch
from games.matches.models import Match, Seat
from games.matches.presets import PRESETS
from games.matches.turn_clock import SeatClock
from tests.factories.samples import sampled

pytestmark = pytest.mark.django_db

#: One game whose cards the table turns, and one with simultaneous choices, are enough for the default run.
SLUGS = sampled(rules.by_slug(), "armani", "armed")
TABLE = PRESETS["table"]


def clocks_of(match: Match) -> list[SeatClock]:
    """The stored clocks."""
    return [SeatClock.of(seat) for seat in match.seats.order_by("number")]


def player_at(match: Match, seat: int) -> User | None:
    return match.seats.get(number=seat).player


def move_on(match: Match, table: LiveMatch, people: dict[int, User | None], chance: random.Random) -> int:
    """Make one legal move of an awaited seat at ``table``; returns the seat."""
    if table.forced_step():
        service.step(match.pk, table.version)
        return -1
    seat = chance.choice(list(table.state.to_move()))
    move = chance.choice(list(table.state.legal_moves(seat)))
    service.act(match.pk, seat, move, request_id=f"m{table.version}", player=people[seat])
    return seat


@pytest.mark.parametrize("slug", SLUGS)
def test_exactly_those_whose_choice_is_awaited_are_asked(
    slug: str, ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    match = start_match(slug, ada, ben)
    chance = random.Random(slug)
    named: dict[int, int] = {}
    people = {seat.number: seat.player for seat in match.seats.select_related("player")}
    table, after = service.load(match.pk), clocks_of(match)
    for _ in range(40):
        before = after
        mover = move_on(match, table, people, chance)
        table = service.load(match.pk)
        after = clocks_of(match)
        assert {seat for seat, clock in enumerate(after) if clock.asked_version is not None} == set(table.deciders())
        for seat, clock in enumerate(after):
            if clock.asked_version is None:
                assert (clock.asked_at, clock.due_at) == (None, None)
            else:
                assert clock.due_at == clock.asked_at + clock.bank
                assert clock.asked_version <= table.version
            if clock.asked_version != before[seat].asked_version and clock.asked_version is not None:
                # A turn has a name of its own.
                assert clock.asked_version > named.get(seat, -1)
                named[seat] = clock.asked_version
            if seat != mover and before[seat].asked_version is not None and clock.asked_version is not None:
                assert clock == before[seat], "another player's move changed a turn in progress"
        match.refresh_from_db(fields=["due_at", "status"])
        due = [clock.due_at for clock in after if clock.due_at is not None]
        assert table.forced_step() or match.due_at == (min(due) if due else None)
        if match.status == Match.Status.OVER:
            break


def test_the_time_of_a_turn_is_taken_from_the_bank_and_its_end_adds_the_increment(
    ada: User, ben: User, start_match: Callable[..., Match], time_machine: Any
) -> None:
    time_machine.move_to("2026-11-21 12:00:00+00:00", tick=False)
    match = start_match("armed", ada, ben)
    for seat, spent, left in ((0, 10, 185), (1, 5, 180), (1, 0, 195)):
        table = service.load(match.pk)
        time_machine.shift(timedelta(seconds=spent))
        service.act(
            match.pk,
            seat,
            table.state.legal_moves(seat)[0],
            request_id=f"m{table.version}",
            player=player_at(match, seat),
        )
        assert clocks_of(match)[seat].bank_seconds == left


def test_simultaneous_choices_are_turns_of_their_own(ada: User, ben: User, start_match: Callable[..., Match]) -> None:
    match = start_match("armed", ada, ben)
    for seat, asked in ((0, [None, 0]), (1, [2, 2]), (1, [2, None]), (0, [4, 4])):
        table = service.load(match.pk)
        move = table.state.legal_moves(seat)[0]
        service.act(match.pk, seat, move, request_id=f"m{table.version}", player=player_at(match, seat))
        assert [clock.asked_version for clock in clocks_of(match)] == asked
    assert [clock.turns for clock in clocks_of(match)] == [2, 2]


def test_a_process_that_gets_a_move_has_the_stored_clocks(
    ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    match = start_match("normal-cards", ada, ben)
    told: list[ChangeSet] = []
    here, there = BatchCommitter(told.append), BatchCommitter(lambda _change: None)
    for number in range(4):
        table = service.load(match.pk)
        (seat,) = table.deciders()
        move = table.state.legal_moves(seat)[0]
        command = service.move_command(
            match.pk, seat, move, request_id=f"m{number}", player_id=match.seats.get(number=seat).player_id
        )
        here.commit([command])
        assert command.answer.result().version == number + 1
        there.load({match.pk})
        change = told[-1]
        entries = [[entry.seat, entry.move, entry.request_id, entry.source] for entry in change.entries]
        heard = {seat: SeatClock.from_json(clock.to_json()) for seat, clock in change.clocks.items()}
        there.apply_remote_commit(RemoteCommit(match.pk, change.from_version + 1, entries, change.at, heard))
        assert there.tables[match.pk].clocks == clocks_of(match)


def test_the_last_visit_is_stored_and_never_replaced_by_an_older_one(
    ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    match = start_match("normal-cards", ada, ben)
    service.looked(match.pk, ada, 3)
    service.looked(match.pk, ada, 1)
    service.looked(match.pk, None, 9)
    seat = Seat.objects.get(match=match, player=ada)
    assert seat.looked_version == 3
    assert timezone.now() - seat.looked_at < timedelta(minutes=1)
    assert Seat.objects.get(match=match, player=ben).looked_at is None


def test_the_clocks_of_a_batch_are_one_statement(ada: User, ben: User, start_match: Callable[..., Match]) -> None:
    matches = [start_match("armed", ada, ben) for _ in range(5)]
    committer = BatchCommitter(lambda _change: None)
    for version in range(2):
        commands = []
        for match in matches:
            table = service.load(match.pk)
            seat = table.deciders()[0]
            commands.append(
                service.move_command(
                    match.pk,
                    seat,
                    table.state.legal_moves(seat)[0],
                    request_id=f"m{version}",
                    player_id=match.seats.get(number=seat).player_id,
                )
            )
        with CaptureQueriesContext(
            connection,
        ) as queries:
            committer.commit(commands)
        assert all(command.answer.result().is_new for command in commands)
    # Savepoint, versions, moves, clocks, notices, release.
    assert len(queries) == 6, [query["sql"][:80] for query in queries]
