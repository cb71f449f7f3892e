"""The table page as sent: what each seat may see, and the plain form."""

import html
import json
import random
import re
from pathlib import Path

import pytest
from django.test import Client

import games.rules
from games.matches import service
from games.rules.wording import card_name
from games.table.labels import move_label, script_words
from games.table.page import END_SCRIPTS, FIRST_SCRIPTS, LATER_SCRIPTS
from tests.factories.clients import QuickClient
from tests.factories.tables import keep_up

NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal"]


def snapshot_in(page: str) -> dict:
    return json.loads(re.search(r'<script id="snapshot" type="application/json">(.*?)</script>', page)[1])


def see(match, player=None) -> str:
    client = Client()
    if player is not None:
        client.force_login(player)
    answer = client.get(match.get_absolute_url())
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.django_db
def test_each_seat_gets_its_own_view_and_no_other_hand(start_match, ada, ben):
    match = start_match("normal-cards", ada, ben)
    state = service.load(match.pk).state
    hands = [state.view(seat).zone(f"hand:{seat}").cards for seat in (0, 1)]
    for seat, player in enumerate((ada, ben)):
        page = see(match, player)
        assert snapshot_in(page)["view"] == json.loads(json.dumps(state.view(seat).to_json()))
        assert all(f'data-card="{code}"' in page for code in hands[seat])
        assert not any(f'data-card="{code}"' in page or f'"play:{code}"' in page for code in hands[1 - seat])


@pytest.mark.django_db
def test_turn_and_own_hand_can_be_read_before_any_script(start_match, ada, ben):
    match = start_match("normal-cards", ada, ben)
    state = service.load(match.pk).state
    for seat, player in enumerate((ada, ben)):
        page = see(match, player)
        first = page[page.index('class="first-hand"') : page.index('id="said"')]
        assert all(card_name(code) in first for code in state.view(seat).zone(f"hand:{seat}").cards)
        other = match.seats.get(number=1 - seat).player_name
        is_awaited = seat in state.to_move()
        said = "Play a card." if is_awaited else f"It's {other}'s turn."
        assert f"{said} The cards are coming…" in html.unescape(page)
        assert 'class="strip-turn">Your turn<' in page or not is_awaited
        assert f'<link rel="icon" href="/static/icons/favicon{"-turn" if is_awaited else ""}.svg"' in page
    assert 'class="first-hand"' not in see(match)
    service.resign(match, ben)
    assert 'icons/favicon.svg" type' in see(match, ada)
    assert 'icons/favicon.svg" type' in see(match, ben)


@pytest.mark.django_db
def test_while_cards_are_turned_the_icon_says_that_it_is_no_ones_turn(start_match, ada, ben):
    match = start_match("armani", ada, ben)
    bettor = service.load(match.pk).state.to_move()[0]
    assert 'icons/favicon-turn.svg" type' in see(match, (ada, ben)[bettor])
    table = service.load(match.pk)
    for number in range(60):
        if table.forced_step():
            break
        seat = table.state.to_move()[0]
        move = table.state.legal_moves(seat)[0]
        service.act(match.pk, seat, move, request_id=str(number), player=(ada, ben)[seat])
        keep_up(table)
    assert service.load(match.pk).forced_step()
    assert 'icons/favicon.svg" type' in see(match, ada)
    assert 'icons/favicon.svg" type' in see(match, ben)


@pytest.mark.django_db
def test_the_style_of_the_first_view_is_in_the_page_and_has_its_nonce(start_match, ada, ben):
    path = start_match("normal-cards", ada, ben).get_absolute_url()
    nonces = set()
    for _visit in range(2):
        answer = Client().get(path)
        head = answer.content.decode().partition("</head>")[0]
        assert 'rel="stylesheet"' not in head.partition("<noscript>")[0]
        nonce, style = re.search(r'<style nonce="([^"]+)">(.+?)</style>', head, re.DOTALL).groups()
        assert f"style-src 'self' 'nonce-{nonce}'" in answer["Content-Security-Policy"].split("; ")
        assert style.startswith("@font-face")
        assert ".first-sight{" in style
        assert 'url("/static/fonts/figtree-latin-wght-normal.woff2")' in style
        assert "/*" not in style
        nonces.add(nonce)
    assert len(nonces) == 2


@pytest.mark.django_db
def test_a_page_without_style_of_its_own_has_no_nonce(client):
    assert "style-src 'self'" in client.get("/")["Content-Security-Policy"].split("; ")


@pytest.mark.django_db
def test_pages_are_compressed_and_never_twice_equally_long(start_match, ada, ben):
    match = start_match("normal-cards", ada, ben)
    answers = [Client().get(match.get_absolute_url(), headers={"accept-encoding": "gzip"}) for _each in range(4)]
    assert {answer["Content-Encoding"] for answer in answers} == {"gzip"}
    assert len({len(answer.content) for answer in answers}) > 1


@pytest.mark.django_db
def test_a_spectator_sees_the_table_and_has_no_moves(start_match, ada, ben):
    match = start_match("normal-cards", ada, ben)
    page = see(match)
    assert snapshot_in(page)["view"]["moves"] == []
    assert snapshot_in(page)["you"] is None
    assert "match_move" not in page
    assert f"{match.get_absolute_url()}move/" not in page
    assert f"{match.get_absolute_url()}resign/" not in page


@pytest.mark.django_db
def test_the_seed_is_shown_when_the_match_is_over_and_not_before(start_match, ada, ben):
    match = start_match("armed", ada, ben)
    assert match.seed not in see(match, ada)
    assert match.seed_hash in see(match, ada)
    service.resign(match, ben)
    assert match.seed in see(match, ada)


@pytest.mark.django_db
def test_without_scripts_a_move_is_a_button_of_a_form(start_match, ada, ben):
    match = start_match("normal-cards", ada, ben)
    seat = service.load(match.pk).state.to_move()[0]
    player = (ada, ben)[seat]
    client = QuickClient()
    client.force_login(player)
    page = client.get(match.get_absolute_url()).content.decode()
    form = re.search(r'<form method="post" action="([^"]+/move/)">(.*?)</form>', page, re.DOTALL)
    fields = dict(re.findall(r'name="(v|id)" value="([^"]+)"', form[2]))
    move = re.search(r'name="move" value="([^"]+)"', form[2])[1]
    answer = client.post(form[1], {**fields, "move": move})
    assert answer.status_code == 302
    match.refresh_from_db()
    assert match.version == 1
    assert list(match.moves.values_list("seat", "move", "request_id")) == [(seat, move, fields["id"])]


@pytest.mark.parametrize("rules", games.rules.all(), ids=lambda rules: rules.slug)
def test_every_move_has_a_label_of_its_own(rules):
    rng = random.Random(1)
    seats = max(rules.seats)
    state = rules.deal(seats, {}, "5eed" * 8)
    for _step in range(250):
        if state.outcome() is not None:
            break
        for seat in range(seats):
            labels = {move: move_label(rules.slug, move, NAMES) for move in state.legal_moves(seat)}
            assert len(set(labels.values())) == len(labels)
            assert all(label and label != move and "{" not in label for move, label in labels.items())
        seat = state.to_move()[0]
        moves = state.legal_moves(seat)
        state.apply(seat, rng.choice([move for move in moves if move != "slap"]) if seat >= 0 else moves[0])


SCRIPTS = Path(__file__).parents[2] / "static/js"


@pytest.mark.parametrize("rules", games.rules.all(), ids=lambda rules: rules.slug)
def test_every_word_that_the_scripts_of_a_table_say_is_on_its_page(rules):
    shown = games.rules.presentation(rules.slug)
    words = set(script_words(rules.slug)["texts"])
    of_game = [f"table/{name}" for name in (*shown.scripts, *(["point"] if shown.has_slaps else []))]
    said = {name: names_in(SCRIPTS / f"{name}.js") for name in (*of_game, *FIRST_SCRIPTS, *LATER_SCRIPTS, *END_SCRIPTS)}
    assert sum(map(len, said.values())) > 60
    assert {name: sorted(names - words) for name, names in said.items() if names - words} == {}


def names_in(script: Path) -> set[str]:
    """The texts a script looks up by name: one, or one of two."""
    source = script.read_text()
    either = re.findall(r'\bsay\([^"\n]*\? "(\w+)" : "(\w+)"', source)
    return {*re.findall(r'\bsay\("(\w+)"', source), *re.findall(r"\btexts\.(\w+)", source), *sum(either, ())}


@pytest.mark.django_db
def test_without_scripts_the_end_says_why_each_player_has_their_place(start_match, ada, ben):
    match = start_match("armed", ada, ben)
    assert snapshot_in(see(match, ada))["reasons"] is None
    service.resign(match, ben)
    page = see(match, ada)
    assert re.search(r"<ol><li>Ada, \d+: Ben resigned</li><li>Ben, \d+: resigned</li></ol>", page)
    assert snapshot_in(page)["reasons"] in (["Ben resigned", "resigned"], ["resigned", "Ben resigned"])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("slug", "by_rank"), [("armed", True), ("avalanche", True), ("ten-skip", True), ("basic-rummy", False)]
)
def test_in_games_without_suits_a_hand_is_sorted_by_rank_at_first(start_match, ada, ben, slug, by_rank):
    match = start_match(slug, ada, ben)
    page = see(match, ada)
    assert f'data-order="{"rank" if by_rank else "suit"}"' in page
    hand = re.search(r'<ul class="first-hand".*?</ul>', page, re.DOTALL)[0]
    seat = snapshot_in(page)["you"]
    codes = service.load(match.pk).state.view(seat).zone(f"hand:{seat}").cards
    ranks = re.search(r'data-ranks="(\w+)"', page)[1]
    names = [card_name(code) for code in (sorted(codes, key=lambda code: ranks.index(code[0])) if by_rank else codes)]
    assert sorted(names, key=lambda name: html.unescape(hand).index(name)) == names
