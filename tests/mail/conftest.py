"""Fixtures for tests of playing by email."""

from collections.abc import Iterator

import pytest
from django.db import transaction
from pytest_django.plugin import DjangoDbBlocker

from accounts.models import User
from games.matches import service
from games.matches.models import Match, hash_of
from tests.factories.matches import SEED


@pytest.fixture(scope="module")
def begun_rummy(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[int, int, int]]:
    """A turn-based match of Rummy 500 between Ada and Ben, shared by a module: the ids of both, and the match's.

    Each test runs in a transaction of its own inside the shared one, so tests don't affect each other.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        ada, ben = (User.objects.create_user(f"{name.lower()}@example.org", name=name) for name in ("Ada", "Ben"))
        match = service.open_table(ada, "basic-rummy", 2, {}, clock="daily")
        service.join(match, ben)
        Match.objects.filter(pk=match.pk).update(seed=SEED, seed_hash=hash_of(SEED))
        service.start(match, ada)
        yield ada.pk, ben.pk, match.pk
        transaction.set_rollback(True)
