"""A ninth game is a single package: its table, emails and plans use its texts, without changes elsewhere."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts import outbox
from games.lobby import lengths
from games.mail import dispatch
from games.matches import service
from games.plans import run_plans
from games.rules.wording import card_name
from tests.factories.clients import QuickClient
from tests.factories.mail_server import mail_server, text_of
from tests.factories.ninth_game import ninth_game
from tests.factories.turns import asked

pytestmark = pytest.mark.django_db


@pytest.fixture
def start(ada, ben, start_by_mail):
    """A turn-based match of the toy, and the seat whose turn it is."""
    # At night no email is sent about a turn.
    with ninth_game(), time_machine.travel(timezone.now().replace(hour=12)):
        match = start_by_mail("high-card", ada, ben)
        yield match, asked(match)


def browser_of(seat) -> Client:
    client = QuickClient()
    client.force_login(seat.player)
    return client


def test_its_table_says_what_it_is_and_what_may_be_done(start):
    match, seat = start
    page = browser_of(seat).get(match.get_absolute_url()).content.decode()
    hand = service.load(match.pk).state.view(seat.number).zone(f"hand:{seat.number}").cards
    for code in hand:
        assert f"Throw down {card_name(code)}" in page
    assert 'data-layout="/static/js/table/games/any.js"' in page
    assert 'data-order="rank"' in page
    assert '"table": "This round"' in page
    move(match, seat)
    page = browser_of(seat).get(match.get_absolute_url()).content.decode()
    assert "<h2>This round <small>(1)</small></h2>" in page


def test_its_turn_is_emailed_in_its_words(start, settings):
    settings.SITE_URL = "http://play.example.org"
    with mail_server(settings) as server, time_machine.travel(timezone.now() + timedelta(hours=1), tick=False):
        dispatch.send_due()
        outbox.send_due()
        (mail,) = server.mails
    text = text_of(mail)
    _match, seat = start
    assert "Throw down a card: the highest scores." in text
    assert text.count("Throw down the ") == 5
    assert "Leads the round" in text
    assert seat.player_name in text


def test_its_moves_are_planned_and_played(start):
    match, first = start
    other = match.seats.exclude(pk=first.pk).get()
    page = browser_of(other).get(f"{match.get_absolute_url()}plan/").content.decode()
    assert page.count("Throw down the ") == 25, "five steps of five cards"
    card = service.load(match.pk).state.view(other.number).zone(f"hand:{other.number}").cards[0]
    run_plans.lay(match, other.player, moves=[f"play:{card}"])
    move(match, first)
    run_plans.run(match.pk)
    assert list(match.moves.filter(seat=other.number).values_list("move", flat=True)) == [f"play:{card}"]


def test_the_end_of_a_match_says_why_each_player_has_their_place(start):
    match, _seat = start
    while not (table := service.load(match.pk)).state.outcome():
        move(match, asked(match))
    page = browser_of(match.seats.first()).get(match.get_absolute_url()).content.decode()
    for points in table.state.outcome().points:
        assert f": highest card in {points} of 5 rounds</li>" in page
    assert lengths.expected(match) == "about 3 days"


def move(match, seat) -> None:
    """Let the seat's player play their first card."""
    table = service.load(match.pk)
    chosen = table.state.legal_moves(seat.number)[0]
    service.act(match.pk, seat.number, chosen, request_id=f"m{table.version}", player=seat.player)
