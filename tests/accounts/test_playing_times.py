"""A person's hours, rest days and leave, and their settings page."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.playing_times import calendars
from accounts.playing_times.models import Deputy, Leave, LeaveAccount, PlayingTimes
from games.matches import service
from tests.factories.people import last_mail, link_in

pytestmark = pytest.mark.django_db

PAGE = "/accounts/settings/times/"
MONDAY = datetime(2026, 11, 23, 10, tzinfo=UTC)
TIMES = {"form": "times", "zone": "Europe/Berlin", "wake_from": "09:00", "wake_to": "22:00", "rest_days": ["5", "6"]}


@pytest.fixture(autouse=True)
def _monday(time_machine: Any) -> None:
    time_machine.move_to(MONDAY, tick=False)


@pytest.fixture
def as_ada(client: Client, ada: User) -> Client:
    ada.created_at = MONDAY
    ada.save()
    client.force_login(ada)
    return client


def test_playing_times_are_chosen_corrected_within_an_hour_and_then_kept_for_thirty_days(
    as_ada: Client, ada: User, time_machine: Any
) -> None:
    assert as_ada.post(PAGE, TIMES).status_code == 302
    time_machine.shift(timedelta(minutes=59))
    assert as_ada.post(PAGE, TIMES | {"wake_to": "23:00"}).status_code == 302
    row = PlayingTimes.objects.get()
    assert (row.zone, row.wake_to, row.rest_day_numbers) == ("Europe/Berlin", time(23), {5, 6})
    time_machine.shift(timedelta(minutes=2))
    refused = as_ada.post(PAGE, TIMES)
    assert refused.status_code == 422
    assert "once every 30 days. Next time: 23 December" in refused.content.decode()
    time_machine.shift(timedelta(days=30))
    as_ada.force_login(ada)
    assert as_ada.post(PAGE, TIMES).status_code == 302
    assert PlayingTimes.objects.count() == 2


def test_hours_that_no_one_may_have_are_refused_with_a_reason(as_ada: Client) -> None:
    for wrong, reason in (
        ({"wake_to": "18:30"}, "at least ten hours"),
        ({"rest_days": ["0", "1", "2"]}, "at most two rest days"),
        ({"zone": "Europe/Atlantis"}, "valid choice"),
        ({"wake_from": "late"}, "valid time"),
    ):
        answer = as_ada.post(PAGE, TIMES | wrong)
        assert (answer.status_code, reason in answer.content.decode()) == (422, True), wrong
    assert not PlayingTimes.objects.exists()


def test_a_turn_keeps_the_playing_times_in_force_when_it_began(ada: User, time_machine: Any) -> None:
    calendars.change(ada, "UTC", time(8), time(23), [])
    time_machine.shift(timedelta(days=31))
    calendars.change(ada, "Asia/Tokyo", time(10), time(20), [2])
    hours = calendars.of([ada.pk], MONDAY)[ada.pk]
    assert hours.at(MONDAY + timedelta(days=30)).zone.key == "UTC"
    assert hours.at(MONDAY + timedelta(days=31)).zone.key == "Asia/Tokyo"


def test_leave_grows_by_a_day_and_a_half_a_month_up_to_twenty_one(ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(created_at=MONDAY)
    ada.refresh_from_db()
    assert calendars.balance(ada) == 1.5
    assert calendars.balance(ada, MONDAY + calendars.MONTH) == pytest.approx(3)
    assert calendars.balance(ada, MONDAY + 40 * calendars.MONTH) == 21
    LeaveAccount.objects.create(user=ada, days=20.5, counted_at=MONDAY)
    assert calendars.balance(ada, MONDAY + calendars.MONTH) == 21


def test_leave_is_booked_in_the_players_own_time_and_unused_days_are_returned(
    as_ada: Client, ada: User, time_machine: Any
) -> None:
    calendars.change(ada, "Europe/Berlin", time(8), time(23), [])
    booking = {"form": "leave", "leave-starts_at": "2026-11-24T08:00", "leave-ends_at": "2026-11-25T08:00"}
    assert as_ada.post(PAGE, booking).status_code == 302
    leave = Leave.objects.get()
    assert leave.starts_at == datetime(2026, 11, 24, 7, tzinfo=UTC)
    assert leave.days == pytest.approx(1)
    assert calendars.balance(ada) == pytest.approx(0.5)
    assert "24 Nov" in as_ada.get(PAGE).content.decode()
    # Three of fifteen hours are used when it is returned.
    time_machine.move_to(datetime(2026, 11, 24, 10, tzinfo=UTC), tick=False)
    assert as_ada.post(f"{PAGE}leave/{leave.pk}/").status_code == 302
    assert calendars.balance(ada) == pytest.approx(1.5 - 0.2, abs=0.06)
    assert Leave.objects.get().ends_at == datetime(2026, 11, 24, 10, tzinfo=UTC)
    as_ada.post(f"{PAGE}leave/{leave.pk}/")
    assert calendars.balance(ada) == pytest.approx(1.5 - 0.2, abs=0.06)


def test_nights_and_rest_days_cost_no_leave(ada: User) -> None:
    calendars.change(ada, "UTC", time(8), time(23), [1])
    midnight = datetime(2026, 11, 23, 23, tzinfo=UTC)
    # From Monday night to Wednesday noon: only four hours of Wednesday.
    assert calendars.cost(ada, midnight, midnight + timedelta(hours=37)) == pytest.approx(4 / 15)


def test_leave_that_cannot_be_had_is_refused(as_ada: Client, ada: User, ben: User) -> None:
    for begin, end, reason in (
        ("2026-11-24T08:00", "2026-11-30T08:00", "and you have 1.5"),
        ("2026-11-20T08:00", "2026-11-21T08:00", "in the future"),
        ("2026-11-25T08:00", "2026-11-24T08:00", "after it begins"),
        ("2029-11-25T08:00", "2029-11-25T18:00", "a year ahead"),
        ("2026-11-24T00:00", "2026-11-24T07:00", "run at this time anyway"),
    ):
        answer = as_ada.post(PAGE, {"form": "leave", "leave-starts_at": begin, "leave-ends_at": end})
        assert (answer.status_code, reason in answer.content.decode()) == (422, True), reason
    assert not Leave.objects.exists()
    calendars.book(ben, MONDAY, MONDAY + timedelta(hours=5))
    assert as_ada.post(f"{PAGE}leave/{Leave.objects.get().pk}/").status_code == 404


def test_a_substitute_is_named_and_removed_again(as_ada: Client, ada: User, ben: User) -> None:
    assert as_ada.post(PAGE, {"form": "deputy", "deputy-name": "ben"}).status_code == 302
    assert Deputy.objects.get().deputy == ben
    for nobody in ("Nobody", "Ada"):
        assert as_ada.post(PAGE, {"form": "deputy", "deputy-name": nobody}).status_code == 422
    assert as_ada.post(PAGE, {"form": "deputy", "deputy-name": ""}).status_code == 302
    assert not Deputy.objects.exists()


def test_times_in_texts_are_the_readers_own(ada: User) -> None:
    assert MONDAY.astimezone(calendars.own_zone(None)).hour == 10
    calendars.change(ada, "Asia/Kolkata", time(8), time(23), [])
    assert f"{MONDAY.astimezone(calendars.own_zone(ada)):%H:%M}" == "15:30"


def test_the_page_is_private(client: Client) -> None:
    assert client.get(PAGE).status_code == 302


# The zone of a browser.

ZONES = ["America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "America/Argentina/Buenos_Aires"]


@pytest.mark.parametrize("zone", ZONES)
def test_a_newcomer_has_the_zone_of_their_browser_without_a_visit_to_the_settings(person, zone: str):
    person.sign_up(browser_zone=zone)
    page = person.client.post(link_in(last_mail()), {"browser_zone": zone}, follow=True)
    assert calendars.current(person.user).zone == zone
    assert zone.replace("_", " ") in page.content.decode()


def test_a_guest_plays_by_the_zone_of_the_browser_from_the_first_turn(client: Client, ada: User):
    match = service.open_table(ada, "normal-cards", 2, {}, clock="daily")
    client.post(f"{match.get_absolute_url()}join/", {"browser_zone": "Asia/Tokyo"})
    guest = User.objects.get(is_guest=True)
    assert calendars.current(guest).zone == "Asia/Tokyo"


def test_a_zone_that_was_guessed_uses_up_no_change_and_a_choice_ends_it(as_ada: Client, ada: User, time_machine: Any):
    as_ada.post("/theme/", {"theme": "dark", "browser_zone": "America/New_York"})
    assert calendars.current(ada).zone == "America/New_York"
    as_ada.post("/theme/", {"theme": "dark", "browser_zone": "Asia/Tokyo"})
    assert calendars.current(ada).zone == "America/New_York"
    time_machine.shift(timedelta(days=2))
    assert calendars.may_change_from(ada) is None
    as_ada.post(PAGE, TIMES)
    assert calendars.current(ada).zone == "Europe/Berlin"
    time_machine.shift(timedelta(days=2))
    assert calendars.may_change_from(ada) is not None


def test_a_zone_of_the_browser_that_the_list_leaves_out_stays_when_playing_times_are_saved(as_ada: Client, ada: User):
    as_ada.post("/theme/", {"theme": "dark", "browser_zone": "Etc/GMT+5"})
    assert '<option value="Etc/GMT+5" selected>' in as_ada.get(PAGE).content.decode()
    assert as_ada.post(PAGE, TIMES | {"zone": "Etc/GMT+5"}).status_code == 302
    assert calendars.current(ada).zone == "Etc/GMT+5"


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "../../etc/passwd", "x" * 5000])
def test_an_invalid_time_zone_is_ignored(as_ada: Client, ada: User, zone: str):
    assert as_ada.post("/theme/", {"theme": "dark", "browser_zone": zone}).status_code < 400
    assert not PlayingTimes.objects.exists()


def test_a_zone_that_was_chosen_stays(as_ada: Client, ada: User):
    as_ada.post(PAGE, TIMES)
    as_ada.post("/theme/", {"theme": "dark", "browser_zone": "Asia/Tokyo"})
    assert calendars.current(ada).zone == "Europe/Berlin"


@pytest.mark.django_db(transaction=True)
def test_an_hour_of_leave_is_spent_in_its_own_transaction(ada: User, monkeypatch: pytest.MonkeyPatch):
    """No transaction is open when a clock reaches zero, and PostgreSQL can't lock a row without one."""
    before = calendars.balance(ada)
    with monkeypatch.context() as patch:
        patch.setattr(Leave.objects, "create", lambda **_fields: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            calendars.spend_hour(ada, MONDAY)
    assert calendars.balance(ada) == before
    assert calendars.spend_hour(ada, MONDAY)
    assert calendars.balance(ada) < before
