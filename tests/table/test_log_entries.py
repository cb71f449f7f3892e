"""A sentence of the log is written for each reader whom it calls "You", and once for everyone else."""

from collections import Counter
from functools import partial

import pytest
from django.utils import translation

from games import rules
from games.engine import Event, text
from games.engine.text import names_for, remembered
from games.table.projection import LogEntry, Viewer

NAMES = ["Ada", "Ben", "Cleo", "Dan"]


def test_only_the_player_in_a_sentence_has_it_written_again() -> None:
    game = rules.get("normal-cards")
    event = Event("play", 1, {"card": "QS", "source": "hand:1", "target": "trick"})
    written: list[Viewer] = []

    def say(viewer: Viewer) -> str:
        written.append(viewer)
        return game.say(event, names_for(NAMES, viewer))

    entry = LogEntry(1, event, say, NAMES)
    for _time in range(2):
        texts = [entry.text(viewer) for viewer in (None, 0, 1, 2, 3)]
        others = "Ben plays the queen of spades."
        assert texts == [others, others, "You play the queen of spades.", others, others]
    assert written == [None, 1]


def test_a_remembered_sentence_is_translated_once_in_each_language(request: pytest.FixtureRequest) -> None:
    game = rules.get("normal-cards")
    event = Event("play", 1, {"card": "QS", "source": "hand:1", "target": "trick"})
    asked: Counter[tuple[str, str]] = Counter()

    def translate(message: str) -> str:
        asked[translation.get_language(), message] += 1
        return translation.gettext(message)

    text.set_translator(translate)
    request.addfinalizer(partial(text.set_translator, translation.gettext))
    said = []
    for language in ("en", "de", "en", "de"):
        with translation.override(language), remembered(language):
            said.append(game.say(event, names_for(NAMES, 1)))
    assert said[:2] == said[2:]
    assert said[0] == "You play the queen of spades."
    assert said[1].startswith("Du ")
    assert {language for language, _message in asked} == {"en", "de"}
    assert set(asked.values()) == {1}
    with translation.override("de"):
        assert game.say(event, names_for(NAMES, 1)) == said[1]
    assert set(asked.values()) == {1, 2}, "without a memory, the translator is asked"
