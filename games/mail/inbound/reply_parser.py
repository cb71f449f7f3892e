"""What somebody wrote in answer to a turn mail: their own lines without what they quote, and the moves these name."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import lxml.html
from inscriptis import Inscriptis
from lxml.etree import ParserError
from mailparser_reply import EmailReplyParser
from mailparser_reply.constants import MAIL_LANGUAGES

from games.mail.moves import Numbered

#: How much of a mail is looked at, and how much of that once quotes are gone: an answer is one line. The parser of
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
_NUMBER = re.compile(r"(?:move|zug|no\.?|nr\.?|number|#|\()?\s*(\d{1,3})\s*[.)!:]*", re.IGNORECASE)
_ELSE = re.compile(r"\s*(?:,|;|\b)\s*(?:or\s+|oder\s+)?(?:else|otherwise|sonst)\b\s*:?\s*", re.IGNORECASE)
_SIGNATURE = re.compile(r"^(?:--|—|__+)\s*$")


@dataclass(frozen=True, slots=True)
class Answer:
    """The moves that an answer names, wished for most first; ``line`` is how it was written."""

    moves: Sequence[Numbered]
    line: str


class Unreadable(ValueError):
    """No line, or several different ones, that name a move."""


def text_of_html(markup: str) -> str:
    """The text of a mail that has only an HTML part, without what its markup says is quoted."""
    try:
        tree = lxml.html.document_fromstring(markup.replace("\0", ""))
    except (ParserError, ValueError):  # nothing in it, or nothing that could be read as HTML
        return ""
    for quoted in tree.xpath(_QUOTED_MARKUP):
        if quoted.getparent() is not None:
            quoted.drop_tree()
    return Inscriptis(tree).get_text()


def own_lines(text: str) -> list[str]:
    """The lines that the writer wrote themselves: no quoted mail, no signature, no blank ones; at most forty."""
    plain = unicodedata.normalize("NFKC", text[:_MOST_TEXT]).translate(_INVISIBLE)
    kept: list[str] = []
    for line in plain.splitlines():
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
    """The moves that ``text`` names, out of the numbered ``moves`` that its writer saw.

    One line must be nothing but an answer: "2", "2 else 4", "pass", or a move's own words. Of "2 else 4" the second
    is for when the first can't be played any more. Raises :class:`Unreadable` if no line is one, or if lines differ.
    """
    found: list[Answer] = []
    for line in own_lines(text):
        answer = _answer(line, moves)
        if answer is not None and answer.moves not in [other.moves for other in found]:
            found.append(answer)
    if len(found) != 1:
        raise Unreadable
    return found[0]


def _answer(line: str, moves: Sequence[Numbered]) -> Answer | None:
    wished = [_move(part, moves) for part in _ELSE.split(line)]
    chosen = [move for move in wished if move is not None]
    return Answer(chosen, line) if chosen and len(chosen) == len(wished) else None


def _move(words: str, moves: Sequence[Numbered]) -> Numbered | None:
    """The move that some words name: its number, what it is called, or how the game spells it."""
    if number := _NUMBER.fullmatch(words.strip()):
        return next((each for each in moves if each.number == int(number[1])), None)
    plain = _plain(words)
    named = [each for each in moves if plain and plain in (_plain(each.label), _plain(each.move))]
    return named[0] if len(named) == 1 else None


def _plain(words: str) -> str:
    """``words`` without what nobody should have to copy: case, articles, punctuation at the ends."""
    words = re.sub(r"\b(?:the|a|an)\b|:", " ", words.casefold())
    return " ".join(words.split()).strip(" .!\"'“”")
