"""What the tests of accounts share: the outbox as it is in earnest, and people who are signed up."""

import re

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import OutgoingMail, User

PASSWORD = "seven brass lamps"


@pytest.fixture(autouse=True)
def _outbox(settings):
    """Mails go through the outbox, as they do outside tests; what it sends lands in ``mail.outbox``."""
    settings.EMAIL_BACKEND = "accounts.outbox.OutboxBackend"
    settings.MAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    mail.outbox = []


@pytest.fixture
def ada(db) -> User:
    """A member."""
    return User.objects.create_user("ada@example.org", PASSWORD, name="Ada")


class Person:
    """A browser and what somebody does with it."""

    def __init__(self, client):
        self.client = client

    def sign_up(self, email="ben@example.org", name="Ben", password=PASSWORD, **more):
        return self.client.post(
            reverse("account_signup"), {"email": email, "name": name, "password1": password, **more}
        )

    def log_in(self, email="ada@example.org", password=PASSWORD, **more):
        return self.client.post(reverse("account_login"), {"login": email, "password": password, **more})

    def type_code(self, code):
        return self.client.post(reverse("account_email_verification_sent"), {"code": code})

    @property
    def user(self) -> User | None:
        """Whoever is logged in in this browser."""
        pk = self.client.session.get("_auth_user_id")
        return User.objects.get(pk=pk) if pk else None


@pytest.fixture
def person(client) -> Person:
    return Person(client)


@pytest.fixture
def stranger() -> Person:
    """Another browser."""
    return Person(Client())


def last_mail(to=None) -> OutgoingMail:
    mails = OutgoingMail.objects.order_by("-id")
    return (mails.filter(to=to) if to else mails).first()


def link_in(message: OutgoingMail) -> str:
    return re.search(rf"{settings.SITE_URL}(/\S+)", message.text)[1]


def code_in(message: OutgoingMail) -> str:
    return re.search(r"\d{4} \d{4}", message.text)[0]
