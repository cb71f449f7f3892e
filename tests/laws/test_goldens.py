"""Recorded matches still look the same to every viewer; see ``python -m tests.laws.make``."""

import pytest

import games.rules
from tests.laws.battery import name
from tests.laws.goldens import LOGS, lines, logs, read


@pytest.mark.parametrize("rules", games.rules.all(), ids=name)
def test_golden_logs(rules):
    assert len(logs(rules.slug)) >= LOGS
    for log in logs(rules.slug):
        match = read(log)
        expected = log.read_text().splitlines()
        for number, line in enumerate(lines(games.rules.get(match.slug, match.version), match)):
            assert line == expected[number], f"{log.name}, line {number + 1}"
        assert number + 1 == len(expected)
