"""The lobby, the form of a new table, and the user's own matches."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import presence, social
from accounts.models import User
from games.engine import Option, Subset
from games.lobby import invitations
from games.lobby.finding import FEW_TABLES
from games.lobby.forms import option_field
from games.lobby.pages import FINISHED_A_PAGE
from games.matches import service
from games.matches.models import Match
from games.matches.presets import is_by_hours
from tests.factories.lobby import GAMES, defaults, finish
from tests.factories.pages import in_one_line

BACKEND = "django.contrib.auth.backends.ModelBackend"
pytestmark = pytest.mark.django_db


@pytest.fixture
def as_ada(client: Client, ada: User) -> Client:
    client.force_login(ada, backend=BACKEND)
    return client


# The lobby.


def test_a_table_shows_who_sits_what_is_special_and_its_clock(client: Client, ben: User) -> None:
    service.open_table(ben, "armani", 4, {"lockout": 5, "teams": "alternate"}, ai={2: "easy"}, clock="daily")
    page = client.get("/lobby/").content.decode()
    assert "Game: Armani" in page
    assert "Ben" in page
    assert page.count("free seat<") == 2
    assert "AI player, easy" in page
    assert "Cards you sit out after a wrong slap: 5" in page
    assert "Teams: every other seat" in page
    assert "Cards in Stage 2" not in page
    assert "Daily: 24 h + 8 h" in page


def test_private_running_and_closed_tables_are_not_listed(
    client: Client, ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    private = service.open_table(ben, "armed", 2, {}, is_public=False)
    running = start_match("armed", ada, ben)
    closed = service.open_table(ben, "armed", 2, {})
    service.leave(closed, ben)
    for page in (client.get("/lobby/").content.decode(), client.get("/").content.decode()):
        for match in (private, running, closed):
            assert match.key not in page
    assert "No open tables right now" in client.get("/lobby/").content.decode()


def test_the_lobby_can_be_asked_for_one_game(client: Client, ben: User) -> None:
    armed = service.open_table(ben, "armed", 2, {})
    rummy = service.open_table(ben, "basic-rummy", 2, {})
    page = client.get("/lobby/?game=armed").content.decode()
    assert armed.key in page
    assert rummy.key not in page
    assert client.get("/lobby/?game=poker").status_code == 404


def test_the_lobby_lists_your_matches_and_whose_turn_it_is(
    as_ada: Client, ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    match = start_match("normal-cards", ada, ben)
    page = as_ada.get("/lobby/").content.decode()
    assert match.get_absolute_url() in page
    turn_of_ada = 0 in match.awaited_seats
    assert ("Your turn" in page) == turn_of_ada
    assert ("Waiting for Ben" in page) != turn_of_ada


def test_the_lobby_takes_the_same_few_queries_however_many_tables_there_are(
    as_ada: Client, ada: User, ben: User, start_match: Callable[..., Match], django_assert_max_num_queries: Callable
) -> None:
    for _round in range(6):
        service.open_table(ben, "normal-cards", 4, {})
        start_match("armed", ada, ben)
    # Those before, and for company: friends, the last matches, who sat there, blocks, people.
    with django_assert_max_num_queries(19):
        as_ada.get("/lobby/")


def test_filters_come_with_many_tables_and_stay_while_one_is_set(client: Client, make_player: Callable) -> None:
    for number in range(FEW_TABLES):
        service.open_table(make_player(f"Host {number}"), "armed", 2, {})
    assert "data-lobby-filter" not in client.get("/lobby/").content.decode()
    assert "data-lobby-filter" in client.get("/lobby/?game=ten-skip").content.decode()
    service.open_table(make_player("One more"), "armed", 2, {})
    assert "data-lobby-filter" in client.get("/lobby/").content.decode()


def company(client: Client) -> list[str]:
    page = client.get("/lobby/").content.decode().partition('data-lobby-part="company"')[2]
    return re.findall(r'action="/lobby/with/([^/"]+)/"', page)


def test_friends_who_are_online_come_first_then_recent_opponents(
    as_ada: Client, ada: User, ben: User, make_player: Callable, start_match: Callable[..., Match]
) -> None:
    chidi, dora, grace = (make_player(name) for name in ("Chidi", "Dora", "Grace"))
    assert company(as_ada) == []
    for opponent in (ben, chidi, grace):
        finish(start_match("armed", ada, opponent), [1, 2])
    assert company(as_ada) == ["grace", "chidi", "ben"]
    social.ask(ada, dora)
    social.ask(dora, ada)
    assert "dora" not in company(as_ada)
    presence.mark(dora.pk)
    assert company(as_ada) == ["dora", "grace", "chidi", "ben"]
    social.block(chidi, ada)
    grace.is_active = False
    grace.save()
    assert company(as_ada) == ["dora", "ben"]


def test_one_press_invites_someone_to_the_game_of_the_last_match(
    as_ada: Client, ada: User, ben: User, make_player: Callable, start_match: Callable[..., Match]
) -> None:
    finish(start_match("normal-cards", ada, ben), [1, 2])
    answer = as_ada.post(reverse("play_with", args=["ben"]))
    table = Match.objects.get(status=Match.Status.OPEN)
    assert answer.url == table.get_absolute_url()
    assert (table.slug, table.host, table.is_public) == ("normal-cards", ada, False)
    assert [each.match for each in invitations.waiting_for(ben)] == [table]
    service.join(table, ben)
    table.refresh_from_db()
    assert table.status == Match.Status.RUNNING


def test_no_one_is_invited_by_a_guest_name_oneself_or_across_a_block(as_ada: Client, ada: User, ben: User) -> None:
    Client().post(reverse("try_guest"))
    guest = User.objects.get(is_guest=True)
    assert as_ada.post(reverse("play_with", args=[guest.name_key])).status_code == 404
    social.block(ben, ada)
    for name in ("ben", "ada"):
        assert as_ada.post(reverse("play_with", args=[name])).url == "/lobby/"
    assert Client().post(reverse("play_with", args=["ben"])).url == reverse("account_login")
    assert not Match.objects.exists()


# The form of a new table.


def test_without_a_game_the_games_are_offered(client: Client) -> None:
    page = client.get(reverse("open_table")).content.decode()
    assert all(f"?game={slug}" in page for slug in GAMES)
    assert client.get("/lobby/new/?game=poker").status_code == 404


@pytest.mark.usefixtures("contexts")
@pytest.mark.parametrize("slug", GAMES)
def test_each_option_is_asked_with_its_explanation_and_default(client: Client, slug: str) -> None:
    response = client.get(f"/lobby/new/?game={slug}")
    form = response.context["form"]
    for option in GAMES[slug].options:
        field = form[f"option_{option.name}"]
        assert field.help_text == option.text
        if not isinstance(option.choices, Subset):
            assert field.initial == option.default


@pytest.mark.parametrize("slug", GAMES)
def test_the_untouched_form_opens_a_standard_table(as_ada: Client, slug: str) -> None:
    answer = as_ada.post(reverse("open_table"), defaults(GAMES[slug]))
    match = Match.objects.get()
    assert answer.url == match.get_absolute_url()
    assert match.options == {
        option.name: list(option.default) if isinstance(option.default, (list, tuple)) else option.default
        for option in GAMES[slug].options
    }
    assert match.is_public
    assert match.host.name == "Ada"
    assert match.seat_count == min(GAMES[slug].seats)


def test_the_form_says_which_clocks_run_by_playing_times(as_ada: Client) -> None:
    page = as_ada.get(reverse("open_table"), {"game": "armed"}).content.decode()
    clocks = {
        re.search(r'value="(\w+)"', each)[1]: each for each in re.findall(r'<input [^>]*name="clock"[^>]*>', page)
    }
    assert set(clocks) == set(Match.Clock.values)
    assert {clock for clock, html in clocks.items() if "data-by-hours" in html} == set(filter(is_by_hours, clocks))


def test_the_table_has_every_chosen_option(as_ada: Client) -> None:
    sent = defaults(
        GAMES["armani"],
        seats="4",
        seat_1="easy",
        seat_2="open",
        seat_3="hard",
        is_public="no",
        clock="daily",
        pace="relaxed",
        option_lockout="7",
        option_slaps=["marriage", "run"],
        option_teams="alternate",
    )
    as_ada.post(reverse("open_table"), sent)
    match = Match.objects.get()
    assert [seat.ai_level for seat in match.seats.all()] == ["", "easy", "", "hard"]
    assert match.options["lockout"] == 7
    assert match.options["slaps"] == ["pair", "sandwich", "marriage", "run"]
    assert match.options["teams"] == "alternate"
    assert (match.is_public, match.clock, match.pace) == (False, "daily", "relaxed")


def test_seats_beyond_the_number_of_players_do_not_count(as_ada: Client) -> None:
    as_ada.post(reverse("open_table"), defaults(GAMES["armani"], seats="2", seat_1="easy", seat_5="hard"))
    assert [seat.ai_level for seat in Match.objects.get().seats.all()] == ["", "easy"]


@pytest.mark.usefixtures("contexts")
def test_a_wrong_number_is_explained_by_its_field_and_the_rest_is_kept(as_ada: Client) -> None:
    sent = defaults(GAMES["armani"], option_lockout="99", option_stage2_flips="150", seats="5", seat_3="medium")
    answer = as_ada.post(reverse("open_table"), sent)
    assert answer.status_code == 422
    form = answer.context["form"]
    assert list(form.errors) == ["option_lockout"]
    page = answer.content.decode()
    assert 'id="id_option_lockout_error"' in page
    assert 'aria-invalid="true"' in page
    assert 'value="150"' in page
    assert form["seat_3"].value() == "medium"
    assert not Match.objects.exists()


@pytest.mark.usefixtures("contexts")
def test_the_game_itself_words_refusals_that_only_it_can_explain(as_ada: Client) -> None:
    """One pack of Avalanche has 55 cards: too few for six hands of 15."""
    sent = defaults(GAMES["avalanche"], seats="6", option_packs="1", option_hand="15")
    answer = as_ada.post(reverse("open_table"), sent)
    assert answer.status_code == 422
    assert answer.context["form"].non_field_errors()
    assert not Match.objects.exists()


def test_made_up_games_seats_and_levels_are_refused(as_ada: Client) -> None:
    assert as_ada.post(reverse("open_table"), {"game": "poker"}).status_code == 404
    for changes in ({"seats": "9"}, {"seats": "x"}, {"seat_1": "godlike"}, {"clock": "never"}):
        assert as_ada.post(reverse("open_table"), defaults(GAMES["armani"], **changes)).status_code == 422
    assert not Match.objects.exists()


def test_a_guest_can_open_a_table(client: Client) -> None:
    client.post(reverse("open_table"), defaults(GAMES["armed"]))
    assert Match.objects.get().host.is_guest


def test_fields_follow_the_declarations() -> None:
    number = option_field("armani", Option("cards", 5, 5, range(3, 12, 2), "How many."))
    assert number.clean("7") == 7
    for wrong in ("2", "12", "4", "", "x"):
        with pytest.raises(ValidationError):
            number.clean(wrong)
    flag = option_field("armani", Option("open", False, True, (False, True), "Whether."))
    assert (flag.clean("on"), flag.clean(None)) == (True, False)
    word = option_field("armani", Option("teams", "colour", "colour", ("colour", "alternate"), "Which."))
    assert word.clean("alternate") == "alternate"
    some = option_field(
        "armani", Option("slaps", ("pair",), ("pair",), Subset(("pair",), ("run", "marriage")), "Any of.")
    )
    assert some.clean(["run"]) == ["run"]
    assert some.clean([]) == []


# My matches.


def test_no_one_is_asked_to_log_in(client: Client) -> None:
    page = client.get("/my/").content.decode()
    assert "You aren't logged in" in page
    assert reverse("account_login") in page


def test_empty_lists_say_what_they_are_for(as_ada: Client) -> None:
    page = as_ada.get("/my/").content.decode()
    assert "No matches in progress" in page
    assert "Your finished matches and their results will be here" in page


def test_matches_that_wait_for_me_come_first(
    as_ada: Client, ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    now = timezone.now()
    mine, theirs = start_match("normal-cards", ada, ben), start_match("normal-cards", ada, ben)
    Match.objects.filter(pk=mine.pk).update(awaited="0", turn_since=now - timedelta(hours=3))
    Match.objects.filter(pk=theirs.pk).update(awaited="1", turn_since=now - timedelta(minutes=2))
    page = in_one_line(as_ada.get("/my/").content.decode())
    assert page.index(mine.key) < page.index(theirs.key)
    assert "Waiting for Ben, 2\xa0minutes so far" in page


def test_a_match_that_has_just_begun_to_wait_does_not_say_for_how_long(
    as_ada: Client, ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    match = start_match("normal-cards", ada, ben)
    Match.objects.filter(pk=match.pk).update(awaited="1", turn_since=timezone.now() - timedelta(seconds=30))
    page = in_one_line(as_ada.get("/my/").content.decode())
    assert "Waiting for Ben<" in page
    assert "so far" not in page


def test_finished_matches_show_the_place_and_come_by_the_page(
    as_ada: Client,
    ada: User,
    ben: User,
    start_match: Callable[..., Match],
    django_assert_max_num_queries: Callable,
) -> None:
    for _number in range(FINISHED_A_PAGE + 1):
        finish(start_match("armed", ada, ben), [1, 2])
    # Session, user, preferences, running, number of finished, finished, their seats, running with emails.
    with django_assert_max_num_queries(8):
        first = as_ada.get("/my/").content.decode()
    assert first.count("1st place") == FINISHED_A_PAGE
    assert "Page 1 of 2" in first
    assert as_ada.get("/my/?page=2").content.decode().count("1st place") == 1
    assert "Page 2 of 2" in as_ada.get("/my/?page=99").content.decode()


def test_the_list_of_my_matches_has_no_others(as_ada: Client, ben: User, make_player: Callable[[str], User]) -> None:
    other = service.open_table(ben, "armed", 2, {})
    assert other.key not in as_ada.get("/my/").content.decode()
