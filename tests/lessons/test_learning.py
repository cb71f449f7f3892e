"""The list of lessons; stepping back, skipping, resuming."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games import rules
from games.lessons import progress
from games.lessons.models import Done
from games.matches import service
from games.matches.models import Match
from tests.factories.clients import QuickClient
from tests.factories.people import Person, last_mail, link_in

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db
BEGIN = reverse("learn_begin", args=["basic-rummy", "turn"])


@pytest.fixture
def browser(ada: User) -> Client:
    browser = QuickClient()
    browser.force_login(ada)
    return browser


def at(browser: Client, path: str, **data: str) -> Match:
    """The match to which a form redirects."""
    key = browser.post(path, data).url.split("/")[2]
    return Match.objects.get(key=key)


def test_the_list_has_all_lessons_and_what_is_done(browser, ada):
    Done.objects.create(user=ada, lesson="basic-rummy/turn")
    page = browser.get(reverse("learn")).content.decode()
    assert "A turn: draw, meld, discard" in page
    assert "1 / 3" in page


def test_slaps_are_practised_from_the_lessons_and_tables_of_games_with_slaps(browser, ada, ben, start_match):
    link = reverse("practice_slaps")
    sections = browser.get(reverse("learn")).content.decode().split("<section")
    assert [section[:200].count('id="armani"') for section in sections if link in section] == [1]
    tables = {slug: start_match(slug, ada, ben) for slug in ("armani", "basic-rummy")}
    pages = {slug: browser.get(match.get_absolute_url()).content.decode() for slug, match in tables.items()}
    assert [slug for slug, page in pages.items() if link in page] == ["armani"]


def test_a_guest_can_do_lessons_and_keeps_them_at_sign_up(client, settings):
    settings.EMAIL_BACKEND = "accounts.outbox.OutboxBackend"
    person = Person(client)
    match = at(person.client, BEGIN)
    assert match.host.is_guest
    assert person.client.get(match.get_absolute_url()).status_code == 200
    Done.objects.create(user=match.host, lesson="basic-rummy/turn")
    person.sign_up()
    person.client.post(link_in(last_mail()))
    assert not person.user.is_guest
    assert Done.objects.filter(user=person.user, lesson="basic-rummy/turn").exists()
    assert at(person.client, BEGIN) == match


def test_a_guest_who_logs_in_keeps_completed_lessons(client, ada):
    guest = at(client, BEGIN).host
    Done.objects.create(user=guest, lesson="basic-rummy/turn")
    new = Done.objects.create(user=guest, lesson="armani/slap")
    own = Done.objects.create(user=ada, lesson="basic-rummy/turn")
    ada.set_password("a good long password")
    ada.save()
    answer = client.post(reverse("account_login"), {"login": ada.email, "password": "a good long password"})
    assert answer.status_code == 302
    assert set(Done.objects.filter(user=ada).values_list("lesson", "at")) == {
        ("basic-rummy/turn", own.at),
        ("armani/slap", new.at),
    }


def test_the_lobby_links_to_lessons_and_to_those_of_the_filtered_game(client):
    assert f'class="button quiet" href="{reverse("learn")}"' in client.get(reverse("lobby")).content.decode()
    page = client.get(reverse("lobby"), {"game": "armed"}).content.decode()
    assert f'action="{reverse("learn_game", args=["armed"])}"' in page


def test_a_lesson_is_continued_where_it_was(browser):
    match = at(browser, BEGIN)
    browser.post(reverse("learn_step", args=[match.key]), {"do": "skip"})
    assert at(browser, BEGIN) == match
    assert "are a run" in browser.get(match.get_absolute_url()).content.decode()
    assert at(browser, BEGIN, again="1") != match


def test_a_lesson_cannot_be_resigned_and_a_finished_one_starts_again(browser, ada):
    match = at(browser, BEGIN)
    assert reverse("match_resign", args=[match.key]) not in browser.get(match.get_absolute_url()).content.decode()
    service.resign(match, ada)
    assert at(browser, BEGIN) != match


def test_the_page_of_a_lesson_weighs_little_more_than_a_table(browser, ada):
    def weight(match: Match) -> int:
        return len(browser.get(match.get_absolute_url()).content)

    match = service.open_table(ada, "basic-rummy", 2, {}, ai={1: "easy"}, is_public=False, clock="none")
    service.start(match, ada)
    files = [ROOT / "static" / name for name in ("css/lesson.css", "js/table/lesson.js")]
    more = weight(at(browser, BEGIN)) - weight(match) + sum(file.stat().st_size for file in files)
    assert more <= 20_000


def test_skip_makes_the_move_that_is_asked_for(browser):
    match = at(browser, BEGIN)
    browser.post(reverse("learn_step", args=[match.key]), {"do": "skip"})
    assert service.load(match.pk).version == 1


def test_back_goes_to_the_previous_step_in_a_new_match(browser):
    match = at(browser, BEGIN)
    for _step in range(2):
        browser.post(reverse("learn_step", args=[match.key]), {"do": "skip"})
    again = at(browser, reverse("learn_step", args=[match.key]), do="back")
    assert again != match
    table = service.load(again.pk)
    assert table.version == 1
    assert "7H" in table.state.view(0).zone("hand:0").cards
    assert at(browser, BEGIN) == again


def test_back_at_the_first_step_stays_there(browser):
    match = at(browser, BEGIN)
    assert service.load(at(browser, reverse("learn_step", args=[match.key]), do="back").pk).version == 0


def test_without_scripts_the_page_says_the_step_and_has_its_moves(browser):
    match = at(browser, BEGIN)
    page = browser.get(match.get_absolute_url()).content.decode()
    assert "Step 1 of 6" in page
    assert "Be the first without cards." in page
    browser.post(reverse("match_move", args=[match.key]), {"move": "draw:stock", "v": "0"})
    assert "Step 2 of 6" in browser.get(match.get_absolute_url()).content.decode()


def test_the_first_lesson_that_is_not_done_is_the_one_of_the_game(browser, ada):
    Done.objects.create(user=ada, lesson="basic-rummy/turn")
    assert at(browser, reverse("learn_game", args=["basic-rummy"])).lesson_key == "basic-rummy/score"


def test_home_rules_and_practice_lead_to_the_lessons_of_their_game(browser, ada):
    assert at(browser, reverse("learn"), game="armani").lesson_key == "armani/slap"
    assert f'formaction="{reverse("learn")}"' in browser.get(reverse("home")).content.decode()
    for path, slug in (
        (reverse("rules_page", args=["armed"]), "armed"),
        (reverse("practice_slaps"), "armani"),
    ):
        assert f'action="{reverse("learn_game", args=[slug])}"' in browser.get(path).content.decode()


def test_the_menu_of_a_table_leads_to_the_lessons_of_its_game(browser, ada):
    match = service.open_table(ada, "armed", 2, {}, ai={1: "easy"}, is_public=False, clock="none")
    service.start(match, ada)
    assert f'href="{reverse("learn")}#armed"' in browser.get(match.get_absolute_url()).content.decode()
    assert 'id="armed"' in browser.get(reverse("learn")).content.decode()


def test_a_lesson_that_does_not_exist_is_not_found(browser):
    for path in (reverse("learn_begin", args=["basic-rummy", "cheating"]), reverse("learn_game", args=["whist"])):
        assert browser.post(path).status_code == 404


def test_a_lesson_of_an_older_release_leads_to_the_list(browser):
    match = at(browser, BEGIN)
    Match.objects.filter(pk=match.pk).update(lesson={**match.lesson, "key": "basic-rummy/gone"})
    assert browser.post(reverse("learn_step", args=[match.key]), {"do": "skip"}).url == reverse("learn")


def test_no_lesson_starts_while_new_matches_are_paused(browser, monkeypatch):
    def closed(*_args: object, **_kwargs: object) -> None:
        raise service.Refused("closed", "Not now.")

    monkeypatch.setattr(service, "begin_lesson", closed)
    assert browser.post(BEGIN).url == reverse("learn")


def test_lessons_are_in_german_for_german_players(browser):
    match = at(browser, BEGIN)
    page = browser.get(match.get_absolute_url(), headers={"accept-language": "de"}).content.decode()
    assert "Sei als Erster ohne Karten." in page


def test_a_finished_lesson_leads_to_the_next_one_of_its_game():
    turn, score, adding = rules.lessons("basic-rummy").values()
    assert (progress.after(turn), progress.after(score), progress.after(adding)) == (score, adding, None)
