"""The waiting room, and the forms of a table."""

import re
from collections.abc import Callable

import pytest
from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games.lobby.templatetags.lobby import qr_code
from games.matches import service
from games.matches.models import Match
from tests.factories.clients import QuickClient
from tests.factories.lobby import GAMES, defaults

BACKEND = "django.contrib.auth.backends.ModelBackend"
pytestmark = pytest.mark.django_db
JSON = {"headers": {"accept": "application/json"}}


def browser_of(user: User) -> Client:
    client = QuickClient()
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def table(ada: User) -> Match:
    """Ada's table for three, with one AI player."""
    return service.open_table(ada, "ten-skip", 3, {"limit": 300}, ai={2: "easy"}, is_public=False)


def post(client: Client, command: str, match: Match, **data: object) -> HttpResponse:
    return client.post(reverse(f"match_{command}", args=[match.key]), data)


def said(answer: HttpResponse) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]


def sitting(match: Match) -> list[str]:
    return [seat.player_name or seat.ai_level for seat in match.seats.all()]


def test_the_host_sees_seats_link_start_and_ai_players(table: Match, ada: User) -> None:
    page = browser_of(ada).get(table.get_absolute_url()).content.decode()
    assert "1 seat is free." in page
    assert f"http://testserver{table.get_absolute_url()}" in page
    assert reverse("match_start", args=[table.key]) not in page
    assert reverse("match_seat_ai", args=[table.key]) in page
    assert "Share this link:" in page
    assert '<svg viewBox="0 0 ' in page
    assert "Points that put you out: 300" in page
    assert table.seed_hash[:16] in page
    assert table.seed not in page


def test_the_host_starts_a_full_table(table: Match, ada: User, ben: User) -> None:
    service.join(table, ben)
    for person, may_start in ((ada, True), (ben, False)):
        page = browser_of(person).get(table.get_absolute_url()).content.decode()
        assert (reverse("match_start", args=[table.key]) in page) == may_start


def test_the_picture_of_the_link_is_drawn_without_style() -> None:
    picture = qr_code("https://example.org/match/abc/")
    assert picture != qr_code("https://example.org/match/abd/")
    assert re.fullmatch(r'<svg viewBox="0 0 33 33" class="qr-code"><path stroke="#000" d="[\w .-]+"/></svg>', picture)


def test_a_table_of_the_form_begins_when_it_is_full(client: Client, ada: User, ben: User) -> None:
    client.force_login(ada, backend=BACKEND)
    client.post(reverse("open_table"), defaults(GAMES["armed"], seat_1="hard"))
    assert Match.objects.get().status == Match.Status.RUNNING
    client.post(reverse("open_table"), defaults(GAMES["normal-cards"]))
    waiting = Match.objects.get(slug="normal-cards")
    assert waiting.status == Match.Status.OPEN
    service.join(waiting, ben)
    waiting.refresh_from_db()
    assert waiting.status == Match.Status.RUNNING


def test_a_stranger_with_the_link_may_sit_down_and_nothing_else(table: Match, client: Client) -> None:
    page = client.get(table.get_absolute_url()).content.decode()
    assert reverse("match_join", args=[table.key]) in page
    assert reverse("match_start", args=[table.key]) not in page
    assert reverse("match_leave", args=[table.key]) not in page
    assert reverse("match_seat_ai", args=[table.key]) not in page
    assert post(client, "join", table, seat=1).url == table.get_absolute_url()
    guest = User.objects.get(is_guest=True)
    assert sitting(table) == ["Ada", guest.name, "easy"]


def test_a_taken_seat_is_refused_with_the_reason(table: Match, ben: User) -> None:
    for seat in (0, 2, 99):
        answer = post(browser_of(ben), "join", table, seat=seat)
        assert answer.url == table.get_absolute_url()
        assert said(answer) == ["This seat is already taken."]
    assert sitting(table) == ["Ada", "", "easy"]


def test_an_invalid_seat_number_means_any_seat(table: Match, ben: User) -> None:
    post(browser_of(ben), "join", table, seat="⁵")
    assert sitting(table) == ["Ada", "Ben", "easy"]


def test_sit_down_stand_up_and_a_table_that_everyone_left(table: Match, ada: User, ben: User) -> None:
    bens, adas = browser_of(ben), browser_of(ada)
    post(bens, "join", table)
    assert said(post(bens, "start", table)) == ["Only the host can do this."]
    post(bens, "leave", table)
    assert sitting(table) == ["Ada", "", "easy"]
    post(adas, "leave", table)
    gone = adas.get(table.get_absolute_url())
    assert gone.status_code == 410
    assert "This table was closed" in gone.content.decode()


def test_the_host_adds_and_removes_ai_players(table: Match, ada: User, ben: User) -> None:
    adas = browser_of(ada)
    post(adas, "seat_ai", table, seat=1, level="hard")
    post(adas, "seat_ai", table, seat=2, level="")
    assert sitting(table) == ["Ada", "hard", ""]
    assert said(post(adas, "seat_ai", table, seat=2, level="godlike")) == ["There's no such AI player."]
    assert said(post(browser_of(ada), "seat_ai", table, level="easy")) == ["This seat is already taken."]
    assert said(post(browser_of(ben), "seat_ai", table, seat=2, level="easy"))
    assert sitting(table) == ["Ada", "hard", ""]


@pytest.mark.usefixtures("contexts")
def test_only_a_full_table_starts(table: Match, ada: User, ben: User) -> None:
    adas = browser_of(ada)
    assert said(post(adas, "start", table)) == ["Some seats are still free. Wait for players, or add AI players."]
    post(browser_of(ben), "join", table)
    post(adas, "start", table)
    table.refresh_from_db()
    assert table.status == Match.Status.RUNNING
    page = adas.get(table.get_absolute_url())
    assert page.status_code == 200
    assert "table.html" in {template.name.split("/")[-1] for template in page.templates}
    assert said(post(browser_of(ben), "leave", table)) == ["This match has already begun."]


@pytest.mark.parametrize("command", ["leave", "start", "seat_ai", "resign", "rematch", "move"])
def test_a_visitor_cannot_change_a_table(client: Client, table: Match, command: str) -> None:
    answer = post(client, command, table, seat=1, level="easy", move="end")
    assert said(answer) == ["Log in, or play as a guest."]
    assert sitting(table) == ["Ada", "", "easy"]
    assert not User.objects.filter(is_guest=True).exists()


@pytest.mark.parametrize("command", ["join", "leave", "start", "seat_ai", "resign", "rematch", "move"])
def test_a_link_changes_nothing_and_unknown_tables_are_not_there(client: Client, table: Match, command: str) -> None:
    assert client.get(reverse(f"match_{command}", args=[table.key])).status_code == 405
    assert client.post(reverse(f"match_{command}", args=["nosuchkey"])).status_code == 404


def test_scripts_get_json(table: Match, ben: User) -> None:
    bens = browser_of(ben)
    taken = bens.post(reverse("match_join", args=[table.key]), {"seat": 0}, **JSON)
    assert taken.status_code == 409
    assert taken.json()["t"] == "rejected"
    assert taken.json()["reason"] == "This seat is already taken."
    done = bens.post(reverse("match_join", args=[table.key]), {"seat": 1}, **JSON)
    assert done.json() == {"t": "ok", "url": table.get_absolute_url(), "status": "open"}
    assert bens.get(reverse("match_state", args=[table.key])).status_code == 404


def test_the_waiting_room_takes_few_queries(
    ada: User, make_player: Callable[[str], User], django_assert_max_num_queries: Callable
) -> None:
    table = service.open_table(ada, "armani", 8, {})
    for number in range(7):
        service.join(table, make_player(f"Player {number}"))
    adas = browser_of(ada)
    # Session, user, whether it is a lesson,
    # match with its host, seats with their players, preferences, whom she does not hear, the chat.
    with django_assert_max_num_queries(10):
        adas.get(table.get_absolute_url())


@pytest.mark.django_db(transaction=True)
class TestMovesByForm:
    """Tables work without JavaScript: moves are forms."""

    @pytest.fixture
    def match(self, ada: User, ben: User, start_match: Callable[..., Match]) -> Match:
        return start_match("normal-cards", ada, ben)

    def test_only_ones_own_turn_and_legal_moves_count(self, match: Match, ada: User, ben: User) -> None:
        table = service.load(match.pk)
        (seat,) = table.state.to_move()
        mover, other = (ada, ben) if seat == 0 else (ben, ada)
        move = table.state.legal_moves(seat)[0]
        assert said(post(browser_of(other), "move", match, move=move))
        for nonsense in ("", "play:ZZ", "bet:1", "x" * 500):
            assert said(post(browser_of(mover), "move", match, move=nonsense))
        assert service.load(match.pk).version == 0
        answer = post(browser_of(mover), "move", match, move=move, v=0, id="form-1")
        assert said(answer) == []
        assert service.load(match.pk).version == 1
        post(browser_of(mover), "move", match, move=move, v=0, id="form-1")
        assert service.load(match.pk).version == 1

    def test_a_person_without_a_seat_moves_nothing(self, match: Match, make_player: Callable[[str], User]) -> None:
        chidi = browser_of(make_player("Chidi"))
        assert said(post(chidi, "move", match, move="play:AS")) == ["You have no seat here."]
        refused = chidi.post(reverse("match_resign", args=[match.key]), **JSON)
        assert refused.status_code == 409
        assert service.load(match.pk).version == 0

    def test_the_state_is_that_of_the_players_own_seat(self, match: Match, ada: User, client: Client) -> None:
        address = reverse("match_state", args=[match.key])
        mine = browser_of(ada).get(address).json()
        theirs = client.get(address).json()
        assert (mine["you"], theirs["you"]) == (0, None)
        hands = {zone["id"]: zone["cards"] for zone in mine["view"]["zones"]}
        assert all(hands["hand:0"])
        assert not any(hands["hand:1"] or [])
        shown = {zone["id"]: zone["cards"] for zone in theirs["view"]["zones"]}
        assert not any(shown["hand:0"] or [])
        assert match.seed not in str(mine) + str(theirs)

    def test_a_player_resigns_and_offers_a_rematch(self, match: Match, ada: User, ben: User) -> None:
        assert said(post(browser_of(ada), "rematch", match)) == ["This match isn't over yet."]
        post(browser_of(ben), "resign", match)
        match.refresh_from_db()
        assert match.status == Match.Status.OVER
        again = post(browser_of(ada), "rematch", match).url
        assert post(browser_of(ben), "rematch", match).url == again
        match.refresh_from_db()
        assert sorted(sitting(match.rematch)) == ["Ada", "Ben"]
