"""Player pages: results, matches, head-to-head."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts import social
from accounts.models import User
from games.matches import service
from games.matches.models import Match
from games.profiles import figures
from tests.factories.clients import QuickClient
from tests.factories.lobby import finish
from tests.factories.pages import in_one_line

pytestmark = pytest.mark.django_db


@pytest.fixture
def as_ada(client: Client, ada: User) -> Client:
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    return client


def page_of(client: Client, user: User) -> str:
    return in_one_line(client.get(reverse("player", args=[user.name_key])).content.decode())


def test_results_by_game_against_people_and_ai_players(
    as_ada: Client, ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    for places in ([1, 2], [2, 1], [1, 2]):
        finish(start_match("armed", ada, ben), places)
    finish(start_match("avalanche", ada, ai={1: "easy"}), [1, 2])
    start_match("armed", ada, ben)
    first, second = figures.results(ada)
    assert (first.slug, first.people, first.ai) == ("armed", figures.Tally(3, 2), figures.Tally())
    assert (second.slug, second.people, second.ai) == ("avalanche", figures.Tally(), figures.Tally(1, 1))
    page = page_of(as_ada, ada)
    assert "2 of 3 won" in page
    assert "1 of 1 won" in page


def test_a_match_continued_from_a_replay_is_no_result(ada: User, ben: User, start_match: Callable[..., Match]) -> None:
    match = start_match("armed", ada, ben)
    service.resign(match, ada)
    finish(service.play_on(match, ada, version=0, seat=0, level="easy"), [1, 2])
    (result,) = figures.results(ada)
    assert (result.people, result.ai) == (figures.Tally(1, 0), figures.Tally())


def test_what_an_ai_player_wins_in_a_resigned_seat_is_no_win(
    as_ada: Client, ada: User, ben: User, make_player: Callable[[str], User], start_match: Callable[..., Match]
) -> None:
    match = start_match("normal-cards", ada, ben, make_player("Cleo"))
    service.resign(match, ada)
    finish(match, [1, 2, 3])
    assert figures.results(ada)[0].people == figures.Tally(1, 0)
    page = page_of(as_ada, ada)
    assert "resigned" in page
    assert "1st place" not in page


def test_a_seat_that_a_deleted_person_held_counts_as_a_persons(
    ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    finish(start_match("armed", ada, ben), [1, 2])
    ben.delete()
    assert figures.results(ada)[0].people == figures.Tally(1, 1)


def test_head_to_head_with_the_visitor(as_ada: Client, ada: User, ben: User, start_match: Callable[..., Match]) -> None:
    for places in ([1, 2], [1, 2], [2, 1], [1, 1]):
        finish(start_match("armed", ada, ben), places)
    assert figures.head_to_head(ada, ben) == figures.HeadToHead(2, 1, 1)
    assert "You and Ben" in page_of(as_ada, ben)
    assert "You and Ada" not in page_of(as_ada, ada)


def test_private_matches_are_only_shown_to_their_players(
    as_ada: Client, ada: User, ben: User, make_player: Callable[[str], User]
) -> None:
    match = service.open_table(ben, "armed", 2, {}, is_public=False)
    service.join(match, make_player("Cleo"))
    service.start(match, ben)
    assert match.key not in page_of(as_ada, ben)
    mine = service.open_table(ben, "armed", 2, {}, is_public=False)
    service.join(mine, ada)
    service.start(mine, ben)
    assert mine.key in page_of(as_ada, ben)


def test_the_page_takes_the_same_few_queries_however_much_was_played(
    as_ada: Client,
    ada: User,
    ben: User,
    start_match: Callable[..., Match],
    django_assert_max_num_queries: Callable,
) -> None:
    for _number in range(4):
        finish(start_match("armed", ada, ben), [1, 2])
        start_match("armed", ada, ben)
    with django_assert_max_num_queries(15):
        page_of(as_ada, ben)


def test_names_are_found_however_they_are_written_and_closed_accounts_not(client: Client, ben: User) -> None:
    assert client.get("/player/BEN/").url == "/player/ben/"
    assert client.get("/player/nobody/").status_code == 404
    User.objects.filter(pk=ben.pk).update(is_active=False)
    assert client.get("/player/ben/").status_code == 404


def test_an_empty_profile_invites_its_owner_to_play(as_ada: Client, ada: User, ben: User) -> None:
    assert "You'll see your results here, game by game." in page_of(as_ada, ada)
    assert "No finished match yet" in page_of(as_ada, ben)


def test_the_profile_of_a_friend_who_is_playing_links_to_the_table(
    as_ada: Client, ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    social.ask(ada, ben)
    social.ask(ben, ada)
    match = start_match("armed", ben, ai={1: "easy"})
    other = QuickClient()
    other.force_login(ben, backend="django.contrib.auth.backends.ModelBackend")
    other.get("/")
    page = as_ada.get(reverse("friends")).content.decode()
    assert match.get_absolute_url() in page
    assert "plays Armed" in page


def test_a_strangers_running_match_is_watched_and_ones_own_is_played(
    as_ada: Client, ada: User, ben: User, make_player: Callable[[str], User], start_match: Callable[..., Match]
) -> None:
    start_match("armed", ben, make_player("Cleo"))
    assert ">Watch<" in page_of(as_ada, ben)
    assert ">Play<" not in page_of(as_ada, ben)
    start_match("armed", ada, ben)
    assert ">Play<" in page_of(as_ada, ada)


def test_someone_is_found_by_their_name(as_ada: Client, ada: User, ben: User) -> None:
    found = as_ada.get(reverse("friends"), {"name": " BEN "})
    assert found.url == reverse("player", args=["ben"])
    page = as_ada.get(reverse("friends"), {"name": "<Be>"}).content.decode()
    assert "There's no player called &lt;Be&gt;." in page
    assert 'aria-invalid="true" aria-describedby="find-name_error"' in page
    assert "There's no player called" not in as_ada.get(reverse("friends")).content.decode()
