"""Log lines about accounts: logins and failures, without anything that gives access."""

import logging
import re
from datetime import datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from tests.factories.people import PASSWORD, last_mail, link_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO, "armani.security")

    def read() -> list[tuple[str, object]]:
        found = [(each.getMessage(), each.person) for each in caplog.records if each.name == "armani.security"]
        caplog.clear()
        return found

    return read


def test_logins_and_failed_logins_are_logged_without_the_typed_text(person, ada, lines, caplog):
    person.log_in(password="a wrong one")
    assert "a wrong one" not in caplog.text
    assert "ada@example.org" not in caplog.text
    assert lines() == [("log-in failed", ada.pk)]
    person.log_in("nobody@example.org")
    assert lines() == [("log-in failed", "")]
    person.log_in()
    assert lines() == [("logged in", ada.pk)]
    person.client.post(reverse("account_logout"))
    assert lines() == [("logged out", ada.pk)]


def test_changed_passwords_and_confirmed_addresses_are_noted(person, stranger, ada, lines):
    person.log_in()
    lines()
    form = {"oldpassword": PASSWORD, "password1": "nine copper bells", "password2": "nine copper bells"}
    person.client.post(reverse("account_change_password"), form)
    assert ("password changed", ada.pk) in lines()
    stranger.sign_up()
    stranger.client.post(link_in(last_mail()))
    assert ("address confirmed", User.objects.get(name="Ben").pk) in lines()


def test_refused_powers_are_noted(person, ada, make_moderator, lines):
    person.log_in()
    lines()
    person.client.get("/admin/accounts/user/")
    assert lines() == [("refused", ada.pk)]
    mia = make_moderator("Mia", "talk")
    person.client.force_login(mia)
    lines()
    assert person.client.get("/admin/accounts/outgoingmail/").status_code == 403
    assert lines() == [("refused", mia.pk)]


def test_security_txt_says_where_to_report_vulnerabilities(client, settings):
    address = "/.well-known/security.txt"
    assert client.get(address).status_code == 404
    settings.SECURITY_CONTACT = "mailto:security@example.org"
    answer = client.get(address)
    text = answer.content.decode()
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert "Contact: mailto:security@example.org\n" in text
    expires = datetime.fromisoformat(re.search(r"Expires: (\S+)\n", text)[1])
    assert timedelta(days=170) < expires - timezone.now() < timedelta(days=366)
    assert f"Canonical: {settings.SITE_URL}{address}\n" in text
