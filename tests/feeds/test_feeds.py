"""Private feeds: their contents, who can read them, and how an address is replaced."""

import re
from collections.abc import Callable
from datetime import timedelta
from xml.etree import ElementTree as ET

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from icalendar import Calendar

from accounts.models import User
from games.engine.cards import CODES
from games.feeds.models import Feed
from games.mail.models import Discretion, Notice, Preferences
from games.matches import service
from games.matches.models import Match
from games.rules.wording import card_name
from tests.factories.turns import asked

Start = Callable[..., Match]
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(autouse=True)
def _site(settings) -> None:
    settings.SITE_URL = "http://testserver"


@pytest.fixture
def match(start_by_mail: Start, ada: User, ben: User) -> Match:
    return start_by_mail("rummy-500", ada, ben)


def path_of(user: User, kind: str = "calendar") -> str:
    feed, _new = Feed.objects.get_or_create(user=user, kind=kind)
    return feed.url.removeprefix("http://testserver")


def player_on_turn(match: Match) -> User:
    player = asked(match).player
    assert player is not None
    return player


def test_feeds_read_no_stored_positions(match: Match, client: Client):
    paths = [path_of(player_on_turn(match), kind) for kind in ("calendar", "news")]
    with CaptureQueriesContext(connection) as queries:
        for path in paths:
            assert match.key in client.get(path).content.decode()
    assert not any('"snapshot"' in query["sql"] for query in queries)


def test_the_calendar_has_the_end_of_each_waiting_turn(match: Match, client: Client):
    seat = asked(match)
    response = client.get(path_of(player_on_turn(match)))
    assert response["Content-Type"] == "text/calendar; charset=utf-8"
    (event,) = Calendar.from_ical(response.content).walk("VEVENT")
    assert event["DTSTART"].dt == seat.due_at.replace(microsecond=0)
    assert "DURATION" not in event
    # An hour of the clock's running time; the turn ends in the middle of it.
    (alarm,) = event.walk("VALARM")
    before = event["DTSTART"].dt - alarm["TRIGGER"].dt
    assert timedelta(hours=1) <= before <= timedelta(hours=10)
    other = match.seats.exclude(pk=seat.pk).get()
    assert str(event["SUMMARY"]) == f"Your turn ends: Rummy 500 with {other.name}"
    assert event["URL"] == f"http://testserver/match/{match.key}/"


def test_the_calendar_of_a_player_without_a_turn_is_empty_and_valid(match: Match, client: Client):
    other = match.seats.exclude(pk=asked(match).pk).get().player
    calendar = Calendar.from_ical(client.get(path_of(other)).content)
    assert calendar.walk("VEVENT") == []
    assert calendar["VERSION"] == "2.0"
    assert calendar["PRODID"]


def test_a_turn_keeps_its_name_in_the_calendar_and_the_next_one_has_another(match: Match, client: Client):
    seat = asked(match)

    def uid() -> str:
        (event,) = Calendar.from_ical(client.get(path_of(player_on_turn(match))).content).walk("VEVENT")
        return str(event["UID"])

    first = uid()
    service.act(match.pk, seat.number, "draw:stock", request_id="a", player=seat.player)
    assert uid() == first
    discard = service.load(match.pk).state.legal_moves(seat.number)[-1]
    service.act(match.pk, seat.number, discard, request_id="b", player=seat.player)
    assert uid() != first


def test_the_news_feed_has_turns(match: Match, client: Client):
    user = player_on_turn(match)
    response = client.get(path_of(user, "news"))
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    feed = ET.fromstring(response.content)  # noqa: S314 - our own
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == Notice.objects.filter(user=user).count() >= 1
    assert entries[0].findtext(f"{ATOM}title", "").startswith("Your turn: Rummy 500 with ")
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(entries)
    link = feed.find(f"{ATOM}link[@rel='self']")
    assert link is not None
    assert link.get("href") == f"http://testserver{path_of(user, 'news')}"


@pytest.mark.parametrize("kind", Feed.Kind.values)
def test_no_card_is_in_a_feed(kind: str, match: Match, client: Client):
    content = client.get(path_of(player_on_turn(match), kind)).content.decode()
    assert not any(card_name(code) in content for code in CODES)
    assert "/turn/" not in content


@pytest.mark.parametrize("kind", Feed.Kind.values)
def test_a_discreet_player_has_discreet_feeds(kind: str, match: Match, client: Client):
    user = player_on_turn(match)
    Preferences.objects.create(user=user, discretion=Discretion.NONE)
    content = client.get(path_of(user, kind)).content.decode()
    assert "Your turn" in content
    assert "Rummy" not in content


@pytest.mark.parametrize("kind", Feed.Kind.values)
def test_a_feed_takes_the_same_queries_however_many_matches_there_are(
    kind: str, start_by_mail: Start, ada: User, ben: User, client: Client, django_assert_num_queries
):
    path = path_of(ada, kind)
    for _number in range(3):
        start_by_mail("armed", ada, ben)
    with django_assert_num_queries(5):
        client.get(path)


@pytest.mark.parametrize("kind", Feed.Kind.values)
def test_it_is_read_without_a_session_and_kept_from_others(kind: str, match: Match, client: Client):
    response = client.get(path_of(player_on_turn(match), kind))
    assert not client.cookies
    assert response["Cache-Control"] == "private, max-age=300"
    assert "noindex" in response["X-Robots-Tag"]
    assert client.post(path_of(player_on_turn(match), kind)).status_code == 405


@pytest.mark.parametrize("kind", Feed.Kind.values)
def test_unchanged_values_are_not_sent_again(kind: str, match: Match, client: Client):
    path = path_of(player_on_turn(match), kind)
    first = client.get(path)
    again = client.get(path, headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304


def test_a_new_feed_address_replaces_the_old_one(match: Match, client: Client):
    user = player_on_turn(match)
    old = path_of(user)
    client.force_login(user)
    client.post("/accounts/settings/feeds/", {"kind": "calendar", "action": "renew"})
    assert client.get(old).status_code == 404
    assert client.get(path_of(user)).status_code == 200


def test_a_feed_is_created_and_deleted_in_the_settings(ada: User, client: Client):
    client.force_login(ada)
    url = "/accounts/settings/feeds/"
    assert "Create a link" in client.get(url).content.decode()
    client.post(url, {"kind": "news", "action": "make"})
    client.post(url, {"kind": "news", "action": "make"})
    (shown,) = re.findall(r'value="http://testserver(/feeds/news/[^"]+)"', client.get(url).content.decode())
    assert client.get(shown).status_code == 200
    client.post(url, {"kind": "news", "action": "remove"})
    assert client.get(shown).status_code == 404
    assert client.post(url, {"kind": "x", "action": "make"}).status_code == 404


def test_looking_at_the_settings_makes_no_feed(ada: User, client: Client):
    client.force_login(ada)
    client.get("/accounts/settings/feeds/?kind=news&action=make")
    assert not Feed.objects.exists()


def test_no_address_opens_another_feed(ada: User, ben: User, client: Client):
    mine, other = path_of(ada), path_of(ben)
    token = mine.rpartition("/")[2].removesuffix(".ics")
    assert client.get(mine.replace(token, token[:-1] + ("0" if token[-1] != "0" else "1"))).status_code == 404
    assert (
        client.get(
            mine.replace(token.partition("-")[0] + "-", other.rpartition("/")[2].partition("-")[0] + "-")
        ).status_code
        == 404
    )
    assert client.get(f"/feeds/news/{token}.atom").status_code == 404
    for wrong in ("1", "1-", "-", "x-y", "9" * 30 + "-a"):
        assert client.get(f"/feeds/calendar/{wrong}.ics").status_code == 404


def test_addresses_outlive_a_change_of_the_secret_key_and_no_closed_account(ada: User, client: Client, settings):
    path = path_of(ada)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new" * 20, [settings.SECRET_KEY]
    assert client.get(path).status_code == 200
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert client.get(path).status_code == 404
