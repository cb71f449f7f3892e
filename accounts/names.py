"""Display names: what one may look like, and when two are the same."""

import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

MIN_LENGTH = 2
MAX_LENGTH = 24
_PUNCTUATION = frozenset(" -_.")
#: Letters and marks by category which no screen shows (Unicode's Default_Ignorable_Code_Point).
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
#: Alphabets whose letters pass for each other's; one name keeps to one of them.
_LOOKALIKES = ("LATIN", "CYRILLIC", "GREEK")
_MARKS_IN_A_ROW = 2


def tidy(name: str) -> str:
    """The name as it is stored: compatibility forms composed (NFKC), white space single and none at the ends."""
    return " ".join(part for part in unicodedata.normalize("NFKC", name).split(" ") if part)


def key(name: str) -> str:
    """What two names share exactly when they count as the same one."""
    return unicodedata.normalize("NFKC", tidy(name).casefold())


def validate(name: str) -> None:
    """Raise ``ValidationError`` unless the name may be shown to others.

    Letters of any one alphabet, their marks, digits, and space, hyphen, underscore and full stop between them.
    """
    if not MIN_LENGTH <= len(name) <= MAX_LENGTH:
        raise ValidationError(
            _("A name has %(least)d to %(most)d characters."),
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
                _("A name is made of letters, digits, spaces, hyphens, underscores and full stops."), code="characters"
            )
    if not name[0].isalnum():
        raise ValidationError(_("A name begins with a letter or a digit."), code="beginning")
    if name != tidy(name):
        raise ValidationError(_("A name has single spaces, and none at its ends."), code="spaces")
    alphabets = {unicodedata.name(character, "").split(" ")[0] for character in name if character.isalpha()}
    if len(alphabets.intersection(_LOOKALIKES)) > 1:
        raise ValidationError(_("A name keeps to one alphabet."), code="alphabets")
