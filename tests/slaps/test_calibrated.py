"""Slap handicaps: given to slower players, limited, visible to all, and never in a rated match."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from games import rules
from games.matches import service
from games.matches.models import Match, SlapAttempt
from games.slaps import baselines
from games.slaps.models import PracticeRun
from games.slaps.rejudge import differences
from tests.factories.lobby import defaults
from tests.factories.slaps import flip_until, past_the_bets, press

pytestmark = pytest.mark.django_db


def practised(player: User, median: float, slaps: int = 21, days_ago: int = 0) -> None:
    at = timezone.now() - timedelta(days=days_ago)
    PracticeRun.objects.create(player=player, reactions=[median] * slaps, at=at)


def table(host: User, *others: User, **more: object) -> Match:
    match = service.open_table(host, "armani", 1 + len(others), {}, is_calibrated=True, **more)
    for other in others:
        service.join(match, other)
    service.start(match, host)
    return match


def given(match: Match) -> dict[str, int]:
    return dict(match.seats.values_list("player_name", "handicap"))


def test_the_slower_hand_is_given_the_difference_and_no_one_more_than_the_bound(ada, ben, make_player):
    cleo = make_player("Cleo")
    practised(ada, 310)
    practised(ben, 352)
    practised(cleo, 640)
    assert given(table(ada, ben, cleo)) == {"Ada": 0, "Ben": 42, "Cleo": baselines.MOST}


def test_a_player_without_enough_recent_practice_gets_no_handicap(ada, ben, make_player):
    cleo = make_player("Cleo")
    practised(ada, 310)
    practised(ben, 400, slaps=baselines.NEEDED - 1)
    practised(cleo, 400, days_ago=baselines.DAYS + 1)
    assert given(table(ada, ben, cleo)) == {"Ada": 0, "Ben": 0, "Cleo": 0}


def test_only_the_newest_runs_count(ada, ben):
    practised(ada, 310)
    practised(ben, 900, days_ago=9)
    for days_ago in (3, 2, 1):
        practised(ben, 340, days_ago=days_ago)
    assert given(table(ada, ben))["Ben"] == 30


def test_the_handicap_decides_a_close_slap_and_is_shown_with_the_verdict(ada, ben):
    practised(ada, 310)
    practised(ben, 370)
    match = table(ada, ben)
    past_the_bets(match)
    shown = flip_until(match, slappable=True)
    press(match, ada, 0, shown.card, 300)
    press(match, ben, 1, shown.card, 340)
    service.step(match.pk, shown.version)
    winner = SlapAttempt.objects.get(result=SlapAttempt.Result.WON)
    assert (winner.seat, winner.reaction, winner.handicap) == (1, 280, 60)
    assert differences(match) == []


def test_too_early_is_judged_without_the_handicap(ada, ben):
    practised(ada, 310)
    practised(ben, 400)
    match = table(ada, ben)
    shown = flip_until(match, slappable=True)
    press(match, ben, 1, shown.card, 150)
    assert SlapAttempt.objects.get().reaction == 60


def test_a_calibrated_match_does_not_count_nor_does_its_rematch(ada, ben):
    match = table(ada, ben)
    assert not match.is_rated
    service.resign(match, ben)
    again = service.rematch(match, ben)
    assert (again.is_calibrated, again.is_rated) == (True, False)
    with pytest.raises(IntegrityError), transaction.atomic():
        Match.objects.filter(pk=again.pk).update(is_rated=True)


@pytest.mark.parametrize(("slug", "more"), [("normal-cards", {}), ("armani", {"clock": "daily"})])
def test_slaps_are_calibrated_only_where_they_are_played_live(ada, slug, more):
    with pytest.raises(service.Refused):
        service.open_table(ada, slug, 2, {}, is_calibrated=True, **more)


def test_the_form_offers_it_and_the_waiting_room_says_it(client, ada):
    client.force_login(ada)
    page = client.get(reverse("open_table"), {"game": "armani"}).content.decode()
    assert "Slap handicap" in page
    assert "Slap handicap" not in client.get(reverse("open_table"), {"game": "normal-cards"}).content.decode()
    data = {**defaults(rules.get("armani")), "is_calibrated": "on"}
    answer = client.post(reverse("open_table"), data)
    match = Match.objects.get()
    assert match.is_calibrated
    assert "Slap handicap" in client.get(answer.url).content.decode()
