"""Every lesson can be played as written, and never contradicts the rules."""

import re

import pytest

from games import rules
from games.engine import Event, Lesson, State, Step, Watch

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
