"""The types for scripts match the server's messages."""

from typing import Any, TypedDict

import pytest

from games.devtools import script_types
from games.devtools.management.commands.script_types import FILE
from games.table import messages
from tests.factories.site_process import ROOT


@pytest.mark.source
def test_the_types_of_the_scripts_are_those_of_the_messages_as_they_are_now() -> None:
    assert (ROOT / FILE).read_text() == script_types.source(), "manage.py script_types writes them anew"


@pytest.mark.source
def test_the_check_finds_a_changed_message(monkeypatch: pytest.MonkeyPatch) -> None:
    class Presence(TypedDict):
        """Another shape."""

        here: list[int]

    monkeypatch.setattr(messages, "Message", messages.Message | Presence)
    assert (ROOT / FILE).read_text() != script_types.source()


@pytest.mark.parametrize(
    ("seen", "kind"),
    [
        ([1, None], "(null | number)[]"),
        ([[], ["AS"]], "string[][]"),
        ({"n": 1, "of": [True]}, "{ n: number; of: boolean[] }"),
        ([], "never[]"),
    ],
)
def test_a_value_that_was_seen_has_a_type(seen: Any, kind: str) -> None:
    known: dict[str, set[str]] = {}
    script_types.note({"it": seen}, known)
    assert script_types.one_of(known["it"]) == kind
