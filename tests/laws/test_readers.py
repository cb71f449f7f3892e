"""Each player reads of themselves as "you", in English and in German."""

import re
from functools import cache
from random import Random

import pytest
from django.utils import translation

import games.rules
from games.engine import Event, Rules, State
from games.engine.text import names_for, remembered, set_translator
from tests.laws.battery import choose, random_options

NAMES = [f"{first}la{first}" for first in ("Aq", "Bq", "Cq", "Dq", "Eq", "Fq", "Gq", "Hq")]
YOU = {"en": r"\b(you|your)\b", "de": r"\b(du|dich|dir|dein|deine|deinen)\b"}
MOVES = 250


@cache
def events_of(rules: Rules) -> list[Event]:
    """What matches of random moves tell."""
    rng = Random(rules.slug)
    told: list[Event] = []
    moves = 0
    while moves < MOVES:
        seats = min(rules.seats)
        state: State = rules.deal(seats, random_options(rules, seats, rng), f"{rng.getrandbits(128):032x}")
        while awaited := state.to_move():
            seat, move = choose(state, seats, rng)
            state.apply(seat, move, told.append)
            moves += 1
            assert awaited
    return told


@pytest.fixture(autouse=True)
def _translated() -> None:
    """The rules speak the languages of the site; what held for this module before is set again at its end."""
    set_translator(translation.gettext)


@pytest.mark.parametrize("language", YOU)
@pytest.mark.parametrize("rules", games.rules.all(), ids=lambda rules: rules.slug)
def test_a_player_is_called_you_and_everyone_else_by_name(rules: Rules, language: str) -> None:
    name, other = NAMES[:2]
    addressed = set()
    with translation.override(language), remembered(language):
        for event in events_of(rules):
            to_all, to_reader = rules.say(event, NAMES), rules.say(event, names_for(NAMES, 0))
            assert to_all.count(other) == to_reader.count(other)
            if name not in to_all:
                assert to_reader == to_all
                continue
            # In a list of names the reader's own stays, with a word that says whose it is.
            assert name not in re.sub(rf"{name} \((you|du)\)", "", to_reader)
            assert re.search(YOU[language], to_reader, re.IGNORECASE), to_reader
            if event.seat == 0:
                assert name not in to_reader
                addressed.add(event.kind)
    assert len(addressed) > 2


def test_a_name_has_words_for_others_and_for_its_reader():
    sentence = "{name:* draws|You draw}, {other:*|you} and {name}."
    ada, ben = names_for(["A*a", "B|b"], 0)
    assert sentence.format(name=ada, other=ben) == "You draw, B|b and A*a (you)."
    assert sentence.format(name=ben, other=ada) == "B|b draws, you and B|b."
