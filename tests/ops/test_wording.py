"""Plain words, as in docs/glossary.md: in texts for players, documents, docstrings and comments."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from tests.factories.site_process import ROOT
from tests.structure import nodes_of

pytestmark = pytest.mark.source

#: Forbidden words in texts, with replacements.
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
    r"log-?ins? (in|to)|log-in|log-out|sign in": "log in, log out, login",
    r"no more of|not any more of|by us neither": "any more",
    r"such (as are|that are)|those who|thereof|of theirs": "players who, their",
    r"take(s|n)? (it|them|this) along|goes? along": "download, include, keep",
    r"what (strikes|is to be done)|strikes": "stands out, to do",
    r"(is|are) told of": "we tell",
    r"cannot|(do|does|did|is|are|was|will) not": "a contraction",
    r"(?<![\w)] )(there is|it is|you are|we are|that is)": "a contraction",
    # Emails take “lay:” as a move.
    r"lays?(?! off|:)|laid|laying": "play, put, meld",
    r"weekend rests?|(?<!%\()excused?": "weekend off, extension",
}
#: Forbidden words in documents, docstrings and comments, with replacements.
WRITTEN_INSTEAD = {
    r"canar(y|ies)": "alarm",
    r"who(m?)ever|somebody|anybody|nobody('s)?|everybody('s)?": "the player, visitor, process; everyone, no one",
    r"mend(ed)?|thereof": "fix, correct",
    r"anew": "again",
    r"log-ins?|log-out": "login, log in, logout",
    r"e-mails?": "email",
    r"on turn|dearest": "whose turn it is, most valuable",
    r"for want of|it is to be seen|is to be had|are to be had|gone about|at one's wish": "say who does what",
    r"waking hours": "playing times",
    r"(line|lines) of talk": "chat message",
    r"by whom|to whom it|about which nothing": "turn the sentence round",
    r"told of|(hear|hears|heard) of|tells of": "notified of, notices, reports",
    r"(take|takes|taken|took) up(?! to)": "process, handle",
    r"go(es)? on with|gone on with|reckons?": "continue, expect",
    r"(it|that) is to be|are to be|be had|(get|got) rid of|laid aside|put away": "say who does it; set aside, dismiss",
    r"what (became|becomes) of|comes? of it": "what happened to, the result",
    r"one's own|of theirs|at one's|for who (has|is)": "the player's own, their",
    r"in earnest|at the most|for so long|so many times": "really, at most, how long",
    r"what strikes|that strikes|strikes in": "stands out",
    r"nought|amid": "zero, during",
}
#: A string, or a comment as its only group; Python's own tokenizer takes ten times as long.
COMMENT = re.compile(r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(#[^\n]*)', re.DOTALL)
#: Maximum characters of a refusal or a message after a press: two lines on a phone.
LONGEST_NOTICE = 125


@cache
def texts() -> list[str]:
    with Path(ROOT / "locale/de/LC_MESSAGES/django.po").open("rb") as file:
        return [text for message in read_po(file) for text in (message.id if message.pluralizable else (message.id,))]


@pytest.mark.parametrize(("words", "instead"), INSTEAD.items())
def test_no_text_uses_a_forbidden_wording(words, instead):
    pattern = re.compile(rf"\b({words})(?!\w)", re.IGNORECASE)
    assert [text for text in texts() if pattern.search(text)] == [], f"rather: {instead}"


def test_no_statement_begins_with_who():
    assert [text for text in texts() if re.match(r"(Who|Whom|Whose) [^?]*[.!]$", text)] == [], "say it to the reader"


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from (file for file in Path(ROOT / folder).rglob("*.py") if "migrations" not in file.parts)


def assets() -> Iterator[Path]:
    for folder, ends in (("static/css", "css"), ("static/js", "js"), ("tests/js", "js"), ("types", "ts")):
        yield from (ROOT / folder).rglob(f"*.{ends}")


def comments(file: Path) -> Iterator[str]:
    """The comments of a script or style sheet, without the types in them."""
    for comment in re.findall(r"/\*.*?\*/|(?<![:\"'`\\])//[^\n]*", file.read_text(), re.DOTALL):
        yield re.sub(r"\{.*?\}", "", comment)


def prose(file: Path) -> Iterator[str]:
    """The docstrings and comments of a module."""
    for node in nodes_of(file):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
    yield from (comment for comment in COMMENT.findall(file.read_text()) if comment)


@pytest.fixture(scope="module")
def written() -> list[tuple[str, str]]:
    documents = [
        ROOT / "README.md",
        ROOT / ".env.example",
        *(f for f in Path(ROOT / "docs").rglob("*") if f.suffix in {".md", ".yml"}),
    ]
    modules = [file for file in sources("accounts", "armani_site", "games", "tests") if file != Path(__file__)]
    return [
        *((str(f.relative_to(ROOT)), line) for f in documents for line in f.read_text().splitlines()),
        *((str(f.relative_to(ROOT)), line) for f in modules for part in prose(f) for line in part.splitlines()),
        *((str(f.relative_to(ROOT)), line) for f in assets() for part in comments(f) for line in part.splitlines()),
    ]


@pytest.mark.parametrize(("words", "instead"), WRITTEN_INSTEAD.items())
def test_documents_docstrings_and_comments_use_no_forbidden_wording(written, words, instead):
    pattern = re.compile(rf"\b({words})\b", re.IGNORECASE)
    glossary = re.compile(r"^\|[^|]*\|[^|]*\|.*\|$")  # its third column lists the words to avoid
    assert [
        f"{file}: {line}"
        for file, line in written
        if pattern.search(line) and not (file == "docs/glossary.md" and glossary.match(line))
    ] == [], f"rather: {instead}"


def notices() -> Iterator[str]:
    """The texts of refusals and of messages after a press."""
    for file in sources("accounts", "games"):
        for node in nodes_of(file):
            call = node.exc if isinstance(node, ast.Raise) else node
            if not isinstance(call, ast.Call):
                continue
            if isinstance(node, ast.Raise) or ast.unparse(call.func).startswith("messages."):
                for inner in ast.walk(call):
                    if isinstance(inner, ast.Call) and ast.unparse(inner.func) in {"_", "gettext", "gettext_lazy"}:
                        yield from (arg.value for arg in inner.args if isinstance(arg, ast.Constant))


def test_refusals_and_notices_are_short():
    said = set(notices())
    assert len(said) > 150
    assert {text for text in said if len(text) > LONGEST_NOTICE} == set()
