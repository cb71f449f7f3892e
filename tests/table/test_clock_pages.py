"""Texts of pages about clocks and absence."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.playing_times import calendars
from games.matches import service
from games.matches.models import Incident, Match
from games.table import clock_text, projection

pytestmark = pytest.mark.django_db


@pytest.fixture
def cleo(make_player: Callable[[str], User]) -> User:
    return make_player("Cleo")


@pytest.mark.parametrize("clock", Match.Clock.values)
def test_the_whole_contract_of_a_clock_is_shown_before_anyone_joins(clock: str, client: Client, ada: User) -> None:
    match = service.open_table(ada, "armed", 2, {}, clock=clock, is_public=clock != "none")
    page = unescape(client.get(match.get_absolute_url()).content.decode())
    form = unescape(client.get("/lobby/new/?game=armed").content.decode())
    for sentence in clock_text.contract(clock):
        assert sentence in page
        assert sentence in form


def test_booked_leave_is_shown_to_players_who_may_join(client: Client, ada: User, ben: User) -> None:
    now = timezone.now()
    calendars.book(ada, now + timedelta(days=3), now + timedelta(days=3, hours=20))
    slow = service.open_table(ada, "armed", 2, {}, clock="daily")
    live = service.open_table(ada, "armed", 2, {})
    assert "Ada is away from" in client.get(slow.get_absolute_url()).content.decode()
    assert "is away from" not in client.get(live.get_absolute_url()).content.decode()


def test_the_table_shows_every_clock_and_the_log_every_missed_turn(
    ada: User, ben: User, cleo: User, start_match: Callable[..., Match]
) -> None:
    match = start_match("amagande", ada, ben, cleo, ai={3: "easy"})
    Incident.objects.create(match=match, version=0, seat=1, kind="stand_in", name="Ben", at=timezone.now())
    message = projection.snapshot_message(projection.read(match.pk), None)
    assert [clock["seat"] for clock in message["clocks"]] == [0, 1, 2]
    assert message["clock"] == {"by_hours": False, "cap": 300}
    due = [clock["due"] for clock in message["clocks"] if clock["due"] is not None]
    assert due == [match.due_at.timestamp()] or not due
    assert "Ben ran out of time, so autoplay made a safe move." in [line["text"] for line in message["log"]]


def test_a_seat_that_is_offered_is_taken_over_from_the_table_page(
    client: Client,
    ada: User,
    ben: User,
    cleo: User,
    make_player: Callable[[str], User],
    start_match: Callable[..., Match],
) -> None:
    match = start_match("amagande", ada, ben, cleo)
    dan = make_player("Dan")
    client.force_login(dan)
    assert "Take over the seat" not in client.get(match.get_absolute_url()).content.decode()
    long_ago = timezone.now() - timedelta(hours=1)
    match.seats.filter(player=ben).update(offered_at=long_ago, autopilot_at=long_ago, missed=9)
    service.forget_all()
    page = client.get(match.get_absolute_url()).content.decode()
    assert "Ben has been away for a long time." in page
    match.seats.filter(player=cleo).update(offered_at=long_ago, autopilot_at=long_ago, missed=9)
    page = client.get(match.get_absolute_url()).content.decode()
    assert "the seat of a player who has been away for a long time" in page
    assert re.findall(r"Take over from (\w+)", page) == ["Ben", "Cleo"]
    seat = match.seats.get(player=ben)
    assert client.post(f"/match/{match.key}/take/", {"seat": seat.number}).status_code == 302
    seat.refresh_from_db()
    assert seat.player == dan
    client.force_login(ben)
    refused = client.post(f"/match/{match.key}/take/", {"seat": seat.number}, follow=True)
    assert "no longer free" in refused.content.decode()


def test_the_player_learns_that_autoplay_has_played(
    client: Client, ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    match = start_match("amagande", ada, ben)
    match.seats.filter(player=ada).update(missed=1)
    for user, is_told in ((ada, True), (ben, False)):
        client.force_login(user)
        page = client.get(match.get_absolute_url()).content.decode()
        said = re.search(r'<p id="missed"[^>]*>([^<]*)</p>', page)
        assert said is not None
        assert said.group(1).startswith("You ran out of time") is is_told
