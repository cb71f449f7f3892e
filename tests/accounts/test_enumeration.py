"""No one can find out whether an address has an account: not by responses, pages, cookies, names, limits or login."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import OutgoingMail, User
from tests.factories.people import PASSWORD, Person, last_mail

TAKEN, FREE = "ada@example.org", "free@example.org"
pytestmark = pytest.mark.django_db


@pytest.fixture
def two(ada):
    """A visitor who uses a member's address, and one who uses an unknown address."""
    return {TAKEN: Person(Client()), FREE: Person(Client())}


def told(response, email):
    """Everything the browser receives, except the address itself, random tokens and the time."""
    text = re.sub(r'(csrfmiddlewaretoken" value=)"\w+"', r"\1", response.content.decode())
    headers = {name: value for name, value in response.headers.items() if name not in ("Content-Length", "Expires")}
    return (
        response.status_code,
        headers,
        sorted((name, morsel["path"], morsel["max-age"]) for name, morsel in response.cookies.items()),
        text.replace(email, "address@example.org"),
    )


def same(two, act):
    """The common response to both visitors; they must not differ."""
    answers = [told(act(person, email), email) for email, person in two.items()]
    assert answers[0] == answers[1]
    return answers[0]


@pytest.mark.usefixtures("contexts")
def test_sign_up_and_everything_after_it_give_the_same_answer_for_known_and_new_addresses(two):
    names = {TAKEN: "Newcomer A", FREE: "Newcomer B"}
    sent = reverse("account_email_verification_sent")
    same(two, lambda person, email: person.sign_up(email, names[email]))
    same(two, lambda person, email: person.client.get(sent))
    same(two, lambda person, email: person.type_code("00000000"))
    same(two, lambda person, email: person.client.post(sent, {"again": "1"}))
    same(two, lambda person, email: person.client.get(sent))
    for _try in range(6):
        same(two, lambda person, email: person.type_code("00000000"))
    for _try in range(5):
        same(two, lambda person, email: person.client.post(sent, {"again": "1"}))
    # The name is taken either way, and login with the new password fails either way.
    for email in two:
        assert Person(Client()).sign_up("x@example.org", names[email]).context["form"].errors["name"]
    same(two, lambda person, email: person.log_in(email, PASSWORD + "!"))


def test_after_signing_up_the_password_just_given_opens_nothing(two):
    answers = []
    for email, name in ((TAKEN, "Newcomer A"), (FREE, "Newcomer B")):
        person = Person(Client())
        person.sign_up(email, name, "another good password")
        answers.append(told(Person(Client()).log_in(email, "another good password"), email))
    assert answers[0] == answers[1]


def test_each_sign_up_writes_exactly_one_email_and_one_row(two):
    for email, name in ((TAKEN, "Newcomer A"), (FREE, "Newcomer B")):
        mails, users = OutgoingMail.objects.count(), User.objects.count()
        two[email].sign_up(email, name)
        assert (OutgoingMail.objects.count(), User.objects.count()) == (mails + 1, users + 1)
    assert "already" in last_mail(TAKEN).subject


def test_the_member_whose_address_was_given_keeps_password_and_name(two, ada):
    two[TAKEN].sign_up(TAKEN, "Mallory", "a thief's password")
    ada.refresh_from_db()
    assert ada.name == "Ada"
    assert ada.check_password(PASSWORD)
    assert two[TAKEN].user is None


def test_a_guest_who_signs_up_sees_no_difference_either(two):
    for person in two.values():
        person.client.post(reverse("try_guest"))
    names = {TAKEN: "Newcomer A", FREE: "Newcomer B"}
    same(two, lambda person, email: person.sign_up(email, names[email]))
    for email, person in two.items():
        assert person.user.is_guest
        assert person.user.name == names[email]
    for person in two.values():
        assert person.client.get(reverse("account_settings")).status_code == 200


def test_reset_answers_alike_and_sends_one_email_each(two):
    url = reverse("account_reset_password")
    same(two, lambda person, email: person.client.post(url, {"email": email}))
    same(two, lambda person, email: person.client.get(reverse("account_reset_password_done")))
    assert sorted(OutgoingMail.objects.values_list("to", flat=True)) == [TAKEN, FREE]
    for _again in range(4):
        same(two, lambda person, email: person.client.post(url, {"email": email}))


def test_the_login_answers_alike_even_after_too_many_tries(two):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _try in range(7):
            same(two, lambda person, email: person.log_in(email, "wrong password"))
            clock.shift(timedelta(seconds=20))  # below the limit for one network address


def test_log_in_hashes_a_password_either_way(two, monkeypatch):
    """Otherwise the time would reveal it: a hash takes far longer than everything else."""
    from django.contrib.auth.hashers import MD5PasswordHasher

    hashed = []
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(MD5PasswordHasher, "encode", lambda *given: hashed.append(1) or encode(*given))
    counts = []
    for email, person in two.items():
        hashed.clear()
        person.log_in(email, "wrong password")
        counts.append(len(hashed))
    assert counts == [1, 1]


def test_a_member_who_changes_to_a_taken_address_learns_and_gets_nothing(ada):
    ben = User.objects.create_user("ben@example.org", PASSWORD, name="Ben")
    answers = []
    for email in (TAKEN, FREE):
        person = Person(Client())
        person.log_in("ben@example.org")
        asked = person.client.post(reverse("account_email"), {"email": email, "action_add": "1"})
        response = person.client.post(asked["Location"], {"password": PASSWORD}, follow=True)
        assert email in response.content.decode()
        answers.append(told(response, email))
    assert answers[0] == answers[1]
    assert "already" in last_mail(TAKEN).subject
    ben.refresh_from_db()
    assert ben.email == "ben@example.org"
