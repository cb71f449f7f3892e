"""A running match through plain forms and as JSON: each seat gets its own view and nothing else."""

import html
import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games import rules
from games.matches import service
from games.matches.models import Match, hash_of
from tests.factories.samples import sampled
from tests.factories.tables import keep_up

JSON = {"HTTP_ACCEPT": "application/json"}
#: Games of one pack, and after how many moves a publicly seen card can't be in a hand again: in Armed one card is
#: sealed.
ONE_PACK = [("amagande", 4), ("armed", 1), ("normal-cards", 4)]

#: All games' views take the same path: one with a face-down stack and slaps, and one of hands and tricks.
GAMES = sampled(rules.by_slug(), "armani", "normal-cards")

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people(make_player: Callable[[str], User]) -> list[User]:
    return [make_player(name) for name in ("Ada", "Ben", "Chidi")]


def browser_of(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def state_of(match: Match, browser: Client) -> dict[str, Any]:
    """The JSON that the user of ``browser`` gets."""
    answer = browser.get(reverse("match_state", args=[match.key]))
    assert "no-store" in answer["Cache-Control"]
    return answer.json()


def snapshot_of(page: str) -> dict[str, Any]:
    """The data block of a table page."""
    found = re.search(r'<script id="snapshot" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def play_on(match: Match, moves: int, rng: random.Random) -> None:
    """Make random moves of the awaited players and of the table."""
    table = service.load(match.pk)
    players = {seat.number: seat.player for seat in match.seats.select_related("player")}
    for number in range(moves):
        if table.state.outcome() is not None:
            return
        seat = table.state.to_move()[0]
        if table.forced_step():
            service.step(match.pk, table.version)
        else:
            move = rng.choice(table.state.legal_moves(seat))
            service.act(match.pk, seat, move, request_id=f"test-{number}", player=players[seat])
        keep_up(table)


@pytest.mark.parametrize("slug", GAMES)
def test_each_seat_gets_its_own_view_and_a_spectator_the_public_one(
    slug: str, people: list[User], start_match: Callable[..., Match]
) -> None:
    here = people[: min(rules.get(slug).seats)]
    match = start_match(slug, *here)
    rng = random.Random(slug)
    watchers = [*enumerate(map(browser_of, here)), (None, browser_of(None)), (None, browser_of(people[2]))]
    for _look in range(2):
        play_on(match, 9, rng)
        table = service.load(match.pk)
        for seat, browser in watchers:
            told = state_of(match, browser)
            assert told["you"] == seat
            assert told["view"] == json.loads(json.dumps(table.state.view(seat).to_json()))
            assert told["v"] == table.version
            shown = snapshot_of(browser.get(match.get_absolute_url()).content.decode())
            assert (shown["view"], shown["log"]) == (told["view"], told["log"])


@pytest.mark.parametrize(("slug", "moves"), ONE_PACK)
def test_no_card_that_a_seat_may_not_see_is_in_what_it_gets(
    slug: str, moves: int, people: list[User], start_match: Callable[..., Match]
) -> None:
    match = start_match(slug, *people[:2])
    play_on(match, moves, random.Random(slug))
    table = service.load(match.pk)
    hands = [
        {
            code
            for zone in table.state.view(seat).to_json()["zones"]
            if zone["owner"] == seat
            for code in zone["cards"] or []
        }
        for seat in (0, 1)
    ]
    assert all(hands)
    for seat, user in [(0, people[0]), (1, people[1]), (None, None)]:
        told = state_of(match, browser_of(user))
        seen = {code for zone in told["view"]["zones"] for code in zone["cards"] or [] if code}
        others = set().union(*(hand for number, hand in enumerate(hands) if number != seat)) - seen
        assert others
        words = set(re.findall(r"\b(?:[A2-9TJQK][CDHS]|[RB]J)\b", json.dumps(told)))
        assert not words & others


def test_the_seed_is_shown_after_the_last_card_and_matches_the_seal(
    people: list[User], start_match: Callable[..., Match]
) -> None:
    match = start_match("normal-cards", *people[:2])
    for user in (people[0], None):
        browser = browser_of(user)
        page = browser.get(match.get_absolute_url()).content.decode()
        assert match.seed not in page
        told = state_of(match, browser)
        assert told["seed"] is None
        assert match.seed not in json.dumps(told)
        assert told["seed_hash"] == match.seed_hash
    service.resign(match, people[1])
    told = state_of(match, browser_of(None))
    assert hash_of(told["seed"]) == told["seed_hash"]


@pytest.mark.long
def test_a_whole_match_is_played_with_plain_forms(people: list[User], start_match: Callable[..., Match]) -> None:
    match = start_match("normal-cards", *people[:2])
    browsers = [browser_of(user) for user in people[:2]]
    address = match.get_absolute_url()
    for version in range(100):
        match.refresh_from_db()
        if match.status == Match.Status.OVER:
            break
        (seat,) = match.awaited_seats
        page = browsers[seat].get(address).content.decode()
        buttons = [html.unescape(move) for move in re.findall(r'name="move" value="([^"]+)"', page)]
        assert buttons == snapshot_of(page)["view"]["moves"]
        waiting = browsers[1 - seat].get(address).content.decode()
        assert 'name="move"' not in waiting
        sent = {"move": buttons[0], "v": version, "id": f"form-{version}"}
        answer = browsers[seat].post(reverse("match_move", args=[match.key]), sent)
        assert answer.url == address
    assert match.status == Match.Status.OVER
    assert match.version == 36
    assert sorted(seat.place for seat in match.seats.all()) in ([1, 2], [1, 1])


def test_scripts_get_the_refusal_with_its_code(people: list[User], start_match: Callable[..., Match]) -> None:
    match = start_match("normal-cards", *people[:2])
    address = reverse("match_move", args=[match.key])
    (seat,) = service.load(match.pk).state.to_move()
    mover = browser_of(people[seat])
    move = service.load(match.pk).state.legal_moves(seat)[0]
    stranger = browser_of(people[2]).post(address, {"move": move}, **JSON)
    assert (stranger.status_code, stranger.json()["code"]) == (409, "not_seated")
    assert browser_of(None).post(address, {"move": move}, **JSON).json()["code"] == "not_seated"
    for wrong, code in [
        ({"move": "play:ZZ"}, "illegal"),
        ({"move": ""}, "malformed"),
        ({"move": "x" * 100_000}, "malformed"),
        ({"move": move, "id": "no spaces please"}, "malformed"),
        ({"move": move, "v": "7"}, "stale"),
    ]:
        refused = mover.post(address, wrong, **JSON)
        assert (refused.status_code, refused.json()["code"]) == (409, code), wrong
        assert refused.json()["reason"]
    assert service.load(match.pk).version == 0
    for _again in range(2):
        assert mover.post(address, {"move": move, "v": "0", "id": "one"}, **JSON).json()["t"] == "ok"
    assert service.load(match.pk).version == 1
    # An invalid version is ignored: the move is decided on the current state.
    (seat,) = service.load(match.pk).state.to_move()
    move = service.load(match.pk).state.legal_moves(seat)[0]
    answer = browser_of(people[seat]).post(address, {"move": move, "v": "-1e9"}, **JSON)
    assert answer.json()["t"] == "ok"


def test_a_page_and_its_state_take_as_many_queries_late_as_early(
    people: list[User], start_match: Callable[..., Match], django_assert_max_num_queries: Callable[..., Any]
) -> None:
    match = start_match("amagande", *people[:2])
    ada = browser_of(people[0])
    for _look in range(2):
        # Absences, missed moves and the coach each added a query to the page.
        with django_assert_max_num_queries(15):
            assert ada.get(match.get_absolute_url()).status_code == 200
        with django_assert_max_num_queries(9):
            assert ada.get(reverse("match_state", args=[match.key])).status_code == 200
        play_on(match, 30, random.Random(1))
