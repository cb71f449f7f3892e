"""What the tests of accounts share: the outbox as it is in earnest, and people who are signed up."""

import pytest
from django.core import mail
from django.test import Client

from accounts.models import User
from tests.factories.people import PASSWORD, Person


@pytest.fixture(autouse=True)
def _outbox(settings):
    """Emails go through the outbox, as they do outside tests; what it sends lands in ``mail.outbox``."""
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
