"""Former faults and the fuzzer's initial inputs are accepted or refused, and cost little."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from games import engine, rules
from tests.factories.site_process import ROOT
from tests.fuzz import targets
from tests.fuzz.targets import TARGETS, Target, TooDear, positions, show

CASES = ROOT / "tests" / "fuzz" / "cases"


@pytest.fixture(autouse=True)
def _turns_are_answered_by_email(settings: Any) -> None:
    settings.REPLY_ADDRESS = targets.REPLIES


def found() -> Iterator[tuple[str, bytes]]:
    for file in sorted(CASES.glob("*/*")):
        yield file.parent.name, file.read_bytes()


@pytest.mark.parametrize("name", TARGETS)
def test_valid_input_is_no_fault(name: str) -> None:
    seeds = list(TARGETS[name].seeds())
    assert len(seeds) > 5
    for seed in seeds:
        show(name, seed)


@pytest.mark.parametrize(("name", "data"), list(found()))
def test_a_former_fault_is_fixed(name: str, data: bytes) -> None:
    show(name, data)


def test_positions_are_of_every_game() -> None:
    assert {position.slug for position in positions()} == set(rules.by_slug())


def fault(_data: bytes) -> None:
    raise KeyError


def dear(_data: bytes) -> None:
    for number in range(100):
        abs(number)


@cache
def dear_once(data: bytes) -> None:
    dear(data)


@pytest.mark.parametrize(("look", "error"), [(fault, KeyError), (dear, TooDear), (dear_once, TooDear)])
def test_the_check_finds_a_fault(
    look: Callable[[bytes], None], error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TARGETS, "wrong", Target(look, TARGETS["socket"].seeds, 99))
    with pytest.raises(error):
        show("wrong", b"")


def test_the_check_finds_a_move_that_is_made_although_it_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    position = positions()[0]
    move = position.state.legal_moves(position.seat)[0]

    def refuse(_state: engine.State, _seat: int, _move: str) -> None:
        raise engine.IllegalMove

    monkeypatch.setattr(type(position.state), "check", refuse)
    with pytest.raises(AssertionError):
        targets.try_move(position, move)
