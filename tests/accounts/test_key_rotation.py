"""A new SECRET_KEY: signatures of the old one are valid as long as it is in SECRET_KEY_FALLBACKS, and no longer."""

import re
from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts import sessions
from accounts.models import User
from accounts.second_factor import MFAAdapter
from games.lobby import invitations
from games.lobby.models import UnwantedAddress
from games.mail import tokens
from games.matches.models import Seat
from tests.factories.people import PASSWORD, Person, last_mail, link_in

pytestmark = pytest.mark.django_db

OLD, NEW = "the former key, " * 4, "the key from now on, " * 4


def leaves_the_form(client: Client, link: str) -> bool:
    """Whether the link of a reset email is accepted."""
    return b"password1" in client.get(link, follow=True).content


def test_a_key_rotation_logs_no_active_player_out(settings, ada):
    settings.SECRET_KEY, settings.REPLY_ADDRESS = OLD, "turn+{}@play.example.org"
    browser = Person(Client())
    browser.log_in()
    Person(Client()).client.post(reverse("account_reset_password"), {"email": ada.email})
    reset = link_in(last_mail(ada.email))
    seat = Seat(pk=7, match_id=1, number=0, player_id=ada.pk)
    page, reply = tokens.turn_url(seat, 3).rstrip("/").rpartition("/")[2], tokens.reply_address(seat, 3)
    adapter = MFAAdapter()
    factor = Authenticator.objects.create(user=ada, type="totp", data={"secret": adapter.encrypt("JBSWY3DP")})
    stored = SessionStore(browser.client.session.session_key)
    signed_here = browser.client.cookies[sessions.COOKIE].value
    invitations.block_address(invitations.Link("k", "never@example.org"))

    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    assert sessions.is_signed_in(stored, ada.pk), "open tables stay open"
    assert browser.client.get(reverse("account_settings_account")).status_code == 200
    assert leaves_the_form(Client(), reset)
    assert (tokens.read_page(page).seat_id, tokens.read_reply(reply).seat_id) == (7, 7)
    assert adapter.decrypt(factor.data["secret"]) == "JBSWY3DP"
    assert invitations.is_unwanted("never@example.org")
    assert UnwantedAddress.objects.count() == 1
    assert browser.client.cookies[sessions.COOKIE].value == signed_here
    out = StringIO()
    call_command("rotate_keys", stdout=out)
    assert re.search(r"\b1\b", out.getvalue())

    settings.SECRET_KEY_FALLBACKS = []
    factor.refresh_from_db()
    assert adapter.decrypt(factor.data["secret"]) == "JBSWY3DP", "second factors outlive the former key"
    assert browser.user == User.objects.get(pk=ada.pk), "a page has signed this session anew"
    assert not leaves_the_form(Client(), reset)
    for read, token in ((tokens.read_page, page), (tokens.read_reply, reply)):
        with pytest.raises(tokens.BadToken):
            read(token)


def test_a_browser_that_was_not_used_meanwhile_logs_in_again(settings, ada):
    settings.SECRET_KEY = OLD
    browser = Person(Client())
    browser.log_in()
    settings.SECRET_KEY = NEW
    assert browser.client.get(reverse("account_settings_account")).status_code == 302
    browser.log_in(password=PASSWORD)
    assert browser.client.get(reverse("account_settings_account")).status_code == 200
