"""Segments and the cost of wrong slaps in them: pure, based on states."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine import TABLE
from games.matches.live_match import CLOSE, FLIP
from games.matches.slap_points.segments import Press, ahead, debts, is_forced, locks_after, walk
from games.rules.armani import ArmaniState
from tests.factories.slap_points import dealt

SEEDS = st.integers(0, 2**128 - 1).map(lambda number: f"{number:032x}")


def play_on(state: ArmaniState, winner: int | None) -> None:
    """Make the moves of the next segment, and let ``winner`` take its final slap."""
    segment = ahead(state)
    for seat, move in segment.moves:
        state.apply(seat, move)
    if not segment.is_slappable:
        state.apply(TABLE, CLOSE)
    elif winner is not None and "slap" in state.legal_moves(winner):
        state.apply(winner, "slap")


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(2, 8), st.lists(st.none() | st.integers(0, 7), min_size=1, max_size=12))
def test_a_segment_ends_at_the_first_slappable_card_or_with_the_last_hand_of_the_stage(seed, seats, winners):
    state = dealt(seats, seed, stage2_flips=104)
    for winner in winners:
        if not is_forced(state):
            break
        segment = ahead(state)
        flips = [now.is_slappable() for at, now in walk(state, segment) if segment.moves[at - 1][1] == FLIP]
        *earlier, last = flips or [False]
        assert not any(earlier)
        assert last is segment.is_slappable
        if not segment.is_slappable:
            after = state.copy()
            for seat, move in segment.moves:
                after.apply(seat, move)
            assert after.to_move() == (TABLE,)
            phase = after.phase
            after.apply(TABLE, CLOSE)
            assert after.phase != phase
        play_on(state, None if winner is None else winner % seats)


def test_looking_ahead_changes_nothing():
    state = dealt(4, "5eed" * 8)
    view = state.view(None).to_json()
    flips = state.flips
    ahead(state)
    assert state.view(None).to_json() == view
    assert state.flips == flips


def test_dead_hands_are_handed_over_as_they_fall():
    rng = Random(7)
    closes = 0
    for _ in range(40):
        state = dealt(2, f"{rng.getrandbits(128):032x}")
        segment = ahead(state)
        for at, now in walk(state, segment):
            if segment.moves[at - 1] == (TABLE, CLOSE):
                closes += 1
                assert not now.pile
    assert closes


class TestDebts:
    @pytest.fixture
    def state(self) -> ArmaniState:
        """A deal whose first segment has at least eight cards before the slappable one, and no finished hand."""
        for number in range(1000):
            state = dealt(2, f"{number:032x}")
            segment = ahead(state)
            if segment.is_slappable and len(segment.moves) > 8 and all(move == FLIP for _seat, move in segment.moves):
                return state
        raise AssertionError

    def test_a_wrong_slap_locks_out_from_that_card_and_burns(self, state):
        (debt,) = debts(state, ahead(state), [Press(3, 1)])
        assert debt.burns
        assert debt.until == state.flips + 3 + state.lockout + 1

    def test_the_right_slap_costs_nothing(self, state):
        segment = ahead(state)
        assert debts(state, segment, [Press(len(segment.moves), 0)]) == []

    def test_burned_cards_are_paid_by_card_and_then_by_seat(self, state):
        order = [debt.press for debt in debts(state, ahead(state), [Press(6, 0), Press(2, 1), Press(2, 0)])]
        assert order == [Press(2, 0), Press(2, 1), Press(6, 0)]

    def test_a_player_without_a_card_burns_none_and_is_locked_out_twice_as_long(self, state):
        state.stacks[1][:] = state.stacks[1][-1:]
        segment = ahead(state)
        played = next(at for at, (seat, _move) in enumerate(segment.moves, start=1) if seat == 1)
        after = next(at for at, (seat, _move) in enumerate(segment.moves, start=1) if at > played and seat == 0)
        (debt,) = debts(state, segment, [Press(after, 1)])
        flips = next(now.flips for at, now in walk(state, segment) if at == after)
        assert not debt.burns
        assert debt.until == flips + 2 * state.lockout + 1

    def test_a_card_that_is_owed_is_not_there_to_be_burned_again(self, state):
        state.stacks[1][:] = state.stacks[1][-2:]
        state.lockout = 0
        segment = ahead(state)
        first = 1 if segment.moves[0][0] == 0 else 2
        found = debts(state, segment, [Press(first, 1), Press(first + 2, 1)])
        assert [debt.burns for debt in found] in ([True, False], [True, True])
        left = {at: len(now.stacks[1]) for at, now in walk(state, segment)}
        assert found[1].burns is (left[first + 2] > 1)

    def test_lock_outs_only_ever_grow(self, state):
        found = debts(state, ahead(state), [Press(3, 1)])
        assert locks_after([50, 2], found) == [50, found[0].until]
        assert locks_after([0, 99], found) == [0, 99]


@pytest.mark.ladder
def test_a_match_has_fourteen_slap_points_whatever_the_number_of_players():
    """From measurements: 14 on average, 21 in the longest tenth, with 104 flips in Stage 2."""
    rng = Random(20261121)
    for seats in (2, 4, 8):
        counts = []
        for _ in range(150):
            state = dealt(seats, f"{rng.getrandbits(128):032x}", stage2_flips=104)
            count = 0
            while state.outcome() is None:
                if is_forced(state):
                    count += ahead(state).is_slappable
                    play_on(state, rng.randrange(seats) if rng.random() < 0.9 else None)
                else:
                    seat = state.to_move()[0]
                    state.apply(seat, state.default_move(seat))
            counts.append(count)
        counts.sort()
        assert 12.5 < sum(counts) / len(counts) < 15.5, seats
        assert 19 <= counts[len(counts) * 9 // 10] <= 23, seats
