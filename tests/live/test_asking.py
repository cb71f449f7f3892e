"""Reasons for refusals, how far a player has looked, and the result of each deal: over sockets and on the page."""

import asyncio
from datetime import timedelta

import pytest
from django.utils import timezone

from games.matches import service
from games.matches.models import Seat
from tests.factories.clients import QuickClient
from tests.factories.sockets import Browser, run

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_rule_that_forbids_a_move_is_named_and_nothing_is_moved(ada, ben, start_match):
    match = start_match("basic-rummy", ada, ben)
    view = service.load(match.pk).state.view(0)
    (awaited,) = view.to_move
    card = service.load(match.pk).state.view(awaited).zone(f"hand:{awaited}").cards[0]

    async def go() -> None:
        async with Browser(match, (ada, ben)[awaited]) as mine, Browser(match, (ada, ben)[1 - awaited]) as other:
            await mine.say({"t": "why", "id": "q", "move": f"discard:{card}"})
            answer = await mine.receive("why", id="q")
            assert answer["reason"] == "First draw a card from the stock or the discard pile."
            await mine.say({"t": "why", "id": "r", "move": "draw:stock"})
            assert (await mine.receive("why", id="r"))["reason"] is None
            await other.say({"t": "why", "id": "s", "move": f"discard:{card}"})
            # A player who isn't asked doesn't learn whose card it is.
            assert (await other.receive("why", id="s"))["reason"] == "It's not your turn."

    run(go)
    assert match.moves.count() == 0


def test_a_spectator_who_asks_about_a_move_is_told_that_they_only_watch(ada, ben, start_match):
    match = start_match("armed", ada, ben)

    async def go() -> None:
        async with Browser(match) as watcher:
            await watcher.say({"t": "why", "id": "q", "move": "play:QS"})
            assert (await watcher.receive("why"))["reason"] == "You're watching this match."

    run(go)


def test_a_page_and_a_hidden_socket_remember_what_was_seen(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    browser = QuickClient()
    browser.force_login(ada)
    assert "data-looked" not in browser.get(match.get_absolute_url()).content.decode()
    (awaited,) = service.load(match.pk).state.to_move()
    move = service.load(match.pk).state.legal_moves(awaited)[0]

    async def go() -> None:
        async with Browser(match, ada) as page:
            await page.receive("snapshot")
            await asyncio.to_thread(service.act, match.pk, awaited, move, request_id="m", player=(ada, ben)[awaited])
            await page.receive("moved")
            await page.say({"t": "visible", "on": False})
            # Messages are handled in order: with this answer, the look is stored.
            await page.say({"t": "why", "id": "q", "move": "pass"})
            await page.receive("why")

    run(go)
    assert "data-looked" not in browser.get(match.get_absolute_url()).content.decode(), "a reload is no absence"
    Seat.objects.filter(match=match).update(looked_at=timezone.now() - timedelta(minutes=2))
    assert 'data-looked="1"' in browser.get(match.get_absolute_url()).content.decode()
    assert looked_version(match, ben) is None


def looked_version(match, player) -> int | None:
    return Seat.objects.get(match=match, player=player).looked_version


def test_the_service_worker_looks_after_the_whole_site_and_keeps_no_page(client):
    worker = client.get("/service-worker.js")
    assert worker["Content-Type"].startswith("text/javascript")
    assert "no-cache" in worker["Cache-Control"] or "no-store" in worker["Cache-Control"]
    assert "importScripts" in worker.content.decode()
    page = client.get("/offline/")
    assert page.status_code == 200
    assert "sessionid" not in page.cookies
    assert "<form" not in page.content.decode()
