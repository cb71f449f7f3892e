"""Three words for a player's reliability."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import User
from games.matches.models import Match, MissedTurn, Seat
from games.table import reliability

SATURDAY = datetime(2026, 11, 21, 9, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("turns", "days_missed", "word"),
    [
        (0, [], "new"),
        (9, [0], "new"),
        (10, [], "steady"),
        (40, [0, 0.3, 0.5, 1, 1.2], "steady"),  # a bad weekend
        (40, [0, 2, 4, 6], "steady"),
        (40, [0, 2, 4, 6, 8], "usual"),
        (400, [0, 2, 4, 6, 8], "usual"),
    ],
)
def test_the_word_follows_the_share_of_turns_in_time(turns: int, days_missed: list[float], word: str) -> None:
    assert reliability.word(turns, [SATURDAY + days * DAY for days in days_missed]) == word


@pytest.mark.django_db
def test_old_misses_do_not_count_and_several_people_take_two_queries(
    ada: User, ben: User, start_match: Callable[..., Match], django_assert_num_queries: Callable[..., object]
) -> None:
    match = start_match("normal-cards", ada, ben)
    Seat.objects.filter(match=match).update(turns=60)
    for number in range(8):
        MissedTurn.objects.create(player=ada, match=match, at=SATURDAY + 2 * number * DAY, turns=10)
        MissedTurn.objects.create(player=ben, match=match, at=SATURDAY + 2 * number * DAY, turns=50)
    with django_assert_num_queries(2):  # type: ignore[attr-defined]  # a context manager
        assert reliability.of([ada.pk, ben.pk]) == {ada.pk: "steady", ben.pk: "usual"}
