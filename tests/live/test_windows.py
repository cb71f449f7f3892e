"""The window of a card: which players it waits for, when the verdict is due, early requests, pauses, screens."""

import asyncio
import random
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from games import rules
from games.engine.cards import decode
from games.judging import verdicts
from games.judging.latency import LatencyMeter
from games.judging.timing import ASKED_PAUSE, CAP_MAX_RATED, FASTEST_REACTION, JITTER, VERDICT_MARGIN, WINDOW
from games.live import rooms, timers
from games.matches import pauses, service
from games.matches.live_match import LiveMatch
from games.matches.models import Match, Move, SlapAttempt
from games.matches.pauses import Pause
from games.realtime import process
from games.slaps.rejudge import differences
from tests.factories.slaps import begin, flip_until, is_slappable, past_the_bets, press
from tests.factories.sockets import Browser, run
from tests.factories.tables import keep_up

Result = SlapAttempt.Result
NOON = "2026-11-21 12:00:00+00:00"
MS = timedelta(milliseconds=1)


# Compared fields.


@given(st.floats(100, 800), st.floats(0, 350), st.floats(0, 350))
def test_a_liar_gains_at_most_the_latency_that_was_possible(reaction, lag, cap):
    elapsed = reaction + lag
    honest = verdicts.compensated(elapsed, reaction, lag, cap)
    lie = verdicts.compensated(elapsed, 0, lag, cap)
    assert honest - lie <= max(0.0, cap - lag) + 1e-6
    assert elapsed - cap - 1e-6 <= lie <= elapsed


def test_a_rated_match_credits_a_connection_with_less():
    line = LatencyMeter(is_rated=True)
    line.ping_sent(1, 100.0)
    line.pong_received(1, 100.3)
    assert line.cap == CAP_MAX_RATED
    line.is_rated = False
    assert line.cap == pytest.approx(308)


@given(
    st.lists(st.tuples(st.floats(150, 900), st.floats(0, 350)), min_size=2, max_size=8),
    st.permutations(range(8)),
)
def test_the_order_of_arrival_decides_nothing(players, order):
    presses = [
        SlapAttempt(seat=seat, version=9, reaction=verdicts.compensated(reaction + lag, reaction, lag, lag + 8))
        for seat, (reaction, lag) in enumerate(players)
    ]
    arrived = [presses[seat] for seat in order if seat < len(presses)]
    assert [press.seat for press in verdicts.in_order(arrived, "5eed" * 8)] == [
        press.seat for press in verdicts.in_order(presses, "5eed" * 8)
    ]


# Through the match service, with a stopped clock.


def find(people: list[User], wanted: Callable[[LiveMatch], bool], **options: Any) -> tuple[Match, LiveMatch]:
    """A match and its table at a card for which ``wanted`` holds, from the first deal that has one."""
    for number in range(400):
        seed = f"{number:032x}"
        if not _has(len(people), seed, wanted, options):
            continue
        match = begin(people, seed, **options)
        table = service.load(match.pk)
        while not wanted(table):
            service.step(match.pk, table.version)
            keep_up(table)
        return match, table
    raise AssertionError("no such deal")


def _has(seats: int, seed: str, wanted: Callable[[Any], bool], options: Any) -> bool:
    """Whether flips alone lead the deal to such a card; checked without a database."""
    state = rules.get("armani").deal(seats, options, seed)
    while (awaited := state.to_move()) and state.view(None).phase in ("bets", "stage1", "stage2"):
        moves = state.legal_moves(awaited[0])
        move = next((move for move in ("close", "flip", "fold") if move in moves), moves[0])
        state.apply(awaited[0], move)
        if move == "flip" and wanted(SimpleNamespace(state=state)):
            return True
    return False


def stacks(table: LiveMatch) -> list[int]:
    view = table.state.view(None)
    return [view.zone(f"stack:{seat}").count for seat in range(len(view.seats))]


@pytest.mark.django_db
class TestAtTheDoor:
    def test_a_slap_beats_the_duel_that_the_same_card_has_won(self, ada, ben):
        def wanted(table: LiveMatch) -> bool:
            facts = table.state.view(None).facts
            return is_slappable(table) and facts["winning"] is not None and facts["winning_by"] == "duel"

        match, table = find([ada, ben], wanted)
        winning = table.state.view(None).facts["winning"]
        slapper = 1 - winning
        press(match, (ada, ben)[slapper], slapper, table.card, 300)
        service.step(match.pk, table.version)
        after = service.load(match.pk).state.view(None)
        assert after.zone("pile").count == 0
        assert after.zone(f"won:{slapper}").count > 0
        assert SlapAttempt.objects.get().result == Result.WON

    def test_a_wrong_slap_without_cards_locks_out_twice_as_long_and_burns_nothing(self, ada, ben, make_player):
        people = [ada, ben, make_player("Cleo")]

        def wanted(table: LiveMatch) -> bool:
            return not is_slappable(table) and 0 in stacks(table) and max(stacks(table)) > 1

        match, table = find(people, wanted, teams="colour")
        seat = stacks(table).index(0)
        press(match, people[seat], seat, table.card, 300)
        service.step(match.pk, table.version)
        facts = service.load(match.pk).state.view(None).facts
        assert (facts["lockout"][seat], facts["burned"]) == (7, table.state.view(None).facts["burned"])

    @pytest.mark.parametrize("faster", [0, 1])
    def test_wrong_slaps_burn_in_the_order_of_reactions(self, ada, ben, start_match, faster):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=False)
        tops = [table.state.stacks[seat][-1] for seat in (0, 1)]
        for seat, player in enumerate((ada, ben)):
            press(match, player, seat, table.card, 300 if seat == faster else 380)
        service.step(match.pk, table.version)
        pile = decode(service.load(match.pk).state.view(None).zone("pile").cards)
        # Each goes to the very bottom, so the first burned card lies above the second.
        assert pile[:2] == [tops[1 - faster], tops[faster]]
        assert list(match.moves.filter(move="slap").values_list("seat", flat=True)) == [faster, 1 - faster]

    def test_after_a_slap_that_is_too_early_the_card_can_still_be_slapped(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        with pytest.raises(service.Refused) as refused:
            press(match, ada, 0, table.card, FASTEST_REACTION - 1)
        assert refused.value.code == "early"
        press(match, ada, 0, table.card, 300)
        service.step(match.pk, table.version)
        assert sorted(SlapAttempt.objects.values_list("result", flat=True)) == [Result.EARLY, Result.WON]
        assert differences(match) == []

    @pytest.mark.parametrize("seed", range(6))
    def test_the_verdict_comes_when_no_one_can_be_faster_any_more_and_not_later(
        self, ada, ben, make_player, time_machine, seed
    ):
        """Presses arrive in any order over any latency; a press too late for the verdict would have lost anyway."""
        rng = random.Random(seed)
        time_machine.move_to(NOON, tick=False)
        people = [ada, ben, make_player("Cleo"), make_player("Dan")]
        match = begin(people, f"{seed:032x}", teams="alternate")
        table = flip_until(match, slappable=True)
        shown = timezone.now()
        lines = [rng.uniform(20, 250) for _ in people]
        presses = []
        for seat, lag in enumerate(lines):
            reaction = rng.uniform(200, 500)
            presses.append((reaction + lag, seat, reaction))
        pressed: dict[int, float] = {}
        due = float("inf")
        for elapsed, seat, reaction in sorted(presses):
            if elapsed > due:
                assert reaction > min(pressed.values())
                continue
            time_machine.move_to(shown + elapsed * MS, tick=False)
            rivals = [lag + 8 for other, lag in enumerate(lines) if other != seat and other not in pressed]
            press(
                match, people[seat], seat, table.card, reaction,
                elapsed=elapsed, ping=lines[seat], cap=lines[seat] + 8, rival_cap=max(rivals, default=None),
            )  # fmt: skip
            pressed[seat] = reaction
            match.refresh_from_db()
            due = (match.due_at - shown) / MS
            bound = min(pressed.values()) + max(rivals, default=-1e9) + VERDICT_MARGIN
            assert due <= max(elapsed, bound) + 0.01
        time_machine.move_to(match.due_at, tick=False)
        service.submit(service.AdvanceTable(match.pk, table.version, due=match.due_at.timestamp())).result()
        fastest = min(presses, key=lambda each: each[2])
        assert match.slaps.get(result=Result.WON).seat == fastest[1]

    def test_a_verdict_that_another_process_has_put_off_is_not_given_too_soon(
        self, ada, ben, start_match, time_machine
    ):
        time_machine.move_to(NOON, tick=False)
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        match.refresh_from_db()
        flip_due = match.due_at.timestamp()
        # Pressed at the last moment of the window; this process's timer fires before the press arrives.
        press(match, ada, 0, table.card, 1500, elapsed=1540, rival_cap=100)
        Match.objects.filter(pk=match.pk).update(due_at=match.due_at + 300 * MS)
        with pytest.raises(service.NotYet) as later:
            service.submit(service.AdvanceTable(match.pk, table.version, due=flip_due)).result()
        assert later.value.due == pytest.approx(flip_due + 0.3, abs=0.001)
        assert SlapAttempt.objects.get().result == Result.PENDING


@pytest.mark.django_db
class TestWishes:
    @pytest.fixture
    def asked(self, ada, ben, start_match, time_machine) -> Callable[[float], tuple[Any, Any]]:
        """Request the next card this many ms after the last; returns when it comes, and when it would have anyway."""
        time_machine.move_to(NOON, tick=False)
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=False)
        # The latest time at which a card comes by itself.
        shown = timezone.now()
        Match.objects.filter(pk=match.pk).update(due_at=shown + (WINDOW["normal"] + 100 + JITTER) * MS)

        def ask(after: float) -> float:
            time_machine.move_to(shown + after * MS, tick=False)
            seat = table.state.to_move()[0]
            command = service.move_command(
                match.pk,
                seat,
                "flip",
                request_id=f"ask{after}",
                player_id=(ada, ben)[seat].pk,
                largest_cap=100,
            )
            assert service.submit(command).result().version == table.version
            match.refresh_from_db()
            return (match.due_at - shown) / MS

        return ask

    def test_a_request_for_the_next_card_is_never_answered_before_the_window_is_over(self, asked):
        assert WINDOW["normal"] + 100 + ASKED_PAUSE[0] <= asked(50) <= WINDOW["normal"] + 100 + JITTER

    def test_a_request_after_the_window_is_answered_soon_and_never_later_than_without_it(self, asked):
        over = WINDOW["normal"] + 100
        assert over + 20 + ASKED_PAUSE[0] <= asked(over + 20) <= over + JITTER

    def test_a_repeated_request_for_the_next_card_changes_nothing(self, asked):
        first = asked(50)
        assert [asked(60), asked(70)] == [first, first]

    def test_a_request_for_the_next_card_does_not_hurry_a_verdict(self, ada, ben, start_match, time_machine):
        time_machine.move_to(NOON, tick=False)
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        press(match, ada, 0, table.card, 300, elapsed=340, rival_cap=2200)
        match.refresh_from_db()
        due_at = match.due_at
        time_machine.move_to(timezone.now() + 1700 * MS, tick=False)
        seat = table.state.to_move()[0]
        service.act(match.pk, seat, "flip", request_id="ask", player=(ada, ben)[seat])
        match.refresh_from_db()
        assert match.due_at == due_at
        assert match.version == table.version


# Over sockets.


async def slap(browser: Browser, card: int, claimed: float) -> None:
    await browser.say({"t": "slap", "id": f"s{card}", "v": card, "r": claimed})


async def soon(work: Callable[[], Any]) -> Any:
    return await process.in_thread(work)


@pytest.mark.django_db(transaction=True)
class TestWhoIsWaitedFor:
    @pytest.fixture
    def match(self, ada, ben, start_match, monkeypatch) -> Match:
        monkeypatch.setitem(WINDOW, "normal", 700)
        match = start_match("armani", ada, ben)
        flip_until(match, slappable=False)
        return match

    def pressed(self, match, ada, ben, *, prepare: Callable[[Browser], Any]) -> SlapAttempt:
        """Ada's press after Ben's."""

        async def go() -> None:
            async with Browser(match, ada) as first, Browser(match, ben) as second:
                await first.receive("snapshot")
                await second.receive("snapshot")
                await prepare(second)
                moved = await first.receive("moved")
                await asyncio.sleep(0.2)
                await slap(first, moved["card"], 190.0)
                verdict = await first.receive("verdict", v=moved["card"])
                assert [row["seat"] for row in verdict["slaps"]] == [seat]

        seat = match.seats.get(player=ada).number
        run(go)
        return SlapAttempt.objects.get(seat=seat)

    def test_the_table_waits_for_a_player_who_is_looking(self, match, ada, ben, monkeypatch):
        async def nothing(browser: Browser) -> None: ...

        # As if latency had been measured, however busy this machine is.
        monkeypatch.setattr(LatencyMeter, "cap", 60.0)
        attempt = self.pressed(match, ada, ben, prepare=nothing)
        assert attempt.verdict_after == attempt.reaction + 60 + VERDICT_MARGIN

    def test_the_table_does_not_wait_for_a_hidden_tab(self, match, ada, ben):
        async def hide(browser: Browser) -> None:
            await browser.say({"t": "visible", "on": False})
            await browser.say("{")
            await browser.receive("rejected")

        assert self.pressed(match, ada, ben, prepare=hide).verdict_after == 0

    def test_the_table_does_not_wait_for_a_player_who_has_gone(self, match, ada, ben):
        async def go(browser: Browser) -> None:
            await browser.__aexit__()

        assert self.pressed(match, ada, ben, prepare=go).verdict_after == 0

    def test_a_socket_that_is_lost_while_hands_are_collected_does_not_hold_the_verdict_up(self, match, ada, ben):
        async def go() -> None:
            async with Browser(match, ada) as first:
                await first.receive("snapshot")
                async with Browser(match, ben) as second:
                    await second.receive("snapshot")
                    moved = await first.receive("moved")
                    await asyncio.sleep(0.15)
                    await slap(first, moved["card"], 140.0)
                    await first.receive("slapped")
                async with asyncio.timeout(1):
                    await first.receive("verdict", v=moved["card"])

        run(go)

    def test_before_the_verdict_only_the_player_learns_of_their_press(self, match, ada, ben):
        async def go() -> None:
            async with Browser(match, ada) as first, Browser(match, ben) as second:
                await first.receive("snapshot")
                await second.receive("snapshot")
                moved = await second.receive("moved")
                await asyncio.sleep(0.15)
                await slap(second, moved["card"], 140.0)
                await second.receive("slapped", v=moved["card"])
                await first.receive("verdict", v=moved["card"])
                assert "slapped" not in {message["t"] for message in first.received}

        run(go)


@pytest.mark.django_db(transaction=True)
class TestTwoScreens:
    def test_the_newest_screen_of_a_player_presents_the_cards(self, ada, ben, start_match, monkeypatch):
        monkeypatch.setitem(WINDOW, "normal", 500)
        match = start_match("armani", ada, ben)
        flip_until(match, slappable=False)

        async def go() -> None:
            async with Browser(match, ada) as old:
                await old.receive("snapshot")
                async with Browser(match, ada) as new:
                    await new.receive("snapshot")
                    moved = await new.receive("moved")
                    await old.receive("moved", v=moved["v"])
                    await asyncio.sleep(0.15)
                    await slap(old, moved["card"], 140.0)
                    assert (await old.receive("rejected"))["code"] == "elsewhere"
                    # It was activated, and counts from the next card on.
                    moved = await old.receive("moved", v=moved["v"] + 1)
                    await asyncio.sleep(0.15)
                    await slap(new, moved["card"], 140.0)
                    assert (await new.receive("rejected"))["code"] == "elsewhere"

        run(go)
        assert not SlapAttempt.objects.exists()

    def test_a_screen_brought_to_the_front_takes_over(self, ada, ben, start_match, monkeypatch):
        monkeypatch.setitem(WINDOW, "normal", 500)
        match = start_match("armani", ada, ben)
        flip_until(match, slappable=False)

        async def go() -> None:
            async with Browser(match, ada) as old, Browser(match, ada) as new:
                await old.receive("snapshot")
                await new.receive("snapshot")
                await old.say({"t": "visible", "on": False})
                await old.say({"t": "visible", "on": True})
                moved = await old.receive("moved")
                await asyncio.sleep(0.15)
                await slap(old, moved["card"], 140.0)
                await old.receive("slapped")

        run(go)
        assert SlapAttempt.objects.count() == 1

    def test_the_card_of_a_lesson_waits_for_every_page_opened_after_it_was_turned(self, ada):
        lesson = rules.lesson("armani/slap")
        match = service.begin_lesson(ada, lesson)
        card = lesson.versions[0]
        while match.version < card:
            service.step(match.pk, match.version)
            match.refresh_from_db()

        async def go() -> None:
            async with Browser(match, ada) as old, Browser(match, ada) as new:
                await old.receive("snapshot")
                await new.receive("snapshot")
                await asyncio.sleep(0.15)
                await slap(old, card, 140.0)
                await old.receive("slapped", v=card)
                await new.receive("verdict", v=card)

        run(go)
        assert service.load(match.pk).state.view(0).zone("won:0").count == 4


@pytest.mark.django_db(transaction=True)
class TestPauses:
    @pytest.fixture
    def match(self, ada, ben, start_match, monkeypatch) -> Match:
        monkeypatch.setitem(WINDOW, "normal", 60)
        monkeypatch.setattr("games.judging.timing.JITTER", 10)
        monkeypatch.setattr(timers, "GONE_AFTER", 200)
        monkeypatch.setattr(pauses, "PAUSE_BUDGET", 900)
        match = start_match("armani", ada, ben)
        past_the_bets(match)
        return match

    def test_a_table_for_two_waits_for_the_missing_player_and_goes_on_when_they_are_back(self, match, ada, ben):
        gone = match.seats.get(player=ben).number

        async def go() -> None:
            async with Browser(match, ada) as here:
                await here.receive("snapshot")
                async with Browser(match, ben) as there:
                    await there.receive("snapshot")
                    await here.receive("moved")
                waiting = (await here.receive("waiting"))["waiting"]
                assert (waiting["seat"], waiting["seconds"]) == (gone, 1)
                count = len(here.received)
                await asyncio.sleep(0.3)
                await here.say("{")
                await here.receive("rejected")
                assert not [message for message in here.received[count:] if message["t"] == "moved"]
                async with Browser(match, ben):
                    await here.receive("waiting", waiting=None)
                    await here.receive("moved")

        run(go)
        pause = Pause.objects.get()
        assert (pause.seat, pause.since) == (gone, None)
        assert 250 < pause.used < 900

    def test_each_player_has_one_budget_a_match_and_then_play_goes_on(self, match, ada, ben):
        async def go() -> None:
            async with Browser(match, ada) as here:
                await here.receive("snapshot")
                await here.receive("waiting")
                # No one comes back; the table continues by itself, and doesn't wait again.
                await here.receive("moved")
                await here.receive("moved")
                count = len(here.received)
                await here.receive("moved")
                assert "waiting" not in {message["t"] for message in here.received[count:]}

        run(go)
        pause = Pause.objects.get()
        assert (pause.used, pause.since) == (900, None)

    def test_a_pause_is_kept_after_a_restart(self, match, ada, ben, monkeypatch):
        monkeypatch.setattr(pauses, "PAUSE_BUDGET", 60_000)

        async def go() -> None:
            async with Browser(match, ada) as here:
                await here.receive("snapshot")
                await here.receive("waiting")

        run(go)
        version = service.load(match.pk).version
        service.forget_all()

        async def later() -> None:
            async with Browser(match, ada) as here:
                snapshot = await here.receive("snapshot")
                assert 50 < snapshot["waiting"]["seconds"] <= 60
                await asyncio.sleep(0.5)
                await here.say("{")
                await here.receive("rejected")
                assert not [message for message in here.received if message["t"] == "moved"]
                async with Browser(match, ben):
                    await here.receive("moved", v=version + 1)

        run(later)

    def test_a_card_that_lay_open_during_a_pause_can_no_longer_be_slapped(self, match, ada, ben, time_machine):
        time_machine.move_to(NOON, tick=False)
        table = flip_until(match, slappable=True)
        gone = match.seats.get(player=ben).number
        service.submit(service.AdvanceTable(match.pk, table.version, absent=gone)).result()
        for _ in range(2):
            with pytest.raises(service.Refused) as refused:
                press(match, ada, 1 - gone, table.card, 2000)
            assert refused.value.code == "late"
            time_machine.move_to(timezone.now() + 100 * MS, tick=False)
            if Pause.objects.filter(since__isnull=False).exists():
                service.submit(service.ResumeTable(match.pk, table.version)).result()

    def test_a_table_with_an_ai_player_waits_for_no_one(self, ada, start_match, monkeypatch):
        monkeypatch.setattr(timers, "GONE_AFTER", 0)
        match = start_match("armani", ada, ai={1: "easy"})

        async def go() -> int | None:
            async with Browser(match, ada) as here:
                await here.receive("snapshot")
                (room,) = rooms.all_rooms()
                return timers.absent(room)

        assert run(go) is None

    def test_waiting_ends_only_once(self, match, ada, ben):
        table = service.load(match.pk)
        service.submit(service.AdvanceTable(match.pk, table.version, absent=1)).result()
        service.submit(service.ResumeTable(match.pk, table.version)).result()
        with pytest.raises(service.Refused):
            service.submit(service.ResumeTable(match.pk, table.version)).result()
        assert not Move.objects.filter(match=match, number__gt=table.version).exists()
