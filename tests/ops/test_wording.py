"""The words of docs/glossary.md, in what players read: one word for one thing, and none that sounds translated."""

import re
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
