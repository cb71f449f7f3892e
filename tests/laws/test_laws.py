"""Every law holds for every game."""

from collections.abc import Callable
from typing import Any

import pytest

from games.engine import Rules
from tests.factories.samples import tables
from tests.laws.battery import SEEDS, Table, name
from tests.laws.laws import LAWS


def at_every_table(law: Callable[[Table], None]) -> Any:
    """A test of ``law`` for every game and number of seats, each over all its numbered matches."""

    def test(rules: Rules, seats: int) -> None:
        for number in range(SEEDS):
            table = Table(rules, seats, number)
            try:
                law(table)
            except BaseException as fault:
                fault.add_note(f"in the match {name(table)}")
                raise

    test.__name__, test.__doc__ = law.__name__, law.__doc__
    return pytest.mark.parametrize(("rules", "seats"), tables())(test)


globals().update({f"test_{name}": at_every_table(law) for name, law in LAWS.items()})
