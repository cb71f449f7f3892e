"""Display names: which are allowed, when two are the same, and when they look alike."""

import re
import unicodedata
from functools import cache
from pathlib import Path

from confusable_homoglyphs.confusables import confusables_data
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

MIN_LENGTH = 2
MAX_LENGTH = 24
_PUNCTUATION = frozenset(" -_.")
#: Letters and marks, by category, that no screen shows (Unicode's Default_Ignorable_Code_Point).
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
#: Alphabets with similar letters; a name may use only one of them.
_LOOKALIKES = ("LATIN", "CYRILLIC", "GREEK")
_MARKS_IN_A_ROW = 2
#: Text that mail programs turn into a link: a full stop between a letter or digit and at least two letters.
_ADDRESS = re.compile(r"\w\.[^\W\d_]{2}")
#: Letters and digits that look alike in some typeface, once letters are lower-cased.
_ALIKE = str.maketrans({"0": "o", "1": "l", "i": "l"})
_PAIRS = (("rn", "m"), ("vv", "w"))
#: Words that would make a name look like one of the site's own, anywhere in the name.
_RESERVED = (
    "admin administrator armani bot deleted former host mod moderator moderators official operator root staff support"
    " system webmaster"
)


def composed(name: str) -> str:
    """The name in stored form: compatibility forms composed (NFKC), single spaces, trimmed."""
    return " ".join(part for part in unicodedata.normalize("NFKC", name).split(" ") if part)


def key(name: str) -> str:
    """The key of a name: equal for two names that count as the same."""
    return unicodedata.normalize("NFKC", composed(name).casefold())


def validate(name: str) -> None:
    """Raise ``ValidationError`` unless the name may be shown to others.

    Letters of any one alphabet, their marks, digits, and space, hyphen, underscore and full stop between them.
    """
    if not MIN_LENGTH <= len(name) <= MAX_LENGTH:
        raise ValidationError(
            _("Use %(least)d to %(most)d characters."),
            code="length",
            params={"least": MIN_LENGTH, "most": MAX_LENGTH},
        )
    marks = 0
    for character in name:
        category = unicodedata.category(character)
        marks = marks + 1 if category[0] == "M" else 0
        allowed = category[0] in "LM" or category == "Nd" or character in _PUNCTUATION
        if not allowed or character in _INVISIBLE or marks > _MARKS_IN_A_ROW:
            raise ValidationError(
                _("Use only letters, digits, spaces, hyphens, underscores and full stops."), code="characters"
            )
    if not name[0].isalnum():
        raise ValidationError(_("Start the name with a letter or a digit."), code="beginning")
    if name != composed(name):
        raise ValidationError(_("Use single spaces, and none at the start or end."), code="spaces")
    if _ADDRESS.search(name):
        raise ValidationError(
            _("Put a space after the full stop, or the name looks like a web address."), code="address"
        )
    alphabets = {unicodedata.name(character, "").split(" ")[0] for character in name if character.isalpha()}
    if len(alphabets.intersection(_LOOKALIKES)) > 1:
        raise ValidationError(_("Use letters from one alphabet only."), code="alphabets")


def look(name: str) -> str:
    """The look of a name: equal for two names that look alike, by shape and without marks and separators.

    "Ada", "A-d-a", "Adá" and "Аԁа" in Cyrillic look the same, and so do "Bill" and "B1II".
    """
    shapes = "".join(_shape(character) for character in unicodedata.normalize("NFKD", composed(name)))
    folded = shapes.casefold().translate(_ALIKE)
    for pair, single in _PAIRS:
        folded = folded.replace(pair, single)
    return folded


@cache
def _shape(character: str) -> str:
    """The Latin letter or digit that a letter looks like, nothing for marks and separators, or else the letter."""
    if not character.isalnum():
        return ""
    if character.isascii():
        return character
    twins = (twin["c"] for twin in confusables_data.get(character, ()))
    return next((twin for twin in twins if twin.isascii() and twin.isalnum() and len(twin) == 1), character)


def refuse_word(name: str) -> None:
    """Raise ``ValidationError`` if the name contains a reserved word or an insult.

    Reserved words are compared word by word. So are insults, except plain ones, which are found anywhere, and in
    letters spelt apart. Moderators deal with what slips through.
    """
    words = {look(word) for word in "".join(c if c.isalnum() else " " for c in name).split()}
    whole = look(name)
    if (words | {whole}) & _looks(_RESERVED):
        raise ValidationError(_("This name is reserved."), code="reserved")
    exact, anywhere = _insults()
    if (words | {whole}) & exact or any(word in whole for word in anywhere):
        raise ValidationError(_("Please choose a name that doesn't insult anyone."), code="insult")


@cache
def _looks(words: str) -> frozenset[str]:
    return frozenset(look(word) for word in words.split())


@cache
def _insults() -> tuple[frozenset[str], tuple[str, ...]]:
    """Insults that count as whole words, and insults that count anywhere."""
    lines = (Path(__file__).parent / "insults.txt").read_text(encoding="utf-8").splitlines()
    words = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    anywhere = tuple(look(word.strip("*")) for word in words if word.startswith("*"))
    return frozenset(look(word) for word in words if not word.startswith("*")), anywhere
