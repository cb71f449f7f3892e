"""Pages are easy to read: short sentences with short words, and buttons that fit on a phone."""

import re

import pytest
from django.urls import reverse

from accounts.settings_sections import SECTIONS
from games import rules
from tests.factories.reading import grade, of_page
from tests.factories.site_process import ROOT

pytestmark = pytest.mark.django_db
#: The maximum Flesch–Kincaid grade: a child of twelve is in the sixth year of school.
HARDEST = 6
#: Characters that fit into one line of a button on a phone of 360 pixels.
LONGEST_BUTTON = 30
PAGES = ["home", "lobby", "privacy", "account_login", "account_signup", "rules_index", "ai_players"]
BUTTON = re.compile(r'<(?:button\b|a class="button)[^>]*>\s*\{% translate "([^"]+)" %\}')


@pytest.mark.parametrize("name", PAGES)
def test_the_main_pages_are_easy_to_read(client, name):
    assert grade(of_page(client.get(reverse(name)).content.decode())) <= HARDEST


@pytest.mark.parametrize("name", ["account_settings", "account_delete", *(each.url_name for each in SECTIONS)])
def test_the_settings_are_easy_to_read(client, ada, name):
    client.force_login(ada)
    assert grade(of_page(client.get(reverse(name)).content.decode())) <= HARDEST


@pytest.mark.parametrize("game", rules.all(), ids=lambda game: game.slug)
def test_the_short_rules_are_easy_to_read(client, game):
    page = client.get(reverse("rules_page", args=[game.slug])).content.decode()
    assert grade(of_page(page.partition('id="all-rules"')[0])) <= HARDEST
    assert grade(of_page(page)) <= HARDEST


@pytest.mark.source
def test_the_text_of_every_button_fits_on_a_phone():
    said = {text for path in (ROOT / "templates").rglob("*.html") for text in BUTTON.findall(path.read_text())}
    assert len(said) > 80
    assert {text for text in said if len(text) > LONGEST_BUTTON} == set()
