"""What a lesson says and does at each of its moves, and how a faulty one is refused."""

import dataclasses
from collections import Counter

import pytest

from games import rules
from games.engine import BadLesson, IllegalMove, Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import READING, deck

GOOD = Lesson(
    game="basic-rummy",
    name="draws",
    title="Drawing",
    rules_version=1,
    dealer=1,
    deck=deck(CODES[:52], ("AC 2C 3C 4C 5C 6C 7C 8C 9C TC", "AD 2D 3D 4D 5D 6D 7D 8D 9D TD"), "KH"),
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
        (dataclasses.replace(GOOD, line=GOOD.line[:4]), "basic-rummy/draws has 2 steps: 5 to 9 are wanted"),
        (dataclasses.replace(GOOD, game="whist"), "whist/draws can't be dealt: "),
        (dataclasses.replace(GOOD, rules_version=99), "can't be dealt"),
        (dataclasses.replace(GOOD, opens_at=1), "basic-rummy/draws opens after its first step"),
        (dataclasses.replace(GOOD, deck=GOOD.deck[1:]), "can't be dealt"),
        (
            dataclasses.replace(GOOD, line=[GOOD.line[0], Watch(1, "draw:stock"), *GOOD.steps]),
            "not the turn of seat",
        ),
        (
            dataclasses.replace(GOOD, line=[*GOOD.line[:2], *GOOD.steps]),
            r"draws, move 3, draw:stock: it is not the turn of seat 0 but of \[1\]$",
        ),
        (
            dataclasses.replace(GOOD, line=[Watch(0, "draw:stock"), *GOOD.steps]),
            "draws, move 1, draw:stock: the player's moves are steps$",
        ),
        (
            dataclasses.replace(GOOD, line=[Watch(0, "draw:stock"), Watch(0, "slap"), *GOOD.steps], opens_at=2),
            "draws, move 2, slap: ",
        ),
        (with_first(move="discard:AC"), "draws, move 1, discard:AC: First draw"),
        (with_first(say="Draw"), "draws, move 1, draw:stock: “Draw” is no sentence$"),
        (
            with_first(lit="KD AC QS"),
            r"draws, move 1, draw:stock: \['KD', 'QS'\] can't be lit, the player does not see them$",
        ),
        (
            with_first(goal="meld"),
            r"draws, move 1, draw:stock: it tells \['draw', 'drawn'\], and not meld$",
        ),
        (with_first(goal="drawn", goal_data={"seat": 9}), "and not drawn$"),
    ],
)
def test_a_lesson_that_breaks_says_where_and_why(bad, reason):
    with pytest.raises(BadLesson, match=reason):
        bad.validate()


def test_a_lesson_has_five_to_nine_steps():
    draws = [Step(say="Draw.", move="draw:stock"), Step(say="Discard.", move="discard:AC")]
    for steps in (4, 10):
        with pytest.raises(BadLesson, match=f"has {steps} steps"):
            dataclasses.replace(GOOD, line=(draws * 5)[:steps]).validate()
    turns = []
    for mine, theirs in (("AC", "TD"), ("2C", "9D"), ("3C", "8D"), ("4C", "7D")):
        turns += [Step(say="Draw.", move="draw:stock"), Step(say="Discard.", move=f"discard:{mine}")]
        turns += [Watch(1, "draw:stock"), Watch(1, f"discard:{theirs}")]
    longest = dataclasses.replace(GOOD, line=[*turns, Step(say="Draw.", move="draw:stock")])
    assert len(longest.steps) == 9
    longest.validate()


def test_the_players_cards_may_turn_by_themselves_and_a_slap_needs_no_turn():
    lesson = rules.lesson("armani/slap")
    turned = [entry for entry in lesson.line[lesson.opens_at :] if isinstance(entry, Watch) and entry.seat == 0]
    assert {entry.move for entry in turned} == {"flip"}
    state, waiting = lesson.deal(), []
    for entry in lesson.line:
        seat = 0 if isinstance(entry, Step) else entry.seat
        if entry.move == "slap":
            waiting.append(seat not in state.to_move())
        state.apply(seat, entry.move)
    assert any(waiting)
    lesson.validate()


def test_a_goal_may_name_everything_that_its_event_tells():
    step, state, told = GOOD.steps[0], GOOD.deal(), []
    state.copy().apply(0, "draw:stock", told.append)
    drawn = next(event for event in told if event.kind == "drawn")
    whole = {"goal": drawn.kind, "goal_data": drawn.data}
    with_first(**whole).validate()
    assert dataclasses.replace(step, move="another", **whole).is_solved_by(state, 0, "draw:stock")


def test_texts_end_as_sentences_do():
    for say in ("Draw!", "Draw?", "Draw."):
        with_first(say=say).validate()


def test_a_sentence_stays_while_others_move_and_is_gone_with_a_step():
    line = [Watch(1, "a", "Look."), Watch(1, "b"), Step(say="Do.", move="c"), Watch(1, "d"), Watch(1, "e", "See this.")]
    lesson = dataclasses.replace(GOOD, line=line)
    assert [lesson.said_at(version) for version in range(6)] == ["Look.", "Look.", "Do.", "", "See this.", "Done."]
    assert [lesson.reading_at(version) for version in range(6)] == [READING, 0, 0, 0, 2 * READING, 0]


def test_before_the_first_sentence_nothing_is_said():
    line = [Watch(1, "a"), Watch(1, "b"), Step(say="Do.", move="c"), Watch(1, "d", "See this.")]
    lesson = dataclasses.replace(GOOD, line=line)
    assert [lesson.said_at(version) for version in range(4)] == ["", "", "Do.", "See this."]


def test_a_lesson_knows_its_place_at_each_version():
    line = [Watch(1, "a"), Step(say="Do.", move="b"), Watch(1, "c"), Step(say="Do.", move="d")]
    lesson = dataclasses.replace(GOOD, line=line, opens_at=1)
    assert lesson.key == "basic-rummy/draws"
    assert lesson.versions == [1, 3]
    assert lesson.made_before == [line[0]]
    assert [lesson.at(version) for version in range(5)] == [*line, None]
    assert [lesson.step_number(version) for version in range(5)] == [0, 0, 1, 1, 2]
    assert [lesson.waits(version) for version in range(5)] == [False, True, False, True, True]
    assert [lesson.move_of(version, 1) for version in range(5)] == ["a", None, "c", None, None]
    assert lesson.move_of(0, 0) is None


def test_the_pace_of_cards_changes_with_the_moves_that_say_so():
    line = [Watch(1, "a", pace="normal"), Watch(1, "b"), Step(say="Do.", move="c"), Watch(1, "d", pace="fast")]
    lesson = dataclasses.replace(GOOD, line=line)
    assert [lesson.pace_at(version) for version in range(5)] == ["relaxed", "normal", "normal", "normal", "fast"]


def test_a_sentence_of_others_moves_is_read_before_the_table_goes_on():
    lesson = dataclasses.replace(GOOD, line=[Watch(1, "a", "Look at this."), *GOOD.line])
    assert lesson.reading_at(0) == 3 * READING


def test_a_step_is_solved_by_its_move_or_by_any_that_reaches_its_goal():
    state = GOOD.deal()
    stock = Step(say="Draw.", move="draw:stock")
    assert stock.is_solved_by(state, 0, "draw:stock")
    assert not stock.is_solved_by(state, 0, "draw:discard")
    taken = dataclasses.replace(stock, goal="take")
    assert taken.is_solved_by(state, 0, "draw:discard")
    assert not dataclasses.replace(stock, goal="meld").is_solved_by(state, 0, "draw:discard")
    for cards, is_solved in ((["KH"], True), (["KS"], False)):
        king = dataclasses.replace(taken, goal_data={"cards": cards, "source": "discard"})
        assert king.is_solved_by(state, 0, "draw:discard") is is_solved
    assert state.to_move() == GOOD.deal().to_move(), "the state itself stays as it was"


def test_the_words_against_a_move_are_its_own_or_those_of_its_verb_or_of_all_moves():
    step = Step(say="Do.", move="a", otherwise={"play:2C": "Not the 2.", "play": "Not a card.", "": "Not that."})
    assert step.words_against("play:2C") == "Not the 2."
    assert step.words_against("play:3C:x") == "Not a card."
    assert step.words_against("fold") == "Not that."
    assert dataclasses.replace(step, otherwise={}).words_against("fold") == ""


def test_a_deck_deals_the_hands_card_by_card_and_then_what_follows():
    pack = CODES[:52]
    made = deck(pack, ("AC 2C", "AD 2D", "AH 2H"), "KS QS", first=1)
    assert list(made[:8]) == ["AD", "AH", "AC", "2D", "2H", "2C", "KS", "QS"]
    assert Counter(made) == Counter(pack)
    assert list(made[8:]) != sorted(made[8:]), "the rest is shuffled"
    assert deck(pack, ("AC 2C", "AD 2D", "AH 2H"), "KS QS", first=1) == made
    assert list(deck(pack, ("AC", "AD"))[:2]) == ["AC", "AD"]


def test_a_hand_that_the_pack_does_not_have_is_refused():
    with pytest.raises(BadLesson, match=r"the pack does not have \['AC'\]"):
        deck(["AC", "2C"], ("AC", "AC"))
    with pytest.raises(BadLesson, match=r"hands of different sizes: \('AC 2C', ''\)"):
        deck(["AC", "2C"], ("AC 2C", ""))


def test_a_move_against_the_rules_is_refused_by_the_rules_themselves():
    state = GOOD.deal()
    with pytest.raises(IllegalMove, match="First draw a card"):
        state.check(0, "discard:AC")
