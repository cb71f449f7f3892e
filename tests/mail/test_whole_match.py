"""A complete match from the inbox: the players know only the emails that a mail server received."""

import re
from collections.abc import Iterable
from datetime import timedelta
from email.message import EmailMessage
from html import unescape
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts import outbox
from accounts.models import User
from games.ai import pool
from games.mail import dispatch
from games.mail.inbound import handler, message
from games.mail.models import Preferences, Timing
from games.matches import tasks
from games.matches.models import Incident, Match, Move
from tests.factories.mail_server import Mailbox, link_in, mail_server, text_of
from tests.factories.replies import reply

SITE = "http://play.example.org"
MOST_TURNS = 400


@pytest.fixture
def mailbox(settings: Any):
    settings.SITE_URL = SITE
    settings.REPLY_ADDRESS = "turn+{}@play.example.org"
    settings.DEFAULT_FROM_EMAIL = "Armani <cards@play.example.org>"
    with mail_server(settings) as server:
        yield server


@pytest.fixture(autouse=True)
def _ai_thinks_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let AI players think in the test's own process, when the test says so."""
    monkeypatch.setattr(pool, "submit", lambda work, *args: SimpleNamespace(result=lambda _timeout: work(*args)))
    monkeypatch.setattr(tasks.ai_turn, "delay", lambda *_args: None)


RANKS = ["ace", *map(str, range(2, 11)), "jack", "queen", "king"]


def wish(choices: dict[int, str]) -> int:
    """The choice of a simple player, based only on the words of the numbered moves."""
    for beginning in ("Meld", "Add", "Take the top", "Draw"):
        for number, words in choices.items():
            if words.startswith(beginning):
                return number
    return min(choices, key=lambda number: company(choices[number], choices.values()))


def company(discard: str, others: Iterable[str]) -> int:
    """How many cards of the hand match the one to be discarded; jokers are kept."""
    mine = re.search(r"the (\w+) of (\w+)", discard)
    if mine is None:
        return 99
    cards = [found.groups() for words in others if (found := re.search(r"the (\w+) of (\w+)", words))]
    rank, suit = mine.groups()
    return sum(
        other == rank or (colour == suit and abs(RANKS.index(other) - RANKS.index(rank)) <= 2)
        for other, colour in cards
    )


def numbered(text: str) -> dict[int, str]:
    return {int(number): words for number, words in re.findall(r"^(\d+)\. (.+)$", text, re.MULTILINE)}


def play_by_pages(client: Client, mail: EmailMessage) -> None:
    """Open the email's link, and continue page by page until the turn is over."""
    path = link_in(mail, "turn/")
    page = client.get(path)
    while page.status_code == 200:
        content = page.content.decode()
        buttons = re.findall(r'name="choice" value="(\d+)"><span[^>]*>\d+</span>\s*([^<]+)</button>', content)
        (version,) = re.findall(r'name="v" value="(\d+)"', content)
        number = wish({int(number): unescape(words) for number, words in buttons})
        assert client.post(path, {"choice": number, "v": version}).status_code == 200
        done = client.post(path, {"choice": number, "v": version, "again": number})
        assert done.status_code == 303
        page = client.get(done["Location"])
    assert page.status_code == 410
    assert "Your move is played" in page.content.decode()


def play_by_replies(server: Mailbox, mail: EmailMessage, me: str) -> None:
    """Answer the email and then receipts, until one can't be answered any more."""
    while mail["Reply-To"]:
        number = wish(numbered(text_of(mail)))
        quoted = "".join(f"> {line}\n" for line in text_of(mail).splitlines())
        answer = reply(str(mail["Reply-To"]), f"{number}\n\nArmani wrote:\n{quoted}", From=me)
        assert handler.receive(message.parse(answer.as_bytes())) == "played"
        outbox.send_due()
        mail = server.to(me)[-1]
        assert mail["In-Reply-To"] == answer["Message-ID"]
        assert mail["Auto-Submitted"] == "auto-replied"


@pytest.mark.services
def test_two_people_finish_a_match_by_decision_pages_and_replies_and_a_third_who_never_answers_is_replaced(
    mailbox: Mailbox, client: Client, start_by_mail: Any, ada: User, ben: User, make_player: Any
):
    carla = make_player("Carla")
    for person in (ada, ben, carla):
        Preferences.objects.create(user=person, timing=Timing.AT_ONCE)
    with time_machine.travel("2026-11-23T10:00:00Z", tick=False) as clock:
        match = start_by_mail("rummy-500", ada, ben, carla, clock="lunch", target=150)
        for _turn in range(MOST_TURNS):
            match.refresh_from_db()
            if match.status == Match.Status.OVER:
                break
            seat = match.seats.get(asked_version__isnull=False) if match.seats.filter(asked_version__gte=0) else None
            if seat is None:
                tasks.ai_turn(match.pk, match.version)
            elif seat.player_id == carla.pk:
                clock.move_to(max(match.due_at, timezone.now()) + timedelta(seconds=tasks.GRACE + 1))
                tasks.sweep()
            else:
                before = len(mailbox.to(seat.player.email))
                clock.shift(timedelta(minutes=11))
                dispatch.send_due()
                outbox.send_due()
                (mail,) = mailbox.to(seat.player.email)[before:]
                if seat.player_id == ada.pk:
                    play_by_pages(client, mail)
                else:
                    play_by_replies(mailbox, mail, str(ben.email))
        clock.shift(timedelta(hours=1))
        dispatch.send_due()
        outbox.send_due()
    assert match.status == Match.Status.OVER
    assert match.outcome["reason"] == "target"
    # No one was logged in, and every move of the two is their own.
    assert not client.cookies
    people = Move.objects.filter(match=match, seat__in=[0, 1])
    assert set(people.values_list("source", flat=True)) == {Move.Source.PLAYER}
    assert all(name.startswith("mail-") for name in people.values_list("request_id", flat=True))
    # Carla had an extension, autoplay and an offer of her seat, and was replaced; the others were told.
    kinds = list(Incident.objects.filter(match=match, seat=2).order_by("pk").values_list("kind", flat=True))
    assert kinds[0] == Incident.Kind.EXCUSED
    assert Incident.Kind.OFFERED in kinds
    assert kinds[-1] == Incident.Kind.REPLACED
    last = match.seats.get(number=2)
    assert last.ai_level
    sources = list(Move.objects.filter(match=match, seat=2).order_by("number").values_list("source", flat=True))
    assert Move.Source.STAND_IN in sources
    assert sources[-1] == Move.Source.AI
    # All three are told the result.
    for person in (ada, ben):
        assert "points" in text_of(mailbox.to(person.email)[-1])
        assert "/replay/" in text_of(mailbox.to(person.email)[-1])
    # One thread per person: every turn email has the match's only subject.
    turn_mails = [mail for mail in mailbox.to(ben.email) if f"<{match.pk}.turn." in mail["List-Id"]]
    assert len(turn_mails) > 10
    assert len({str(mail["Subject"]).removeprefix("Re: ") for mail in turn_mails}) == 1
