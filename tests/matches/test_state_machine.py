"""Whatever is asked of a match, in any order: its moves have no gap, count once, and lead to the table that is shown.

The default run takes a few short walks. For long ones: ``STATE_WALKS=500 STATE_STEPS=400 ./run test
tests/matches/test_state_machine.py``, on SQLite or with DATABASE_URL on PostgreSQL.
"""

import os
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from accounts.models import User
from games import engine, rules
from games.matches import history, live_match, service
from games.matches.models import Match
from games.table import projection

WALKS, STEPS = int(os.environ.get("STATE_WALKS", "6")), int(os.environ.get("STATE_STEPS", "20"))
#: Slaps have a rhythm of their own, which their own tests keep.
SLUGS = sorted(slug for slug, game in rules.by_slug().items() if not game.presentation.has_slaps)


class Walk(RuleBasedStateMachine):
    """One match, and what is expected of it."""

    start: Callable[..., Match]
    people: list[User]
    stranger: User

    @initialize(slug=st.sampled_from(SLUGS), seed=st.integers(0, 2**32))
    def begin(self, slug: str, seed: int) -> None:
        self.match = self.start(slug, *self.people)
        self.rng = random.Random(seed)
        self.version = 0
        self.asked = 0
        #: What was accepted: the name of the request, and the version it led to.
        self.done: dict[str, int] = {}
        self.is_over = False

    def table(self) -> live_match.LiveMatch:
        return service.load(self.match.pk)

    def person_at(self, seat: int) -> User:
        player = self.match.seats.get(number=seat).player
        assert player is not None
        return player

    def ask(self, seat: int, move: str, player: User, name: str = "", **more: Any) -> int | None:
        """The version that the move led to; None if it was refused."""
        self.asked += not name
        name = name or f"walk{self.asked}"
        try:
            acted = service.act(self.match.pk, seat, move, request_id=name, player=player, **more)
        except service.Refused:
            return None
        self.done[name] = acted.version
        return acted.version

    def refused(self, *arguments: Any, **more: Any) -> None:
        assert self.ask(*arguments, **more) is None
        assert self.table().version == self.version, "what is refused changes nothing"

    @precondition(lambda self: not self.is_over)
    @rule()
    def move(self) -> None:
        table = self.table()
        seat = self.rng.choice(table.state.to_move())
        move = self.rng.choice(table.state.legal_moves(seat))
        version = self.ask(seat, move, self.person_at(seat), seen_version=self.version)
        assert version == self.version + 1
        # The table may have gone on by itself.
        self.version = self.table().version
        assert self.version >= version
        self.is_over = self.table().status != Match.Status.RUNNING

    @precondition(lambda self: self.done)
    @rule()
    def say_again(self) -> None:
        name = self.rng.choice(sorted(self.done))
        made = self.match.moves.get(request_id=name)
        version = self.ask(made.seat, made.move, self.person_at(made.seat), name)
        assert version in (None, self.done[name], made.number), "the same request counts once"
        assert self.table().version == self.version

    @precondition(lambda self: not self.is_over)
    @rule(text=st.text(max_size=30))
    def say_nonsense(self, text: str) -> None:
        seat = self.table().state.to_move()[0]
        if text not in self.table().state.legal_moves(seat):
            try:
                self.table().state.check(seat, text)
            except engine.IllegalMove:
                self.refused(seat, text, self.person_at(seat))

    @precondition(lambda self: not self.is_over)
    @rule()
    def move_for_another(self) -> None:
        table = self.table()
        seat = self.rng.choice(table.state.to_move())
        move = self.rng.choice(table.state.legal_moves(seat))
        self.refused(seat, move, self.stranger)
        other = next(person for person in self.people if person != self.person_at(seat))
        self.refused(seat, move, other)

    @precondition(lambda self: not self.is_over)
    @rule()
    def move_out_of_turn(self) -> None:
        table = self.table()
        for seat in set(range(self.match.seat_count)) - set(table.state.to_move()):
            moves = table.state.legal_moves(self.rng.choice(table.state.to_move()))
            self.refused(seat, self.rng.choice(moves), self.person_at(seat))

    @rule()
    def ask_after_the_end(self) -> None:
        if self.is_over:
            self.refused(0, "pass", self.person_at(0))

    @rule()
    def go_on_in_another_process(self) -> None:
        service.forget_all()

    @invariant()
    def moves_have_no_gap(self) -> None:
        numbers = list(self.match.moves.order_by("number").values_list("number", flat=True))
        assert numbers == list(range(1, self.version + 1))

    @invariant()
    def the_match_played_again_is_the_match_that_is_shown(self) -> None:
        match = Match.objects.get(pk=self.match.pk)
        again, stored = history.last(match), self.table()
        assert (match.version, again.version, stored.version) == (self.version,) * 3
        shown = projection.read(match.pk).table
        for viewer in (None, *range(match.seat_count)):
            view = again.view(viewer).to_json()
            assert stored.view(viewer).to_json() == view
            assert shown.view(viewer).to_json() == view


@pytest.mark.django_db
def test_walks(start_match: Callable[..., Match], make_player: Callable[[str], User]) -> None:
    people, stranger = [make_player(name) for name in ("Ada", "Ben")], make_player("Mallory")

    class OurWalk(Walk):
        def __init__(self) -> None:
            super().__init__()
            self.start, self.people, self.stranger = start_match, people, stranger

    run_state_machine_as_test(
        OurWalk,
        settings=settings(
            max_examples=WALKS, stateful_step_count=STEPS, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
