"""Playing without an account, and keeping everything by signing up."""

from datetime import timedelta

import pytest
import time_machine
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from accounts import guests
from accounts.models import OutgoingMail, User
from accounts.templatetags.names import initials
from games.matches.models import Match, Seat
from tests.factories.people import PASSWORD, Person, code_in, last_mail, link_in

pytestmark = pytest.mark.django_db


def sit(user, status="running", finished_at=None):
    now = timezone.now()
    outcome = {"reason": "played", "ranking": [[0], [1]], "points": [1, 0]} if status == "over" else None
    match = Match.objects.create(
        slug="armani",
        rules_version=1,
        seat_count=2,
        status=status,
        started_at=now,
        finished_at=finished_at or (now if status == "over" else None),
        outcome=outcome,
    )
    return Seat.objects.create(match=match, number=0, player=user, player_name=user.name)


def test_one_press_makes_a_guest_and_leads_on(person):
    response = person.client.post(reverse("try_guest"), {"next": "/lobby/"})
    assert response["Location"] == "/lobby/"
    guest = person.user
    assert guest.is_guest
    assert guest.name.startswith("Guest ")
    assert not guest.has_usable_password()


def test_a_visit_makes_no_guest(client):
    assert client.get(reverse("try_guest")).status_code == 405
    assert not User.objects.exists()


def test_a_second_press_keeps_the_guest(person):
    person.client.post(reverse("try_guest"))
    first = person.user
    person.client.post(reverse("try_guest"))
    assert person.user == first


def test_guests_from_one_address_are_limited(settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "guest": "3/h/ip"}
    answers = [Client().post(reverse("try_guest")).status_code for _press in range(4)]
    assert answers == [302, 302, 302, 429]
    assert User.objects.count() == 3


def anonymous_request():
    request = RequestFactory().post("/quick/armani/")
    request.user, request.session = AnonymousUser(), SessionStore()
    return request


def test_ensure_player_takes_a_player_who_is_there_and_else_makes_a_guest(ada):
    request = anonymous_request()
    assert guests.ensure_player(request).is_guest
    assert request.user.is_guest
    request.user = ada
    assert guests.ensure_player(request) == ada


def test_ensure_player_answers_too_many_by_itself(settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "guest": "1/h/ip"}
    guests.ensure_player(anonymous_request())
    with pytest.raises(ImmediateHttpResponse) as refused:
        guests.ensure_player(anonymous_request())
    assert refused.value.response.status_code == 429


def test_names_of_guests_avoid_those_taken(monkeypatch):
    drawn = iter([38, 38, 7])
    monkeypatch.setattr(guests.secrets, "randbelow", lambda _below: next(drawn))
    monkeypatch.setattr(guests.secrets, "choice", lambda animals: animals[18])
    assert guests.make_guest().name == "Guest Otter 48"
    assert guests.make_guest().name == "Guest Otter 17"


def test_guests_can_be_told_apart_by_the_letters_of_their_marks():
    assert {initials(f"Guest {animal} 12") for animal in guests.ANIMALS} > {"GO", "GP", "GZ"}
    assert (initials("Ada"), initials("ada quill"), initials("李雷")) == ("A", "AQ", "李")


@pytest.mark.usefixtures("contexts")
@pytest.mark.parametrize("by", ["link", "code"])
@pytest.mark.parametrize("keeps_name", [True, False])
def test_a_guest_who_signs_up_keeps_row_seats_and_session(person, by, keeps_name):
    person.client.post(reverse("try_guest"))
    guest = person.user
    seat = sit(guest)
    name = guest.name if keeps_name else "Ben"
    assert person.client.get(reverse("account_signup")).context["form"]["name"].value() == guest.name
    assert person.sign_up(name=name)["Location"] == reverse("account_email_verification_sent")
    assert person.user == guest  # still logged in, still playing
    assert person.user.is_guest
    message = last_mail()
    response = person.client.post(link_in(message)) if by == "link" else person.type_code(code_in(message))
    assert response.status_code == 302
    assert person.user == guest
    assert person.user.email == "ben@example.org"
    assert person.user.name == name
    assert not person.user.is_guest
    seat.refresh_from_db()
    assert seat.player == guest
    newcomer = Person(Client())
    newcomer.log_in("ben@example.org")
    assert newcomer.user == guest


def test_a_guest_may_correct_the_address(person):
    person.client.post(reverse("try_guest"))
    person.sign_up("typo@example.org", "Ben")
    old = link_in(last_mail())
    person.sign_up("ben@example.org", "Ben")
    person.client.post(old)
    assert person.user.is_guest
    person.client.post(link_in(last_mail()))
    assert person.user.email == "ben@example.org"
    assert set(OutgoingMail.objects.values_list("to", flat=True)) == {"typo@example.org", "ben@example.org"}


def test_a_guest_can_log_in_to_an_account_instead(person, ada):
    person.client.post(reverse("try_guest"))
    guest_session = person.client.session.session_key
    assert person.client.get(reverse("account_login")).status_code == 200
    person.log_in()
    assert person.user == ada
    assert person.client.session.session_key != guest_session


@pytest.mark.parametrize("name", ["account_email", "account_change_password", "account_set_password"])
def test_guests_have_no_address_and_password_to_change(person, name):
    person.client.post(reverse("try_guest"))
    assert person.client.get(reverse(name))["Location"] == reverse("account_signup")
    person.client.post(reverse(name), {"email": "x@example.org", "action_add": "1"})
    assert not OutgoingMail.objects.exists()


def test_a_guest_may_change_the_name(person):
    person.client.post(reverse("try_guest"))
    person.client.post(reverse("account_settings_account"), {"name": "Gus"})
    assert person.user.name == "Gus"


def test_guests_who_are_gone_are_deleted_and_players_stay(ada):
    now = timezone.now()
    with time_machine.travel(now - guests.IDLE - timedelta(days=1)):
        users = {}
        for what in ("idle", "running", "open", "played lately", "played long ago"):
            users[what] = User.objects.create_user(name=what, last_login=timezone.now())
        sit(users["running"])
        sit(users["open"], "open")
        sit(users["played long ago"], "over")
        User.objects.filter(pk=ada.pk).update(last_login=timezone.now())
    lately = sit(users["played lately"], "over", finished_at=now - timedelta(days=2))
    fresh = guests.make_guest()
    with time_machine.travel(now - guests.UNCONFIRMED - timedelta(minutes=1)):
        User.objects.create_user(name="never confirmed", password=PASSWORD)
    waiting = User.objects.create_user(name="not confirmed yet", password=PASSWORD)
    assert guests.delete_expired() == 3
    left = set(User.objects.values_list("name", flat=True))
    assert left == {"Ada", "running", "open", "played lately", fresh.name, waiting.name}
    assert lately.player_name == "played lately"
    kept = Seat.objects.get(player_name="played long ago")
    assert kept.player is None  # the finished match keeps the name


def test_a_guest_who_comes_back_stays_logged_in_and_is_not_deleted(person):
    person.client.post(reverse("try_guest"))
    guest = person.user
    start = timezone.now()
    for days in (25, 50, 75):
        with time_machine.travel(start + timedelta(days=days)):
            page = person.client.get(reverse("my_matches"))
            assert page.wsgi_request.user == guest
            assert page.cookies[settings.SESSION_COOKIE_NAME]["max-age"] == settings.SESSION_COOKIE_AGE
    with time_machine.travel(start + timedelta(days=76)):
        assert guests.delete_expired() == 0
    with time_machine.travel(start + timedelta(days=75) + guests.IDLE + timedelta(days=1)):
        assert guests.delete_expired() == 1


def test_cleaning_up_twice_is_harmless():
    assert guests.delete_expired() == guests.delete_expired() == 0
