"""What holds for every email of the site, whatever it is about."""

import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.utils import translation

from accounts.email_style import WIDTH
from games.devtools.management.commands.write_emails import emails

pytestmark = pytest.mark.django_db
CATALOGUE = Path(__file__).resolve().parents[2] / "locale/de/LC_MESSAGES/django.po"


@pytest.fixture(autouse=True)
def _site(settings):
    settings.REPLY_ADDRESS = "turn+{}@play.example.org"


@cache
def english() -> dict[str, str]:
    """Sentences of some words that are others in German, without their places for names."""
    with CATALOGUE.open("rb") as file:
        catalogue = read_po(file, locale="de")
    plain = {each.id: each.string for each in catalogue if isinstance(each.id, str) and each.id}
    return {text: german for text, german in plain.items() if text.count(" ") >= 2 and not re.search(r"[{%<]", text)}


def plain(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_emails_to_germans_are_german():
    with translation.override("de"):
        written = list(emails("de"))
    assert len(written) > 35
    for name, text, html in written:
        assert '<html lang="de"' in html, name
        for part in (plain(text), plain(html)):
            said = [each for each, german in english().items() if each in part and each not in german]
            assert said == [], name
        assert not re.search(r"\d\d? (January|November|December)", text), name


def test_every_email_is_dark_in_the_dark_and_has_lines_that_fit():
    with translation.override("en"):
        written = list(emails("en"))
    for name, text, html in written:
        assert '<html lang="en"' in html, name
        assert "prefers-color-scheme: dark" in html, name
        assert not re.search(r"<(img|script|iframe|link|form)|url\(|@import", html), name
        for line in text.splitlines():
            assert len(line) <= WIDTH or "http" in line, (name, line)
        assert not re.search(r"\b(mails?|e-mail)\b", plain(re.sub(r"http\S+", "", text))), name
    assert {"turn-reminder", "digest", "receipt-played", "match-replaced", "account-farewell"} <= {
        name for name, _text, _html in written
    }
