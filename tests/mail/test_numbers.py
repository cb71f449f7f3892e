"""The law of numbers: an answer "n" plays the move printed beside n, and if moves are amounts, n is the amount."""

import random

import pytest

from games import rules
from games.engine import TABLE, Rules
from games.mail.inbound import reply_parser
from games.mail.moves import LONG_RUN, Numbered, amount_of, numbered, rows

NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal")
POSITIONS = 200


def positions(game: Rules):
    """Views of asked players, from random matches with all numbers of seats."""
    rng = random.Random(game.slug)
    found = 0
    while found < POSITIONS:
        seats = rng.choice(list(game.seats))
        state = game.deal(seats, {}, f"{rng.getrandbits(128):032x}")
        for _move in range(60):
            awaited = state.to_move()
            if not awaited or found == POSITIONS:
                break
            seat = rng.choice(awaited)
            if seat != TABLE:
                found += 1
                yield state.view(seat)
            state.apply(seat, rng.choice(state.legal_moves(seat)))


@pytest.mark.parametrize("game", rules.all(), ids=lambda game: game.slug)
def test_a_number_plays_the_move_beside_it(game: Rules):
    rng = random.Random(1)
    for view in positions(game):
        moves = numbered(view, NAMES)
        assert {each.move for each in moves} == set(view.moves) - {"slap"}
        assert len({each.number for each in moves}) == len(moves)
        amounts = {amount_of(game.slug, each.move): each.number for each in moves}
        assert all(amount == number for amount, number in amounts.items() if amount is not None)
        assert {each.number for each in moves if each.number == 0} == {0} & set(amounts)
        if set(amounts) == {None} and moves:
            assert [each.number for each in moves] == list(range(1, len(moves) + 1))
        # An email prints each number once, beside the words of its move.
        printed = [row for row in rows(game.slug, moves) if row.move is not None]
        assert all((row.number, row.label) == (str(row.move.number), row.move.label) for row in printed)
        covered = {row.move.number for row in printed}
        for row in rows(game.slug, moves):
            if row.move is None:
                first, last = map(int, row.number.split("–"))
                covered |= set(range(first, last + 1))
        assert covered == {each.number for each in moves}
        for each in rng.sample(moves, min(3, len(moves))):
            (played,) = reply_parser.read(f"{each.number}\n", moves).moves
            assert played == each


def test_the_number_of_a_bet_is_the_bet_and_folding_is_zero():
    view = rules.get("armani").deal(4, {}, "0" * 32)
    for move in ("bet:5", "bet:9"):
        view.apply(view.to_move()[0], move)
    seat = view.to_move()[0]
    moves = numbered(view.view(seat), NAMES)
    for number in (10, 13, 41):
        assert reply_parser.read(str(number), moves).moves[0].move == f"bet:{number}"
    assert reply_parser.read("0", moves).moves[0].move == "fold"
    with pytest.raises(reply_parser.Unreadable):
        reply_parser.read("9", moves)
    assert [(row.number, row.label) for row in rows("armani", moves)] == [
        ("0", "Fold"),
        ("10–58", "Bet 10 … Bet 58"),
    ]


def test_taking_from_the_pile_is_the_number_of_cards_and_the_stock_is_zero():
    state = rules.get("rummy-500").deal(2, {}, "0" * 32)
    view = state.view(state.to_move()[0])
    assert [(each.number, each.move, each.label) for each in numbered(view, NAMES)] == [
        (0, "draw:stock", "Draw from the stock"),
        (1, "take:1", "Take the top discard"),
    ]


def test_zero_stays_zero_if_it_is_the_only_move():
    """Someone used to 0 for the stock must not take from the pile with 1 in one turn and draw with it in the next."""
    state = rules.get("rummy-500").deal(2, {}, "0" * 32)
    view = state.view(state.to_move()[0])
    view.moves = ["draw:stock"]
    assert [each.number for each in numbered(view, NAMES)] == [0]


def test_a_short_run_of_amounts_is_written_out():
    moves = [Numbered(n, f"bet:{n}", f"Bet {n}") for n in range(3, 3 + LONG_RUN - 1)]
    assert [row.number for row in rows("armani", moves)] == [str(each.number) for each in moves]
