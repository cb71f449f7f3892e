"""Clocks and AI players wait until the players have seen what happened."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from django.test import override_settings

from games import rules
from games.ai.people import pause_of
from games.engine import HELD, Rules
from games.matches.commit import planning
from games.matches.commit.changeset import ChangeSet
from games.matches.commit.slap_store import Windows
from games.matches.live_match import LiveMatch, Sitter
from games.matches.presets import PRESETS, deadline
from games.matches.turn_clock import fresh

NOW = datetime(2026, 11, 23, 10, tzinfo=UTC)
#: The pauses for a trick taken by one of three players, and for their draws.
SEEN = timedelta(milliseconds=900 + 3 * 200)


def table_of(clock: str, *, number: int = 7, ai: int | None = None) -> LiveMatch:
    """A table of Normal Cards for three people, or with an AI player on seat ``ai``."""
    game = rules.get("normal-cards")
    sitters = tuple(
        Sitter(seat, "Ada" if seat == ai else f"P{seat}", None if seat == ai else seat, "easy" if seat == ai else "")
        for seat in range(3)
    )
    clocks = [fresh(PRESETS.get(clock)) for _seat in sitters]
    return LiveMatch(
        match_id=1, key="k", slug=game.slug, rules=game, state=game.deal(3, {}, f"{number:032x}"), version=0,
        status="running", seating_epoch=0, seed="5eed" * 8, sitters=sitters, clock=clock, clocks=clocks, pace="normal",
        is_rated=False, turn_since=NOW, snapshot_version=0, rests=rules.presentation(game.slug).rests,
    )  # fmt: skip


def first_trick(clock: str, *, winner: int | None = None, ai: int | None = None) -> ChangeSet:
    """The change in which the first trick is taken: by ``winner``, or by anyone who didn't play last."""
    for number in range(200):
        table = table_of(clock, number=number, ai=ai)
        for _card in range(3):
            change = ChangeSet(table, NOW, table.version, Windows([table.match_id]))
            (seat,) = table.state.to_move()
            change.enter(seat, table.state.legal_moves(seat)[0], f"m{table.version}", "player")
        (taker,) = table.state.to_move()
        if taker != seat and winner in (None, taker):
            planning.plan(change, planning.hours_of([]))
            return change
    raise AssertionError("no such trick")


@override_settings(HURRY=1)
def test_a_live_clock_starts_when_the_trick_and_the_draws_have_been_seen() -> None:
    change = first_trick("table")
    (seat,) = change.awaited
    clock = change.clocks[seat]
    assert clock.asked_at == NOW + SEEN
    assert clock.due_at == deadline(clock.asked_at, clock.bank, None)


def test_a_player_who_moves_during_the_rest_has_spent_no_time() -> None:
    table = first_trick("table").table
    (seat,) = table.state.to_move()
    before = table.clocks[seat].bank
    change = ChangeSet(table, NOW, table.version, Windows([table.match_id]))
    change.enter(seat, table.state.legal_moves(seat)[0], "early", "player")
    planning.plan(change, {})
    preset = PRESETS["table"]
    assert table.clocks[seat].bank == min(preset.cap, before + preset.increment)


@override_settings(HURRY=1)
def test_an_ai_player_thinks_after_the_others_have_seen_what_happened() -> None:
    change = first_trick("none", winner=0, ai=0)
    assert change.due_at is not None
    thinks = pause_of("Ada")
    assert timedelta(milliseconds=thinks[0]) <= change.due_at - NOW - SEEN <= timedelta(milliseconds=thinks[1])


def test_the_clock_does_not_wait_for_a_card_that_ends_no_trick() -> None:
    table = table_of("table")
    change = ChangeSet(table, NOW, table.version, Windows([table.match_id]))
    (seat,) = table.state.to_move()
    change.enter(seat, table.state.legal_moves(seat)[0], "m", "player")
    assert change.rest == 0


def test_clocks_that_run_by_hours_begin_at_once() -> None:
    change = first_trick("daily")
    assert {clock.asked_at for clock in change.clocks.values() if clock.asked_at} == {NOW}


@pytest.mark.parametrize("game", rules.all(), ids=lambda game: game.slug)
def test_rests_belong_to_events_that_the_game_has(
    game: Rules,
) -> None:
    rests = rules.presentation(game.slug).rests
    assert all(0 < rest <= HELD for rest in rests.values())
    options = {"deals": 2} if game.slug == "normal-cards" else {}
    told: set[str] = set()
    for number in range(8):
        if rests.keys() <= told:
            break
        rng = random.Random(number)
        state = game.deal(game.seats[number % len(game.seats)], options, f"{number:032x}")
        while awaited := state.to_move():
            moves = [move for move in state.legal_moves(awaited[0]) if move != "slap"]
            state.apply(awaited[0], rng.choice(moves), lambda event: told.add(event.kind))
    assert rests.keys() <= told
