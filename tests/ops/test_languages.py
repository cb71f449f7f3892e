"""German: the catalogue is complete, and people see the language they chose."""

import gettext
import html
import io
import json
import re
import string
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation.template import templatize

import games.rules
from accounts.languages import speaking_to
from games.matches import service
from games.realtime.consumer import language_of
from tests.factories.addresses import addresses, stay_logged_in

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "locale/de/LC_MESSAGES"
#: Translating functions, with the positions of context and texts in their arguments.
KEYWORDS = {
    f"{name}{suffix}": places
    for name, places in {
        "gettext": None,
        "ngettext": (1, 2),
        "pgettext": ((1, "c"), 2),
        "npgettext": ((1, "c"), 2, 3),
    }.items()
    for suffix in ("", "_lazy", "_noop")
} | {"_": None}
#: Texts that players never see, or see in English.
NOT_OURS = re.compile(r"/management/")
#: Occurs in every module and template that translates something.
TRANSLATES = re.compile(r"gettext|trans|\b_\s*\(")
PERCENT = re.compile(r"%\(\w+\)[sd]|</?\w[^>]*>")


@cache
def _catalogue():
    with (FOLDER / "django.po").open("rb") as file:
        return read_po(file, locale="de")


def _all(text) -> list[str]:
    return list(text) if isinstance(text, (tuple, list)) else [text]


def _fields(text: str) -> set[str]:
    try:
        braces = {name for _text, name, _spec, _how in string.Formatter().parse(text) if name is not None}
    except ValueError:
        braces = set()
    return {*PERCENT.findall(text), *braces}


@pytest.mark.source
def test_every_text_that_people_read_has_its_german() -> None:
    missing = [
        message.id
        for message in _catalogue()
        if message.id
        and not all(NOT_OURS.search(path) for path, _line in message.locations)
        and (message.fuzzy or not all(_all(message.string)))
    ]
    assert missing == []


@pytest.mark.source
def test_no_text_is_missing_in_the_catalogue() -> None:
    known = {(each.context, _all(each.id)[0]) for each in _catalogue()}
    texts = {text for path in _sources() if not NOT_OURS.search(path.as_posix()) for text in _texts_of(path)}
    assert sorted(texts - known, key=str) == []


@pytest.mark.source
def test_the_catalogue_has_no_text_that_nothing_shows() -> None:
    known = {(each.context, _all(each.id)[0]) for each in _catalogue() if each.id}
    texts = {text for path in _sources() for text in _texts_of(path)}
    # Texts within f-strings can't be found.
    within = {(None, text) for path in _sources() for text in re.findall(r"\b_\('([^']+)'\)", path.read_text())}
    assert sorted(known - texts - within, key=str) == []


def _sources() -> Iterator[Path]:
    for folder in ("accounts", "armani_site", "games", "templates"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".html", ".py", ".txt"}:
                yield path


@cache
def _texts_of(path: Path) -> Sequence[tuple[str | None, str]]:
    """The contexts and texts translated by a module or template."""
    source = path.read_text()
    if not TRANSLATES.search(source):
        return []
    if path.suffix != ".py":
        # Django turns a template into Python that text extraction can read, except for its indentation.
        source = "\n".join(line.strip() for line in templatize(source).splitlines())
    found = extract("python", io.BytesIO(source.encode()), KEYWORDS)
    return [(context, _all(text)[0]) for _line, text, _comments, context in found]


@pytest.mark.source
def test_a_translation_has_the_fields_of_its_text_and_no_others() -> None:
    def is_wrong(message: Message) -> bool:
        wished = _fields(_all(message.id)[-1])
        # A singular may omit its number.
        *singular, last = [_fields(text) for text in _all(message.string)]
        return last != wished or any(not fields <= wished for fields in singular)

    wrong = [each.id for each in _catalogue() if each.id and all(_all(each.string)) and is_wrong(each)]
    assert wrong == []


@pytest.mark.source
def test_the_compiled_catalogue_is_that_of_the_text() -> None:
    with (FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)

    def german(message: Message) -> str:
        first, last = _all(message.id)[0], _all(message.id)[-1]
        if message.context:
            return compiled.pgettext(message.context, first)
        return compiled.gettext(first) if isinstance(message.id, str) else compiled.ngettext(first, last, 2)

    written = [each for each in _catalogue() if each.id and all(_all(each.string))]
    assert [each.id for each in written if german(each) != _all(each.string)[-1]] == []


def test_options_have_words_that_can_be_translated() -> None:
    # In English, because an earlier request may have left its language behind.
    with translation.override("en"):
        for rules in games.rules.all():
            assert {option.name for option in rules.options} <= set(games.rules.presentation(rules.slug).option_names)


@pytest.mark.django_db
def test_a_browser_gets_its_own_language_unless_a_visitor_has_chosen_one(client: Client) -> None:
    german = {"accept-language": "de-AT,de;q=0.9,en;q=0.5"}
    assert "Tisch eröffnen" in client.get("/lobby/", headers=german).content.decode()
    answer = client.post(reverse("set_language"), {"language": "en", "next": "/lobby/"}, headers=german)
    assert answer.url == "/lobby/"
    page = client.get("/lobby/", headers=german).content.decode()
    assert '<html lang="en"' in page
    assert "Open a table" in page
    assert client.post(reverse("set_language"), {"language": "tlh", "next": "//evil.example/"}).url == "/"


@pytest.mark.django_db
def test_a_chosen_language_applies_to_the_users_other_browsers_and_emails(ada) -> None:
    here, there = Client(), Client()
    for browser in (here, there):
        browser.force_login(ada)
    here.post(reverse("set_language"), {"language": "de", "next": "/"})
    page = there.get(reverse("account_settings_look"))
    assert "Helligkeit" in page.content.decode()
    assert page.cookies["django_language"].value == "de"
    ada.refresh_from_db()
    with speaking_to(ada):
        assert translation.gettext("Your turn") == "Du bist an der Reihe"
    there.post(reverse("account_settings_look"), {"theme": "auto", "faces": "classic", "language": "en"})
    ada.refresh_from_db()
    assert ada.language == "en"


@pytest.mark.django_db
def test_log_and_refusals_are_in_the_language_of_each_reader(start_match, ada, ben) -> None:
    match = start_match("normal-cards", ada, ben)
    state = service.load(match.pk).state
    (seat,) = state.to_move()
    move, player = state.legal_moves(seat)[0], (ada, ben)[seat]
    service.act(match.pk, seat, move, request_id="1", seen_version=0, player=player)

    def log_in(language: str) -> str:
        page = Client().get(match.get_absolute_url(), headers={"accept-language": language}).content.decode()
        snapshot = json.loads(re.search(r'<script id="snapshot" type="application/json">(.*?)</script>', page)[1])
        return snapshot["log"][-1]["text"]

    assert " plays the " in log_in("en")
    assert " spielt " in log_in("de")
    with translation.override("de"), pytest.raises(service.Refused, match="Du bist nicht an der Reihe"):
        service.act(match.pk, seat, move, request_id="2", seen_version=1, player=player)


def test_a_socket_uses_its_pages_language() -> None:
    headers = [(b"accept-language", b"de")]
    assert language_of({"headers": headers}) == "de"
    assert language_of({"headers": headers, "cookies": {"django_language": "en"}}) == "en"
    assert language_of({}) == "en"


@pytest.mark.django_db
@pytest.mark.parametrize("game", games.rules.all(), ids=lambda game: game.slug)
def test_every_sentence_of_a_rules_page_is_german_for_germans(client: Client, game) -> None:
    def sentences(language: str) -> list[str]:
        address = reverse("rules_page", args=[game.slug])
        page = client.get(address, headers={"accept-language": language}).content.decode()
        article = page.partition("<article")[2].partition("</article>")[0]
        told = re.sub(r'<ul class="cards".*?</ul>', "", article, flags=re.DOTALL)
        found = re.findall(r"<(h[2-4]|p|li|dt|dd|figcaption|caption|th)\b[^>]*>(.*?)</\1>", told, re.DOTALL)
        return [" ".join(re.sub(r"<[^>]+>", " ", text).split()) for _tag, text in found]

    english, german = sentences("en"), sentences("de")
    assert len(english) == len(german) > 20
    # Single words may be the same in both languages, like an inventor's name.
    same = [each for each in english if each in german and re.search(r"[a-z] .*[a-z]", each)]
    assert [each for each in same if each != "Darren Dirt."] == []


@pytest.mark.django_db
def test_the_index_of_the_rules_is_german_for_germans(client: Client) -> None:
    assert "Hält dein Team die Wette" in client.get("/rules/", headers={"accept-language": "de"}).content.decode()


@pytest.mark.parametrize(
    ("language", "date", "time", "day"),
    [
        ("en", "23 Nov 2026", "23 Nov 2026, 18:05", "23 November"),
        ("de", "23. Nov. 2026", "23. Nov. 2026, 18:05", "23. November"),
    ],
)
def test_dates_are_written_as_in_the_language_of_the_page(language, date, time, day) -> None:
    at = datetime(2026, 11, 23, 18, 5, tzinfo=UTC)
    with translation.override(language):
        shown = [date_format(at, name) for name in ("DATE_FORMAT", "DATETIME_FORMAT", "MONTH_DAY_FORMAT")]
    assert shown == [date, time, day]


@pytest.mark.source
def test_no_page_fixes_how_a_day_is_written() -> None:
    fixed = re.compile(r"""\|date:["'][^"']*\b[jd]\b[^"']*["']""")
    # The mailbox and the file of personal data are for programs or engineers.
    own = {"mailbox.html", "export.html"}
    pages = [path for path in (ROOT / "templates").rglob("*") if path.suffix in {".html", ".txt"}]
    assert [path.name for path in pages if path.name not in own and fixed.search(path.read_text())] == []


@pytest.mark.django_db
def test_no_page_says_in_english_what_has_its_german(start_match, ada, ben) -> None:
    """Texts put together when a module is loaded are English for ever."""
    match = start_match("amagande", ada, ben)
    service.resign(match, ben)
    german = {_longest_part(each.id): each for each in _catalogue() if each.id and each.string != each.id}
    client = Client(headers={"accept-language": "de"})
    said = set()
    for address in addresses():
        stay_logged_in(client, ada)
        said.update(_words_of(client.get(address.path.replace("/match/x/", f"/match/{match.key}/"), follow=True)))
    whole = "\n".join(said)
    assert len(whole) > 100_000
    assert [text for text in german if len(text) > 25 and " " in text and text in whole] == []


def _longest_part(text: str | tuple[str, ...]) -> str:
    """Of a text with fields, what stands between two of them."""
    return max(re.split(r"%\(\w+\)[sd]|\{\w*\}|<[^>]+>|%%", _all(text)[0]), key=len).strip()


def _words_of(response: HttpResponse) -> list[str]:
    """What a page says, line by line: the same head and foot of all pages are counted once."""
    if "html" not in response.headers.get("Content-Type", ""):
        return []
    return html.unescape(response.content.decode()).splitlines()
