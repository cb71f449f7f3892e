"""The end of a match shows each player's best moment, with a link to replay it."""

import random

import pytest

from games import rules
from games.engine import Event
from games.engine.text import names_for
from games.matches.models import Match
from games.table import past_events, projection
from tests.factories.turns import play_on

pytestmark = pytest.mark.django_db


def feats(match: Match) -> list[object]:
    """The best moment as told to each viewer, and to spectators also in the last move's message."""
    projected = projection.read(match.pk)
    viewers = (None, *range(match.seat_count))
    shown: list[object] = [projection.snapshot_message(projected, viewer)["feat"] for viewer in viewers]
    entry = {"seat": 0, "move": "", "source": "player", "id": None}
    moved = projection.moved_message(projected, None, entry, (), projected.table.view(None), None)
    return [*shown, moved.get("feat")]


@pytest.mark.parametrize(("slug", "counted"), [("normal-cards", "points"), ("avalanche", "cards")])
def test_a_players_event_with_the_most_points_is_shown_when_the_match_is_over(start_match, ada, ben, slug, counted):
    match, rng = start_match(slug, ada, ben), random.Random(slug)
    play_on(match, 12, rng)
    assert set(feats(match)) == {None}
    play_on(match, 1000, rng)
    match.refresh_from_db()
    assert match.status == Match.Status.OVER
    kind = rules.presentation(slug).feat
    past_events.forget()
    _table, events = past_events.read(match, last=10_000, always=())
    found = [(version, event) for version, event in events if event.kind == kind]
    names = ["Ada", "Ben"]
    own = [[each for each in found if each[1].seat == seat] for seat in (0, 1)]
    for feat, viewer, of in zip(feats(match), (None, 0, 1, None), (found, *own, found), strict=True):
        version, best = max(of, key=lambda each: each[1].data[counted])
        text = match.rules.say(best, names_for(names, viewer))
        expected = {"v": version, "kind": kind, "seat": best.seat, "data": best.data, "text": text}
        assert feat == expected


@pytest.mark.parametrize(("points", "moments"), [(0, []), (3, [0])])
def test_a_trick_without_points_is_nobodys_best_moment(start_match, ada, ben, points, moments):
    projected = projection.read(start_match("normal-cards", ada, ben).pk)
    projected.note([projection.LogEntry(1, Event("trick", 0, {"cards": ["3C", "4C"], "points": points}), str)])
    assert list(projected.feats) == moments
