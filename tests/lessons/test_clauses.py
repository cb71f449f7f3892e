"""Each clause about turns, scores and ends appears in a lesson or a refusal."""

import pytest

from games import rules
from tests.lessons import clauses


@pytest.mark.parametrize("slug", [game.slug for game in rules.all()])
def test_each_game_has_at_least_three_lessons(slug):
    assert len(rules.lessons(slug)) >= 3


@pytest.mark.parametrize("slug", [game.slug for game in rules.all()])
def test_lessons_teach_only_clauses_that_exist(slug):
    assert clauses.taught(slug) <= set(clauses.CLAUSES[slug])


@pytest.mark.parametrize("slug", [game.slug for game in rules.all()])
def test_refusals_that_cover_a_clause_exist_in_the_game(slug):
    named = {name for name, clause in clauses.CLAUSES[slug].items() if clause.refusal}
    assert clauses.refused(slug) == named


def test_every_clause_is_met_in_a_lesson_or_a_refusal():
    assert list(clauses.uncovered()) == []
