"""Properties of every email of the site."""

import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.utils import translation

from accounts.email_style import WIDTH
from accounts.moderation.models import Sanction
from games.devtools.management.commands.write_emails import emails
from tests.factories.reading import grade, of_page, split

pytestmark = pytest.mark.django_db
#: Maximum grade of an email, and of one of its sentences (see ``tests/factories/reading.py``).
HARDEST, HARDEST_SENTENCE = 6, 8
#: Parts that don't make a sentence harder: addresses, times, and names of people, games and cards.
NAMES = re.compile(
    r"https?://\S+|\S+@\S+|\b\d\d? [JFMASOND][a-z]+( \d{4})?, \d\d:\d\d \(UTC\)|\b[A-Z][a-z]+day\b|"
    r"Ada Quill|Ben Marlow|Cleo Übel|Mo Winter|Rummy 500|Basic Rummy|Normal Cards|Ten-Skip Challenge|Amagande|"
    r"Avalanche|Armed|Armani|(black|red) joker|\w+ of (clubs|diamonds|hearts|spades)"
)
CATALOGUE = Path(__file__).resolve().parents[2] / "locale/de/LC_MESSAGES/django.po"


@pytest.fixture(autouse=True)
def _site(settings):
    settings.REPLY_ADDRESS = "turn+{}@play.example.org"


@cache
def english() -> dict[str, str]:
    """Sentences with several words whose German differs, without placeholders."""
    with CATALOGUE.open("rb") as file:
        catalogue = read_po(file, locale="de")
    plain = {each.id: each.string for each in catalogue if isinstance(each.id, str) and each.id}
    return {text: german for text, german in plain.items() if text.count(" ") >= 2 and not re.search(r"[{%<]", text)}


@cache
def written(language: str) -> list[tuple[str, str, str]]:
    """Every email in that language by name, as text and HTML, written once for all tests."""
    with translation.override(language):
        return list(emails(language))


def plain(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_emails_to_germans_are_german():
    assert len(written("de")) > 40
    for name, text, html in written("de"):
        assert '<html lang="de"' in html, name
        assert not re.search(r"\d\d? (January|November|December)", text), name
    said = "\n".join(plain(part) for _name, *parts in written("de") for part in parts)
    assert [each for each, german in english().items() if each in said and each not in german] == []


def test_every_email_is_dark_in_the_dark_and_has_lines_that_fit():
    for name, text, html in written("en"):
        assert '<html lang="en"' in html, name
        assert "prefers-color-scheme: dark" in html, name
        assert not re.search(r"<(img|script|iframe|link|form)|url\(|@import", html), name
        for line in text.splitlines():
            assert len(line) <= WIDTH or "http" in line, (name, line)
        assert not re.search(r"\b(mails?|e-mail)\b", plain(re.sub(r"http\S+", "", text))), name
    assert {"turn-reminder", "digest", "receipt-played", "match-replaced", "account-farewell"} <= {
        name for name, _text, _html in written("en")
    }


def test_every_email_is_easy_to_read():
    for name, text, html in written("en"):
        paragraphs = re.split(r"\n\s*\n|\n(?=[-•\d])", NAMES.sub("Bo", text))
        sentences = [each for part in paragraphs for each in split(part) if re.search(r"[.!?:]$", each)]
        assert grade(of_page(re.sub(r"<head>.*?</head>", "", html, flags=re.DOTALL))) <= HARDEST, name
        assert grade(sentences) <= HARDEST, name
        assert [each for each in sentences if grade([each]) > HARDEST_SENTENCE] == [], name
    moderators_write = (*Sanction.Kind, "reminder", "question", "answer", "appeal", "taken-back")
    names = {name for name, _text, _html in written("en")}
    assert {f"moderation-{what}" for what in moderators_write} <= names
    assert {"lobby-closing", "lobby-invitation", "account-works"} <= names
