"""Pages are read without effort: short sentences of short words, and buttons that fit on a phone."""

import html
import re

import pyphen
import pytest
from django.urls import reverse

from games import rules
from tests.factories.site_process import ROOT

pytestmark = pytest.mark.django_db
HYPHENS = pyphen.Pyphen(lang="en_US")
#: School years that it takes to read a text easily (Flesch and Kincaid): a child of twelve is in the sixth.
HARDEST = 6
#: Characters of a button: what a phone of 360 pixels shows in one line beside its margins.
LONGEST_BUTTON = 30
PAGES = ["home", "lobby", "privacy", "account_login", "account_signup", "rules_index", "ai_players"]
#: Where one sentence ends though no full stop says so.
BLOCK = re.compile(
    r"</?(?:address|article|aside|button|caption|dd|div|dt|fieldset|figcaption|h\d|label|li|main|nav|ol|"
    r"option|p|section|summary|td|th|tr|ul)\b[^>]*>"
)
BUTTON = re.compile(r'<(?:button\b|a class="button)[^>]*>\s*\{% translate "([^"]+)" %\}')


def grade(sentences: list[str]) -> float:
    """The Flesch–Kincaid grade of sentences; single words and short labels are none."""
    words = [re.findall(r"[A-Za-z’']+", sentence) for sentence in sentences]
    told = [each for each in words if len(each) > 3]
    if not told:
        return 0
    count = sum(map(len, told))
    syllables = sum(len(HYPHENS.positions(word)) + 1 for each in told for word in each)
    return 0.39 * count / len(told) + 11.8 * syllables / count - 15.59


def of_page(markup: str) -> list[str]:
    main = markup.partition("<main")[2].partition("</main>")[0] or markup
    plain = re.sub(r"<(script|style|svg|template)\b.*?</\1>", " ", main, flags=re.DOTALL)
    parts = re.sub(r"<[^>]+>", " ", BLOCK.sub("\n\n", plain)).split("\n\n")
    return [sentence for part in parts for sentence in split(html.unescape(part))]


def split(part: str) -> list[str]:
    return re.split(r"(?<=[.!?:])\s+", " ".join(part.split()))


@pytest.mark.parametrize("name", PAGES)
def test_the_main_pages_are_easy_to_read(client, name):
    assert grade(of_page(client.get(reverse(name)).content.decode())) <= HARDEST


@pytest.mark.parametrize("game", rules.all(), ids=lambda game: game.slug)
def test_the_short_rules_are_easy_to_read(client, game):
    page = client.get(reverse("rules_page", args=[game.slug])).content.decode()
    assert grade(of_page(page.partition('id="all-rules"')[0])) <= HARDEST
    assert grade(of_page(page)) <= HARDEST


def test_what_a_button_says_fits_on_a_phone():
    said = {text for path in (ROOT / "templates").rglob("*.html") for text in BUTTON.findall(path.read_text())}
    assert len(said) > 80
    assert {text for text in said if len(text) > LONGEST_BUTTON} == set()
