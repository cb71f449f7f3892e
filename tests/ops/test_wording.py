"""Plain words, as docs/glossary.md has them, in texts for players and in the documents."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from tests.factories.site_process import ROOT

#: What no text says, and what it says instead.
INSTEAD = {
    r"who(m?)ever": "the player who, any",
    r"somebody|anybody|nobody": "a player, no one; or say it to the reader",
    r"anew|once more$": "again",
    r"mend(ed)?": "fix, correct",
    r"dearest": "highest",
    r"(is|are) on turn": "it's ...'s turn",
    r"come in place": "finished",
    r"stand-ins?|stood in": "autoplay, substitute",
    r"e-mails?|(by|our|a|second|outgoing) mails?": "email",
    r"(for|after|in) so (many|long)": "this many, a long time",
    r"(line|lines) of talk": "chat message",
    r"deeds?": "move",
}


def texts() -> list[str]:
    with Path(ROOT / "locale/de/LC_MESSAGES/django.po").open("rb") as file:
        return [text for message in read_po(file) for text in (message.id if message.pluralizable else (message.id,))]


@pytest.mark.parametrize(("words", "instead"), INSTEAD.items())
def test_no_text_says_it_that_way(words, instead):
    pattern = re.compile(rf"\b({words})\b", re.IGNORECASE)
    assert [text for text in texts() if pattern.search(text)] == [], f"rather: {instead}"


def test_the_documents_name_who_acts():
    pattern = re.compile(r"\b(whoever|somebody|anybody|nobody|mend(ed)?|thereof)\b", re.IGNORECASE)
    documents = [
        ROOT / "README.md",
        *(file for file in Path(ROOT / "docs").rglob("*") if file.suffix in {".md", ".yml"}),
    ]
    assert [
        f"{file.relative_to(ROOT)}: {line}"
        for file in documents
        for line in file.read_text().splitlines()
        if pattern.search(line)
    ] == [], "rather: the player, visitor, moderator or operator"


def lines_of_code() -> Iterator[tuple[str, str]]:
    for package in ("accounts", "armani_site", "games"):
        for file in Path(ROOT / package).rglob("*.py"):
            if "migrations" not in file.parts:
                yield from ((str(file.relative_to(ROOT)), line) for line in file.read_text().splitlines())


def test_the_code_names_who_acts():
    pattern = re.compile(r"\b(whoever|somebody|anybody|mend(ed)?)\b", re.IGNORECASE)
    assert [f"{file}: {line}" for file, line in lines_of_code() if pattern.search(line)] == [], (
        "rather: the player, visitor, moderator, operator, process"
    )


def test_the_code_speaks_of_turns_and_values_as_players_do():
    pattern = re.compile(r"\bon turn\b|\bdearest\b|\b[Nn]obody('s)?\b(?! else\b)")
    packages = ("games/rules/", "games/ai/", "games/devtools/")
    assert [
        f"{file}: {line}" for file, line in lines_of_code() if file.startswith(packages) and pattern.search(line)
    ] == [], "rather: whose turn it is, most valuable, no player"
