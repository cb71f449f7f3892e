"""Parse the answer to a turn email: the player's own lines without quotes, and the moves they name."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import lxml.html
from inscriptis import Inscriptis
from lxml.etree import ParserError
from mailparser_reply import EmailReplyParser
from mailparser_reply.constants import MAIL_LANGUAGES

from games.mail.moves import Numbered

#: How much of an email is looked at, and how much of that once quotes are gone: an answer is one line. The parser of
#: replies takes minutes for tens of thousands of blank lines, so it never gets them.
_MOST_TEXT = 100_000
_MOST_LINES = 40
_LONGEST_LINE = 200
#: Marks of byte order and widths of nothing, which mail programs leave anywhere.
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
_parser = EmailReplyParser(languages=list(MAIL_LANGUAGES))

#: Quotes stand in blockquotes, or under the marks of Gmail and of Outlook.
_QUOTED_MARKUP = (
    "//blockquote | //*[contains(@class, 'gmail_quote')] | //*[@id='divRplyFwdMsg' or @id='appendonsend']"
    " | //*[@id='divRplyFwdMsg' or @id='appendonsend']/following-sibling::*"
)
_NUMBER = re.compile(r"(?:(?:move|zug|option|choice|wahl|nummer|number|no|nr|#|\()\.?\s*)*(\d{1,3})\s*[.)!:]*")
_ELSE = re.compile(r"\s*(?:,|;|\b)\s*(?:or\s+|oder\s+)?(?:else|otherwise|sonst)\b\s*:?\s*", re.IGNORECASE)
_THEN = re.compile(r"\s*(?:;|,?\s*\b(?:(?:and|und)\s+)?(?:then|dann|danach)\b)\s*:?\s*", re.IGNORECASE)
#: What people write round an answer, and how they write small numbers.
_POLITE = re.compile(
    r"\b(?:please|pls|thanks|thank you|thx|cheers|ok|okay|bitte|danke(?: schön)?|i(?:'ll)? choose|ich wähle)\b",
    re.IGNORECASE,
)
_ENGLISH = "zero one two three four five six seven eight nine ten eleven twelve"
_GERMAN = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
_DIGITS = {word: str(number) for words in (_ENGLISH, _GERMAN) for number, word in enumerate(words.split())}
#: Words that mean the same card piles, each with the one that our texts use.
_SAME = {"deck": "stock", "stapel": "talon", "nachziehstapel": "talon", "ablagestapel": "ablage", "meldung": "auslage"}
_SAME_WORDS = re.compile(rf"\b(?:{'|'.join(_SAME)})\b")
_PLAN = re.compile(r"plan\s*:", re.IGNORECASE)
_SIGNATURE = re.compile(r"^(?:--|—|__+)\s*$")


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer wishes: step by step, and of each step what is wished for most first.

    The first step names ``moves`` that its writer saw. The others are for when it is played, in the writer's words.
    """

    moves: Sequence[Numbered]
    later: Sequence[Sequence[str]] = ()


class Unreadable(ValueError):
    """No line names a move, or several different ones do; ``number`` is one that the list does not have."""

    def __init__(self, number: int | None = None) -> None:
        super().__init__()
        self.number = number


def text_of_html(markup: str) -> str:
    """The text of an email that has only an HTML part, without what its markup says is quoted."""
    try:
        tree = lxml.html.document_fromstring(markup.replace("\0", ""))
        for quoted in tree.xpath(_QUOTED_MARKUP):
            if quoted.getparent() is not None:
                quoted.drop_tree()
        return Inscriptis(tree).get_text()
    except (ParserError, ValueError, RecursionError):  # nothing in it, or nothing that could be read as HTML
        return ""


def own_lines(text: str) -> list[str]:
    """The lines that the writer wrote themselves: no quoted email, no signature, no blank ones; at most forty."""
    kept: list[str] = []
    for line in text[:_MOST_TEXT].splitlines():
        # One line after the other: putting long rows of marks into order takes long.
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
    """What ``text`` wishes, out of the numbered ``moves`` that its writer saw.

    One line must be nothing but an answer: "2", "2 else 4", "pass", or a move's own words, and after it, if the turn
    goes on, what then: "1; discard KS", "draw, then 4". Of "2 else 4" the second is for when the first can't be played
    any more. Raises :class:`Unreadable` if no line is one, or if lines differ.
    """
    found: list[Answer] = []
    beyond: int | None = None
    called = _called(moves)
    for line in own_lines(text):
        first, *later = [_ELSE.split(step) for step in _steps(line)]
        wished = [_move(words, called) for words in first]
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
    """The moves of a later step that are possible now, wished for most first; none if any is in no words of ours."""
    called = _called(moves)
    return [move for each in words if (move := _move(each, called)) is not None]


def plan_steps(text: str) -> list[str]:
    """The steps of the first line that is a plan for later turns ("plan: 3; discard KS"), in the writer's words."""
    for line in own_lines(text):
        if plan := _PLAN.match(line):
            return [step.strip(" .,!") for step in _THEN.split(line[plan.end() :]) if step.strip(" .,!")]
    return []


def _steps(line: str) -> list[str]:
    # "else" may follow a semicolon, which then parts no steps.
    whole = _ELSE.sub(" else ", line)
    return [step for step in _THEN.split(whole) if step.strip(" .,!")] or [whole]


class _Called(NamedTuple):
    """A move, what it is called and its code, both plain: worked out once, however many words are held against it."""

    move: Numbered
    label: str
    code: str


def _called(moves: Sequence[Numbered]) -> Sequence[_Called]:
    return [_Called(each, _plain(each.label), _plain(each.move)) for each in moves]


def _move(words: str, moves: Sequence[_Called]) -> Numbered | None:
    """The move that some words name: its number, what it is called, what only it begins with, or its code."""
    number = _number(words)
    if number is not None:
        return next((each.move for each in moves if each.move.number == number), None)
    plain = _plain(words)
    if not plain:
        return None
    named = [each.move for each in moves if plain in (each.label, each.code)]
    begun = named or [each.move for each in moves if f"{each.label} ".startswith(f"{plain} ")]
    return begun[0] if len(begun) == 1 else None


def _number(words: str) -> int | None:
    before, space, last = _plain(words).rpartition(" ")
    found = _NUMBER.fullmatch(f"{before}{space}{_DIGITS.get(last, last)}")
    return int(found[1]) if found else None


def _plain(words: str) -> str:
    """``words`` without what players needn't copy: case, articles, thanks, marks, pictures, the name of a pile."""
    words = _POLITE.sub(" ", _spoken(words).casefold())
    words = re.sub(r"\b(?:the|a|an)\b|[:×]", " ", words)
    words = _SAME_WORDS.sub(lambda found: _SAME[found[0]], words)
    return " ".join(words.split()).strip(" .,!?")


def _spoken(words: str) -> str:
    """``words`` without quotation marks, stars of emphasis, and pictures."""
    return "".join(
        " " if char in "\"*_`“”„‚‘’«»'" or unicodedata.category(char) in ("So", "Sk", "Me", "Mn", "Co", "Cs") else char
        for char in words
    )
