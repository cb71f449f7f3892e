"""Positions with an obvious best move: at least ten per game for hard players, five for medium ones."""

import pytest

from games import rules
from games.engine.cards import CARDS
from tests.ai.positions import choices, dealt
from tests.ai.themes import THEMES, positions

pytestmark = pytest.mark.ladder


HARD_EACH, MEDIUM_EACH = 4, 3


def test_there_are_ten_positions_a_game_for_hard_players():
    for slug in {game.slug for game in rules.all()} - {"armed"}:
        of_game = [theme for theme in THEMES if theme.slug == slug]
        assert HARD_EACH * len(of_game) >= 10
    assert len(LAST_BATTLES) >= 10


@pytest.mark.parametrize("theme", THEMES, ids=str)
def test_no_hard_player_gets_it_wrong(theme):
    for state, seat in positions(theme, HARD_EACH):
        played = choices(state, "hard", 1)
        assert played <= theme.judge(state, seat), f"{state.view(seat).to_json()}"


@pytest.mark.parametrize("theme", [theme for theme in THEMES if theme.medium], ids=str)
def test_no_medium_player_gets_it_wrong(theme):
    for state, seat in positions(theme, MEDIUM_EACH):
        played = choices(state, "medium", 1)
        assert played <= theme.judge(state, seat), f"{state.view(seat).to_json()}"


#: The opponent's last card, the hand, and the cards that win the match in this battle.
LAST_BATTLES = (
    ("5C", "2C 4D 9H", "9H"),
    ("KC", "2C QD AH", "AH"),
    ("8C", "3C 7D 8D TH", "TH"),
    ("TC", "2C 9D JH KS", "JH KS"),
    ("2C", "2D 2H 2S 3H", "3H"),
    ("QC", "JD JH TS QD KH", "KH"),
    ("9C", "8D 8H AH", "AH"),
    ("JC", "TD 9H QS", "QS"),
    ("6C", "5D 4H 3S 7S", "7S"),
    ("7C", "6D 6H 6S AC", "AC"),
)


def _last_battle(other, own):
    """A battle of Armed after which the opponent, whose last card is known, can't go on if they lose."""
    state = dealt("armed", ["AC", "KC"])
    theirs, ours = CARDS[other], [CARDS[code] for code in own.split()]
    rest = [card for card in range(52) if card != theirs and card not in ours]
    state.hands = [sorted(ours), [theirs]]
    state.decks = [rest, []]
    state.known = [sum(1 << card for card in rest), 1 << theirs]
    return state


@pytest.mark.parametrize(("other", "own", "winning"), LAST_BATTLES)
@pytest.mark.parametrize("level", ["medium", "hard"])
def test_armed_the_deciding_battle_is_won_by_a_player_who_can_win_it(level, other, own, winning):
    assert choices(_last_battle(other, own), level) <= {f"play:{code}" for code in winning.split()}
