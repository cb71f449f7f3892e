"""Parse the answer to a turn email: the player's own lines without quotes, and the moves they name."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import lxml.html
from inscriptis import Inscriptis
from lxml.etree import ParserError
from mailparser_reply import EmailReplyParser
from mailparser_reply.constants import MAIL_LANGUAGES

from games.mail.moves import Numbered

#: How much of an email is read, and how much without quotes: an answer is one line. The reply parser takes minutes for
#: tens of thousands of blank lines, so they are removed first.
_MOST_TEXT = 100_000
_MOST_LINES = 40
_LONGEST_LINE = 200
#: Byte order marks and zero-width characters, which mail programs leave anywhere.
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
_parser = EmailReplyParser(languages=list(MAIL_LANGUAGES))

#: Quotes are in blockquotes, or under the marks of Gmail and Outlook.
_QUOTED_MARKUP = (
    "//blockquote | //*[contains(@class, 'gmail_quote')] | //*[@id='divRplyFwdMsg' or @id='appendonsend']"
    " | //*[@id='divRplyFwdMsg' or @id='appendonsend']/following-sibling::*"
)
_NUMBER = re.compile(r"(?:(?:move|zug|option|choice|wahl|nummer|number|no|nr|#|\()\.?\s*)*(\d{1,3})\s*[.)!:]*")
_ELSE = re.compile(r"\s*(?:,|;|\b)\s*(?:or\s+|oder\s+)?(?:else|otherwise|sonst)\b\s*:?\s*", re.IGNORECASE)
_THEN = re.compile(r"\s*(?:;|,?\s*\b(?:(?:and|und)\s+)?(?:then|dann|danach)\b)\s*:?\s*", re.IGNORECASE)
#: What people write around an answer, and their forms of small numbers.
_POLITE = re.compile(
    r"\b(?:please|pls|thanks|thank you|thx|cheers|ok|okay|bitte|danke(?: schön)?|i(?:'ll)? choose|ich wähle)\b",
    re.IGNORECASE,
)
_ENGLISH = "zero one two three four five six seven eight nine ten eleven twelve"
_GERMAN = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
_DIGITS = {word: str(number) for words in (_ENGLISH, _GERMAN) for number, word in enumerate(words.split())}
#: Words for the same piles, each with the one in our texts.
_SAME = {"deck": "stock", "stapel": "talon", "nachziehstapel": "talon", "ablagestapel": "ablage", "meldung": "auslage"}
_SAME_WORDS = re.compile(rf"\b(?:{'|'.join(_SAME)})\b")
_PLAN = re.compile(r"plan\s*:", re.IGNORECASE)
_SIGNATURE = re.compile(r"^(?:--|—|__+)\s*$")


@dataclass(frozen=True, slots=True)
class Answer:
    """The moves of an answer, step by step, alternatives in order of preference.

    The first step consists of ``moves`` that the writer saw. The others are in the writer's words and apply once it is
    played.
    """

    moves: Sequence[Numbered]
    later: Sequence[Sequence[str]] = ()


class Unreadable(ValueError):
    """No line names a move, or lines contradict each other; ``number`` is one that isn't on the list."""

    def __init__(self, number: int | None = None) -> None:
        super().__init__()
        self.number = number


def text_of_html(markup: str) -> str:
    """The text of an HTML-only email, without quotes marked up as such."""
    try:
        tree = lxml.html.document_fromstring(markup.replace("\0", ""))
        for quoted in tree.xpath(_QUOTED_MARKUP):
            if quoted.getparent() is not None:
                quoted.drop_tree()
        return Inscriptis(tree).get_text()
    except (ParserError, ValueError, RecursionError):  # empty, or not readable as HTML
        return ""


def own_lines(text: str) -> list[str]:
    """The lines written by the sender: no quotes, signature or blank lines; at most forty."""
    kept: list[str] = []
    for line in text[:_MOST_TEXT].splitlines():
        # One line at a time: sorting long runs of combining marks takes long.
        line = unicodedata.normalize("NFKC", line.strip()[:_LONGEST_LINE]).translate(_INVISIBLE)
        is_quoted = line.lstrip().startswith((">", "|"))
        if not is_quoted and (line.strip() or (kept and kept[-1])):
            kept.append(line.strip()[:_LONGEST_LINE])
        if len(kept) == _MOST_LINES:
            break
    lines: list[str] = []
    for reply in _parser.read("\n".join(kept)).replies:
        lines = _unsigned(reply.body or "")
        if lines:
            break
    return lines


def _unsigned(body: str) -> list[str]:
    lines = []
    for line in body.split("\n"):
        if _SIGNATURE.match(line):
            break
        if line.strip():
            lines.append(" ".join(line.split()))
    return lines


def read(text: str, moves: Sequence[Numbered]) -> Answer:
    """Parse the answer in ``text`` with the numbered ``moves`` that its writer saw.

    One line must be nothing but an answer: "2", "2 else 4", "pass", or a move's own words, optionally followed by the
    next moves if the turn goes on: "1; discard KS", "draw, then 4". In "2 else 4", the second is used if the first is
    no longer legal. Raises :class:`Unreadable` if no line is an answer, or if lines differ.
    """
    found: list[Answer] = []
    beyond: int | None = None
    possible = _Moves(moves)
    for line in own_lines(text):
        first, *later = [_ELSE.split(step) for step in _steps(line)]
        wished = [_move(words, possible) for words in first]
        if None not in wished:
            answer = Answer([each for each in wished if each is not None], later)
            if answer not in found:
                found.append(answer)
        elif len(first) == 1 and (number := _number(first[0])) is not None:
            beyond = number
    if len(found) != 1:
        raise Unreadable(None if found else beyond)
    return found[0]


def wished(words: Sequence[str], moves: Sequence[Numbered]) -> list[Numbered]:
    """The currently legal moves of a later step, preferred first; none if any of its words is unknown."""
    possible = _Moves(moves)
    return [move for each in words if (move := _move(each, possible)) is not None]


def plan_steps(text: str) -> list[str]:
    """The steps of the first line with a plan ("plan: 3; discard KS"), in the writer's words."""
    for line in own_lines(text):
        if plan := _PLAN.match(line):
            return [step.strip(" .,!") for step in _THEN.split(line[plan.end() :]) if step.strip(" .,!")]
    return []


def _steps(line: str) -> list[str]:
    # "else" may follow a semicolon, which then doesn't separate steps.
    whole = _ELSE.sub(" else ", line)
    return [step for step in _THEN.split(whole) if step.strip(" .,!")] or [whole]


class _Called(NamedTuple):
    """A move with its plain name and code."""

    move: Numbered
    label: str
    code: str


class _Moves:
    """Moves that an answer may name: by number, or by what they are called."""

    def __init__(self, numbered: Sequence[Numbered]) -> None:
        self.numbered = numbered

    @cached_property
    def called(self) -> Sequence[_Called]:
        """What they are called, computed once for all comparisons, and not for numbers, which most answers are."""
        return [_Called(each, _plain(each.label), _plain(each.move)) for each in self.numbered]


def _move(words: str, moves: _Moves) -> Numbered | None:
    """The move that some words name: by number, name, unique beginning, or code."""
    number = _number(words)
    if number is not None:
        return next((each for each in moves.numbered if each.number == number), None)
    plain = _plain(words)
    if not plain:
        return None
    named = [each.move for each in moves.called if plain in (each.label, each.code)]
    begun = named or [each.move for each in moves.called if f"{each.label} ".startswith(f"{plain} ")]
    return begun[0] if len(begun) == 1 else None


def _number(words: str) -> int | None:
    before, space, last = _plain(words).rpartition(" ")
    found = _NUMBER.fullmatch(f"{before}{space}{_DIGITS.get(last, last)}")
    return int(found[1]) if found else None


def _plain(words: str) -> str:
    """``words`` without what players needn't copy: case, articles, thanks, marks, pictures, pile names."""
    words = _POLITE.sub(" ", _spoken(words).casefold())
    words = re.sub(r"\b(?:the|a|an)\b|[:×]", " ", words)
    words = _SAME_WORDS.sub(lambda found: _SAME[found[0]], words)
    return " ".join(words.split()).strip(" .,!?")


def _spoken(words: str) -> str:
    """``words`` without quotation marks, emphasis asterisks and pictures."""
    return "".join(
        " " if char in "\"*_`“”„‚‘’«»'" or unicodedata.category(char) in ("So", "Sk", "Me", "Mn", "Co", "Cs") else char
        for char in words
    )
