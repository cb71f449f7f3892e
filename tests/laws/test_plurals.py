"""One of a thing is never written as several, in either language: "1 cards" looks wrong, even if it's correct."""

import re
from random import Random

import pytest
from django.utils import translation

import games.rules
from games.engine import Event, Rules, State
from games.engine.text import remembered, set_translator
from games.table.facts import facts
from games.table.result import reasons
from tests.factories.samples import sampled
from tests.laws.battery import choose, random_options

NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal")
#: The game with the most kinds of sentences, and one in which much is counted.
USUAL = [games.rules.get(slug) for slug in ("armani", "ten-skip")]
#: Number of moves after which no further match of a game is started.
MOVES = 4000
SEVERAL = re.compile(
    r"\b(1|one) (cards|points|chances|tries|deals|rounds|tricks|battles)\b"
    r"|\b(1|ein|eine|einen) (Karten|Punkte|Punkten|Versuche|Runden|Stiche|Stichen|Kämpfe|Kämpfen)\b"
)


def said(rules: Rules, rng: Random) -> set[str]:
    """All sentences of random matches to their players, in English and German."""
    found: set[str] = set()
    moves = 0
    while moves < MOVES:
        seats = rng.choice(rules.seats)
        state: State = rules.deal(seats, random_options(rules, seats, rng), f"{rng.getrandbits(128):032x}")
        while awaited := state.to_move():
            is_stand_in = awaited[0] >= 0 and rng.random() < 0.2
            seat, move = (awaited[0], state.default_move(awaited[0])) if is_stand_in else choose(state, seats, rng)
            told: list[Event] = []
            state.apply(seat, move, told.append)
            moves += 1
            view = state.view(0)
            for language in ("en", "de"):
                with translation.override(language), remembered(language):
                    found.update(rules.say(event, NAMES) for event in told)
                    found.update(fact.value for fact in facts(view, NAMES[:seats]))
                    if outcome := state.outcome():
                        public = [event for event in told if event.is_for(None)]
                        found.update(reasons(outcome.reason, state.view(None), NAMES[:seats], public, ()))
    return found


@pytest.fixture(autouse=True)
def _translated() -> None:
    """The rules speak the languages of the site; what held for this module before is set again at its end."""
    set_translator(translation.gettext)


@pytest.mark.parametrize("rules", sampled(games.rules.all(), *USUAL, ids=lambda rules: rules.slug))
def test_a_count_of_one_never_uses_the_plural(rules: Rules) -> None:
    sentences = said(rules, Random(rules.slug))
    assert len(sentences) > 20
    assert sorted(each for each in sentences if SEVERAL.search(each)) == []
