"""Signing up and confirming an address."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import OutgoingMail, User
from tests.factories.people import PASSWORD, code_in, last_mail, link_in

pytestmark = pytest.mark.django_db
SENT = reverse("account_email_verification_sent")


def test_a_newcomer_signs_up_presses_the_button_of_the_link_and_is_in(person):
    response = person.sign_up()
    assert response["Location"] == SENT
    assert person.user is None
    message = last_mail()
    assert message.to == "ben@example.org"
    response = person.client.post(link_in(message))
    assert response.status_code == 302
    assert person.user.name == "Ben"
    assert person.user.email == "ben@example.org"
    assert not person.user.is_guest


def test_the_email_has_link_and_code_in_text_and_html(person):
    person.sign_up()
    message = last_mail()
    for part in (message.text, message.html):
        assert link_in(message) in part
        assert code_in(message) in part
    assert "Ben" in message.text
    assert "style=" in message.html  # inlined: many mail programs drop <style>


@pytest.mark.parametrize("method", ["get", "head", "options"])
def test_a_scanner_that_visits_the_link_changes_nothing(person, stranger, method):
    person.sign_up()
    for _visit in range(3):
        getattr(stranger.client, method)(link_in(last_mail()))
    assert User.objects.get(name="Ben").is_guest
    assert stranger.user is None
    person.client.post(link_in(last_mail()))
    assert person.user.email == "ben@example.org"


def test_seeing_the_link_does_not_log_someone_else_out(person, stranger, ada):
    stranger.log_in()
    person.sign_up()
    stranger.client.get(link_in(last_mail("ben@example.org")))
    assert stranger.user == ada


def test_the_link_confirms_in_another_browser_by_the_password_but_lets_no_one_in_there(person, stranger):
    person.sign_up()
    link = link_in(last_mail())
    assert 'type="password"' in stranger.client.get(link).content.decode()
    response = stranger.client.post(link, {"password": PASSWORD})
    assert response["Location"] == reverse("account_login")
    assert stranger.user is None
    assert not User.objects.get(name="Ben").is_guest


@pytest.mark.parametrize("typed", [{}, {"password": ""}, {"password": "my own password"}])
def test_pressing_the_button_for_a_strangers_sign_up_gives_the_address_to_no_one(person, stranger, typed):
    """The victim has another browser; the person who signed up chose the password, and stays logged in as a guest."""
    person.client.post(reverse("try_guest"))
    person.sign_up()
    response = stranger.client.post(link_in(last_mail()), typed)
    assert response.status_code == 422
    assert "asked for this email in another browser" in response.content.decode()
    assert User.objects.get(name="Ben").is_guest
    stranger.log_in("ben@example.org")
    assert stranger.user is None


def test_passwords_are_not_guessed_at_the_link(person, stranger):
    person.sign_up()
    link = link_in(last_mail())
    for _try in range(5):
        assert stranger.client.post(link, {"password": "a guess"}).status_code == 422
    response = stranger.client.post(link, {"password": PASSWORD})
    assert response.status_code == 422
    assert "Too many attempts" in response.content.decode()
    assert User.objects.get(name="Ben").is_guest


def test_a_used_link_and_an_old_one_say_so(person, stranger):
    person.sign_up()
    link = link_in(last_mail())
    with time_machine.travel(timezone.now() + timedelta(days=3, minutes=1)):
        for method in (stranger.client.get, stranger.client.post):
            assert method(link).status_code == 410
    assert User.objects.get(name="Ben").is_guest
    person.client.post(link)
    assert stranger.client.post(link).status_code == 410
    assert stranger.client.get(link).status_code == 410
    assert stranger.client.get(link[:-3] + "xx/").status_code == 410


def test_the_code_can_be_typed_instead_however_it_is_grouped(person):
    person.sign_up()
    code = code_in(last_mail())
    response = person.type_code(f" {code[0]}-{code[1:]} ")
    assert response.status_code == 302
    assert person.user.email == "ben@example.org"


def test_a_code_expires(person):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        person.sign_up()
        code = code_in(last_mail())
        clock.shift(timedelta(minutes=19, seconds=59))
        assert person.client.get(SENT).status_code == 200
        clock.shift(timedelta(minutes=10, seconds=1))
        assert person.type_code(code).status_code == 422
        assert person.user is None


def test_a_code_lasts_as_long_as_the_email_says(person):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        person.sign_up()
        assert "20 minutes" in last_mail().text
        clock.shift(timedelta(minutes=19, seconds=59))
        person.type_code(code_in(last_mail()))
        assert person.user.email == "ben@example.org"


def test_wrong_codes_are_limited_and_then_even_the_right_one_must_wait(person):
    person.sign_up()
    code = code_in(last_mail())
    wrong = "00000000" if code != "0000 0000" else "11111111"
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _try in range(5):
            assert "code is wrong" in person.type_code(wrong).content.decode()
        assert "Too many attempts" in person.type_code(code).content.decode()
        assert person.user is None
        clock.shift(timedelta(minutes=10, seconds=1))
        person.type_code(code)
    assert person.user.email == "ben@example.org"


@pytest.mark.parametrize("code", ["", "1234", "12345678901", "abcdefgh", "١٢٣٤٥٦٧٨"])
def test_an_invalid_code_is_called_invalid(person, code):
    person.sign_up()
    assert person.type_code(code).status_code == 422
    assert person.user is None


def test_a_code_counts_only_in_the_browser_that_signed_up(person, stranger):
    person.sign_up()
    stranger.type_code(code_in(last_mail()))
    assert stranger.user is None
    assert User.objects.get(name="Ben").is_guest


def test_a_code_of_one_sign_up_does_not_confirm_another(person, stranger):
    person.sign_up()
    code = code_in(last_mail())
    stranger.sign_up("ben@example.org", "Mallory")
    assert stranger.type_code(code).status_code == 422


def test_the_email_is_sent_again_but_not_without_end(person):
    person.sign_up()
    for _again in range(6):
        person.client.post(SENT, {"again": "1"})
    assert OutgoingMail.objects.count() == 3
    person.client.post(link_in(last_mail()))
    assert person.user.email == "ben@example.org"


def test_an_address_that_was_never_confirmed_is_not_occupied(person, stranger):
    stranger.sign_up("ben@example.org", "Mallory", "a squatter's password")
    person.sign_up("ben@example.org", "Ben")
    message = last_mail()
    assert "Ben" in message.text
    person.client.post(link_in(message))
    assert person.user.name == "Ben"
    # The other person's link is invalid now.
    first = OutgoingMail.objects.order_by("id").first()
    response = stranger.client.post(link_in(first))
    assert stranger.user is None
    assert User.objects.get(name="Mallory").is_guest
    assert response.status_code in (200, 302)


def test_one_cannot_log_in_before_the_address_is_confirmed(person, stranger):
    person.sign_up()
    response = stranger.log_in("ben@example.org")
    assert response.status_code == 200
    assert stranger.user is None


@pytest.mark.usefixtures("contexts")
@pytest.mark.parametrize("name", ["ada", "ＡＤＡ", "Admin", "moderator", "x", "Ada\u200b", "a" * 25])
def test_a_taken_reserved_or_empty_name_is_refused(person, ada, name):
    response = person.sign_up(name=name)
    assert response.status_code == 200
    assert response.context["form"].errors["name"]
    assert not OutgoingMail.objects.exists()


def test_a_name_is_tidied(person):
    person.sign_up(name="  Ben   Ten ")
    assert User.objects.filter(name="Ben Ten").exists()


@pytest.mark.usefixtures("contexts")
@pytest.mark.parametrize("password", ["", "short", "password1", "ben@example.org"])
def test_a_weak_password_is_refused(person, password):
    response = person.sign_up(password=password)
    assert response.context["form"].errors["password1"]
    assert not User.objects.exists()


def test_next_is_followed_after_confirming_if_it_is_ours(person):
    person.sign_up(next="/lobby/")
    assert person.client.post(link_in(last_mail()))["Location"] == "/lobby/"


def test_a_logged_in_member_is_redirected_from_the_sign_up(person, ada):
    person.log_in()
    assert person.client.get(reverse("account_signup")).status_code == 302
    person.sign_up()
    assert not User.objects.filter(name="Ben").exists()


def test_sign_up_needs_a_csrf_token():
    client = Client(enforce_csrf_checks=True)
    response = client.post(reverse("account_signup"), {"email": "b@example.org", "name": "Ben", "password1": PASSWORD})
    assert response.status_code == 403


def test_sign_ups_from_one_address_are_limited(person):
    answers = {person.sign_up(f"p{i}@example.org", f"P {i}").status_code for i in range(25)}
    assert 429 in answers
    assert User.objects.count() == 20
