"""A cached match continues from the cache, and shows the same as one replayed from its deal."""

import random

import pytest
from django.utils import translation

from games import rules
from games.matches import live_match
from games.matches.models import Match
from games.table import past_events, projection
from tests.factories.samples import sampled
from tests.factories.turns import play_on

pytestmark = pytest.mark.django_db


def shown(match: Match) -> list[object]:
    """What all viewers see, except the time."""
    projected = projection.read(match.pk)
    return [{**projection.snapshot_message(projected, viewer), "now": 0} for viewer in (None, *range(match.seat_count))]


def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The versions of the moves made from now on."""
    versions: list[int] = []
    enter = live_match.LiveMatch.enter

    def count(table, *arguments):
        versions.append(table.version + 1)
        return enter(table, *arguments)

    monkeypatch.setattr(live_match.LiveMatch, "enter", count)
    return versions


@pytest.mark.parametrize(
    "slug", sampled([slug for slug in rules.by_slug() if slug != "armani"], "normal-cards", "ten-skip")
)
def test_a_cached_match_shows_the_same_as_a_replayed_one(start_match, ada, ben, slug):
    match, rng = start_match(slug, ada, ben), random.Random(slug)
    for _ in range(6):
        play_on(match, 15, rng)
        by_memory = shown(match)
        past_events.forget()
        assert by_memory == shown(match)


def test_a_long_match_is_played_on_from_its_snapshot(start_match, ada, ben, monkeypatch):
    monkeypatch.setattr(live_match, "SNAPSHOT_EVERY", 20)
    match, rng = start_match("basic-rummy", ada, ben), random.Random(5)
    play_on(match, 50, rng)
    past_events.forget()
    versions = made(monkeypatch)
    projection.read(match.pk)
    assert len(versions) == 50
    versions.clear()
    projection.read(match.pk)
    assert versions == list(range(41, 51))
    versions.clear()
    play_on(match, 1, rng)
    versions.clear()
    projected = projection.read(match.pk)
    assert versions == list(range(41, 52))
    assert projected.lines[-1].version == 51


def test_sentences_name_people_as_they_are_called_now_in_the_readers_language(start_match, ada, ben):
    match = start_match("basic-rummy", ada, ben)
    play_on(match, 3, random.Random(1))
    before = [line.text(None) for line in projection.read(match.pk).lines]
    match.seats.filter(player=ada).update(player_name="Countess")
    with translation.override("de"):
        after = [line.text(None) for line in projection.read(match.pk).lines]
    assert any("Ada" in text for text in before)
    assert any("Countess" in text for text in after)
    assert not any("Ada" in text for text in after)
    assert before != after


def test_few_matches_are_remembered(start_match, ada, ben, monkeypatch):
    monkeypatch.setattr(past_events, "MATCHES", 2)
    past_events.forget()
    matches = [start_match("armed", ada, ben) for _ in range(3)]
    for match in matches:
        play_on(match, 2, random.Random(1))
    for match in matches:
        projection.read(match.pk)
    versions = made(monkeypatch)
    projection.read(matches[2].pk)
    again = len(versions)
    past_events.forget()
    assert again == 2  # no snapshot yet: the moves are replayed, but their events aren't collected again
