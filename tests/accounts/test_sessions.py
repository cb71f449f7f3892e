"""Logged-in devices: the list, ending sessions, and the email about a new browser."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import sessions, tasks
from accounts.models import OutgoingMail, User
from accounts.playing_times.models import PlayingTimes
from games.mail.models import Preferences
from tests.factories.people import PASSWORD, Person, last_mail, link_in

pytestmark = pytest.mark.django_db
LIST = reverse("account_sessions")
PHONE = (
    "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Mobile Safari/537.36"
)


@pytest.fixture
def phone() -> Person:
    return Person(Client(headers={"user-agent": PHONE}))


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (PHONE, "Chrome on Android"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0 Safari/537.36 Edg/142.0", "Edge on Windows"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox on Linux"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1", "Safari on iPhone"),
        ("", "Unknown browser"),
        ("<script>", "Unknown browser"),
    ],
)
def test_browsers_have_names_that_people_know(agent, words):
    assert sessions.describe(agent) == words


def test_others_are_listed_and_logged_out_one_or_all(person, phone, ada):
    person.log_in()
    phone.log_in()
    page = person.client.get(LIST).content.decode()
    assert "Chrome on Android" in page
    assert page.count("this one") == 1
    other = UserSession.objects.get(user_agent=PHONE)
    person.client.post(reverse("account_end_session", args=[other.pk]))
    assert phone.client.get(LIST).status_code == 302
    assert person.client.get(LIST).status_code == 200
    phone.log_in()
    person.client.post(reverse("account_end_other_sessions"))
    assert phone.client.get(LIST).status_code == 302
    assert "Android" not in person.client.get(LIST).content.decode()


def test_the_list_says_times_of_where_its_reader_lives(person, ada):
    PlayingTimes.objects.create(user=ada, zone="Asia/Tokyo")
    person.log_in()
    UserSession.objects.update(created_at=datetime(2026, 7, 1, 20, tzinfo=UTC))
    assert "2 Jul 2026, 05:00" in person.client.get(LIST).content.decode()


def test_open_tables_of_an_ended_session_close(person, phone, ada, monkeypatch):
    told = []
    monkeypatch.setattr("games.realtime.broadcast.to_user", lambda *args, **kwargs: told.append((args, kwargs)))
    person.log_in()
    phone.log_in()
    key = phone.client.session.session_key
    person.client.post(reverse("account_end_other_sessions"))
    assert told == [((ada.pk, "signed_out"), {"session": key})]


def test_no_one_ends_a_session_of_someone_else(person, phone, ada):
    User.objects.create_user("ben@example.org", PASSWORD, name="Ben")
    person.log_in()
    phone.log_in("ben@example.org")
    other = UserSession.objects.get(user_agent=PHONE)
    assert person.client.post(reverse("account_end_session", args=[other.pk])).status_code == 404
    assert phone.client.get(LIST).status_code == 200


def test_a_new_browser_causes_one_email(person, phone, ada):
    phone.log_in()
    message = last_mail(ada.email)
    assert message.subject == "A new browser logged in at Armani"
    assert "Chrome on Android" in message.text
    assert "network address 127.0.0.1" in message.html
    phone.client.post(reverse("account_logout"))
    phone.log_in()
    assert OutgoingMail.objects.count() == 1
    person.log_in()
    assert OutgoingMail.objects.count() == 2


def test_a_forged_cookie_does_not_make_a_browser_known(phone, ada):
    phone.client.cookies[sessions.COOKIE] = f"[{ada.pk}]"
    phone.log_in()
    assert OutgoingMail.objects.count() == 1


def test_the_browser_that_signs_up_is_not_a_new_one(person):
    person.sign_up()
    person.client.post(link_in(last_mail()))
    assert person.user.name == "Ben"
    person.client.post(reverse("account_logout"))
    person.log_in("ben@example.org")
    assert person.user.name == "Ben"
    assert OutgoingMail.objects.count() == 1


def test_these_emails_can_be_switched_off(phone, ada):
    Preferences.objects.create(user=ada, wants_security=False)
    phone.log_in()
    assert not OutgoingMail.objects.exists()


def test_addresses_of_ended_sessions_are_forgotten(person, phone, ada):
    person.log_in()
    phone.log_in()
    phone.client.session.flush()
    tasks.delete_expired()
    assert UserSession.objects.get().session_key == person.client.session.session_key


def test_only_a_browser_that_stays_away_is_logged_out(person, ada):
    person.log_in()
    start, last_login = timezone.now(), User.objects.get().last_login
    for days in (29, 58):
        with time_machine.travel(start + timedelta(days=days)):
            assert person.client.get(LIST).status_code == 200
            assert settings.SESSION_COOKIE_NAME not in person.client.get(LIST).cookies  # once a day is enough
    assert User.objects.get().last_login == last_login
    with time_machine.travel(start + timedelta(days=58 + 31)):
        assert person.client.get(LIST).status_code == 302
