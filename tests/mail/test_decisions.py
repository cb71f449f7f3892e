"""The decision page: one turn, from the link in an email."""

import random
import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import pytest
import time_machine
from allauth.core.ratelimit import consume
from django.contrib.sessions.models import Session
from django.test import Client, RequestFactory
from django.utils import timezone

from accounts.models import User
from accounts.playing_times.models import LeaveAccount
from games import rules
from games.engine.cards import CODES
from games.mail import tokens
from games.mail.decision_page import turns
from games.mail.moves import numbered
from games.matches import live_match, service
from games.matches.models import Match, Move, Seat
from games.rules.wording import card_name
from tests.factories.samples import sampled
from tests.factories.turns import Players, asked, turn_path

Start = Callable[..., Match]


class Forms(HTMLParser):
    """The links and forms of a page, each button with the data it sends."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.presses: list[tuple[str, dict[str, str]]] = []
        self._form: dict[str, Any] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.links.append(given["href"])
        elif tag == "form":
            self._form = {"method": given.get("method", "get"), "fields": {}, "buttons": []}
        elif tag == "input" and self._form is not None:
            self._form["fields"][given["name"]] = given.get("value", "")
        elif tag == "button" and self._form is not None:
            self._form["buttons"].append({given["name"]: given["value"]} if "name" in given else {})

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self._form is not None:
            self.presses += [(self._form["method"], {**self._form["fields"], **each}) for each in self._form["buttons"]]
            self._form = None


def text_of(response: Any) -> str:
    words = re.sub(r"<[^>]+>", " ", response.content.decode().partition("<main")[2])
    return " ".join(unescape(words).split())


def choose(client: Client, path: str, number: int, again: str | None = None, page: Any = None) -> Any:
    """Press the button of a move, and type its number on the confirmation page; ``page`` is open already."""
    page = page or client.get(path)
    (version,) = re.findall(r'name="v" value="(\d+)"', page.content.decode())
    response = client.post(path, {"choice": number, "v": version})
    assert response.status_code == 200, text_of(response)
    return client.post(path, {"choice": number, "v": version, "again": str(number) if again is None else again})


@pytest.fixture
def ada(begun_rummy: tuple[int, int, int], db: None) -> User:
    return User.objects.get(pk=begun_rummy[0])


@pytest.fixture
def ben(begun_rummy: tuple[int, int, int], db: None) -> User:
    return User.objects.get(pk=begun_rummy[1])


@pytest.fixture
def rummy(begun_rummy: tuple[int, int, int], db: None) -> Match:
    return Match.objects.get(pk=begun_rummy[2])


def everything(match: Match) -> list[Any]:
    """Everything that viewing must not change."""
    match.refresh_from_db()
    return [
        {key: value for key, value in vars(match).items() if not key.startswith("_")},
        list(Seat.objects.filter(match=match).values()),
        list(Move.objects.values()),
        Session.objects.count(),
    ]


@pytest.mark.usefixtures("contexts")
def test_it_works_without_logging_in_and_gives_no_session(rummy: Match, client: Client):
    path = turn_path(asked(rummy))
    page = client.get(path)
    assert page.status_code == 200
    assert "Draw from the stock" in text_of(page)
    done = choose(client, path, 1)
    assert done.status_code == 303
    assert Move.objects.get().move == "draw:stock"
    assert not client.cookies
    assert not Session.objects.exists()
    assert client.get("/my/").context["running"] == []


def test_a_link_in_an_email_has_its_move_chosen_and_plays_nothing(rummy: Match, client: Client):
    path = turn_path(asked(rummy))
    page = client.get(f"{path}?choice=2&v=0")
    assert page.status_code == 200
    assert 'name="choice" value="2"' in page.content.decode()
    assert "Type 2 again to play it" in text_of(page)
    assert not Move.objects.exists()
    done = client.post(path, {"choice": "2", "v": "0", "again": "2"})
    assert done.status_code == 303
    assert Move.objects.get().move == "draw:discard"
    # The link's list is outdated, so nothing is preselected.
    assert "again to play it" not in text_of(client.get(f"{path}?choice=2&v=0"))
    for query in ("choice=99&v=1", "choice=x&v=1", "choice=1", "choice=1&v=7"):
        page = client.get(f"{path}?{query}")
        assert page.status_code == 200
        assert "again to play it" not in text_of(page)


@pytest.mark.parametrize("slug", [each.slug for each in rules.all()])
def test_every_game_shows_the_hand_and_each_move_under_its_number(slug: str, start_by_mail: Start, ada, ben, client):
    match = start_by_mail(slug, ada, ben)
    seat = asked(match)
    view = service.load(match.pk).state.view(seat.number)
    page = client.get(turn_path(seat))
    shown = text_of(page)
    buttons = re.findall(r'name="choice" value="(\d+)"', page.content.decode())
    assert buttons == [str(each.number) for each in numbered(view, [])]
    assert len(buttons) == len(view.moves)
    hand = [code for zone in view.zones if zone.id == f"hand:{seat.number}" for code in zone.cards or ()]
    assert all(card_name(code) in shown for code in hand)
    assert f"You're playing for {seat.name}." in shown


@pytest.mark.parametrize(
    "slug",
    sampled(rules.by_slug(), "armani"),
)
def test_a_whole_match_of_every_game_goes_by_decision_pages_alone(slug: str, start_by_mail: Start, ada, ben, client):
    """Two people press numbered buttons for dozens of turns; steps of the table happen automatically."""
    match = start_by_mail(slug, ada, ben)
    table = service.load(match.pk)
    for step in range(24):
        if table.status != Match.Status.RUNNING:
            break
        if table.at_slap_point:
            break  # watched at the table
        path = turn_path(asked(match))
        page = client.get(path)
        numbers = re.findall(r'name="choice" value="(\d+)"', page.content.decode())
        assert choose(client, path, int(numbers[step % len(numbers)]), page=page).status_code == 303
        client.defaults.pop("REMOTE_ADDR", None)
        table = service.load(match.pk)
    if table.at_slap_point:
        page = client.get(turn_path(asked(match)))
        assert "Watch the next cards" in text_of(page)
        assert not Forms(page.content.decode()).presses
    else:
        assert table.version >= 20 or table.status == Match.Status.OVER


def shown(ticket: tokens.Ticket) -> tuple[object, ...]:
    found = turns.find(ticket)
    return (found.table.version, found.view.to_json(), found.moves, found.shown)


def told(ticket: tokens.Ticket) -> list[str]:
    return turns.find(ticket).happened(500)


def ticket_of(match: Match) -> tokens.Ticket:
    """A ticket for the current turn."""
    seat = asked(match)
    assert seat.player_id is not None
    assert seat.asked_version is not None
    return tokens.Ticket(seat.pk, seat.player_id, seat.asked_version, seat.asked_version)


@pytest.mark.parametrize("enough", [0, 12])
@pytest.mark.parametrize("every", [4, 7, 20])
def test_a_page_shows_the_same_whatever_snapshot_it_begins_at(
    every: int, enough: int, start_by_mail: Start, ada, ben, make_player, monkeypatch
):
    monkeypatch.setattr(live_match, "SNAPSHOT_EVERY", every)
    monkeypatch.setattr(turns, "ENOUGH", enough)
    match = start_by_mail("amagande", ada, ben, make_player("Carla"))
    players = Players(match, random.Random(1))
    long_ago = ticket_of(match)
    players.move(20)
    players.move(4)
    just_over = ticket_of(match)
    before = turns.find(just_over)
    players.move()
    now = ticket_of(match)
    after = turns.again(before)
    match.refresh_from_db()
    assert match.snapshot_version == {4: 24, 7: 24, 20: 20}[every]
    tickets = (now, just_over, long_ago)
    found = [shown(ticket) for ticket in tickets]
    lines = [told(ticket) for ticket in tickets]
    assert found[1] == (25, after.view.to_json(), after.moves, after.shown)
    assert all(moves for *_others, moves in found)
    Match.objects.update(snapshot=None, snapshot_version=0)
    assert found == [shown(ticket) for ticket in tickets]
    whole = [told(ticket) for ticket in tickets]
    # The end of the same story; all of it if the snapshot is recent.
    assert all(part and story[-len(part) :] == part for part, story in zip(lines, whole, strict=True))
    assert enough == 0 or lines == whole


@pytest.mark.parametrize("method", ["get", "head"])
def test_looking_changes_nothing(method: str, rummy: Match, client: Client):
    path = turn_path(asked(rummy))
    before = everything(rummy)
    assert getattr(client, method)(path).status_code == 200
    assert getattr(client, method)(f"{path}?choice=1&v=0&again=1&done").status_code == 200
    assert everything(rummy) == before


def test_a_scanner_that_follows_every_link_and_presses_every_button_plays_nothing(rummy: Match, client: Client):
    start = turn_path(asked(rummy))
    before = everything(rummy)
    seen: set[str] = set()
    to_do: list[tuple[str, str, dict[str, str]]] = [("get", start, {})]
    while to_do and len(seen) < 200:
        method, path, fields = to_do.pop()
        if repr((method, path, fields)) in seen or not path.startswith("/turn/"):
            continue
        seen.add(repr((method, path, fields)))
        response = client.post(path, fields) if method == "post" else client.get(path)
        forms = Forms(response.content.decode())
        to_do += [("get", urljoin(path, link), {}) for link in forms.links]
        to_do += [(how, path, sent) for how, sent in forms.presses]
    assert len(seen) > 4
    assert everything(rummy) == before


def test_the_second_step_wants_the_number_of_the_move_chosen(rummy: Match, client: Client):
    path = turn_path(asked(rummy))
    page = client.get(path)
    for wrong in ("", "2", "0", "11", "yes", "1 2", "-1", "1.5"):
        response = choose(client, path, 1, wrong, page=page)
        assert response.status_code == 422
        assert "That's not the number of this move. Type 1 to play it." in text_of(response)
    assert not Move.objects.exists()
    assert choose(client, path, 1, " 1. ").status_code == 303


def test_a_turn_of_many_moves_goes_on_until_the_seat_is_no_longer_asked(rummy: Match, client: Client):
    seat = asked(rummy)
    path = turn_path(seat)
    response = choose(client, path, 1)
    page = client.get(response["Location"])
    assert "Your move is played, and it's still your turn." in text_of(page)
    assert "Discard the" in text_of(page)
    response = choose(client, path, len(re.findall('name="choice"', page.content.decode())))
    page = client.get(response["Location"])
    assert page.status_code == 410
    assert "Your move is played" in text_of(page)
    assert "The match is now waiting for" in text_of(page)
    assert [move.move.partition(":")[0] for move in Move.objects.all()] == ["draw", "discard"]
    assert set(Move.objects.values_list("source", flat=True)) == {Move.Source.PLAYER}


def test_after_the_turn_it_says_too_late_and_shows_no_hand(rummy: Match, client: Client):
    seat = asked(rummy)
    path = turn_path(seat)
    hand = service.load(rummy.pk).state.view(seat.number).zone(f"hand:{seat.number}").cards or ()
    assert seat.player is not None
    for move in ("draw:stock", None):
        table = service.load(rummy.pk)
        move = move or table.state.legal_moves(seat.number)[-1]
        service.act(rummy.pk, seat.number, move, request_id=f"web-{table.version}", player=seat.player)
    page = client.get(path)
    assert page.status_code == 410
    assert f"Too late: {seat.name} has already played this turn." in text_of(page)
    assert f"{seat.name} " in text_of(page).partition("Moves")[2]
    discarded = service.load(rummy.pk).state.view(None).zone("discard").cards or ()
    for code in hand:
        assert (card_name(code) in text_of(page)) is (code in discarded)
    assert not Forms(page.content.decode()).presses
    before = everything(rummy)
    assert client.post(path, {"choice": 1, "v": rummy.version + 2, "again": 1}).status_code == 410
    assert everything(rummy) == before


def test_autoplay_is_named_if_it_was_faster(rummy: Match, client: Client):
    seat = asked(rummy)
    path = turn_path(seat)
    LeaveAccount.objects.create(user=seat.player, days=0, counted_at=timezone.now())
    Seat.objects.update(due_at=timezone.now(), is_excused=True)
    service.forget_all()
    with time_machine.travel(timezone.now() + timezone.timedelta(days=3)):
        service.time_out(rummy.pk)
        page = client.get(path)
    assert page.status_code == 410
    assert "Too late: autoplay already played this turn for" in text_of(page)


def test_a_match_that_ended_leaves_nothing_to_decide(rummy: Match, client: Client):
    seat = asked(rummy)
    path = turn_path(seat)
    other = rummy.seats.exclude(pk=seat.pk).get()
    assert other.player is not None
    service.resign(rummy, other.player)
    page = client.get(path)
    assert page.status_code == 410
    assert "Too late: there's nothing left to choose here." in text_of(page)
    assert "The match is over." in text_of(page)


def test_the_link_still_works_after_the_other_player_has_sealed_a_card(
    start_by_mail: Start, ada: User, ben: User, client: Client
):
    match = start_by_mail("armed", ada, ben)
    mine, other = match.seats.order_by("number")
    path = turn_path(mine)
    stale = client.get(path)
    (version,) = re.findall(r'name="v" value="(\d+)"', stale.content.decode())
    card = service.load(match.pk).state.legal_moves(other.number)[0]
    service.act(match.pk, other.number, card, request_id="web", player=other.player)
    # The page opened before the card was played is still valid, and so is the link.
    assert client.get(path).status_code == 200
    assert client.post(path, {"choice": 2, "v": version, "again": 2}).status_code == 303
    assert Move.objects.filter(seat=mine.number).count() == 1


def test_the_next_turn_of_the_same_seat_has_another_link(start_by_mail: Start, ada: User, ben: User, client: Client):
    match = start_by_mail("armed", ada, ben)
    paths = []
    for seat in match.seats.order_by("number"):
        paths.append(turn_path(seat))
        choose(client, paths[-1], 1)
    assert [client.get(path).status_code for path in paths] == [410, 410]
    assert turn_path(match.seats.get(number=0)) != paths[0]
    before = everything(match)
    for version in range(6):
        client.post(paths[0], {"choice": 1, "v": version, "again": 1})
    assert everything(match) == before


def test_the_same_form_sent_twice_counts_once(rummy: Match, client: Client):
    path = turn_path(asked(rummy))
    fields = {"choice": 1, "v": 0, "again": 1}
    assert client.post(path, fields).status_code == 303
    again = client.post(path, fields)
    assert "The table has changed" in text_of(again)
    assert Move.objects.count() == 1


def test_a_page_older_than_a_public_change_asks_the_player_to_look_again(rummy: Match, client: Client):
    path = turn_path(asked(rummy))
    choose(client, path, 1)
    response = client.post(path, {"choice": 1, "v": 0})
    assert response.status_code == 422
    assert "The table has changed. Look again, then choose." in text_of(response)


@pytest.mark.parametrize(
    "fields", [{"choice": "99", "v": "0"}, {"choice": "x", "v": "0"}, {"choice": "0", "v": "0"}, {"v": "0"}]
)
def test_an_unknown_number_is_refused(rummy: Match, client: Client, fields: dict[str, str]):
    response = client.post(turn_path(asked(rummy)), fields)
    assert response.status_code == 422
    assert "There's no move with that number." in text_of(response)


@pytest.mark.parametrize("version", ["", "1", "999999999", "-1", "x"])
def test_a_version_that_no_one_was_shown_is_refused(rummy: Match, client: Client, version: str):
    response = client.post(turn_path(asked(rummy)), {"choice": "1", "v": version, "again": "1"})
    assert response.status_code == 422
    assert not Move.objects.exists()


def test_it_says_what_a_forwarded_link_risks(rummy: Match, client: Client):
    seat = asked(rummy)
    shown = text_of(client.get(turn_path(seat)))
    assert f"Anyone with this link can play this one turn for {seat.name}, and nothing else" in shown


def test_no_one_else_learns_the_address(rummy: Match, client: Client):
    path = turn_path(asked(rummy))
    for page in (client.get(path), client.post(path, {"choice": 1, "v": 0}), client.get("/turn/nothing/")):
        assert page["Referrer-Policy"] == "no-referrer"
        assert "noindex" in page["X-Robots-Tag"]
        assert "no-store" in page["Cache-Control"]
        content = page.content.decode()
        assert '<meta name="robots" content="noindex, nofollow">' in content
        assert not re.findall(r'(?:src|href|action)="(?:https?:)?//', content)


def test_it_does_not_say_who_is_logged_in(rummy: Match, client: Client, ada: User, make_player):
    client.force_login(make_player("Carla"))
    page = client.get(turn_path(asked(rummy))).content.decode()
    assert "Carla" not in page


@pytest.mark.parametrize("token", ["x", "a" * 40, "A2" * 20, "turn", "a" * 500])
def test_a_truncated_or_forged_link_is_refused_with_an_explanation(token: str, client: Client, db: None):
    page = client.get(f"/turn/{token}/")
    assert page.status_code == 404
    assert "This turn link isn't valid" in text_of(page)


def test_a_link_lives_no_longer_than_its_match_and_its_account(rummy: Match, client: Client):
    seat = asked(rummy)
    path = turn_path(seat)
    assert seat.player is not None
    User.objects.filter(pk=seat.player_id).update(is_active=False)
    assert client.get(path).status_code == 410
    User.objects.filter(pk=seat.player_id).update(is_active=True)
    Seat.objects.filter(pk=seat.pk).update(player=None)
    assert client.get(path).status_code == 410
    Match.objects.all().delete()
    assert client.get(path).status_code == 404


def test_a_link_of_the_seats_former_player_no_longer_works(rummy: Match, client: Client, make_player):
    seat = asked(rummy)
    path = turn_path(seat)
    Seat.objects.filter(pk=seat.pk).update(player=make_player("Carla"))
    assert client.get(path).status_code == 410


def test_tries_with_one_link_are_limited(rummy: Match, client: Client, rf: RequestFactory):
    path = turn_path(asked(rummy))
    token = path.split("/")[2]
    # Most tries are only counted: rendering so many pages would take long.
    answers = [client.post(path, {"choice": 1, "v": 0}).status_code for _ in range(3)]
    assert all(consume(rf.post(path), action="turn", key=token[:64]) for _ in range(55))
    answers += [client.post(path, {"choice": 1, "v": 0}).status_code for _ in range(3)]
    assert answers == [200] * 5 + [429]
    assert "Nothing is lost" in text_of(client.post(path))


def test_no_page_shows_anyone_elses_cards(rummy: Match, client: Client):
    seat = asked(rummy)
    other = 1 - seat.number
    hidden = service.load(rummy.pk).state.view(other).zone(f"hand:{other}").cards or ()
    content = client.get(turn_path(seat)).content.decode()
    shown = set(re.findall(r'data-card="(\w+)"', content))
    assert shown
    assert shown <= set(CODES)
    assert not shown & set(hidden)
