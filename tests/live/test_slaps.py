"""Slaps on the server: recorded at once, judged together by reaction, with the same window after every card."""

import asyncio
import math
import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from accounts.models import User
from games.judging import verdicts
from games.judging.timing import CAP_MAX, JITTER, VERDICT_PAUSE, WINDOW, span_before_step
from games.live import timers
from games.matches import service
from games.matches.commands import moves
from games.matches.commit import planning
from games.matches.models import Match, Move, SlapAttempt
from games.realtime import process
from tests.factories.slaps import flip_until, is_slappable, past_the_bets, press
from tests.factories.sockets import Browser, run
from tests.factories.tables import keep_up

BASIC = {"slaps": ["pair", "sandwich"]}


def seat_of(match: Match, player: User) -> int:
    return match.seats.get(player=player).number


@pytest.mark.django_db
class TestJudging:
    @pytest.mark.parametrize("first_to_arrive", [0, 1])
    def test_the_fastest_reaction_wins_whatever_arrives_first(self, ada, ben, start_match, first_to_arrive):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        pressed = [(0, 312), (1, 360)]
        for seat, reaction in pressed if first_to_arrive == 0 else reversed(pressed):
            press(match, [ada, ben][seat], seat, table.card, reaction)
        service.step(match.pk, table.version)
        results = dict(SlapAttempt.objects.values_list("seat", "result"))
        assert results == {0: SlapAttempt.Result.WON, 1: SlapAttempt.Result.BEATEN}
        after = service.load(match.pk)
        assert after.version == table.version + 1
        assert after.state.view(None).zone("pile").count == 0

    def test_a_verdict_is_due_by_when_its_press_came_however_long_that_waited(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        came_at = timezone.now() - timedelta(milliseconds=30)
        press(match, ada, 0, table.card, 300, rival_cap=60, came_at=came_at)
        attempt = SlapAttempt.objects.get()
        assert attempt.at == came_at
        match.refresh_from_db()
        assert match.due_at == came_at + timedelta(milliseconds=attempt.verdict_after - attempt.elapsed)

    def test_the_last_press_that_can_come_is_judged_with_it(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        press(match, ada, 0, table.card, 360, rival_cap=60, at_once=True)
        assert service.load(match.pk).version == table.version
        assert press(match, ben, 1, table.card, 312, at_once=True) == service.Acted(table.card)
        results = dict(SlapAttempt.objects.values_list("seat", "result"))
        assert results == {0: SlapAttempt.Result.BEATEN, 1: SlapAttempt.Result.WON}
        assert service.load(match.pk).version == table.version + 1
        with pytest.raises(service.Refused):
            service.step(match.pk, table.version)

    def test_a_press_that_waited_is_judged_together_with_presses_that_came_in_time_after_it(
        self, ada, ben, start_match
    ):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        came_at = timezone.now() - timedelta(seconds=2)
        press(match, ada, 0, table.card, 360, rival_cap=60, at_once=True, came_at=came_at)
        assert service.load(match.pk).version == table.version
        press(match, ben, 1, table.card, 312, rival_cap=60, at_once=True, came_at=came_at)
        service.step(match.pk, table.version)
        assert dict(SlapAttempt.objects.values_list("seat", "result")) == {0: "beaten", 1: "won"}

    def test_a_beaten_slap_costs_nothing(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        before = table.state.view(None).zone("stack:1").count
        press(match, ada, 0, table.card, 300)
        press(match, ben, 1, table.card, 400)
        service.step(match.pk, table.version)
        after = service.load(match.pk).state.view(None)
        assert after.zone("stack:1").count >= before
        assert after.facts["lockout"] == [0, 0] or after.facts["lockout"][1] == 0

    def test_every_wrong_slap_on_a_card_burns_and_locks_out(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=False)
        before = table.state.view(None)
        press(match, ada, 0, table.card, 300)
        press(match, ben, 1, table.card, 320)
        service.step(match.pk, table.version)
        after = service.load(match.pk).state.view(None)
        for seat in (0, 1):
            assert after.zone(f"stack:{seat}").count == before.zone(f"stack:{seat}").count - 1
            assert after.facts["lockout"][seat] > 0
        assert set(SlapAttempt.objects.values_list("result", flat=True)) == {SlapAttempt.Result.WRONG}

    def test_equal_reactions_are_drawn_by_lot_and_always_the_same_way(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        winners = set()
        for reactions in ((300, 304), (304, 300), (302, 302)):
            attempts = [
                SlapAttempt(match=match, seat=seat, version=9, reaction=reaction)
                for seat, reaction in enumerate(reactions)
            ]
            winners.add(verdicts.in_order(attempts, match.seed)[0].seat)
        assert len(winners) == 1
        seeds = [f"{number:032x}" for number in range(200)]
        pair = [SlapAttempt(match=match, seat=seat, version=9, reaction=300) for seat in (0, 1)]
        wins = sum(verdicts.in_order(pair, seed)[0].seat for seed in seeds)
        assert 70 < wins < 130

    def test_a_second_press_on_the_same_card_changes_nothing(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=False)
        assert not press(match, ada, 0, table.card, 300).repeated
        assert press(match, ada, 0, table.card, 250).repeated
        assert SlapAttempt.objects.get().reaction == 300

    def test_a_late_press_costs_nothing(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=False)
        service.step(match.pk, table.version)
        with pytest.raises(service.Refused) as refused:
            press(match, ada, 0, table.card, 300)
        assert refused.value.code == "late"
        after = service.load(match.pk).state.view(None)
        assert (after.facts["lockout"], after.facts["burned"]) == ([0, 0], 0)
        # It is stored as evidence, once.
        with pytest.raises(service.Refused):
            press(match, ada, 0, table.card, 310)
        assert SlapAttempt.objects.get().result == SlapAttempt.Result.LATE

    def test_after_the_verdict_on_a_card_its_window_is_closed(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=False)
        press(match, ada, 0, table.card, 300)
        service.step(match.pk, table.version)
        with pytest.raises(service.Refused) as refused:
            press(match, ben, 1, table.card, 900)
        assert refused.value.code == "late"

    def test_a_locked_out_player_cannot_press(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=False)
        press(match, ada, 0, table.card, 300)
        service.step(match.pk, table.version)
        service.step(match.pk, table.version + 1)
        card = service.load(match.pk).card
        with pytest.raises(service.Refused) as refused:
            press(match, ada, 0, card, 300)
        assert refused.value.code == "illegal"
        assert str(refused.value)

    def test_no_one_presses_for_someone_else(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        with pytest.raises(service.Refused):
            press(match, ada, 1, table.card, 300)

    def test_the_next_card_waits_for_the_verdict(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        press(match, ada, 0, table.card, 300)
        acted = service.step(match.pk, table.version)
        moves = list(match.moves.filter(number__gt=table.version).values_list("move", "source"))
        assert moves == [("slap", Move.Source.TABLE)]
        with pytest.raises(service.Refused):
            service.step(match.pk, table.version)
        assert acted.version == table.version + 1

    def test_a_slap_by_form_is_a_press_like_every_other(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        press(match, ben, 1, table.card, 150)
        Match.objects.filter(pk=match.pk).update(turn_since=timezone.now() - timedelta(milliseconds=400))
        service.forget_all()
        service.act(match.pk, 0, "slap", request_id="form", seen_version=table.version, player=ada)
        assert match.moves.filter(move="slap").count() == 0
        assert SlapAttempt.objects.get(seat=0).reaction >= 400
        service.step(match.pk, table.version)
        assert SlapAttempt.objects.get(result=SlapAttempt.Result.WON).seat == 1

    def test_a_later_press_does_not_put_the_verdict_off(self, ada, ben, start_match, time_machine):
        time_machine.move_to("2026-11-21 12:00:00+00:00", tick=False)
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        press(match, ada, 0, table.card, 300, elapsed=340, rival_cap=128)
        match.refresh_from_db()
        due_at = match.due_at
        press(match, ben, 1, table.card, 350, elapsed=390, rival_cap=510)
        match.refresh_from_db()
        assert match.due_at == due_at

    def test_the_verdict_is_due_when_no_one_could_be_faster(self, ada, ben, start_match, time_machine):
        time_machine.move_to("2026-11-21 12:00:00+00:00", tick=False)
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        press(match, ada, 0, table.card, 300, elapsed=340, rival_cap=128)
        match.refresh_from_db()
        # Of the 468 ms since the card was shown, 340 have passed.
        assert match.due_at - table_now(match) == timedelta(milliseconds=128)


def table_now(match: Match) -> Any:
    return SlapAttempt.objects.get(match=match).at


@pytest.mark.django_db
def test_the_table_waits_equally_long_after_a_slappable_and_any_other_card(ada, ben, start_match, time_machine):
    """The row has the time of the next card; its distribution must not depend on the card."""
    time_machine.move_to("2026-11-21 12:00:00+00:00", tick=False)
    waits: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(3):
        match = start_match("armani", ada, ben, **BASIC)
        table = past_the_bets(match)
        while table.forced_step():
            service.step(match.pk, table.version)
            keep_up(table)
            if table.card is not None:
                match.refresh_from_db(fields=["due_at", "turn_since"])
                waits[is_slappable(table)].append((match.due_at - match.turn_since).total_seconds() * 1000)
    low, high = WINDOW["normal"], WINDOW["normal"] + JITTER
    for kind in waits.values():
        assert kind
        assert all(low <= wait <= high + 1 for wait in kind)
        # The mean of n uniform samples lies within five standard errors, except once in a million runs.
        error = JITTER / math.sqrt(12 * len(kind))
        assert abs(sum(kind) / len(kind) - (low + high) / 2) < 5 * error, (len(kind), sum(kind) / len(kind))
    assert distance(*waits.values()) < 2.5 * math.sqrt(sum(1 / len(kind) for kind in waits.values()))


def distance(first: list[float], second: list[float]) -> float:
    """How far the distributions of two samples are apart (Kolmogorov, Smirnov): by chance over 2.5 √(1/n + 1/m)
    but once in a hundred thousand runs.
    """
    return max(
        abs(sum(one <= at for one in first) / len(first) - sum(one <= at for one in second) / len(second))
        for at in (*first, *second)
    )


def test_the_pause_depends_on_pace_and_connections():
    for pace, window in WINDOW.items():
        least, most = span_before_step(pace, 120, after_verdict=False)
        assert (least, most) == (window + 120, window + 120 + JITTER)
        pauses = [planning.drawn(least, most) for _ in range(200)]
        assert least <= min(pauses) < max(pauses) <= most
    assert span_before_step("fast", CAP_MAX, after_verdict=True)[0] >= VERDICT_PAUSE


@pytest.mark.django_db(transaction=True)
class TestLive:
    def test_the_table_turns_cards_by_itself_while_a_player_is_there(self, ada, ben, start_match, monkeypatch):
        monkeypatch.setitem(WINDOW, "normal", 20)
        monkeypatch.setattr("games.judging.timing.JITTER", 10)
        match = start_match("armani", ada, ben)
        past_the_bets(match)
        version = service.load(match.pk).version

        async def go() -> None:
            async with Browser(match, ada) as browser:
                await browser.receive("snapshot")
                for ahead in range(1, 4):
                    moved = await browser.receive("moved", v=version + ahead)
                    assert moved["entry"]["source"] == "table"

        run(go)

    def test_a_slap_over_the_socket_is_judged_and_its_verdict_shown_to_all(self, ada, ben, start_match, monkeypatch):
        monkeypatch.setitem(WINDOW, "normal", 300)
        match = start_match("armani", ada, ben)
        flip_until(match, slappable=False)

        async def go() -> None:
            async with Browser(match, ada) as first, Browser(match, ben) as second:
                await first.receive("snapshot")
                await second.receive("snapshot")
                moved = await first.receive("moved")
                shown = time.monotonic()
                while time.monotonic() - shown < 0.15:
                    await browser_breathes(first)
                await first.say({"t": "slap", "id": "s", "v": moved["card"], "r": 145.0})
                for browser in (first, second):
                    verdict = await browser.receive("verdict", v=moved["card"])
                    (slap,) = verdict["slaps"]
                    assert slap["seat"] == seat_of_ada
                    assert slap["result"] in ("won", "wrong")
                    assert 100 <= slap["reaction"] <= slap["raw"]
                    await browser.receive("moved")

        seat_of_ada = seat_of(match, ada)
        run(go)

    def test_a_resigned_match_keeps_no_timer(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        flip_until(match, slappable=False)

        async def go() -> None:
            async with Browser(match, ada) as browser:
                await browser.receive("snapshot", status="running")
                assert match.pk in timers.armed
                await process.in_thread(lambda: service.resign(match, ben))
                await browser.receive("snapshot", status="over")
                await browser.say("{")
                await browser.receive("rejected")
                assert match.pk not in timers.armed

        run(go)

    def test_everyone_gets_a_verdict_once_and_before_its_moves(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)

        async def go() -> None:
            async with Browser(match, ada) as first, Browser(match, ben) as second, Browser(match) as watcher:
                browsers = (first, second, watcher)
                for browser in browsers:
                    await browser.receive("snapshot")
                await process.in_thread(lambda: press(match, ada, 0, table.card, 300))
                for browser in browsers:
                    await browser.receive("moved", v=table.version + 1)
                    await browser.say("{")
                    await browser.receive("rejected")
                    kinds = [message["t"] for message in browser.received if message["t"] in ("verdict", "moved")]
                    assert kinds == ["verdict", "moved"]

        run(go)

    def test_a_press_whose_process_died_is_judged_when_someone_comes_back(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=True)
        press(match, ben, 1, table.card, 300)
        service.forget_all()
        Match.objects.filter(pk=match.pk).update(due_at=None)

        async def go() -> None:
            async with Browser(match, ada) as browser:
                verdict = await browser.receive("verdict", v=table.card)
                assert [(slap["seat"], slap["result"]) for slap in verdict["slaps"]] == [(1, "won")]

        run(go)

    def test_a_card_sent_again_does_not_begin_again(self, ada, ben, start_match, monkeypatch):
        monkeypatch.setitem(WINDOW, "normal", 1000)
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=False)

        async def go() -> None:
            async with Browser(match, ada) as browser:
                await browser.receive("snapshot")
                await browser.receive("moved", v=table.version + 1)
                await asyncio.sleep(0.3)
                await browser.say({"t": "since", "v": table.version})
                async with Browser(match, ada, since=table.version) as phone:
                    for device in (browser, phone):
                        await device.receive("moved", v=table.version + 1)
                    await asyncio.sleep(0.12)
                    await phone.say({"t": "slap", "id": "s", "v": table.version + 1, "r": 110.0})
                    await phone.receive("slapped", v=table.version + 1)

        run(go)
        assert SlapAttempt.objects.get().elapsed > 400

    def test_the_table_goes_on_after_a_step_that_failed(self, ada, ben, start_match, monkeypatch):
        monkeypatch.setattr(timers, "CHECK_EVERY", 0.05)
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=False)
        decide = service.AdvanceTable.decide
        failures = [RuntimeError("a fault"), OperationalError("gone")]

        def fails_at_first(command: service.AdvanceTable, change: Any) -> Any:
            if failures:
                raise failures.pop()
            return decide(command, change)

        monkeypatch.setattr(service.AdvanceTable, "decide", fails_at_first)

        async def go() -> None:
            async with Browser(match, ada) as browser:
                await browser.receive("snapshot")
                await browser.receive("moved", v=table.version + 1)

        run(go)
        assert not failures

    def test_the_table_goes_on_after_an_announcement_that_got_lost(self, ada, ben, start_match, monkeypatch):
        monkeypatch.setitem(WINDOW, "normal", 300)
        match = start_match("armani", ada, ben)
        table = flip_until(match, slappable=False)
        announce = moves.writer.committer.announce
        lost: list[int] = []

        def lose_one(change: Any) -> None:
            if lost:
                announce(change)
            else:
                lost.append(change.table.version)

        async def go() -> None:
            async with Browser(match, ada) as browser:
                await browser.receive("snapshot")
                monkeypatch.setattr(moves.writer.committer, "announce", lose_one)
                await process.in_thread(lambda: service.step(match.pk, table.version))
                await process.in_thread(lambda: service.step(match.pk, table.version + 1))
                for ahead in range(1, 4):
                    await browser.receive("moved", v=table.version + ahead)

        run(go)
        assert lost == [table.version + 1]

    def test_a_press_faster_than_people_can_see_does_not_count(self, ada, ben, start_match, monkeypatch):
        monkeypatch.setitem(WINDOW, "normal", 300)
        match = start_match("armani", ada, ben)
        flip_until(match, slappable=False)

        async def go() -> None:
            async with Browser(match, ada) as browser:
                await browser.receive("snapshot")
                moved = await browser.receive("moved")
                await browser.say({"t": "slap", "id": "s", "v": moved["card"], "r": 3.0})
                assert (await browser.receive("rejected", id="s"))["code"] == "early"

        run(go)
        assert SlapAttempt.objects.get().result == SlapAttempt.Result.EARLY

    def test_an_ai_player_slaps_a_pair_and_is_judged_like_everyone(self, ada, start_match, monkeypatch):
        monkeypatch.setitem(WINDOW, "normal", 400)
        monkeypatch.setattr(
            timers.slaps, "reaction", lambda view, level, **chance: 120.0 if view.facts["flips"] % 3 == 0 else None
        )
        match = start_match("armani", ada, ai={1: "hard"})
        service.act(match.pk, *first_bet(match), request_id="b0", player=None, source=Move.Source.AI) if first_bet(
            match
        )[0] == 1 else service.act(match.pk, *first_bet(match), request_id="b0", player=ada)
        past_all_bets(match, ada)

        async def go() -> None:
            async with Browser(match, ada) as browser:
                await browser.receive("snapshot")
                verdict = await browser.receive("verdict")
                assert verdict["slaps"][0]["seat"] == 1
                assert verdict["slaps"][0]["reaction"] == 120

        run(go)


async def browser_breathes(browser: Browser) -> None:
    """Let the loop run once, answering pings."""
    import asyncio

    await asyncio.sleep(0.01)


def first_bet(match: Match) -> tuple[int, str]:
    table = service.load(match.pk)
    seat = table.state.to_move()[0]
    return seat, table.state.legal_moves(seat)[0]


def past_all_bets(match: Match, person: User) -> None:
    while not (table := service.load(match.pk)).forced_step():
        seat = table.state.to_move()[0]
        is_ai = table.sitters[seat].is_ai
        service.act(
            match.pk,
            seat,
            "fold",
            request_id=f"bet{table.version}",
            player=None if is_ai else person,
            source=Move.Source.AI if is_ai else Move.Source.PLAYER,
        )
