"""Whatever is requested from a match, in any order, by two processes, its records stay consistent.

Its moves have no gap, count once, and lead to the table that is shown; each card has one verdict, no clock gains, each
turn has one notice, and no view reveals hidden cards.

The default run takes a few short walks. ``python -m tests.matches.walk`` takes long ones, for as many steps as it is
told, on SQLite or with DATABASE_URL on PostgreSQL.
"""

import itertools
import os
import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
import time_machine
from django.utils import timezone
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
from games.mail.models import Kind, Notice, PushSubscription
from games.matches import history, live_match, service
from games.matches.commands.absence import HandleDeadline
from games.matches.commit.batch import BatchCommitter
from games.matches.commit.changeset import Command
from games.matches.models import Match, Seat, SlapAttempt
from games.matches.presets import PRESETS
from games.slaps.rejudge import differences
from games.table import projection
from tests.factories.commits import silent

WALKS, STEPS = int(os.environ.get("STATE_WALKS", "6")), int(os.environ.get("STATE_STEPS", "20"))
SLUGS = sorted(rules.by_slug())
#: Turns of a match that may time out: after eight an AI player has the seat, and waits for its worker.
MOST_MISSED = 3
#: The start of each match, so that players' hours are the same in each walk.
MORNING = datetime(2026, 3, 2, 10, tzinfo=UTC)


class Walk(RuleBasedStateMachine):
    """One match, and the expectations about it."""

    start: Callable[..., Match]
    people: list[User]
    stranger: User
    steps: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.travel = time_machine.travel(MORNING, tick=False)
        self.time = self.travel.start()

    @initialize(
        slug=st.sampled_from(SLUGS), seed=st.integers(0, 2**32), clock=st.sampled_from([Match.Clock.TABLE, "daily"])
    )
    def begin(self, slug: str, seed: int, clock: str) -> None:
        # Turn-based slaps have a page and tests of their own.
        clock = Match.Clock.TABLE if rules.presentation(slug).has_slaps else clock
        self.match = self.start(slug, *self.people, clock=clock)
        self.preset = PRESETS[self.match.clock]
        self.missed = 0
        self.is_swept = False
        #: The seats after the previous step, and its time.
        self.seats: list[Seat] = []
        self.seen_at = timezone.now()
        #: Turns that began: the player asked, the seat and the version; and whether notices exist.
        self.turns: dict[tuple[int | None, int, int], bool] = {}
        self.rng = random.Random(seed)
        #: Another process with its own copy of the table, which gets no messages from here.
        self.elsewhere = BatchCommitter(silent)
        self.is_elsewhere = False
        self.version = 0
        self.asked = 0
        #: Accepted requests: the request id, and the version it led to.
        self.done: dict[str, int] = {}
        self.is_over = False
        self.loaded: live_match.LiveMatch | None = None

    def table(self) -> live_match.LiveMatch:
        """The stored table, loaded again after each command and once in each step."""
        if self.loaded is None:
            self.loaded = service.load(self.match.pk)
        return self.loaded

    def person_at(self, seat: int) -> User:
        player = self.match.seats.get(number=seat).player
        assert player is not None
        return player

    def players_turn(self) -> live_match.LiveMatch | None:
        """The table, if it waits for a player."""
        table = self.table()
        return None if self.is_over or table.forced_step() is not None else table

    def submit(self, command: Command[Any]) -> Any:
        """Let this process, or the other one, handle a command."""
        self.loaded = None
        if self.is_elsewhere:
            self.elsewhere.commit([command])
        else:
            service.submit(command)
        return command.answer.result()

    def ask(self, seat: int, move: str, player: User, name: str = "", **more: Any) -> int | None:
        """The version the move led to; None if it was refused."""
        self.asked += not name
        name = name or f"walk{self.asked}"
        try:
            acted = self.submit(
                service.move_command(self.match.pk, seat, move, request_id=name, player_id=player.pk, **more)
            )
        except service.Refused:
            return None
        self.done[name] = acted.version
        return acted.version

    def refused(self, *arguments: Any, **more: Any) -> None:
        assert self.ask(*arguments, **more) is None
        assert self.table().version == self.version, "what is refused changes nothing"

    def went_on(self) -> None:
        """Record the table's version."""
        table = self.table()
        assert table.version >= self.version
        self.version = table.version
        self.is_over = table.status != Match.Status.RUNNING

    @precondition(players_turn)
    @rule()
    def move(self) -> None:
        table = self.table()
        seat = self.rng.choice(table.state.to_move())
        move = self.rng.choice(table.state.legal_moves(seat))
        version = self.ask(seat, move, self.person_at(seat), seen_version=self.version)
        assert version == self.version + 1
        self.went_on()

    @precondition(lambda self: not self.is_over and self.table().forced_step() is not None)
    @rule()
    def let_the_table_go_on(self) -> None:
        acted = self.submit(service.AdvanceTable(self.match.pk, self.version))
        assert acted.version > self.version
        self.went_on()

    @precondition(lambda self: self.version and not self.is_over)
    @rule()
    def let_it_go_on_from_where_it_was(self) -> None:
        with pytest.raises(service.Refused):
            self.submit(service.AdvanceTable(self.match.pk, self.rng.randrange(self.version)))
        assert self.table().version == self.version

    @precondition(lambda self: not self.is_over and self.table().card is not None)
    @rule(
        seat=st.integers(0, 1), reaction=st.integers(0, 900), cards_ago=st.sampled_from([0, 0, 0, 1]), now=st.booleans()
    )
    def slap(self, seat: int, reaction: int, cards_ago: int, now: bool) -> None:
        card = (self.table().card or 0) - cards_ago
        press = service.RecordPress(
            self.match.pk,
            seat=seat,
            card=card,
            elapsed=reaction + 40,
            claimed=reaction,
            ping=40,
            cap=48,
            rival_cap=self.rng.choice([None, 48]),
            player_id=self.person_at(seat).pk,
            at_once=now,
        )
        try:
            self.submit(press)
        except service.Refused:
            assert self.table().version == self.version, "what is refused changes nothing"
        self.went_on()

    @precondition(lambda self: self.done)
    @rule()
    def say_again(self) -> None:
        name = self.rng.choice(sorted(self.done))
        made = self.match.moves.get(request_id=name)
        version = self.ask(made.seat, made.move, self.person_at(made.seat), name)
        assert version in (None, self.done[name], made.number), "the same request counts once"
        assert self.table().version == self.version

    @precondition(players_turn)
    @rule(text=st.text(max_size=30))
    def say_nonsense(self, text: str) -> None:
        seat = self.table().state.to_move()[0]
        if text not in self.table().state.legal_moves(seat):
            try:
                self.table().state.check(seat, text)
            except engine.IllegalMove:
                self.refused(seat, text, self.person_at(seat))

    @precondition(players_turn)
    @rule()
    def move_for_another(self) -> None:
        table = self.table()
        seat = self.rng.choice(table.state.to_move())
        move = self.rng.choice(table.state.legal_moves(seat))
        self.refused(seat, move, self.stranger)
        other = next(person for person in self.people if person != self.person_at(seat))
        self.refused(seat, move, other)

    @precondition(players_turn)
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

    @rule(share=st.sampled_from([0.001, 0.01, 0.1, 0.4]))
    def wait(self, share: float) -> None:
        self.time.shift(self.preset.start * share)

    @precondition(lambda self: not self.is_over and self.missed < MOST_MISSED)
    @rule()
    def let_a_turn_run_out(self) -> None:
        due = self.match.seats.filter(due_at__isnull=False).order_by("due_at").values_list("due_at", flat=True).first()
        if due is not None:
            self.missed += 1
            self.time.move_to(max(due, timezone.now()) + timedelta(seconds=1))

    @precondition(lambda self: not self.is_over)
    @rule()
    def sweep(self) -> None:
        late = self.match.seats.filter(due_at__lte=timezone.now()).exists()
        self.submit(HandleDeadline(self.match.pk))
        assert late or self.table().version == self.version, "no turn was overdue"
        self.is_swept = late
        self.went_on()

    @rule(is_new=st.booleans())
    def go_on_in_another_process(self, is_new: bool) -> None:
        self.is_elsewhere = not self.is_elsewhere
        if is_new:
            (self.elsewhere if self.is_elsewhere else service).forget_all()

    @invariant()
    def moves_have_no_gap(self) -> None:
        numbers = list(self.match.moves.order_by("number").values_list("number", flat=True))
        assert numbers == list(range(1, self.version + 1))

    @invariant()
    def the_match_played_again_is_the_match_that_is_shown(self) -> None:
        match = Match.objects.get(pk=self.match.pk)
        self.loaded = None
        again, stored = history.last(match), self.table()
        assert (match.version, again.version, stored.version) == (self.version,) * 3
        shown = projection.read(match.pk).table
        for viewer in (None, *range(match.seat_count)):
            view = again.view(viewer).to_json()
            assert stored.view(viewer).to_json() == view
            assert shown.view(viewer).to_json() == view

    @invariant()
    def a_card_has_one_verdict(self) -> None:
        type(self).steps += 1
        won = list(self.match.slaps.filter(result=SlapAttempt.Result.WON).values_list("version", flat=True))
        assert len(won) == len(set(won))
        waiting = self.match.slaps.filter(result=SlapAttempt.Result.PENDING)
        assert set(waiting.values_list("version", flat=True)) <= {self.table().card}

    @invariant()
    def no_clock_gains(self) -> None:
        seats = list(self.match.seats.order_by("number"))
        for before, after in zip(self.seats, seats, strict=bool(self.seats)):
            assert after.bank_seconds <= self.most_left(before, after) + 1, "seconds are rounded"
            if before.asked_version == after.asked_version and before.is_excused == after.is_excused:
                assert after.bank_seconds == before.bank_seconds
                # The sweep uses the leave of players who have some, if clocks run by hours.
                assert after.due_at == before.due_at or (self.is_swept and self.preset.by_hours)
            assert after.is_excused >= before.is_excused, "there is one excuse"
        self.seats, self.seen_at, self.is_swept = seats, timezone.now(), False

    def most_left(self, before: Seat, after: Seat) -> float:
        """The seconds a clock may show after a step: what it had, minus the time passed, plus the turn's increment.

        Clocks by hours may stand still, so passed time counts only at live tables.
        """
        left = before.bank_seconds or 0
        asked_at = before.asked_at
        if asked_at is None:
            return left
        if before.is_excused < after.is_excused:
            return max(left, (timezone.now() - asked_at).total_seconds()) + self.preset.excuse.total_seconds()
        if before.asked_version == after.asked_version:
            return left
        if not self.preset.by_hours:
            left = max(0.0, left - max(0.0, (self.seen_at - asked_at).total_seconds()))
        return min(self.preset.cap.total_seconds(), left + self.preset.increment.total_seconds())

    @invariant()
    def each_turn_has_one_notice(self) -> None:
        asked = self.match.seats.filter(asked_version__isnull=False)
        for *turn, autopilot_at in asked.values_list("player", "number", "asked_version", "autopilot_at"):
            # Players on autoplay are told so once, and aren't notified of turns that begin meanwhile.
            self.turns.setdefault(tuple(turn), autopilot_at is None)
        # At a live table, only players with pushes get notices.
        told = {
            turn
            for turn, is_told in self.turns.items()
            if is_told and (self.preset.by_hours or turn[0] == self.people[0].pk)
        }
        notices = Notice.objects.filter(match=self.match, kind=Kind.TURN)
        assert Counter(notices.values_list("user", "seat", "version")) == Counter(told)

    @invariant()
    def no_view_tells_of_what_is_hidden(self) -> None:
        """A table with other random hidden cards looks the same."""
        table = self.table()
        for viewer in (None, *range(self.match.seat_count)):
            view = table.state.view(viewer)
            other = table.rules.determinize(view, self.rng)
            assert other.view(viewer).to_json() == view.to_json()

    def teardown(self) -> None:
        self.travel.stop()
        assert differences(self.match) == []


@pytest.mark.django_db
def test_walks(start_by_mail: Callable[..., Match], make_player: Callable[[str], User]) -> None:
    walks = itertools.count(1)

    class OurWalk(Walk):
        def __init__(self) -> None:
            super().__init__()
            # Separate people, so that one walk's extensions and habits don't affect the next.
            number = next(walks)
            self.people = [make_player(f"{name} {number}") for name in ("Ada", "Ben")]
            self.stranger = make_player(f"Mallory {number}")
            PushSubscription.objects.create(
                user=self.people[0], endpoint=f"https://fcm.googleapis.com/{number}", p256dh="x", auth="x"
            )
            self.start = start_by_mail

    run_state_machine_as_test(
        OurWalk,
        settings=settings(
            max_examples=WALKS, stateful_step_count=STEPS, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
    if "STATE_COUNT" in os.environ:
        Path(os.environ["STATE_COUNT"]).write_text(str(OurWalk.steps))
