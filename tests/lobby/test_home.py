"""The home page, two clicks to a match, themes, and pages for machines and lost visitors."""

import json
import re
from collections.abc import Callable

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games import rules
from games.matches import service
from games.matches.models import Match

BACKEND = "django.contrib.auth.backends.ModelBackend"
pytestmark = pytest.mark.django_db


def test_every_game_can_be_chosen_and_read_about(client: Client) -> None:
    page = client.get("/").content.decode()
    for game in rules.all():
        assert f'name="game" value="{game.slug}"' in page
        assert game.name in page
        assert reverse("rules_page", args=[game.slug]) in page
        assert f"img/games/{game.slug}." in page


@pytest.mark.parametrize("slug", [game.slug for game in rules.all()])
def test_a_choice_leads_to_an_ai_player_a_table_or_friends(client: Client, slug: str) -> None:
    assert (
        client.post(reverse("choose"), {"game": slug, "with": "friends"}).url == f"/lobby/new/?game={slug}&for=friends"
    )
    assert not Match.objects.exists()
    answer = client.post(reverse("choose"), {"game": slug})
    against_ai = Match.objects.get()
    assert answer.url == against_ai.get_absolute_url()
    assert (against_ai.slug, against_ai.status) == (slug, Match.Status.RUNNING)
    answer = client.post(reverse("any_table"), {"game": slug})
    waiting = Match.objects.exclude(pk=against_ai.pk).get()
    assert answer.url == waiting.get_absolute_url()
    assert (waiting.slug, waiting.status) == (slug, Match.Status.OPEN)


def test_a_missing_or_unknown_game_is_refused(client: Client) -> None:
    assert client.post(reverse("choose")).status_code == 404
    assert client.post(reverse("choose"), {"game": "poker", "with": "friends"}).status_code == 404
    assert client.get(reverse("choose")).status_code == 405
    assert not User.objects.exists()


def chosen(client: Client) -> str:
    """The games in order; the first one must be selected."""
    page = client.get("/").content.decode()
    games = re.findall(r'name="game" value="([\w-]+)"( checked)?', page)
    assert [bool(checked) for _slug, checked in games] == [True] + [False] * (len(rules.all()) - 1)
    return games[0][0]


def test_the_game_played_last_is_chosen_and_armani_for_newcomers(client: Client) -> None:
    assert chosen(client) == "armani"
    for slug in ("ten-skip", "amagande"):
        client.post(reverse("choose"), {"game": slug})
        assert chosen(client) == slug


@pytest.mark.parametrize("slug", [game.slug for game in rules.all()])
def test_two_clicks_take_a_stranger_to_a_running_match(client: Client, slug: str) -> None:
    client.get("/")
    answer = client.post(reverse("quick_match", args=[slug]))
    match = Match.objects.get()
    assert answer.url == match.get_absolute_url()
    assert match.status == Match.Status.RUNNING
    mine, *others = match.seats.all()
    assert mine.player.is_guest
    assert client.session["_auth_user_id"] == str(mine.player.pk)
    assert all(seat.ai_level == "easy" for seat in others)
    assert not match.is_public


def test_a_player_with_an_account_plays_under_their_own_name(client: Client, ada: User) -> None:
    client.force_login(ada, backend=BACKEND)
    client.post(reverse("quick_match", args=["armed"]))
    assert Match.objects.get().seats.first().player == ada
    assert not User.objects.filter(is_guest=True).exists()


def test_a_link_alone_starts_no_match(client: Client) -> None:
    assert client.get(reverse("quick_match", args=["armed"])).status_code == 405
    assert client.post(reverse("quick_match", args=["poker"])).status_code == 404
    assert not Match.objects.exists()
    assert not User.objects.exists()


def test_guests_are_asked_to_keep_their_name(client: Client) -> None:
    client.post(reverse("try_guest"))
    page = client.get("/").content.decode()
    guest = User.objects.get()
    assert f"You're playing as {guest.name}, without an account." in page
    assert "Sign up to keep your name" in page


def test_the_header_shows_who_is_logged_in(client: Client, ada: User) -> None:
    page = client.get("/").content.decode()
    assert reverse("account_login") in page
    assert reverse("account_logout") not in page
    client.force_login(ada, backend=BACKEND)
    page = client.get("/").content.decode()
    assert "Ada" in page
    assert reverse("account_logout") in page
    assert "guest" not in page


def test_home_shows_open_tables_own_matches_and_how_many_play(
    client: Client, ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    empty = client.get("/").content.decode()
    assert "Open tables" not in empty
    assert "being played now" not in empty
    service.open_table(ben, "ten-skip", 3, {"limit": 300})
    running = start_match("armed", ada, ben)
    client.force_login(ada, backend=BACKEND)
    page = client.get("/").content.decode()
    assert "1 match is being played now." in page
    assert "Points that put you out: 300" in page
    assert running.get_absolute_url() in page
    assert "Open tables" in page


def first_in_main(client: Client) -> str:
    """The URL of the first link or form of the home page."""
    main = client.get("/").content.decode().partition("<main")[2]
    return re.search(r'(?:href|action)="([^"]*)"', main)[1]


def test_your_match_comes_first_especially_if_it_is_your_turn(
    client: Client, ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    client.force_login(ada, backend=BACKEND)
    assert first_in_main(client) == reverse("choose")
    table = service.open_table(ada, "ten-skip", 3, {})
    assert first_in_main(client) == table.get_absolute_url()
    running = start_match("normal-cards", ada, ben)
    waiting = start_match("normal-cards", ada, ben)
    for match, seat in ((running, 0), (waiting, 1)):
        Match.objects.filter(pk=match.pk).update(awaited=str(seat))
    assert first_in_main(client) == running.get_absolute_url()
    page = client.get("/").content.decode()
    assert "Your turn in Normal Cards" in page
    assert "with Ben" in page
    Match.objects.filter(pk=running.pk).update(awaited="1")
    assert "Your turn in" not in client.get("/").content.decode()
    assert first_in_main(client) in (running.get_absolute_url(), waiting.get_absolute_url())


def test_home_takes_the_same_few_queries_however_many_tables_there_are(
    client: Client, ada: User, ben: User, start_match: Callable[..., Match], django_assert_max_num_queries: Callable
) -> None:
    for _round in range(4):
        service.open_table(ben, "normal-cards", 4, {})
        start_match("armed", ada, ben)
    client.force_login(ada, backend=BACKEND)
    # Session, user, preferences, count, blocks, tables, their seats, own matches, their seats, the last game.
    with django_assert_max_num_queries(10):
        client.get("/")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_brightness_is_kept_in_the_browser(client: Client, theme: str) -> None:
    answer = client.post(reverse("set_theme"), {"theme": theme, "next": "/lobby/"})
    assert answer.url == "/lobby/"
    assert f'data-theme="{theme}"' in client.get("/").content.decode()
    client.post(reverse("set_theme"), {"theme": "auto"})
    assert "data-theme" not in client.get("/").content.decode()


def test_the_theme_form_redirects_nowhere_else(client: Client) -> None:
    answer = client.post(reverse("set_theme"), {"theme": "dark", "next": "https://example.com/"})
    assert answer.url == "/"
    assert client.post(reverse("set_theme"), {"theme": '"><script>'}).cookies["theme"].value == ""


def test_no_page_has_inline_scripts_or_styles(client: Client) -> None:
    for path in ("/", "/lobby/", "/lobby/new/", "/lobby/new/?game=armani", "/my/"):
        page = client.get(path).content.decode()
        assert " style=" not in page
        assert "<style" not in page
        assert " onclick" not in page
        assert "<script>" not in page


def test_a_missing_page_has_the_look_of_the_site(client: Client) -> None:
    answer = client.get("/nothing/here/")
    assert answer.status_code == 404
    assert "Page not found" in answer.content.decode()
    assert "site-header" in answer.content.decode()


def test_a_form_without_its_token_changes_nothing_and_says_so() -> None:
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post(reverse("quick_match", args=["armed"]))
    assert answer.status_code == 403
    assert "Please send that again" in answer.content.decode()
    assert not Match.objects.exists()


def test_a_server_error_page_shows_no_details(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object) -> None:
        raise RuntimeError("the secret seed is 1234")

    monkeypatch.setattr("games.table.match_cards.listed", fail)
    client.raise_request_exception = False
    answer = client.get("/lobby/")
    assert answer.status_code == 500
    assert "Something went wrong on our side" in answer.content.decode()
    assert "1234" not in answer.content.decode()


@pytest.mark.parametrize("name", ["400.html", "403.html", "404.html", "500.html"])
def test_error_pages_need_no_user_and_no_request(name: str) -> None:
    page = render_to_string(name)
    assert "<h1>" in page
    assert 'href="/"' in page


def test_manifest_and_robots(client: Client) -> None:
    manifest = json.loads(client.get(reverse("manifest")).content)
    assert manifest["start_url"] == "/"
    assert {"192x192", "512x512"} <= {icon["sizes"] for icon in manifest["icons"]}
    robots = client.get("/robots.txt")
    assert robots["Content-Type"].startswith("text/plain")
    assert "Disallow: /match/" in robots.content.decode()
