"""The pages that machines ask."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from channels.layers import get_channel_layer
from django.test import AsyncClient, Client
from django.utils import timezone

from accounts.models import User
from games.matches.models import Match


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

    monkeypatch.setattr("games.operations.health.PATIENCE", 0.1)
    monkeypatch.setattr(get_channel_layer(), "send", swallow)
    answer = await AsyncClient().get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"database_and_sweep": True, "channel_layer": False}
