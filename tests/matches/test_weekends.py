"""Tables with weekends off: no clock runs on Saturday and Sunday, and pages and emails say so."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.test import Client
from django.utils import timezone, translation

from accounts.models import OutgoingMail, User
from accounts.playing_times import calendars
from accounts.playing_times.models import LeaveAccount
from games import rules
from games.feeds import contents
from games.lobby.forms import TableForm
from games.mail import dispatch
from games.mail.models import Preferences, Timing
from games.matches import service
from games.matches.models import Incident, Match
from tests.factories.turns import asked

pytestmark = pytest.mark.django_db
FRIDAY_NIGHT = datetime(2026, 11, 27, 22, tzinfo=UTC)
MONDAY = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def clock(ada: User, ben: User) -> Any:
    for user in (ada, ben):
        LeaveAccount.objects.create(user=user, days=0, counted_at=FRIDAY_NIGHT)
        Preferences.objects.create(user=user, timing=Timing.AT_ONCE)
    with time_machine.travel(FRIDAY_NIGHT, tick=False) as traveller:
        yield traveller


def begun(ada: User, ben: User, *, weekends_rest: bool = True, clock: str = "lunch") -> Match:
    """A match whose turns start with two hours, in days from eight to eleven."""
    match = service.open_table(ada, "rummy-500", 2, {}, clock=clock, weekends_rest=weekends_rest)
    service.join(match, ben)
    service.start(match, ada)
    match.refresh_from_db()
    return match


@pytest.mark.parametrize(("weekends_rest", "due"), [(True, MONDAY), (False, MONDAY - timedelta(days=2))])
def test_a_turn_of_friday_night_ends_on_monday(clock, ada, ben, weekends_rest, due):
    match = begun(ada, ben, weekends_rest=weekends_rest)
    assert asked(match).due_at == match.due_at == due


def test_autoplay_makes_no_moves_at_weekends_and_everyone_may_play(clock, ada, ben):
    match = begun(ada, ben)
    clock.move_to(MONDAY - timedelta(minutes=1))
    service.time_out(match.pk)
    assert not match.incidents.exists()
    clock.move_to(MONDAY - timedelta(days=2))
    seat = asked(match)
    move = service.load(match.pk).state.legal_moves(seat.number)[0]
    service.act(match.pk, seat.number, move, request_id="w", player=seat.player)
    match.refresh_from_db()
    assert match.version == 1


def test_the_extension_rests_at_weekends_too(clock, ada, ben):
    match = begun(ada, ben)
    clock.move_to(FRIDAY_NIGHT + timedelta(days=7, minutes=30))
    service.time_out(match.pk)
    assert list(match.incidents.values_list("kind", flat=True)) == [Incident.Kind.EXCUSED]
    # An hour more: half of it was left that Friday.
    assert asked(match).due_at == MONDAY + timedelta(days=7, minutes=-30)


def test_an_hour_of_leave_is_not_spent_on_a_weekend(clock, ada, ben):
    match = begun(ada, ben)
    seat = asked(match)
    LeaveAccount.objects.filter(user=seat.player).update(days=1)
    clock.move_to(MONDAY)
    service.time_out(match.pk)
    assert asked(match).due_at == pytest.approx(MONDAY + timedelta(hours=1), abs=timedelta(minutes=1))


def test_the_weekend_is_that_of_each_player_and_their_own_rest_days_stay(ada):
    calendars.change(ada, "Asia/Tokyo", time(8), time(22), [2])
    now = timezone.now()
    hours = calendars.of([ada.pk], now)[ada.pk]
    resting = hours.at(now, weekends_rest=True)
    assert resting.rest_days == {2, 5, 6}
    assert resting.zone == ZoneInfo("Asia/Tokyo")
    assert hours.at(now).rest_days == {2}


def test_the_email_and_the_calendar_name_monday(clock, ada, ben):
    match = begun(ada, ben)
    seat = asked(match)
    clock.shift(timedelta(minutes=16))
    dispatch.send_due()
    mail = OutgoingMail.objects.get(key__startswith=f"turn:{match.pk}:{seat.player_id}:")
    assert "until Monday 30 November, 09:00 (UTC)" in " ".join(mail.text.split())
    feed = contents.calendar(seat.player).decode()
    assert "DTSTART:20261130T090000Z" in feed
    # The alarm is an hour of running time before the end, and between it and Monday at eight no clock runs.
    assert "20261127T230000Z" in feed


def test_reminders_wait_with_the_clock(clock, ada, ben):
    match = begun(ada, ben, clock="daily")
    seat = asked(match)
    mails = OutgoingMail.objects.filter(key__startswith=f"turn:{match.pk}:{seat.player_id}:")
    clock.shift(timedelta(minutes=16))
    dispatch.send_due()
    for hour in range(2, 58, 4):
        clock.move_to(FRIDAY_NIGHT + timedelta(hours=hour))
        dispatch.send_due()
    assert mails.count() == 1
    # Of its 24 hours, one was left on Friday and fifteen are on Monday: four fifths are over on Tuesday.
    clock.move_to(MONDAY + timedelta(hours=26, minutes=30))
    dispatch.send_due()
    assert mails.count() == 2


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Weekends off: no clock runs on your Saturday and Sunday."),
        ("de", "Wochenenden frei: An deinem Samstag und Sonntag läuft keine Uhr."),
    ],
)
def test_players_who_may_join_read_that_weekends_are_free(
    client: Client, ada: User, language: str, sentence: str
) -> None:
    tables = [service.open_table(ada, "armed", 2, {}, clock="daily", weekends_rest=rest) for rest in (True, False)]
    with translation.override(language):
        pages = [client.get(match.get_absolute_url(), headers={"accept-language": language}) for match in tables]
    assert [sentence in page.content.decode() for page in pages] == [True, False]


@pytest.mark.parametrize("ticked", [True, False])
def test_the_form_of_a_new_table_offers_free_weekends(ada: User, ticked: bool) -> None:
    form = TableForm(rules.get("armed"))
    filled = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    asked_for = TableForm(rules.get("armed"), {**filled, "clock": "daily", "weekends_rest": "on" if ticked else ""})
    assert asked_for.is_valid(), asked_for.errors
    assert service.open_table(ada, "armed", **asked_for.arguments()).weekends_rest is ticked


@pytest.mark.parametrize("clock_name", ["table", "none"])
def test_clocks_that_do_not_run_by_hours_have_no_weekend(ada: User, clock_name: str) -> None:
    match = service.open_table(ada, "armed", 2, {}, clock=clock_name, is_public=False, weekends_rest=True)
    assert not match.weekends_rest


def test_a_rematch_rests_as_the_match_did(clock, ada: User, ben: User) -> None:
    match = begun(ada, ben)
    service.resign(match, ada)
    match.refresh_from_db()
    assert match.status == Match.Status.OVER
    assert service.rematch(match, ben).weekends_rest
