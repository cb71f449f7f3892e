"""Health pages for monitoring."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from channels.layers import get_channel_layer
from django.db import OperationalError
from django.test import AsyncClient, Client
from django.utils import timezone

from accounts.models import User
from games.matches import service
from games.matches.models import Heartbeat, Match


async def test_alive() -> None:
    answer = await AsyncClient().get("/healthz")
    assert (answer.status_code, answer.content) == (200, b"ok\n")


@pytest.mark.django_db(transaction=True)
async def test_ready_when_everything_answers() -> None:
    answer = await AsyncClient().get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"database_and_sweep": True, "channel_layer": True}


@pytest.mark.django_db(transaction=True)
def test_not_ready_when_a_match_has_been_due_for_long(
    client: Client, ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    match = start_match("normal-cards", ada, ben)
    Match.objects.filter(pk=match.pk).update(due_at=timezone.now() - timedelta(minutes=2))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"database_and_sweep": False, "channel_layer": True}


@pytest.mark.django_db(transaction=True)
async def test_not_ready_when_the_layer_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    async def swallow(channel: str, message: object) -> None:
        pass

    def overdue_since(now: datetime) -> None:
        # The layer is checked next. The database, checked first, may be slow on a busy machine.
        monkeypatch.setattr("games.operations.health.PATIENCE", 0.1)

    monkeypatch.setattr("games.operations.health.overdue_since", overdue_since)
    monkeypatch.setattr(get_channel_layer(), "send", swallow)
    answer = await AsyncClient().get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"database_and_sweep": True, "channel_layer": False}


@pytest.mark.django_db(transaction=True)
def test_not_ready_when_nothing_can_be_stored(client: Client) -> None:
    """The heartbeat, which each web process stores every ten seconds, shows it: reading alone would find no problem."""
    Heartbeat.objects.create(pk=1, at=timezone.now() - timedelta(seconds=20))
    assert client.get("/readyz").status_code == 200
    Heartbeat.objects.update(at=timezone.now() - timedelta(seconds=40))
    assert client.get("/readyz").status_code == 503


@pytest.mark.django_db
def test_a_full_disk_does_not_stop_the_pages_of_a_match(
    client: Client, ada: User, ben: User, start_match: Callable[..., Match], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise OperationalError("database or disk is full")

    match = start_match("normal-cards", ada, ben)
    client.force_login(ada)
    monkeypatch.setattr(service, "looked", full)
    assert client.get(match.get_absolute_url()).status_code == 200
