"""Moves reported as silly: every level above easy now plays something sensible."""

import json
from pathlib import Path

import pytest

from games import engine
from games.ai.players import choose

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))


def _position(case):
    for state in engine.replay(case["record"]):
        last = state
    return last.view(case["seat"])


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
@pytest.mark.parametrize("level", ["medium", "hard"])
def test_a_reported_move_is_not_made_again(file, level):
    case = json.loads(file.read_text())
    view = _position(case)
    assert case["move"] in view.moves
    assert choose(view, level, case["luck"]) != case["move"]


def test_there_are_cases():
    assert len(CASES) >= 3
