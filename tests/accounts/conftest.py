"""Fixtures for tests of accounts: the real outbox, and signed-up people."""

import pytest
from django.core import mail
from django.test import Client

from accounts.models import User
from tests.factories.people import PASSWORD, Person


@pytest.fixture(autouse=True)
def _outbox(settings):
    """Send emails through the outbox, as outside tests; they end up in ``mail.outbox``."""
    settings.EMAIL_BACKEND = "accounts.outbox.OutboxBackend"
    settings.MAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    mail.outbox = []


@pytest.fixture
def ada(db) -> User:
    """A member."""
    return User.objects.create_user("ada@example.org", PASSWORD, name="Ada")


@pytest.fixture
def person(client) -> Person:
    return Person(client)


@pytest.fixture
def stranger() -> Person:
    """Another browser."""
    return Person(Client())
