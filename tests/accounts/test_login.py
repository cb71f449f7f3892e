"""Logging in and out, passwords, addresses, names."""

from datetime import timedelta

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import OutgoingMail, User
from tests.factories.people import PASSWORD, Person, code_in, last_mail, link_in

pytestmark = pytest.mark.django_db


def test_a_member_logs_in_by_address_in_any_case(person, ada):
    person.log_in("Ada@EXAMPLE.org")
    assert person.user == ada


def test_the_session_key_changes_at_log_in_so_a_planted_one_is_worth_nothing(person, ada):
    person.client.post(reverse("account_login"), {})
    session = person.client.session
    session["planted"] = True
    session.save()
    person.client.cookies["sessionid"] = planted = session.session_key
    person.log_in()
    assert person.user == ada
    assert person.client.session.session_key != planted
    thief = Client()
    thief.cookies["sessionid"] = planted
    assert "_auth_user_id" not in thief.session


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:1"])
def test_next_leads_nowhere_else(person, ada, elsewhere):
    for response in (
        person.log_in(next=elsewhere),
        Person(Client()).client.post(reverse("try_guest"), {"next": elsewhere}),
    ):
        assert response.status_code == 302
        assert "evil" not in response["Location"]
        assert response["Location"].startswith("/")


def test_next_is_followed_within_the_site(person, ada):
    assert person.log_in(next="/lobby/?game=armani")["Location"] == "/lobby/?game=armani"


def test_log_out_is_a_post(person, ada):
    person.log_in()
    assert person.client.get(reverse("account_logout")).status_code == 200
    assert person.user == ada
    person.client.post(reverse("account_logout"))
    assert person.user is None


def test_guessing_passwords_of_one_account_is_stopped_for_a_while(person, ada):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _try in range(5):
            person.log_in(password="wrong password")
            clock.shift(timedelta(seconds=10))
        assert "Too many failed attempts" in person.log_in().content.decode()
        assert person.user is None
        clock.shift(timedelta(minutes=5, seconds=1))
        person.log_in()
    assert person.user == ada


def test_strangers_who_guess_do_not_lock_the_owners_browser_out(person, stranger, ada):
    person.log_in()
    person.client.post(reverse("account_logout"))
    for number in range(14):
        stranger.client.defaults["REMOTE_ADDR"] = f"198.51.100.{number}"
        stranger.log_in(password="wrong password")
    assert "Too many failed attempts" in stranger.log_in().content.decode()
    person.log_in()
    assert person.user == ada


def test_a_browser_that_knows_an_account_may_not_guess_without_end_either(person, ada, make_player):
    make_player("Cleo")
    person.log_in()
    person.client.post(reverse("account_logout"))
    for _try in range(5):
        person.log_in(password="wrong password")
    assert "Too many failed attempts" in person.log_in().content.decode()


def test_knowing_one_account_is_not_knowing_another(person, stranger, ada):
    User.objects.create_user("cleo@example.org", PASSWORD, name="Cleo")
    stranger.log_in("cleo@example.org")
    stranger.client.post(reverse("account_logout"))
    for number in range(5):
        stranger.client.defaults["REMOTE_ADDR"] = f"198.51.100.{number}"
        stranger.log_in(password="wrong password")
    assert "Too many failed attempts" in stranger.log_in().content.decode()


def test_a_closed_account_cannot_log_in_and_its_sessions_end(person, stranger, ada):
    person.log_in()
    User.objects.filter(pk=ada.pk).update(is_active=False)
    stranger.log_in()
    assert stranger.user is None
    assert person.client.get(reverse("account_settings")).status_code == 302


def test_the_administration_has_no_log_in_of_its_own(person):
    root = User.objects.create_superuser("root@example.org", PASSWORD, name="Root")
    response = person.client.post(reverse("admin:login"), {"username": "root@example.org", "password": PASSWORD})
    assert response["Location"].startswith(reverse("account_login"))
    assert person.user is None
    assert person.log_in("root@example.org", next="/admin/")["Location"] == "/admin/"
    assert person.user == root


def test_a_superuser_from_the_command_line_can_log_in_on_the_site(person):
    root = User.objects.create_superuser("root@example.org", PASSWORD, name="Root")
    person.log_in("root@example.org")
    assert person.user == root


NEW_PASSWORD = "another good password"


def test_the_command_for_a_superuser_asks_for_address_and_name(monkeypatch, person):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command("createsuperuser", email="Root@example.org", name="Root", interactive=False, verbosity=0)
    person.log_in("root@EXAMPLE.org")
    assert person.user.is_superuser
    with pytest.raises(CommandError):
        call_command("createsuperuser", email="root@example.org", name="Root 2", interactive=False, verbosity=0)


def reset_link(person, email="ada@example.org"):
    person.client.post(reverse("account_reset_password"), {"email": email})
    return link_in(last_mail(email))


def choose(person, link, password=NEW_PASSWORD):
    form = person.client.get(link, follow=True)
    return person.client.post(form.request["PATH_INFO"], {"password1": password, "password2": password})


def test_a_forgotten_password_is_replaced_by_email(person, ada):
    choose(person, reset_link(person))
    assert "was changed" in last_mail().subject
    person.log_in(password="another good password")
    assert person.user == ada


@pytest.mark.parametrize("method", ["get", "head"])
def test_a_scanner_that_visits_the_reset_link_changes_nothing(person, stranger, ada, method):
    link = reset_link(person)
    for _visit in range(3):
        getattr(stranger.client, method)(link, follow=True)
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)
    choose(person, link)
    ada.refresh_from_db()
    assert ada.check_password("another good password")


def test_seeing_a_reset_link_does_not_log_someone_else_out(person, stranger, ada):
    ben = User.objects.create_user("ben@example.org", PASSWORD, name="Ben")
    stranger.log_in("ben@example.org")
    stranger.client.get(reset_link(person), follow=True)
    assert stranger.user == ben


def test_a_reset_link_works_once(person, stranger, ada):
    link = reset_link(person)
    choose(person, link)
    choose(stranger, link, "a thief's password")
    ada.refresh_from_db()
    assert ada.check_password("another good password")


def test_a_reset_link_expires(person, ada):
    link = reset_link(person)
    with time_machine.travel(timezone.now() + timedelta(days=3, minutes=1)):
        choose(person, link)
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)


def test_a_changed_password_ends_all_other_sessions(person, stranger, ada):
    person.log_in()
    stranger.log_in()
    person.client.post(
        reverse("account_change_password"),
        {"oldpassword": PASSWORD, "password1": "another good password", "password2": "another good password"},
    )
    assert person.client.get(reverse("account_settings")).status_code == 200
    assert stranger.client.get(reverse("account_settings")).status_code == 302
    assert "was changed" in last_mail("ada@example.org").subject


def change_address(person, email="countess@example.org"):
    """Request a new address, and enter the password when asked."""
    asked = person.client.post(reverse("account_email"), {"email": email, "action_add": "1"})
    return person.client.post(asked["Location"], {"password": PASSWORD})


def test_a_new_address_counts_once_confirmed_and_the_old_one_is_notified(person, stranger, ada):
    person.log_in()
    change_address(person)
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"
    message = last_mail("countess@example.org")
    stranger.client.get(link_in(message))
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"
    person.client.post(link_in(message))
    ada.refresh_from_db()
    assert ada.email == "countess@example.org"
    assert "countess@example.org" in last_mail("ada@example.org").text
    stranger.log_in("ada@example.org")
    assert stranger.user is None
    stranger.log_in("countess@example.org")
    assert stranger.user == ada


def test_a_new_address_can_be_confirmed_by_its_code(person, ada):
    person.log_in()
    change_address(person)
    person.type_code(code_in(last_mail("countess@example.org")))
    ada.refresh_from_db()
    assert ada.email == "countess@example.org"
    assert person.user == ada


def test_a_change_of_address_can_be_taken_back(person, ada):
    person.log_in()
    change_address(person)
    link = link_in(last_mail("countess@example.org"))
    person.client.post(reverse("account_email"), {"email": "countess@example.org", "action_remove": "1"})
    person.client.post(link)
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"


def test_pressing_the_button_in_an_email_that_another_person_requested_gives_no_address_away(person, stranger, ada):
    person.log_in()
    change_address(person, "victim@example.org")
    link = link_in(last_mail("victim@example.org"))
    assert stranger.client.post(link).status_code == 422
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"
    person.client.post(link)
    ada.refresh_from_db()
    assert ada.email == "victim@example.org"


@pytest.mark.usefixtures("contexts")
def test_a_change_of_address_asks_for_the_password_first(person, ada):
    person.log_in()
    OutgoingMail.objects.all().delete()  # about the new browser
    asked = person.client.post(reverse("account_email"), {"email": "countess@example.org", "action_add": "1"})
    assert asked["Location"].startswith(reverse("account_reauthenticate"))
    answer = person.client.post(asked["Location"], {"password": "wrong password"})
    assert answer.context["form"].errors
    assert not OutgoingMail.objects.exists()


@pytest.mark.usefixtures("contexts")
def test_a_member_changes_the_name(person, ada):
    person.log_in()
    User.objects.create_user(name="Ben")
    response = person.client.post(reverse("account_settings_account"), {"name": "BEN"})
    assert response.context["form"].errors["name"]
    person.client.post(reverse("account_settings_account"), {"name": "Countess"})
    ada.refresh_from_db()
    assert ada.name == "Countess"


def test_changing_the_case_of_ones_own_name_is_allowed(person, ada):
    person.log_in()
    person.client.post(reverse("account_settings_account"), {"name": "ADA"})
    ada.refresh_from_db()
    assert ada.name == "ADA"


PAGES = [
    "account_login",
    "account_signup",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key_done",
    "account_email_verification_sent",
    "account_inactive",
]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("contexts")
def test_every_page_for_strangers_is_there_in_the_site_s_own_frame(client, name):
    response = client.get(reverse(name))
    assert response.status_code == 200
    assert "account/base_account.html" in [template.name for template in response.templates]


@pytest.mark.parametrize(
    "name", ["account_email", "account_change_password", "account_logout", "account_reauthenticate"]
)
@pytest.mark.usefixtures("contexts")
def test_every_page_for_members_is_there_and_closed_to_strangers(person, stranger, ada, name):
    person.log_in()
    response = person.client.get(reverse(name))
    assert response.status_code == 200
    assert "account/base_account.html" in [template.name for template in response.templates]
    assert stranger.client.get(reverse(name)).status_code == 302
