"""A mail service's webhooks over real requests, as Mailgun sends them: without a signature, nothing happens."""

import hashlib
import hmac
import json
import logging
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import include, path, reverse

from accounts import outbox
from accounts.models import User
from armani_site.logs import DemoteClientErrors
from armani_site.urls import urlpatterns as site_urls
from games.mail import tokens
from games.mail.models import Kind
from games.matches.models import Move
from tests.factories.clients import QuickClient
from tests.factories.replies import reply
from tests.factories.turns import asked

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]
KEY = "the service's key"
#: The settings with a webhook secret.
urlpatterns = [*site_urls, path("anymail/", include("anymail.urls"))]


@pytest.fixture(autouse=True)
def _service(settings: Any) -> None:
    settings.ANYMAIL = {"MAILGUN_WEBHOOK_SIGNING_KEY": KEY, "WEBHOOK_SECRET": "us:them"}
    settings.REPLY_ADDRESS = "turn+{}@play.example.org"


@pytest.fixture
def service(client: Client) -> Client:
    """Requests like the service's, with the name and password in the webhook's URL."""
    client.defaults["HTTP_AUTHORIZATION"] = "Basic dXM6dGhlbQ=="
    return client


def signature(key: str = KEY) -> dict[str, str]:
    timestamp, token = "1795345200", "4f2a" * 12
    signed = hmac.new(key.encode(), f"{timestamp}{token}".encode(), hashlib.sha256).hexdigest()
    return {"timestamp": timestamp, "token": token, "signature": signed}


def tell(client: Client, event: str, address: str, key: str = KEY, **more: object) -> int:
    """Post an event about an email like Mailgun; returns the response's status."""
    data = {
        "event": event,
        "id": "W3X4JOhFT-OZidZGKKr9iA",
        "timestamp": 1795345200.5,
        "recipient": address,
        "message": {"headers": {"message-id": "turn.1.2.3.mail@play.example.org"}},
        "tags": [],
        "user-variables": {},
        **more,
    }
    body = json.dumps({"signature": signature(key), "event-data": data})
    return client.post("/anymail/mailgun/tracking/", body, content_type="application/json").status_code


BOUNCE = {
    "severity": "permanent",
    "reason": "bounce",
    "delivery-status": {"code": 550, "message": "5.1.1 The email account that you tried to reach does not exist."},
}


@pytest.mark.parametrize(("event", "more", "why"), [("failed", BOUNCE, "bounced"), ("complained", {}, "complained")])
def test_a_bounce_or_a_complaint_switches_email_off_and_shows_the_banner(service, ada: User, event, more, why):
    assert tell(service, event, "Ada@Example.org", **more) == 200
    ada.refresh_from_db()
    assert ada.mail_trouble == why
    assert not outbox.wants(ada, Kind.TURN)
    browser = QuickClient()
    browser.force_login(ada)
    assert "don't arrive" in browser.get(reverse("lobby")).content.decode()


def test_unsigned_webhook_calls_change_nothing(service, client, ada: User):
    assert tell(service, "failed", str(ada.email), key="guessed", **BOUNCE) == 400
    assert tell(Client(), "failed", str(ada.email), **BOUNCE) == 400
    ada.refresh_from_db()
    assert ada.mail_trouble == ""


def test_a_mailbox_that_is_full_for_now_is_not_given_up(service, ada: User):
    assert tell(service, "failed", str(ada.email), severity="temporary", reason="generic") == 200
    ada.refresh_from_db()
    assert ada.mail_trouble == ""


@pytest.mark.parametrize("key", [KEY, "guessed"])
def test_an_answer_that_the_service_took_in_is_played_if_it_is_signed(service, start_by_mail, ada, ben, key):
    match = start_by_mail("rummy-500", ada, ben)
    seat = asked(match)
    address = tokens.reply_address(seat, seat.asked_version or 0, match.version)
    mail = reply(address)
    answer = service.post(
        "/anymail/mailgun/inbound_mime/",
        {
            **signature(key),
            "recipient": address,
            "sender": "sender@example.org",
            "body-mime": mail.as_string(),
            "attachment": SimpleUploadedFile("nothing.txt", b""),
        },
    )
    assert answer.status_code == (200 if key == KEY else 400)
    assert Move.objects.filter(match=match).count() == (1 if key == KEY else 0)


@pytest.mark.parametrize("is_raw", [True, False])
def test_postmark_hands_over_a_whole_email_or_its_parts(service, start_by_mail, ada, ben, is_raw):
    match = start_by_mail("rummy-500", ada, ben)
    seat = asked(match)
    address = tokens.reply_address(seat, seat.asked_version or 0, match.version)
    mail = reply(address)
    parts = {
        "FromFull": {"Email": "sender@example.org", "Name": "A", "MailboxHash": ""},
        "ToFull": [{"Email": address, "Name": "", "MailboxHash": ""}],
        "Subject": "Re: your turn",
        "TextBody": mail.get_content(),
        "Date": "Mon, 23 Nov 2026 10:00:00 +0000",
        "Attachments": [
            {"Name": "logo.png", "Content": "AAAA", "ContentType": "image/png; a=" + "b" * 9000, "ContentID": "1"}
        ],
    }
    told = {
        "OriginalRecipient": address,
        "Headers": [{"Name": "Return-Path", "Value": "<sender@example.org>"}, {"Name": "X-Loop", "Value": ""}],
        **({"RawEmail": mail.as_string()} if is_raw else parts),
    }
    answer = service.post("/anymail/postmark/inbound/", json.dumps(told), content_type="application/json")
    assert answer.status_code == 200
    assert Move.objects.filter(match=match).count() == 1


def test_a_wrong_secret_is_one_warning_and_no_traceback(client: Client, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG, "django")
    wrong = {"HTTP_AUTHORIZATION": "Basic d3Jvbmc6d3Jvbmc="}
    answer = client.post("/anymail/mailgun/tracking/", "{}", content_type="application/json", **wrong)
    assert answer.status_code == 400
    calm = DemoteClientErrors()
    told = [record for record in caplog.records if record.name.startswith("django.security")]
    assert all(calm.filter(record) for record in told)
    assert [(record.levelname, record.exc_info) for record in told] == [("WARNING", None)]
