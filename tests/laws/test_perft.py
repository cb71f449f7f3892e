"""The number of move sequences from pinned deals is what it was; see ``python -m tests.laws.make``."""

import pytest

import games.rules
from tests.laws.battery import name
from tests.laws.perft import deal_of, load, perft

PINNED = load()


@pytest.mark.parametrize("rules", games.rules.all(), ids=name)
def test_perft(rules):
    assert {pinned["seats"] for pinned in PINNED[rules.slug]} >= {min(rules.seats), max(rules.seats)}
    for pinned in PINNED[rules.slug]:
        state = deal_of(rules, pinned)
        depths = range(1, len(pinned["counts"]) + 1)
        assert [perft(state, depth) for depth in depths] == pinned["counts"], f"{pinned['seats']} players"
