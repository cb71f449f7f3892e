"""Selection of the cases of a parametrized test for the default run."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

import games.rules


def sampled(cases: Iterable[Any], *every_day: Any, ids: Callable[[Any], str] | None = None) -> list[Any]:
    """All ``cases`` as parameters; those not in ``every_day`` are left to `./run test --all` and to CI.

    Further cases in the browser are left to `./run test -m browser`, which is run by hand: CI leaves them out.

    Args:
        cases: the values, one per test case.
        every_day: the values for the default run.
        ids: a function that names a value; by default pytest does.
    """
    cases = list(cases)
    unknown = [case for case in every_day if case not in cases]
    assert not unknown, f"the default run has no case {unknown}"
    return [
        pytest.param(
            case, marks=() if case in every_day else pytest.mark.whole_match, id=None if ids is None else ids(case)
        )
        for case in cases
    ]


def tables(*slugs: str, largest: bool = True) -> list[Any]:
    """Each game (or those named) with each number of seats, as parameters ``rules`` and ``seats``.

    The default run has the smallest table of each game and, unless ``largest`` is False, the largest; those between
    take the same paths.
    """
    return [
        pytest.param(
            rules, seats, marks=() if seats in every_day else pytest.mark.whole_match, id=f"{rules.slug}-{seats}"
        )
        for rules in (map(games.rules.get, slugs) if slugs else games.rules.all())
        for every_day in [{min(rules.seats), max(rules.seats)} if largest else {min(rules.seats)}]
        for seats in rules.seats
    ]
