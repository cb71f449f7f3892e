"""A short virtual week: everything the site does automatically, together."""

import pytest

from accounts.models import OutgoingMail
from games.devtools.bench.week import Week
from games.matches.models import Match, Move

pytestmark = pytest.mark.services  # it takes a while, like those


@pytest.fixture
def week(db: None) -> Week:
    return Week(8, 2, 1, lambda _line: None)


def test_after_two_days_of_habits_nothing_is_stuck(week: Week) -> None:
    figures = week.run()
    assert figures.stuck == []
    assert figures.visits
    assert Move.objects.exists()
    assert OutgoingMail.objects.exists()
    assert Match.objects.values("slug").distinct().count() == 8
    told = dict(figures.lines(8, 2))
    assert told["stuck"] == "none"
