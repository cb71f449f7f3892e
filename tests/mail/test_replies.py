"""Replies to turns: what is played, what is confirmed, and what changes nothing."""

import email.policy
import io
import os
import re
import socket
import sys
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from email.parser import BytesParser
from html import unescape
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
from aiosmtpd.controller import Controller
from anymail.inbound import AnymailInboundMessage
from anymail.signals import AnymailInboundEvent, inbound
from django.core.mail import get_connection
from django.core.management import call_command
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from accounts import outbox
from accounts.models import OutgoingMail, User
from games import rules
from games.engine.cards import CODES
from games.mail import tokens
from games.mail.decision_page import turns
from games.mail.inbound import handler as replies
from games.mail.inbound import message as incoming
from games.mail.models import Discretion, Preferences
from games.mail.moves import numbered, rows
from games.mail.outgoing.receipts import Result
from games.matches import service
from games.matches.models import Match, Move, Seat
from games.plans.models import Plan
from games.plans.preconditions import own_hand
from games.rules.wording import card_name
from games.table.templatetags.mail_cards import cards_as_text
from tests.factories.replies import reply
from tests.factories.turns import asked

Start = Callable[..., Match]


@pytest.fixture(autouse=True)
def _site(settings: Any) -> None:
    settings.SITE_URL = "https://play.example.org"
    settings.REPLY_ADDRESS = "turn+{}@play.example.org"


@pytest.fixture
def ada(begun_rummy: tuple[int, int, int], db: None) -> User:
    return User.objects.get(pk=begun_rummy[0])


@pytest.fixture
def ben(begun_rummy: tuple[int, int, int], db: None) -> User:
    return User.objects.get(pk=begun_rummy[1])


@pytest.fixture
def rummy(begun_rummy: tuple[int, int, int], db: None) -> Match:
    return Match.objects.get(pk=begun_rummy[2])


def address_of(match: Match) -> str:
    seat = asked(match)
    assert seat.asked_version is not None
    version = Match.objects.values_list("version", flat=True).get(pk=match.pk)
    return tokens.reply_address(seat, seat.asked_version, version)


def accept_email(mail: EmailMessage | bytes, *recipients: str) -> Result:
    return replies.receive(incoming.parse(mail if isinstance(mail, bytes) else mail.as_bytes(), recipients))


def moves_of(match: Match) -> list[str]:
    return list(Move.objects.filter(match=match).order_by("number").values_list("move", flat=True))


def receipt() -> OutgoingMail:
    """The newest receipt, its text in one line."""
    row = OutgoingMail.objects.filter(key__startswith="reply:").order_by("-pk")[0]
    row.text = " ".join(row.text.split())
    return row


# What is played.


@pytest.mark.parametrize("text", ["1", "1 else 2", "9 else 1", "draw from the stock", "draw:stock"])
def test_an_answer_is_played_and_a_receipt_sent(rummy: Match, text: str):
    seat = asked(rummy)
    result = accept_email(reply(address_of(rummy), text))
    if text == "9 else 1":
        assert result == Result.UNREADABLE
        return
    assert result == Result.PLAYED
    assert moves_of(rummy) == ["draw:stock"]
    assert Move.objects.get().source == Move.Source.PLAYER
    sent = receipt()
    assert seat.player is not None
    assert sent.to == seat.player.email
    assert "Played: Draw from the stock." in sent.text
    assert "It's still your turn." in sent.text
    assert "1. Discard the" in sent.text or "1. Meld" in sent.text


def test_a_whole_turn_is_played_by_answering_the_receipts(rummy: Match):
    accept_email(reply(address_of(rummy)))
    again = receipt().headers["Reply-To"]
    last = len(turns.find(tokens.read_reply(again)).moves)
    assert accept_email(reply(again, str(last))) == Result.PLAYED
    assert [move.partition(":")[0] for move in moves_of(rummy)] == ["draw", "discard"]
    assert "The match is now waiting for" in receipt().text
    assert "Reply-To" not in receipt().headers


def test_the_token_decides_a_player_who_seems_to_have_sent_it(rummy: Match):
    seat = asked(rummy)
    assert accept_email(reply(address_of(rummy), From="Another Player <else@example.com>")) == Result.PLAYED
    assert seat.player is not None
    assert receipt().to == seat.player.email
    assert not OutgoingMail.objects.filter(to__icontains="else@example.com").exists()


@pytest.mark.parametrize("header", ["To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To"])
def test_the_address_is_found_where_mail_servers_write_it(rummy: Match, header: str):
    mail = reply("stranger@example.org")
    del mail[header]
    mail[header] = f'"Armani, turns" <{address_of(rummy).upper()}>'
    assert accept_email(mail) == Result.PLAYED


def test_the_envelope_says_it_better(rummy: Match):
    assert accept_email(reply("undisclosed-recipients:;"), address_of(rummy)) == Result.PLAYED


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "utf-16", "koi8-r", "cp1252"])
@pytest.mark.parametrize("encoding", ["base64", "quoted-printable"])
def test_encodings_of_all_kinds_are_read(rummy: Match, charset: str, encoding: str):
    mail = reply(address_of(rummy))
    mail.set_content("1\n\nOn Saturday Armani wrote:\n> 1. Draw\n", charset=charset, cte=encoding)
    assert accept_email(mail) == Result.PLAYED


@pytest.mark.parametrize("charset", ["no-such-charset", "ascii", '"', "utf-7"])
def test_an_email_that_names_its_encoding_wrongly_is_read_as_far_as_it_can_be(rummy: Match, charset: str):
    address = address_of(rummy).encode()
    raw = b"To: %s\r\nMessage-ID: <1@x>\r\nContent-Type: text/plain; charset=%s\r\n\r\n1\r\n> \xe4\xff\r\n"
    assert accept_email(raw % (address, charset.encode())) == Result.PLAYED


def test_an_email_in_html_alone_is_played(rummy: Match):
    mail = reply(address_of(rummy))
    mail.set_content("<p>1</p><blockquote>2. Take the discard</blockquote>", subtype="html")
    assert accept_email(mail) == Result.PLAYED


def test_an_empty_text_part_gives_way_to_the_html_part(rummy: Match):
    mail = reply(address_of(rummy), "\n")
    mail.add_alternative("<div>1</div>", subtype="html")
    assert accept_email(mail) == Result.PLAYED


def test_a_reply_counts_for_a_sealed_card_even_when_the_other_was_faster(start_by_mail: Start, ada: User, ben: User):
    match = start_by_mail("armed", ada, ben)
    address = address_of(match)
    card = service.load(match.pk).state.legal_moves(1)[0]
    service.act(match.pk, 1, card, request_id="web", player=ben)
    assert accept_email(reply(address, "2")) == Result.PLAYED


def test_an_alternative_is_for_a_table_that_has_changed(rummy: Match):
    """The email offered the draw; meanwhile its player has drawn in the browser."""
    address = address_of(rummy)
    seat = asked(rummy)
    service.act(rummy.pk, seat.number, "draw:stock", request_id="web", player=seat.player)
    before = moves_of(rummy)
    assert accept_email(reply(address, "1")) == Result.REFUSED
    assert "The table has changed since we emailed you." in receipt().text
    assert accept_email(reply(address, "1 else 2")) == Result.REFUSED
    assert moves_of(rummy) == before


# Several moves in one answer.


def test_a_whole_turn_goes_in_one_answer_with_one_receipt(rummy: Match):
    seat = asked(rummy)
    hand = service.load(rummy.pk).state.view(seat.number).zone(f"hand:{seat.number}").cards or ()
    result = accept_email(reply(address_of(rummy), f"1; discard {hand[3]}"))
    assert result == Result.PLAYED
    assert moves_of(rummy) == ["draw:stock", f"discard:{hand[3]}"]
    assert OutgoingMail.objects.filter(key__startswith="reply:").count() == 1
    assert f"Played: Draw from the stock; Discard {card_name(hand[3])}." in receipt().text
    assert "The match is now waiting for" in receipt().text


def test_a_later_number_refers_to_the_list_at_that_moment(rummy: Match):
    assert accept_email(reply(address_of(rummy), "draw from the stock, then 3")) == Result.PLAYED
    # No second answer follows the draw: the move in the third line is played.
    assert [move.partition(":")[0] for move in moves_of(rummy)] == ["draw", "discard"]


def test_a_receipt_names_the_impossible_moves_and_the_possible_ones_are_played(rummy: Match):
    assert accept_email(reply(address_of(rummy), "1; 99; pass")) == Result.PLAYED
    assert moves_of(rummy) == ["draw:stock"]
    assert "We didn't play “99”. That wasn't a possible move." in receipt().text
    assert "It's still your turn." in receipt().text
    again = receipt().headers["Reply-To"]
    discard = turns.find(tokens.read_reply(again)).moves[-1]
    assert accept_email(reply(again, f"{discard.number}; then dance")) == Result.PLAYED
    assert "We didn't play “dance”." in receipt().text
    assert len(moves_of(rummy)) == 2


def test_a_repeated_answer_of_several_moves_continues_where_it_stopped(rummy: Match, monkeypatch: pytest.MonkeyPatch):
    seat = asked(rummy)
    hand = service.load(rummy.pk).state.view(seat.number).zone(f"hand:{seat.number}").cards or ()
    mail = reply(address_of(rummy), f"1; discard {hand[3]}")
    act = turns.act

    def die_at_the_second(*args: Any, step: int = 0, **also: Any) -> Any:
        if step:
            raise OperationalError("gone")
        return act(*args, step=step, **also)

    monkeypatch.setattr(turns, "act", die_at_the_second)
    with pytest.raises(OperationalError):
        accept_email(mail)
    assert moves_of(rummy) == ["draw:stock"]
    monkeypatch.undo()
    assert accept_email(mail) == Result.PLAYED
    assert moves_of(rummy) == ["draw:stock", f"discard:{hand[3]}"]
    assert f"Played: Draw from the stock; Discard {card_name(hand[3])}." in receipt().text
    assert accept_email(mail) == Result.REPEATED
    assert len(moves_of(rummy)) == 2


@pytest.mark.parametrize("slug", [game.slug for game in rules.all()])
def test_a_receipt_has_all_that_the_next_move_needs(slug: str, start_by_mail: Start, ada: User, ben: User):
    match = start_by_mail(slug, ada, ben)
    seat = asked(match)
    first = turns.find(tokens.read_reply(address_of(match))).moves[-1]
    drawing = "1" if slug in ("basic-rummy", "normal-cards", "armed", "avalanche") else str(first.number)
    assert accept_email(reply(address_of(match), {"rummy-500": "0"}.get(slug, drawing))) == Result.PLAYED
    mail = OutgoingMail.objects.filter(key__startswith="reply:").order_by("-pk")[0]
    text = " ".join(mail.text.split())
    table = service.load(match.pk)
    if seat.number not in table.deciders():
        assert "The match is now waiting for" in text or "The match is over." in text
        return
    view = table.view(seat.number)
    hand = [code for zone in view.zones if zone.id == f"hand:{seat.number}" for code in zone.cards or () if code]
    signs = set(cards_as_text(hand).split())
    assert signs <= set(text.split())
    assert all(f'title="{card_name(code)}"' in mail.html for code in hand)
    assert "You have until" in text
    for row in rows(slug, numbered(view, table.names)):
        assert f"{row.number}. {row.label}" in text
        assert row.label in unescape(mail.html)
    if slug in ("rummy-500", "basic-rummy"):
        (drawn,) = (code for code in hand if f"You drew {card_name(code)}." in text)
        assert f"You drew {card_name(drawn)}." in unescape(mail.html)


def plan_page(match: Match) -> str:
    """The URL in the newest receipt for saving a plan."""
    (url,) = set(re.findall(rf"https://play.example.org(/match/{match.key}/plan/\S*)", receipt().text))
    assert url in unescape(receipt().html)
    return str(url)


def hand_in(match: Match) -> list[str]:
    return [str(code) for code in own_hand(service.load(match.pk).view(asked(match).number))]


def test_the_receipt_of_a_turn_that_is_over_leads_to_the_plan(start_by_mail: Start, ada: User, ben: User):
    match = start_by_mail("normal-cards", ada, ben)
    assert accept_email(reply(address_of(match), "plan 1")) == Result.UNREADABLE
    assert "/plan/" not in receipt().text
    assert accept_email(reply(address_of(match), "1")) == Result.PLAYED
    assert plan_page(match).endswith("/plan/")


@pytest.mark.usefixtures("contexts")
def test_a_plan_by_email_is_saved_by_its_player_once_logged_in(
    start_by_mail: Start, ada: User, ben: User, client: Client
):
    match = start_by_mail("armed", ada, ben)
    seat, address = asked(match), address_of(match)
    by_number, by_words, by_code, by_card = numbered(service.load(match.pk).view(seat.number), ["Ada", "Ben"])[:4]
    steps = [str(by_number.number), by_words.label, by_code.move, by_card.move.partition(":")[2]]
    assert accept_email(reply(address, "Plan: " + "; ".join(steps))) == Result.PLANNED
    assert moves_of(match) == []
    assert not Plan.objects.exists()
    assert "Your plan isn't saved yet." in receipt().text
    assert by_words.label in receipt().text
    url = plan_page(match)
    assert client.get(url).status_code == 302
    client.force_login(seat.player)
    page = client.get(url)
    assert "write “plan:” and your moves" in page.content.decode()
    assert "It counts once you save it." in page.content.decode()
    form = page.context["form"]
    assert not Plan.objects.exists()
    client.post(url, {name: field.initial for name, field in form.fields.items()})
    assert Plan.objects.get().left == [each.move for each in (by_number, by_words, by_code, by_card)]


def test_an_answer_with_a_plan_is_played_and_the_plan_is_for_afterwards(start_by_mail: Start, ada: User, ben: User):
    match = start_by_mail("armed", ada, ben)
    address = address_of(match)
    played, planned = numbered(service.load(match.pk).view(asked(match).number), ["Ada", "Ben"])[:2]
    assert accept_email(reply(address, f"{played.number}\nplan: {planned.number}; {played.number}")) == Result.PLAYED
    assert moves_of(match) == [played.move]
    assert f"You can't plan “{played.number}” now." in receipt().text
    assert plan_page(match).endswith("?" + urlencode([("step", planned.move)]))
    assert accept_email(reply(address, f"plan: {planned.label}")) == Result.PLANNED


@pytest.mark.usefixtures("contexts")
def test_a_plan_of_bets_is_its_maximum(start_by_mail: Start, ada: User, ben: User, client: Client):
    match = start_by_mail("armani", ada, ben)
    address, player = address_of(match), asked(match).player
    assert accept_email(reply(address, "plan: up to 30")) == Result.PLANNED
    assert "Your plan: bet for me up to 30." in receipt().text
    client.force_login(player)
    page = client.get(plan_page(match))
    assert page.context["form"].fields["maximum"].initial == 30
    assert "write “plan: up to 20”" in page.content.decode()
    assert accept_email(reply(address, "plan: up to 99")) == Result.PLANNED
    assert "You can't plan “up to 99” now." in receipt().text


@pytest.mark.parametrize("query", ["maximum=99", "maximum=x", "maximum=" + "9" * 5000, "step=fold", "step=" * 3000])
@pytest.mark.usefixtures("contexts")
def test_the_plan_page_refuses_nonsense_in_its_url(
    start_by_mail: Start, ada: User, ben: User, client: Client, query: str
):
    for slug in ("armani", "armed"):
        match = start_by_mail(slug, ada, ben)
        client.force_login(ada)
        page = client.get(f"/match/{match.key}/plan/?{query}")
        assert page.status_code == 200
        assert not page.context["is_proposed"]


def test_a_plan_by_email_shows_no_card_to_discreet_players(start_by_mail: Start, ada: User, ben: User):
    match = start_by_mail("armed", ada, ben)
    Preferences.objects.update_or_create(user=asked(match).player, defaults={"discretion": Discretion.CLICK})
    (card, *_rest) = hand_in(match)
    assert accept_email(reply(address_of(match), f"plan: {card}")) == Result.PLANNED
    assert plan_page(match).endswith("/plan/")
    assert card_name(card) not in receipt().text


@pytest.mark.parametrize("discretion", [Discretion.CLICK, Discretion.NONE])
def test_a_discreet_receipt_shows_neither_the_hand_nor_what_was_drawn(rummy: Match, discretion: str):
    Preferences.objects.update_or_create(user=asked(rummy).player, defaults={"discretion": discretion})
    accept_email(reply(address_of(rummy)))
    mail = receipt()
    assert "You drew" not in mail.text
    assert "YOUR HAND" not in mail.text
    assert 'class="card' not in mail.html
    assert "mailto:" not in mail.html


# What changes nothing.


def test_the_same_email_twice_is_played_and_answered_once(rummy: Match):
    mail = reply(address_of(rummy))
    assert accept_email(mail) == Result.PLAYED
    assert accept_email(mail) == Result.REPEATED
    assert moves_of(rummy) == ["draw:stock"]
    assert OutgoingMail.objects.filter(key__startswith="reply:").count() == 1


def test_an_old_email_answered_again_plays_nothing_and_says_what_was_played(rummy: Match):
    address = address_of(rummy)
    accept_email(reply(address, "1"))
    assert accept_email(reply(address, "2")) == Result.ANSWERED
    assert accept_email(reply(address, "1")) == Result.REPEATED
    assert accept_email(reply(address, "Hello?")) == Result.ANSWERED
    assert moves_of(rummy) == ["draw:stock"]
    assert "You'd already answered this list, and we played this: Draw from the stock." in receipt().text
    assert "Your move is played" not in receipt().html


def test_the_receipt_of_a_late_answer_says_what_has_happened_and_shows_no_hand(rummy: Match):
    address = address_of(rummy)
    seat = asked(rummy)
    hand = service.load(rummy.pk).state.view(seat.number).zone(f"hand:{seat.number}").cards or ()
    for move in ("draw:stock", None):
        table = service.load(rummy.pk)
        move = move or table.state.legal_moves(seat.number)[-1]
        service.act(rummy.pk, seat.number, move, request_id=f"web-{table.version}", player=seat.player)
    before = moves_of(rummy)
    assert accept_email(reply(address)) == Result.LATE
    assert moves_of(rummy) == before
    sent = receipt()
    assert f"Too late: {seat.name} has already played this turn." in sent.text
    assert "Your answer changed nothing." in sent.text
    gone = service.load(rummy.pk).state.view(None).zone("discard").cards or ()
    assert not any(card_name(code) in sent.text for code in hand if code not in gone)
    assert "Reply-To" not in sent.headers


def test_a_receipt_says_that_autoplay_was_faster(rummy: Match):
    address = address_of(rummy)
    Seat.objects.update(due_at=timezone.now() - timezone.timedelta(minutes=1))
    service.forget_all()
    seat = asked(rummy)
    Match.objects.update(due_at=timezone.now() - timezone.timedelta(minutes=1))
    Move.objects.create(
        match=rummy, number=1, seat=seat.number, move="draw:stock", at=timezone.now(), source="stand_in", request_id="s"
    )
    Match.objects.update(version=1)
    Seat.objects.filter(pk=seat.pk).update(asked_version=None)
    assert accept_email(reply(address)) == Result.LATE
    assert "Too late: autoplay already played this turn for" in receipt().text


@pytest.mark.parametrize("text", ["", "Hello!", "99", "1\n2\n", "> 1", "I take number one", "1 else 77"])
def test_an_unreadable_answer_gets_a_friendly_list(rummy: Match, text: str):
    assert accept_email(reply(address_of(rummy), text)) == Result.UNREADABLE
    assert moves_of(rummy) == []
    sent = receipt()
    wanted = {"99": "There's no move 99. The last one is 2.", "1 else 77": "couldn't find exactly one move"}
    assert "We didn't play anything." in sent.text
    assert wanted.get(text, "We couldn't find exactly one move in your email.") in sent.text
    assert "1. Draw from the stock" in sent.text
    assert sent.headers["Reply-To"]


@pytest.mark.parametrize(
    "to", ["turn+{}@play.example.org", "turn@play.example.org", "turn+aaaa@play.example.org", "x@example.org", "", "<>"]
)
def test_an_address_of_no_turn_is_unknown_and_gets_no_answer(rummy: Match, to: str):
    assert accept_email(reply(to.format("a" * 40))) == Result.UNKNOWN
    assert not OutgoingMail.objects.exists()


def test_a_forged_token_is_unknown(rummy: Match):
    address = address_of(rummy)
    forged = address.replace(address[10], "b" if address[10] != "b" else "c", 1)
    assert accept_email(reply(forged)) == Result.UNKNOWN
    assert moves_of(rummy) == []


def test_an_address_of_the_seats_former_player_is_unknown(rummy: Match, make_player):
    address = address_of(rummy)
    Seat.objects.filter(pk=asked(rummy).pk).update(player=make_player("Carla"))
    assert accept_email(reply(address)) == Result.UNKNOWN


AUTOMATIC = [
    {"Auto_Submitted": "auto-replied"},
    {"Auto_Submitted": "auto-generated; type=x"},
    {"Precedence": "bulk"},
    {"Precedence": "AUTO_REPLY"},
    {"Precedence": "junk"},
    {"Return_Path": "<>"},
    {"X_Autoreply": "yes"},
    {"X_Autorespond": "Out of office"},
    {"List_Id": "<list.example.org>"},
    {"X_Loop": "x"},
    {"Subject": "Out of Office: Rummy 500"},
    {"Subject": "Automatic reply: your turn"},
    {"Subject": "Abwesenheitsnotiz: your turn"},
    {"Subject": "Undeliverable: your turn"},
    {"From": "MAILER-DAEMON@example.org"},
    {"From": "Mail Delivery <postmaster@example.org>"},
    {"From": "Armani <no-reply@play.example.org>"},
]


@pytest.mark.parametrize("headers", AUTOMATIC, ids=lambda headers: " ".join(map(": ".join, headers.items())))
def test_automatic_emails_change_nothing_and_get_no_answer(rummy: Match, headers: dict[str, str]):
    assert accept_email(reply(address_of(rummy), "1", **headers)) == Result.AUTOMATIC
    assert moves_of(rummy) == []
    assert not OutgoingMail.objects.exists()


def test_an_envelope_without_a_sender_is_a_machines(rummy: Match):
    mail = incoming.parse(reply(address_of(rummy)).as_bytes(), sender="")
    assert replies.receive(mail) == Result.AUTOMATIC


def test_an_email_marked_as_sent_by_a_person_is_played(rummy: Match):
    assert accept_email(reply(address_of(rummy), "1", Auto_Submitted="no", Precedence="normal")) == Result.PLAYED


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\0\xff\xfe",
        b"To: %s",
        b"To: %s\r\nFrom: =?bad?q?\xff?=\r\nContent-Type: multipart/mixed\r\n\r\n--x\r\n1",
        b"To: %s\r\nContent-Type: multipart/mixed; boundary=\r\n\r\n1",
        b"To: %s\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!!not base64!!!!",
        b"To: %s\r\nContent-Type: text/plain; charset=utf-16\r\n\r\n\xff",
        b"To: %s\r\nContent-Type: message/rfc822\r\n\r\n",
        b"To: %s\r\nDate: nonsense\r\nMessage-ID: \r\n\tx\r\nSubject: =?utf-8?b?\xff\xff?=\r\n\r\nnothing",
        b"To: %s\r\nMessage-ID: <a\nb>\r\nContent-Disposition: attachment; filename*=x''%%ff\r\n\r\n1",
        b"To: %s\r\n" + b"X-A: b\r\n" * 5000 + b"\r\nx",
    ],
)
def test_malformed_emails_do_no_harm(rummy: Match, raw: bytes):
    filled = raw.replace(b"%s", address_of(rummy).encode())
    assert accept_email(filled) in (Result.UNKNOWN, Result.UNREADABLE, Result.PLAYED)
    assert len(moves_of(rummy)) <= 1


def test_the_site_stops_answering_emails_that_it_cannot_read(rummy: Match):
    address = address_of(rummy)
    results = [accept_email(reply(address, f"What? {n}")) for n in range(6)]
    assert results == [Result.UNREADABLE] * 3 + [Result.TOO_MANY] * 3
    assert OutgoingMail.objects.count() == 3
    said = [" ".join(mail.text.split()) for mail in OutgoingMail.objects.order_by("pk")]
    assert ["we won't answer it" in text for text in said] == [False, False, True]
    # A person who then writes a number is answered.
    assert accept_email(reply(address, "1")) == Result.PLAYED


def test_answers_to_one_turn_are_limited(rummy: Match):
    address = address_of(rummy)
    accept_email(reply(address))
    results = [accept_email(reply(address, "1")) for _ in range(25)]
    assert results.count(Result.TOO_MANY) == 6
    assert OutgoingMail.objects.count() == replies.MOST_ANSWERS


# What a receipt shows.


def test_a_receipt_is_marked_as_a_machines_answer_and_stays_in_the_thread(rummy: Match):
    accept_email(reply(address_of(rummy), Message_ID="<mine@mail.example.org>"))
    headers = receipt().headers
    assert headers["Auto-Submitted"] == "auto-replied"
    assert headers["In-Reply-To"] == "<mine@mail.example.org>"
    assert headers["References"].endswith("<mine@mail.example.org>")
    assert receipt().subject.startswith("Re: Basic Rummy with")


def test_no_header_of_a_received_email_is_copied_into_ours(rummy: Match):
    raw = reply(address_of(rummy)).as_bytes().replace(b"Message-ID: <", b"Message-ID: <x\r\n Bcc: evil@example.org ")
    assert accept_email(raw) == Result.PLAYED
    parsed = BytesParser(policy=email.policy.default).parsebytes(outbox_bytes(receipt()))
    assert parsed["Bcc"] is None
    assert "evil" not in str(parsed["In-Reply-To"])


def outbox_bytes(row: OutgoingMail) -> bytes:
    return outbox.message_of(row, get_connection("django.core.mail.backends.dummy.EmailBackend")).message().as_bytes()


@pytest.mark.parametrize("discretion", [Discretion.CLICK, Discretion.NONE])
def test_a_discreet_player_gets_a_discreet_receipt(rummy: Match, discretion: str):
    seat = asked(rummy)
    assert seat.player is not None
    Preferences.objects.create(user=seat.player, discretion=discretion)
    accept_email(reply(address_of(rummy)))
    sent = receipt()
    everything = f"{sent.subject} {sent.text} {sent.html}"
    assert not any(card_name(code) in everything for code in CODES)
    assert "https://play.example.org/turn/" in sent.text
    assert ("Rummy" in everything) is (discretion == Discretion.CLICK)


def test_no_receipt_shows_anyone_elses_cards(rummy: Match):
    other = 1 - asked(rummy).number
    hidden = service.load(rummy.pk).state.view(other).zone(f"hand:{other}").cards or ()
    for text in ("1", "what?"):
        accept_email(reply(address_of(rummy), text))
        sent = receipt()
        # A joker may stand for a card that another player holds.
        shown = re.sub(r"joker as (?:<[^>]*>|the \w+ of \w+)", "", sent.text + sent.html)
        assert [card_name(code) for code in hidden if card_name(code) in shown] == []


def test_an_address_that_bounces_gets_no_receipt(rummy: Match):
    seat = asked(rummy)
    assert seat.player is not None
    outbox.give_up(seat.player.email or "", "bounced")
    assert accept_email(reply(address_of(rummy))) == Result.PLAYED
    assert not OutgoingMail.objects.exists()


# Delivery.


def receive_mail(monkeypatch: pytest.MonkeyPatch, raw: bytes, *args: str) -> int:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
    with pytest.raises(SystemExit) as ended:
        call_command("receive_mail", *args, stderr=io.StringIO())
    return int(ended.value.code or 0)


def test_a_mail_servers_pipe_hands_in_an_email(rummy: Match, monkeypatch: pytest.MonkeyPatch):
    assert receive_mail(monkeypatch, reply("x@example.org").as_bytes(), address_of(rummy)) == os.EX_OK
    assert moves_of(rummy) == ["draw:stock"]


def test_the_mail_server_learns_that_an_address_is_unknown(rummy: Match, monkeypatch: pytest.MonkeyPatch):
    assert receive_mail(monkeypatch, reply("x@example.org").as_bytes()) == os.EX_NOUSER


def test_a_mail_server_keeps_the_email_while_the_database_is_away(rummy: Match, monkeypatch: pytest.MonkeyPatch):
    raw = reply(address_of(rummy)).as_bytes()
    for error in (OperationalError("away"), service.Unavailable(), RuntimeError("a fault of ours")):

        def fail(*_args: object, error: Exception = error, **_kwargs: object) -> None:
            raise error

        with monkeypatch.context() as patched:
            patched.setattr(service, "act", fail)
            assert receive_mail(patched, raw) == os.EX_TEMPFAIL
    assert receive_mail(monkeypatch, raw) == os.EX_OK
    assert moves_of(rummy) == ["draw:stock"]


def test_a_huge_email_is_not_even_read(rummy: Match, monkeypatch: pytest.MonkeyPatch):
    mail = reply(address_of(rummy), "1\n" + "x" * incoming.MOST_BYTES)
    assert receive_mail(monkeypatch, mail.as_bytes()) == os.EX_DATAERR
    assert moves_of(rummy) == []
    assert not OutgoingMail.objects.exists()


def test_machines_and_late_answers_are_no_fault_of_the_mail_servers(rummy: Match, monkeypatch: pytest.MonkeyPatch):
    raw = reply(address_of(rummy), "1", Precedence="bulk").as_bytes()
    assert receive_mail(monkeypatch, raw) == os.EX_OK
    assert receive_mail(monkeypatch, reply(address_of(rummy)).as_bytes(), "--sender", "") == os.EX_OK
    assert moves_of(rummy) == []


def hand_over(mail: EmailMessage, **fields: Any) -> None:
    message = AnymailInboundMessage.parse_raw_mime(mail.as_string())
    for name, value in fields.items():
        setattr(message, name, value)
    event = AnymailInboundEvent(event_type="inbound", message=message)
    for _receiver, answer in inbound.send_robust(sender=object, event=event, esp_name="Test"):
        if isinstance(answer, Exception):
            raise answer


def test_a_mail_services_webhook_hands_in_an_email(rummy: Match):
    hand_over(reply("x@example.org"), envelope_recipient=address_of(rummy), envelope_sender="ada@example.org")
    assert moves_of(rummy) == ["draw:stock"]


def test_a_webhooks_spam_and_machines_change_nothing(rummy: Match):
    hand_over(reply(address_of(rummy)), spam_detected=True)
    hand_over(reply(address_of(rummy)), envelope_sender="")
    assert moves_of(rummy) == []


def test_a_webhook_redelivers_an_email_that_could_not_be_stored(rummy: Match, monkeypatch: pytest.MonkeyPatch):
    def fail(*_args: object, **_kwargs: object) -> None:
        raise service.Unavailable

    monkeypatch.setattr(service, "act", fail)
    with pytest.raises(service.Unavailable):
        hand_over(reply(address_of(rummy)))


# No email loops.


class AutoResponder:
    """A mailbox that answers every email, to Reply-To or From, like careless programs."""

    def __init__(self, *, is_polite: bool) -> None:
        self.is_polite = is_polite
        self.received: list[EmailMessage] = []
        self.answers: list[EmailMessage] = []

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        message = BytesParser(policy=email.policy.default).parsebytes(envelope.content)
        self.received.append(message)
        to = str(message["Reply-To"] or message["From"])
        answer = reply(to, "I am on holiday.", Subject=f"Re: {message['Subject']}")
        if self.is_polite:
            answer["Auto-Submitted"] = "auto-replied"
        self.answers.append(answer)
        return "250 OK"


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Callable[..., AutoResponder]]:
    """Start a real mail server whose only mailbox answers automatically; the site sends through it."""
    started: list[Controller] = []

    def start(**how: bool) -> AutoResponder:
        handler = AutoResponder(**how)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        controller = Controller(handler, hostname="127.0.0.1", port=port)
        controller.start()
        started.append(controller)
        settings.MAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        return handler

    yield start
    for controller in started:
        controller.stop()


@pytest.mark.parametrize("is_polite", [True, False])
def test_an_auto_responder_at_the_other_end_makes_no_email_loop(rummy: Match, mailbox, is_polite: bool):
    responder = mailbox(is_polite=is_polite)
    waiting = [reply(address_of(rummy), "What is this?")]
    rounds = 0
    while waiting:
        rounds += 1
        assert rounds < 20
        for mail in waiting:
            accept_email(mail)
        waiting = []
        outbox.send_due()
        waiting, responder.answers = responder.answers, []
    # A correct autoresponder gets no answer; one that looks like a person gets what a person would, and then nothing.
    assert len(responder.received) == (1 if is_polite else replies.MOST_UNREADABLE)
    assert all(message["Auto-Submitted"] == "auto-replied" for message in responder.received)
    assert moves_of(rummy) == []
