"""Exactly one verdict on each card, however many try, with enough stored to judge it again."""

import json
import os
import random
import subprocess
import sys
import time
from functools import partial
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.matches import service
from games.matches.commit.batch import BatchCommitter
from games.matches.commit.changeset import Acted, ChangeSet, Refused
from games.matches.models import Match, SlapAttempt
from games.slaps.rejudge import differences
from tests.factories.commits import assert_log_is_whole, at_once, done, silent
from tests.factories.site_process import ROOT
from tests.factories.slaps import flip_until, past_the_bets, press

Result = SlapAttempt.Result


def press_command(match: Match, seat: int, card: int, reaction: float, *, at_once: bool = False) -> service.RecordPress:
    return service.RecordPress(
        match.pk,
        seat=seat,
        card=card,
        elapsed=reaction + 40,
        claimed=reaction,
        ping=40,
        cap=48,
        rival_cap=None,
        player_id=match.seats.get(number=seat).player_id,
        at_once=at_once,
    )


class InterruptedStep(service.AdvanceTable):
    """A step interrupted by another process's press, after it was decided and before it is stored."""

    def decide(self, change: ChangeSet) -> Acted:
        acted = super().decide(change)
        if not self.tries:
            assert done(*self.meanwhile) == [Acted(self.version)]
        return acted


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_pressed", [True, False], ids=["a verdict", "the next card"])
def test_a_press_that_is_stored_while_something_else_is_decided_is_judged_nevertheless(
    ada, ben, start_match, is_pressed
):
    match = start_match("armani", ada, ben)
    table = flip_until(match, slappable=True)
    here, there = BatchCommitter(silent), BatchCommitter(silent)
    if is_pressed:
        assert done(here, press_command(match, 0, table.card, 320)) == [Acted(table.version)]
    step = InterruptedStep(match.pk, table.version)
    step.meanwhile = (there, press_command(match, 1, table.card, 300))
    (acted,) = done(here, step)
    assert acted.version == table.version + 1
    assert match.moves.last().request_id == f"slap:{table.card}:1"
    assert dict(match.slaps.values_list("seat", "result"))[1] == Result.WON
    assert not match.slaps.filter(result=Result.PENDING).exists()
    assert differences(match) == []


@pytest.mark.process
@pytest.mark.django_db(transaction=True)
def test_eight_processes_that_all_decide_give_exactly_one_verdict_on_each_card(make_player, start_match):
    people = [make_player(name) for name in ("Ada", "Ben", "Cleo", "Dan")]
    match = start_match("armani", *people, teams="alternate")
    past_the_bets(match)
    processes = [BatchCommitter(silent) for _ in range(8)]
    rng = random.Random(7)
    judged = match.slaps.filter(result__in=[Result.WON, Result.BEATEN, Result.WRONG])

    def work_of(process: BatchCommitter, commands: list[Any], pause: float) -> list[Any]:
        time.sleep(pause)
        return [done(process, command)[0] for command in commands]

    while judged.count() < 15 and (table := service.load(match.pk)).forced_step():
        work = []
        for number, process in enumerate(processes):
            commands: list[Any] = [service.AdvanceTable(match.pk, table.version)]
            if table.card is not None and number < 4 and "slap" in table.state.legal_moves(number):
                # Some are judged with the next press, others by the table's next step.
                press_of = partial(press_command, match, number, table.card, at_once=number < 2)
                commands.insert(0, press_of(rng.uniform(250, 400)))
            # At any time during the presses.
            pause = rng.uniform(0, 0.03) if number >= 4 else 0.0
            work.append(partial(work_of, process, commands, pause))
        for answers in at_once(*work):
            assert all(isinstance(answer, Acted | Refused) for answer in answers), answers
    assert judged.count() >= 15
    assert differences(match) == []
    match.refresh_from_db()
    assert_log_is_whole(match, match.version)


@pytest.mark.django_db
class TestSecondLook:
    def played(self, ada, ben, start_match) -> Match:
        match = start_match("armani", ada, ben)
        for reactions in ((320, 300), (302, 304), (None, 280), (350, None)):
            table = flip_until(match, slappable=reactions[1] != 304)
            for seat, reaction in enumerate(reactions):
                if reaction is not None and "slap" in table.state.legal_moves(seat):
                    press(match, (ada, ben)[seat], seat, table.card, reaction)
            service.step(match.pk, table.version)
        return match

    def test_a_match_is_judged_again_and_the_same_is_found(self, ada, ben, start_match, capsys):
        match = self.played(ada, ben, start_match)
        assert match.slaps.filter(by_lot=True).count() == 2
        assert differences(match) == []
        call_command("judge_slaps", match.key)
        assert "1 matches judged again: 0 differences" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            ({"claimed": 100.0}, "ms reckoned"),
            ({"cap": 200.0}, "a cap of 200 ms is too much"),
            ({"result": Result.BEATEN}, "beaten is stored, won found"),
            ({"result": Result.EARLY}, "too early or not"),
            ({"by_lot": True}, "won is stored"),
        ],
    )
    def test_tampering_is_detected(self, ada, ben, start_match, change, told):
        match = self.played(ada, ben, start_match)
        SlapAttempt.objects.filter(pk=match.slaps.filter(result=Result.WON, by_lot=False).first().pk).update(**change)
        assert told in " ".join(differences(match))
        with pytest.raises(CommandError):
            call_command("judge_slaps", match.key)

    def test_a_missing_match_is_reported(self, db):
        with pytest.raises(CommandError, match="There is no match with the key nowhere"):
            call_command("judge_slaps", "nowhere")


def bench(*arguments: str) -> dict[str, Any]:
    """Run ``manage.py bench_slaps`` on the services under test; fails if a verdict is lost, doubled or wrong."""
    done = subprocess.run(
        [sys.executable, "manage.py", "bench_slaps", "--json", *arguments],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.services
def test_servers_that_are_killed_at_random_moments_give_exactly_one_verdict_on_each_card():
    report = bench("--tables=8", "--seconds=30", "--kills=6", f"--seed={random.randrange(10**6)}")
    assert (report["processes"], report["kills"], report["faults"]) == (2, 6, [])
    assert report["reconnects"] > 50
    assert report["verdicts"] > 10


@pytest.mark.services
def test_over_real_connections_the_fastest_wins_and_the_shown_verdict_is_stored():
    report = bench("--tables=10", "--seconds=14", "--scenario=20 vs 120")
    assert report["faults"] == []
    (row,) = report["scenarios"].values()
    assert row["contests"] >= 2
