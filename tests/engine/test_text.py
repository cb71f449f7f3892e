"""Sentences in the reader's language, with words for the player whom they are about."""

from collections import Counter

import pytest

from games.engine import text
from games.engine.text import Name, Reader, by_language, gettext, names_for, names_in_text, remembered, set_translator


@pytest.fixture
def asked():
    """What the translator was asked; the rules speak English again afterwards."""
    found = Counter()

    def translate(message: str) -> str:
        found[message] += 1
        return f"<{message}>"

    set_translator(translate)
    yield found
    set_translator(str)


def test_the_translator_is_asked_once_for_each_message_and_language(asked):
    for language in ("en", "de", "en"):
        with remembered(language):
            assert [gettext("card"), gettext("pile"), gettext("card")] == ["<card>", "<pile>", "<card>"]
    assert asked == {"card": 2, "pile": 2}


def test_outside_of_a_language_nothing_is_remembered(asked):
    assert [gettext("card"), gettext("card")] == ["<card>", "<card>"]
    assert asked == {"card": 2}


def test_another_translator_is_asked_again(asked):
    with remembered("en"):
        gettext("card")
    set_translator(str.upper)
    with remembered("en"):
        assert gettext("card") == "CARD"


def test_a_text_about_a_thing_is_written_once_in_each_language(asked):
    @by_language
    def called(thing: str) -> str:
        return gettext("the {thing}").format(thing=thing)

    for _time in range(2):
        for language in ("en", "de"):
            with remembered(language):
                assert [called("king"), called("queen")] == ["<the king>", "<the queen>"]
                assert gettext("king") == "<king>"
    assert asked == {"the {thing}": 2, "king": 2}
    assert called("king") == "<the king>"
    assert asked["the {thing}"] == 3


def test_a_text_for_the_catalogue_stays_as_it_is(asked):
    assert text.gettext_noop("card") == "card"
    assert asked == {}


def test_a_name_has_words_for_others_and_for_its_reader():
    sentence = "{name:* draws|You draw} a card. {name}!"
    assert sentence.format(name=Name("Ada")) == "Ada draws a card. Ada!"
    assert sentence.format(name=Reader("Ada")) == "You draw a card. Ada (you)!"


def test_only_the_reader_is_you():
    assert names_for(["Ada", "Ben", "Cleo"], 1) == ("Ada", "Ben (you)", "Cleo")
    assert names_for(["Ada", "Ben"], None) == ("Ada", "Ben")
    named = names_for(["Ada", "Ben"], 0)
    assert names_in_text(named) is named
    assert [type(name) for name in names_for(["Ada", "Ben"], 1)] == [Name, Reader]
