"""A turn-based match is played live as long as all its people stay; its clock stays the same."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from asgiref.sync import sync_to_async
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import OutgoingMail, User
from games.live import presence
from games.live.consumers import match_page
from games.mail import dispatch
from games.matches import service
from games.matches.commands import live_sessions
from games.matches.models import Match
from games.plans import run_plans
from games.plans.models import ForcedMove, Habit
from tests.factories.sockets import Browser, run

Start = Callable[..., Match]


@pytest.fixture
def match(ada: User, ben: User, start_by_mail: Start) -> Match:
    return start_by_mail("normal-cards", ada, ben)


def agree(match: Match, *people: User) -> bool:
    return [service.offer_live(match, user.pk) for user in people][-1]


@pytest.mark.django_db
def test_it_begins_when_all_people_have_said_so_and_ends_at_anyones_word(ada, ben, make_player, start_by_mail):
    cleo = make_player("Cleo")
    match = start_by_mail("normal-cards", ada, ben, cleo)
    assert not agree(match, ada, ben)
    assert not match.is_played_live
    assert agree(match, cleo)
    assert match.is_played_live
    service.end_live(match, ben.pk)
    assert not match.is_played_live
    # Earlier offers don't count again.
    assert not agree(match, ada)


@pytest.mark.django_db
def test_an_offer_that_no_one_answers_is_forgotten(match, ada, ben, time_machine):
    time_machine.move_to("2026-11-23T11:00:00Z", tick=False)
    assert not agree(match, ada)
    time_machine.shift(live_sessions.OFFER_LASTS)
    assert not agree(match, ben)


@pytest.mark.django_db
def test_live_tables_and_people_who_are_not_at_the_table_have_nothing_to_agree_on(
    ada, ben, make_player, start_match, start_by_mail
):
    with pytest.raises(service.Refused):
        service.offer_live(start_match("normal-cards", ada, ben), ada.pk)
    with pytest.raises(service.Refused):
        service.offer_live(start_by_mail("normal-cards", ada, ai={1: "easy"}), ada.pk)
    with pytest.raises(service.Refused):
        service.offer_live(start_by_mail("normal-cards", ada, ben), make_player("Cleo").pk)


@pytest.mark.django_db
def test_during_live_play_no_one_is_notified_and_the_clock_goes_on_as_before(ada, ben, start_by_mail):
    with time_machine.travel("2026-11-23T11:00:00Z", tick=False) as clock:
        match = start_by_mail("normal-cards", ada, ben)
        due = match.seats.get(asked_version__isnull=False).due_at
        agree(match, ada, ben)
        for _minute in range(60):
            clock.shift(timedelta(minutes=1))
            service.stay_live(match.pk)
            dispatch.send_due()
        assert not OutgoingMail.objects.exists()
        assert match.seats.get(asked_version__isnull=False).due_at == due
        # A player has left, or the server has died: the session isn't renewed, and delayed notices are sent.
        clock.shift(live_sessions.LASTS + timedelta(seconds=1))
        service.stay_live(match.pk)
        dispatch.send_due()
        match.refresh_from_db()
        assert not match.is_played_live
        assert OutgoingMail.objects.filter(key__startswith="turn:").count() == 1


@pytest.mark.django_db
def test_forced_moves_come_within_seconds(match, ada, ben, monkeypatch):
    agree(match, ada, ben)
    seat = match.seats.select_related("match", "player").get(asked_version__isnull=False)
    Habit.objects.create(user=seat.player, plays_forced=True)
    monkeypatch.setattr(run_plans, "only_move", lambda view: view.moves[0])
    run_plans.run(match.pk)
    assert ForcedMove.objects.get().due_at <= timezone.now() + run_plans.FORCED_AFTER_LIVE[1]


@pytest.mark.django_db(transaction=True)
def test_it_lasts_while_all_look_at_the_table_and_ends_when_one_has_gone(ada, ben, start_by_mail, monkeypatch):
    monkeypatch.setattr(presence, "ANNOUNCED_EVERY", 0.0)
    monkeypatch.setattr(match_page, "PING_EVERY", 0.05)
    monkeypatch.setattr(live_sessions, "LASTS", timedelta(seconds=2))
    match = start_by_mail("normal-cards", ada, ben)

    async def go() -> None:
        async with Browser(match, ada) as first:
            assert not (await first.receive("snapshot"))["live"]
            async with Browser(match, ben) as second:
                await second.receive("snapshot")
                await sync_to_async(agree)(match, ada, ben)
                assert not (await first.receive("snapshot", live=True))["slow"]
                await second.receive("snapshot", live=True)
                until = match.live_until
                # Renewed after the first lease, on which the room must not still depend.
                while match.live_until < until + live_sessions.LASTS:
                    await asyncio.sleep(0.02)
                    await sync_to_async(match.refresh_from_db)()
                async with Browser(match, ada) as another_tab:
                    snapshot = await another_tab.receive("snapshot")
                    assert (snapshot["live"], snapshot["slow"]) == (True, False)
            # The end of live play is announced: the pace is the old one.
            assert (await first.receive("snapshot", live=False))["slow"]

    run(go)


@pytest.mark.django_db
def test_the_page_offers_asks_and_shows_the_answer(match, ada, ben, client: Client):
    def page(user: User) -> str:
        client.force_login(user)
        return client.get(reverse("match_ending", args=[match.key])).content.decode()

    assert "data-all-here hidden" in page(ada)
    live = reverse("match_live", args=[match.key])
    assert client.post(live, {"answer": "yes"}).status_code == 302
    assert "Waiting for Ben." in page(ada)
    assert "Ada wants to play on live" in page(ben)
    client.post(live, {"answer": "yes"})
    assert "as long as you all stay" in page(ada)
    client.post(live, {"answer": "no"})
    assert "data-all-here hidden" in page(ben)
    client.logout()
    assert "form" not in client.get(reverse("match_ending", args=[match.key])).content.decode()
    client.post(live, {"answer": "yes"})
    match.refresh_from_db()
    assert not match.is_played_live


@pytest.mark.django_db(transaction=True)
def test_no_notice_is_sent_of_a_turn_that_its_player_sees_begin(ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben)
    seat = match.seats.get(asked_version__isnull=False)
    mover, other = (ada, ben) if seat.player_id == ada.pk else (ben, ada)
    others_seat = match.seats.get(player=other)

    async def go() -> None:
        async with Browser(match, mover) as first, Browser(match, other) as second:
            snapshot = await first.receive("snapshot")
            await second.receive("snapshot")
            await first.move(snapshot["view"]["moves"][0], 0)
            await second.receive("moved", v=1)
            while others_seat.looked_version != 1:
                await asyncio.sleep(0.1)  # during which the clock leaps to when it is stored
                await sync_to_async(others_seat.refresh_from_db)()

    run(go)
