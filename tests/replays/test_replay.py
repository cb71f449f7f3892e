"""Replays of finished matches: every position as each seat saw it, and nothing about running ones."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

import games.rules
from games.matches import live_match, service
from games.matches.models import Match
from games.replays.positions import CHUNK, Viewpoint, moments, story
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db


def get(match: Match, name: str, player=None, **query: object):
    client = Client()
    if player is not None:
        client.force_login(player)
    return client.get(reverse(name, args=[match.key]), query)


def snapshot_in(page: str) -> dict:
    return json.loads(re.search(r'<script id="snapshot" type="application/json">(.*?)</script>', page)[1])


def test_a_position_shows_what_the_seat_saw_then(finished, ada):
    match = finished("basic-rummy")
    states = []
    table = live_match.deal(match, match.seats.all())
    states.append(table.state.copy())
    for _number, seat, move, name in match.moves.values_list("number", "seat", "move", "request_id"):
        table.enter(seat, move, name)
        states.append(table.state.copy())
    for seat in (0, 1, None):
        eyes = Viewpoint(seat)
        for moment in moments(match):
            expected = {**states[moment.version].view(seat).to_json(), "moves": []}
            assert moment.to_json(eyes)["view"] == expected


@pytest.mark.parametrize("slug", [rules.slug for rules in games.rules.all()])
def test_with_all_hands_open_every_hand_is_known_and_the_counts_stay(finished, slug):
    match = finished(slug)
    eyes = Viewpoint.of("all", match.seat_count)
    for moment in moments(match):
        view = moment.to_json(eyes)["view"]
        plain = moment.table.state.view(None)
        for zone in view["zones"]:
            assert zone["count"] == plain.zone(zone["id"]).count
            if zone["id"].startswith("hand:"):
                assert None not in zone["cards"]
                assert zone["cards"] == list(moment.table.state.view(zone["owner"]).zone(zone["id"]).cards)


def test_moments_come_in_chunks_that_join(finished):
    match = finished("basic-rummy")
    assert match.version > CHUNK
    got = []
    while len(got) <= match.version:
        answer = get(match, "replay_moments", seat="all", **{"from": len(got)}).json()["moments"]
        assert 0 < len(answer) <= CHUNK
        got += answer
    assert [moment["v"] for moment in got] == list(range(match.version + 1))


def test_the_story_tells_a_seat_what_it_could_know_and_no_more(finished):
    match = finished("basic-rummy")
    private = [line for line in story(match, Viewpoint(0)) if line["kind"] == "drawn"]
    assert private
    assert {line["seat"] for line in private} == {0}
    everything = [line for line in story(match, Viewpoint(is_open=True)) if line["kind"] == "drawn"]
    assert {line["seat"] for line in everything} == {0, 1}
    assert not [line for line in story(match, Viewpoint()) if line["kind"] == "drawn"]


def test_nothing_of_a_running_match_can_be_replayed(start_match, ada, ben):
    match = start_match("basic-rummy", ada, ben)
    page = get(match, "replay", ada)
    assert page.status_code == 302
    assert page.url == match.get_absolute_url()
    for name in ("replay_moments", "replay_story"):
        assert get(match, name, ada, seat="all").status_code == 404


def test_the_page_begins_at_the_moment_of_its_address(finished, ada):
    match = finished("basic-rummy")
    page = get(match, "replay", v=7, seat=1).content.decode()
    snapshot = snapshot_in(page)
    assert snapshot["v"] == 7
    assert snapshot["you"] == 1
    assert "Move 7 of" in page
    assert 'href="?v=6&amp;seat=1"' in page
    # A player sees it from their own seat first, everyone else with all hands open.
    assert snapshot_in(get(match, "replay", ada).content.decode())["you"] == 0
    assert 'data-seat="all"' in get(match, "replay").content.decode()


@pytest.mark.parametrize("query", [{"seat": "9"}, {"seat": "x"}, {"seat": "-1"}])
def test_a_seat_that_is_not_there_is_not_found(finished, query):
    match = finished("basic-rummy")
    assert get(match, "replay", **query).status_code == 404


@pytest.mark.parametrize("version", ["x", "-1", "999999999999", "99999"])
def test_any_other_number_leads_to_a_moment(finished, version):
    match = finished("basic-rummy")
    assert get(match, "replay", v=version).status_code == 200


def test_playing_on_begins_at_that_very_moment(finished, ada):
    match = finished("basic-rummy")
    client = QuickClient()
    client.force_login(ada)
    answer = client.post(reverse("play_on", args=[match.key]), {"v": 9, "seat": 1, "level": "hard"})
    begun = Match.objects.exclude(pk=match.pk).get()
    assert answer.url == begun.get_absolute_url()
    assert begun.continuation.parent == match
    assert begun.status == Match.Status.RUNNING
    assert not begun.is_public
    then = next(moments(match, 9)).table.state
    now = service.load(begun.pk)
    assert now.version == 9
    assert [now.state.view(seat) for seat in (0, 1)] == [then.view(seat) for seat in (0, 1)]
    assert begun.awaited_seats == list(then.to_move())
    assert [seat.asked_version for seat in begun.seats.all() if seat.player] in ([9], [None])
    assert [seat.ai_level for seat in begun.seats.all()] == ["hard", ""]
    # It continues by itself, independent of the first one.
    seat = now.state.to_move()[0]
    service.act(begun.pk, seat, now.state.default_move(seat), request_id="t:on", source="stand_in")
    match.refresh_from_db()
    assert match.status == Match.Status.OVER


@pytest.mark.parametrize(
    "wrong", [{"v": "last"}, {"v": 99999}, {"v": "x"}, {"seat": 2}, {"seat": ""}, {"level": "best"}]
)
def test_an_impossible_continuation_is_refused_and_starts_nothing(finished, ada, wrong):
    match = finished("basic-rummy")
    form = {"v": 9, "seat": 1, "level": "hard", **wrong}
    if form["v"] == "last":
        form["v"] = match.version
    client = QuickClient()
    client.force_login(ada)
    answer = client.post(reverse("play_on", args=[match.key]), form)
    assert answer.url == reverse("replay", args=[match.key])
    assert Match.objects.count() == 1


def test_a_running_match_cannot_be_played_on(start_match, ada, ben):
    match = start_match("basic-rummy", ada, ben)
    with pytest.raises(service.Refused):
        service.play_on(match, ada, version=0, seat=0, level="easy")
