"""Every lesson can be played as written, and never contradicts the rules."""

import dataclasses
import re

import pytest

from games import rules
from games.engine import BadLesson, Event, IllegalMove, Lesson, State, Step, Watch
from games.engine.lesson import READING, deck

LESSONS = {lesson.key: lesson for game in rules.all() for lesson in rules.by_slug()[game.slug].lessons}
#: Maximum length of a step's sentence, so that it is quick to read.
MOST_WORDS = 25


def states_of(lesson: Lesson) -> list[State]:
    """The state before each entry, and the last one."""
    state = lesson.deal()
    found = [state.copy()]
    for entry in lesson.line:
        state.apply(0 if isinstance(entry, Step) else entry.seat, entry.move)
        found.append(state.copy())
    return found


def play_on(state: State, lesson: Lesson, version: int) -> None:
    for entry in lesson.line[version:]:
        state.apply(0 if isinstance(entry, Step) else entry.seat, entry.move)


@pytest.mark.parametrize("slug", [game.slug for game in rules.all()])
def test_the_lessons_of_a_game_are_played_through_when_they_are_loaded(slug):
    assert [lesson.game for lesson in rules.lessons(slug).values()] == [slug] * len(rules.lessons(slug))


@pytest.mark.parametrize("key", LESSONS)
def test_a_lesson_is_written_for_the_current_rules(key):
    lesson = LESSONS[key]
    assert lesson.rules_version == rules.get(lesson.game).version, "look at it again, then raise its number"


@pytest.mark.parametrize("key", LESSONS)
def test_after_any_move_that_solves_a_step_the_rest_of_the_lesson_can_be_played(key):
    lesson = LESSONS[key]
    for version, (entry, state) in enumerate(zip(lesson.line, states_of(lesson)[:-1], strict=True)):
        if isinstance(entry, Step):
            others = [move for move in state.legal_moves(0) if move != entry.move]
            for move in others:
                if entry.is_solved_by(state, 0, move):
                    after = state.copy()
                    after.apply(0, move)
                    play_on(after, lesson, version + 1)


@pytest.mark.parametrize("key", LESSONS)
def test_words_against_other_moves_are_about_legal_moves(key):
    lesson = LESSONS[key]
    states = states_of(lesson)
    named = rules.presentation(lesson.game).moves
    verbs = {name.partition(":")[0].removesuffix("#") for name in named} | {""}
    for entry, state in zip(lesson.line, states[:-1], strict=True):
        if isinstance(entry, Step):
            whole = {move for move in state.legal_moves(0) if move != entry.move}
            assert set(entry.otherwise) <= whole | verbs, entry.move


@pytest.mark.parametrize("key", LESSONS)
def test_every_other_legal_move_has_words_that_say_why_not(key):
    lesson = LESSONS[key]
    for entry, state in zip(lesson.line, states_of(lesson)[:-1], strict=True):
        if isinstance(entry, Step):
            others = {move for move in state.legal_moves(0) if not entry.is_solved_by(state, 0, move)}
            assert [move for move in others if not entry.words_against(move)] == [], entry.say


@pytest.mark.parametrize("key", LESSONS)
def test_a_step_is_one_or_two_short_sentences(key):
    for step in LESSONS[key].steps:
        assert len(step.say.split()) <= MOST_WORDS, step.say
        assert len(re.findall(r"[.!?](?:\s|$)", step.say)) <= 3, step.say


def grade(text: str) -> float:
    """The Flesch–Kincaid grade of a text, with syllables counted by vowels."""
    words = text.split()
    syllables = sum(max(1, len(re.findall(r"[aeiouy]+", word.lower().removesuffix("e")))) for word in words)
    sentences = len(re.findall(r"[.!?](?:\s|$)", text))
    return 0.39 * len(words) / sentences + 11.8 * syllables / len(words) - 15.59


@pytest.mark.parametrize("key", LESSONS)
def test_the_words_of_a_lesson_are_easy_to_read(key):
    lesson = LESSONS[key]
    assert grade(" ".join([*(entry.say for entry in lesson.line if entry.say), lesson.end])) <= 6


GOOD = Lesson(
    game="basic-rummy",
    name="draws",
    title="Drawing",
    rules_version=1,
    dealer=1,
    deck=deck(
        LESSONS["basic-rummy/turn"].deck, ("AC 2C 3C 4C 5C 6C 7C 8C 9C TC", "AD 2D 3D 4D 5D 6D 7D 8D 9D TD"), "KH"
    ),
    line=[
        Step(say="Draw.", move="draw:stock"),
        Step(say="Discard.", move="discard:AC"),
        Watch(1, "draw:discard"),
        Watch(1, "discard:TD"),
        Step(say="Draw.", move="draw:stock"),
        Step(say="Discard.", move="discard:2C"),
        Watch(1, "draw:stock"),
        Watch(1, "discard:9D"),
        Step(say="Draw.", move="draw:stock"),
    ],
    end="Done.",
)


def with_first(**changes: object) -> Lesson:
    return dataclasses.replace(GOOD, line=[dataclasses.replace(GOOD.steps[0], **changes), *GOOD.line[1:]])


def test_a_valid_lesson_is_accepted():
    GOOD.validate()


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (dataclasses.replace(GOOD, line=GOOD.line[:4]), "has 2 steps"),
        (dataclasses.replace(GOOD, game="whist"), "can't be dealt"),
        (dataclasses.replace(GOOD, rules_version=99), "can't be dealt"),
        (dataclasses.replace(GOOD, opens_at=1), "opens after its first step"),
        (dataclasses.replace(GOOD, deck=GOOD.deck[1:]), "can't be dealt"),
        (
            dataclasses.replace(GOOD, line=[GOOD.line[0], Watch(1, "draw:stock"), *GOOD.steps]),
            "not the turn of seat",
        ),
        (dataclasses.replace(GOOD, line=[*GOOD.line[:2], *GOOD.steps]), "not the turn of seat"),
        (dataclasses.replace(GOOD, line=[Watch(0, "draw:stock"), *GOOD.steps]), "moves are steps"),
        (with_first(move="discard:AC"), "First draw"),
        (with_first(say="Draw"), "no sentence"),
        (with_first(lit="KD"), "can't be lit"),
        (with_first(goal="meld"), "and not meld"),
    ],
)
def test_a_lesson_that_breaks_says_where_and_why(bad, reason):
    with pytest.raises(BadLesson, match=reason):
        bad.validate()


def told_in(slug: str) -> set[tuple[str, object]]:
    """The events in a game's lessons, each with its reason, cause or winner."""
    told = set()
    for lesson in rules.lessons(slug).values():
        state = lesson.deal()
        for version, entry in enumerate(lesson.line):
            seen: list[Event] = []
            state.apply(0 if isinstance(entry, Step) else entry.seat, entry.move, seen.append)
            if version >= lesson.opens_at:
                told |= {
                    (event.kind, event.data.get("reason") or event.data.get("by") or event.data.get("winner"))
                    for event in seen
                }
    return told


@pytest.mark.parametrize(
    ("slug", "ends"),
    [
        ("armani", {("over", "all_cards"), ("over", "final_lap"), ("winning", "last_card"), ("count", None)}),
        ("armed", {("over", "deck_out"), ("over", "battles")}),
        ("avalanche", {("over", "cards_out"), ("kept", None), ("refilled", None)}),
        ("basic-rummy", {("deal_over", 0)}),
        ("rummy-500", {("deal_over", 0), ("deal_over", None), ("pass", None)}),
        ("normal-cards", {("deal_over", None), ("over", None)}),
        ("amagande", {("out", None), ("showdown", None)}),
        ("ten-skip", {("round_over", how) for how in ("unchallenged", "challenge_wrong", "last_in_round")}),
    ],
)
def test_the_ways_in_which_a_game_ends_are_played_in_its_lessons(slug, ends):
    assert ends <= told_in(slug)


def test_armanis_lessons_show_the_effect_of_a_bet_that_is_kept():
    assert {"power", "choose", "take"} <= {kind for kind, _why in told_in("armani")}


def test_cards_come_slowly_at_first_then_faster_and_then_with_a_rival():
    lesson = LESSONS["armani/slap"]
    paces = [lesson.pace_at(version) for version in range(len(lesson.line))]
    assert list(dict.fromkeys(paces)) == ["relaxed", "normal", "fast"]
    rival = next(at for at, entry in enumerate(lesson.line) if entry == Watch(1, "slap", entry.say))
    assert paces[rival] == "fast"
    assert paces[lesson.versions[-1]] == "fast"


def test_a_sentence_stays_while_others_move_and_is_gone_with_a_step():
    line = [Watch(1, "a", "Look."), Watch(1, "b"), Step(say="Do.", move="c"), Watch(1, "d"), Watch(1, "e", "See this.")]
    lesson = dataclasses.replace(GOOD, line=line)
    assert [lesson.said_at(version) for version in range(6)] == ["Look.", "Look.", "Do.", "", "See this.", "Done."]
    assert [lesson.reading_at(version) // READING for version in range(6)] == [1, 0, 0, 0, 2, 0]


def test_a_hand_that_the_pack_does_not_have_is_refused():
    with pytest.raises(BadLesson, match="does not have"):
        deck(["AC", "2C"], ("AC", "AC"))
    with pytest.raises(BadLesson, match="different sizes"):
        deck(["AC", "2C"], ("AC 2C", ""))


def test_a_move_against_the_rules_is_refused_by_the_rules_themselves():
    state = GOOD.deal()
    with pytest.raises(IllegalMove, match="First draw a card"):
        state.check(0, "discard:AC")
