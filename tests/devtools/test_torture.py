"""The proof that what was seen is stored, on made-up records; and a few kills of a real site."""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from games.devtools.torture.clock import Clock
from games.devtools.torture.history import Line, Record, Stored, StoredMatch, check, digest, repeated_emails, totals
from tests.factories.site_process import ROOT

VIEWS = {(0, 0): "deal0", (0, 1): "deal1", (1, 0): "one0", (1, 1): "one1", (2, 0): "two0", (2, 1): "two1"}


def match(**changed: Any) -> Stored:
    """A match of two moves: seat 0 plays a card, seat 1 makes a choice hidden from others."""
    moves = {1: (0, "play 2c", "play 2c", "a"), 2: (1, "seal 3d", "seal", "b")}
    fields = {"moves": moves, "views": VIEWS, "slaps": {1: frozenset({(0, "won"), (1, "beaten")})}, **changed}
    return Stored({"m": StoredMatch(**fields)})


def saw(seat: int, version: int, move: tuple[int, str], **changed: Any) -> Line:
    name = "abc"[version - 1] if seat == move[0] else None
    line = {
        "k": "saw",
        "m": "m",
        "s": seat,
        "v": version,
        "move": list(move),
        "id": name,
        "clocks": [],
        "now": 0.0,
        "at": 0.0,
    }
    return {**line, "view": VIEWS.get((version, seat), "-"), **changed}


def whole(seat: int, version: int, **changed: Any) -> Line:
    line = {"k": "whole", "m": "m", "s": seat, "v": version, "clocks": [], "now": 0.0, "at": 0.0}
    return {**line, "view": VIEWS.get((version, seat), "-"), **changed}


def verdict(seat: int, *results: str) -> Line:
    slaps = [{"seat": at, "result": result} for at, result in enumerate(results)]
    return {"k": "verdict", "m": "m", "s": seat, "v": 1, "slaps": slaps}


def clocks(version: int, now: float, bank: float | None, due: float | None, *, mover: int = 1) -> Line:
    return saw(0, version, (mover, "x"), clocks=[[0, bank, due]], now=now)


def found(lines: list[Line], stored: Stored) -> dict[str, int]:
    """The number of findings by kind, without empty kinds."""
    return {name: count for name, count in check(lines, stored).counts().items() if count}


def test_a_match_that_is_stored_as_everyone_saw_it_has_no_contradiction() -> None:
    record = [
        whole(0, 0),
        *(saw(seat, 1, (0, "play 2c")) for seat in (0, 1)),
        saw(0, 2, (1, "seal")),
        saw(1, 2, (1, "seal 3d")),
        {"k": "ok", "m": "m", "s": 0, "v": 1, "id": "a"},
        verdict(0, "won", "beaten"),
        verdict(1, "won", "beaten"),
        {"k": "fault", "fault": "kill", "what": "web"},
    ]
    assert found(record, match()) == {}


@pytest.mark.parametrize(
    "line",
    [
        saw(0, 3, (0, "play 4s")),
        whole(1, 3),
        saw(0, 1, (0, "play 2c"), m="another"),
        {"k": "ok", "m": "m", "s": 0, "v": 2, "id": "never"},
    ],
)
def test_a_move_that_was_seen_or_confirmed_and_is_not_stored_is_lost(line: Line) -> None:
    assert found([line], match()) == {"lost": 1}


def test_stored_moves_with_a_gap_have_lost_one() -> None:
    moves = {1: (0, "play 2c", "play 2c", "a"), 3: (1, "seal 3d", "seal", "b")}
    assert found([], match(moves=moves)) == {"lost": 1}


def test_a_request_that_is_stored_as_two_moves_or_led_to_two_versions_is_doubled() -> None:
    moves = {1: (0, "play 2c", "play 2c", "a"), 2: (0, "play 2c", "play 2c", "a")}
    assert found([], match(moves=moves)) == {"doubled": 1}
    both = [saw(0, 1, (0, "play 2c"), id="a"), saw(0, 2, (0, "play 2c"), id="a")]
    assert found(both, match(moves=moves)) == {"doubled": 2}


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ([saw(1, 1, (0, "play 9h"))], 1),  # not the stored move
        ([saw(0, 2, (1, "seal 3d"))], 1),  # a sealed choice
        ([saw(0, 1, (0, "play 2c"), view="other")], 1),
        ([whole(0, 1, view="other")], 1),
        ([saw(0, 1, (0, "play 2c"), id="x")], 1),
        ([saw(2, 1, (0, "play 2c")), saw(1, 1, (0, "play 9h"))], 2),  # the second differs from the stored one, too
        ([verdict(0, "won", "beaten"), verdict(1, "beaten", "won")], 2),
    ],
)
def test_a_difference_from_what_others_saw_or_from_the_database_is_a_contradiction(
    lines: list[Line], count: int
) -> None:
    assert found(lines, match()) == {"contradictory": count}


def test_a_fault_of_the_match_itself_is_a_contradiction() -> None:
    assert found([], match(faults=["the stored result differs from the one replayed"])) == {"contradictory": 1}


def test_a_verdict_of_which_no_press_is_stored_is_lost() -> None:
    assert found([verdict(0, "won")], match(slaps={})) == {"lost": 1}
    assert found([verdict(0, "late")], match(slaps={})) == {}


def test_a_sent_email_must_have_arrived_and_an_accepted_answer_must_be_played() -> None:
    stored = Stored({}, {"turn+abc": None, "turn+def": "play 2c"}, frozenset({"<1@x>", "<2@x>"}))
    came = [{"k": "email", "id": "<1@x>"}, {"k": "answered", "to": "turn+def"}, {"k": "answered", "to": "later"}]
    assert found(came, stored) == {"lost": 1}
    assert found([*came, {"k": "email", "id": "<2@x>"}, {"k": "answered", "to": "turn+abc"}], stored) == {"lost": 1}
    assert repeated_emails([*came, came[0]]) == 1


@pytest.mark.parametrize(
    ("lines", "is_gain"),
    [
        ([clocks(1, 10, 180, 100), clocks(2, 12, 180, 100)], False),
        ([clocks(1, 10, 180, 100), clocks(2, 12, 180, 103)], True),  # two seconds passed, and three were added
        ([clocks(1, 10, 180, 100), clocks(2, 12, 195, 300, mover=0)], False),  # one of its own turns ended
        ([clocks(1, 10, 180, None), clocks(2, 12, 196, None)], True),
        ([clocks(1, 10, 300, None), clocks(2, 12, 301, None)], True),
        ([clocks(1, 10, 187, 197), clocks(1, 198, 248, 257)], False),  # the one extension of a match
        ([clocks(1, 10, 187, 197), clocks(1, 198, 250, 300)], True),  # more than the extension
        ([clocks(1, 10, 187, 197), clocks(1, 190, 240, 250)], True),  # before the time was over
        ([clocks(1, 10, None, None), clocks(2, 12, None, None)], False),  # no clock
    ],
)
def test_a_clock_never_gains(lines: list[Line], *, is_gain: bool) -> None:
    played = {number: (1, "x", "x", "abc"[number - 1]) for number in (1, 2)}
    assert bool(check(lines, match(moves=played)).clocks) == is_gain


@pytest.mark.parametrize(
    ("seconds", "at", "now", "due", "is_gain"),
    [
        (-20, 12, -8, 101, False),
        (-20, 0, -8, 101, False),  # earlier messages may arrive later
        (-20, 12, -8, 103, True),
        (-20, 13, -8, 101, True),  # set after both
        (-20, -20, -8, 101, True),
        (120, 12, 132, 230, False),  # looks like an outage, which is credited with the time before the next heartbeat
        (120, 12, 132, 233, True),
        (20, 12, 32, 130, True),
    ],
)
def test_a_clock_that_is_set_gives_a_turn_no_more_time_than_that(
    seconds: int, at: float, now: float, due: float, *, is_gain: bool
) -> None:
    played = {number: (1, "x", "x", "abc"[number - 1]) for number in (1, 2)}
    jump = {"k": "fault", "fault": "jump", "seconds": seconds, "at": at}
    before, after = {**clocks(1, 10, 180, 100), "at": 10.0}, {**clocks(2, now, 180, due), "at": 12.0}
    assert bool(check([before, jump, after], match(moves=played)).clocks) == is_gain


@pytest.mark.process
def test_a_running_process_sees_the_changed_clock(tmp_path: Path) -> None:
    clock = Clock(tmp_path)
    assert bool(clock.env) == bool(which("cc"))
    tell = "import time\nfor _line in iter(input, ''): print(time.time(), time.monotonic(), flush=True)"
    with subprocess.Popen(
        [sys.executable, "-c", tell],
        env={**os.environ, **clock.env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def told() -> list[float]:
            process.stdin.write("tell\n")
            process.stdin.flush()
            return [float(each) for each in process.stdout.readline().split()]

        first = told()
        clock.jump(-3600)
        second = told()
        clock.jump(7200)
        third = told()
        process.stdin.write("\n")
        process.stdin.close()
    assert clock.shift == 3600
    hours = [round((wall - first[0]) / 3600, 1) for wall, _monotonic in (second, third)]
    assert hours == ([-1, 1] if clock.env else [0, 0])
    assert 0 <= third[1] - first[1] < 60


def test_moves_that_are_stored_together_have_the_clocks_after_all_of_them() -> None:
    played = {number: (number % 2, "x", "x", "abc"[number - 1]) for number in (1, 2, 3)}
    lines = [clocks(1, 10, 190, 200), clocks(2, 12, 204, 216, mover=1), clocks(3, 12, 204, 216, mover=0)]
    assert check(lines, match(moves=played)).clocks == []
    assert len(check(lines[:2], match(moves=played)).clocks) == 1


def test_a_clock_is_not_compared_over_moves_that_were_not_shown() -> None:
    played = {number: (1, "x", "x", str(number)) for number in range(1, 5)}
    for version in (2, 4):
        # A complete view doesn't say who made the move before it.
        lines = [clocks(1, 10, 180, 100), whole(0, version, clocks=[[0, 225, 400.0]], now=12.0)]
        assert check(lines, match(moves=played)).clocks == []


def test_views_are_distinguished_whatever_the_order_of_their_fields() -> None:
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
    assert digest({"a": 1, "b": [2]}) != digest({"a": 1, "b": [3]})


def test_figures_grow_over_runs_and_half_a_line_of_a_killed_run_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    for back in (0.5, 2.5):
        with Record(path) as record:
            record.next_round()
            record.note("saw", m="m", v=1)
            record.note("saw", m="m", v=1)
            record.note("email", id="<1@x>")
            record.note("fault", fault="kill", what="web 1", back=back)
            record.note("fault", fault="kill", what="Redis", back=30)
            record.note("fault", fault="stop", what="web 1")
            record.note("fault", fault="cut")
            record.note("fault", fault="full")
            record.note("unavailable", m="m", v=1)
            record.note_round("embedded", 1, check([], match()))
            # The next round counts only its own emails.
            record.next_round()
            record.note_round("embedded", 0, check([], Stored({}, {}, frozenset({"<2@x>"}))))
        with path.open("a") as file:
            file.write('{"k": "checked", "form"')
    with Record(path) as record:
        figures = totals(record.of_kind("checked"))["embedded"]
    shown = {
        "kills": 2,
        "cuts": 2,
        "full disks": 2,
        "refused for now": 2,
        "moves": 2,
        "views": 4,
        "emails": 2,
        "lost": 2,
        "contradictory": 0,
    }
    assert {name: figures[name] for name in shown} == shown
    assert (figures["s back (median)"], figures["s back (most)"]) == (1.5, 2.5)


def test_findings_of_one_round_are_not_counted_by_the_next() -> None:
    findings = check([], Stored({}, {}, frozenset({"<1@x>", "<2@x>"})))
    findings.leave_out(["lost: email <1@x> is sent, and never came"])
    assert list(findings.texts()) == ["lost: email <2@x> is sent, and never came"]


@pytest.mark.process
def test_after_three_kills_of_an_embedded_site_all_that_was_seen_is_stored(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    env = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    done = subprocess.run(
        [sys.executable, "manage.py", "torture", "--kills=3", "--seed=3", f"--resume={record}"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (checked,) = [json.loads(line) for line in record.read_text().splitlines() if line.startswith('{"k": "checked"')]
    assert checked["counts"]["kills"] == 3
    assert checked["seen"]["moves"] > 20
    assert checked["findings"] == []
