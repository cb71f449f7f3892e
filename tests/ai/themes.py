"""Themes of positions with an obvious best move, with positions from repeatable matches.

A theme judges a position: it returns the moves of a good player, or None if the position doesn't belong to it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from games import rules
from games.ai.policy import policy_for
from games.engine import TABLE, State
from games.engine.cards import CARDS, CODES, SUIT
from games.rules._shared.going_out import can_go_out
from games.rules._shared.melds import in_a_meld
from games.rules._shared.pieces import add
from games.rules.normal_cards import rules as normal_cards
from games.rules.ten_skip import tables as ten_skip

Judge = Callable[[State, int], set[str] | None]


@dataclass(frozen=True)
class Theme:
    slug: str
    sentence: str
    judge: Judge
    #: Whether medium players must find the move, too.
    medium: bool = True
    options: tuple[tuple[str, object], ...] = ()

    def __str__(self) -> str:
        return f"{self.slug}: {self.sentence}"


def positions(theme: Theme, wanted: int) -> Iterator[tuple[State, int]]:
    """Positions of ``theme``, at most one per match."""
    rng = Random(theme.sentence)
    policy = policy_for(theme.slug)
    game = rules.get(theme.slug)
    found = 0
    for number in range(4000):
        if found == wanted:
            return
        state = game.deal(2, dict(theme.options), f"{number + 7000:032x}")
        for _move in range(160):
            awaited = state.to_move()
            if not awaited:
                break
            seat = awaited[0]
            if seat == TABLE:
                state.apply(TABLE, "close")
                continue
            moves = [move for move in state.legal_moves(seat) if move != "slap"]
            good = theme.judge(state, seat) if len(moves) > 1 else None
            if good and good < set(moves):
                found += 1
                yield state, seat
                break
            greedy = rng.random() < 0.7
            state.apply(seat, policy.greedy(state, seat, rng) if greedy else rng.choice(moves))
    raise AssertionError(f"only {found} positions of {theme}")


def _after(state, seat, move):
    after = state.copy()
    after.apply(seat, move)
    return after


# Normal Cards.


def _answers(state, seat):
    """Led card, own cards, and which of these win."""
    if len(state.trick) != 1:
        return None
    led = state.trick[0]
    power = normal_cards.POWER[state.trump][SUIT[led]]
    hand = state.hands[seat]
    return led, hand, [card for card in hand if power[card] > power[led]]


def _plays(cards):
    return {f"play:{CODES[card]}" for card in cards}


def _a_rich_lead_is_taken(state, seat):
    answer = _answers(state, seat)
    if answer is None or normal_cards.VALUE[answer[0]] < 10:
        return None
    led, _hand, winners = answer
    cheap = [card for card in winners if normal_cards.VALUE[card] == 0 or SUIT[card] == SUIT[led]]
    return _plays(winners) if cheap else None


def _the_best_trumps_are_kept(state, seat):
    answer = _answers(state, seat)
    if answer is None or normal_cards.VALUE[answer[0]] or not state.stock:
        return None
    _led, hand, _winners = answer
    worthless = [card for card in hand if not normal_cards.VALUE[card] and SUIT[card] != state.trump]
    best = [card for card in hand if SUIT[card] == state.trump and normal_cards.VALUE[card] >= 10]
    return _plays(card for card in hand if card not in best) if worthless and best else None


def _no_points_on_a_lost_trick(state, seat):
    answer = _answers(state, seat)
    if answer is None or answer[2]:
        return None
    hand = answer[1]
    rich = [card for card in hand if normal_cards.VALUE[card] >= 10]
    poor = [card for card in hand if normal_cards.VALUE[card] == 0]
    return _plays(card for card in hand if card not in rich) if rich and poor else None


# Avalanche.


def _lays(state, seat):
    """Moves that grow, stop and let fall the current avalanche."""
    if state.last < 0:
        return None
    kinds = {"grow": [], "stop": [], "fall": []}
    for move in state.legal_moves(seat):
        rank, number = "23456789TJQKAX".index(move[4]), int(move[6:])
        if number > state.last_number or (number == state.last_number and rank >= state.last_rank):
            kinds["grow"].append(move)
        elif number == state.last_number and number > 1:
            kinds["stop"].append(move)
        else:
            kinds["fall"].append(move)
    return kinds


def _what_can_grow_does_not_fall(state, seat):
    lays = _lays(state, seat)
    if not lays or len(state.avalanche) < 6 or not lays["grow"]:
        return None
    return {*lays["grow"], *lays["stop"]}


def _a_big_one_is_stopped(state, seat):
    lays = _lays(state, seat)
    if not lays or len(state.avalanche) < 5 or lays["grow"] or not lays["stop"]:
        return None
    return set(lays["stop"])


def _no_strong_card_is_given_away(state, seat):
    lays = _lays(state, seat)
    if not lays or lays["grow"] or lays["stop"]:
        return None
    strong = {move for move in lays["fall"] if move[4] in "AX"}
    weak = {move for move in lays["fall"] if move[4] in "2345678"}
    return set(lays["fall"]) - strong if strong and weak else None


# The rummies.


def _can_go_out(state, seat):
    return can_go_out(state.hands[seat], [meld[0] for meld in state.melds], state.LAST)


def _out_in_sight(state, seat):
    if state.phase != "play":
        return None
    good = set()
    for move in state.legal_moves(seat):
        after = _after(state, seat, move)
        last = after.last_deal
        is_out = last is not None and last[:2] == (state.deal, seat)
        goes_on = (after.turn, after.deal) == (seat, state.deal)
        if is_out or (goes_on and _can_go_out(after, seat)):
            good.add(move)
    return good or None


def _what_makes_a_meld_is_taken(state, seat):
    if state.phase != "draw" or not state.pile:
        return None
    card = state.pile[-1]
    hand = state.hands[seat]
    return {"draw:discard"} if in_a_meld(card, add(hand, card), 13) else None


def _a_meld_is_not_broken(state, seat):
    if state.phase != "play" or any(not move.startswith("discard") for move in state.legal_moves(seat)):
        return None
    hand = state.hands[seat]
    moves = state.legal_moves(seat)
    broken = {move for move in moves if in_a_meld(CARDS[move[8:]], hand, state.LAST)}
    return set(moves) - broken if broken else None


def _a_joker_is_kept(state, seat):
    moves = state.legal_moves(seat)
    return {move for move in moves if move not in ("discard:RJ", "discard:BJ")}


def _a_meld_in_hand_is_laid(state, seat):
    moves = state.legal_moves(seat)
    melds = {move for move in moves if move.startswith("meld")}
    return {move for move in moves if not move.startswith("discard")} if state.phase == "play" and melds else None


# Amagande.


def _the_last_card_wins(state, seat):
    if state.hands[seat].bit_count() != 1:
        return None
    plays = {move for move in state.legal_moves(seat) if move.startswith("play")}
    return plays or None


def _a_counter_is_played(state, seat):
    if state.penalty < 5 or state.hands[seat].bit_count() > 5:
        return None
    plays = {move for move in state.legal_moves(seat) if move.startswith("play")}
    return plays or None


def _an_extra_turn_goes_out(state, seat):
    """Two cards left: an eight or jack, and a card that fits it."""
    if state.hands[seat].bit_count() != 2:
        return None
    good = set()
    for move in state.legal_moves(seat):
        if move.startswith("play"):
            after = _after(state, seat, move)
            if after.reason is None and after.to_move() == (seat,):
                good |= {move} if _the_last_card_wins(after, seat) else set()
    return good or None


# Ten-Skip Challenge.


def _made(state, seat, cards):
    return ten_skip.is_made(cards, 4)


def _what_completes_is_kept(state, seat):
    if state.phase != "keep" or _made(state, seat, state.hands[seat]):
        return None
    good = {f"keep:{CODES[card]}" for card in state.drawn if _made(state, seat, [*state.hands[seat], card])}
    return good or None


def _a_made_hand_is_claimed(state, seat):
    return {"claim"} if state.phase == "end" and _made(state, seat, state.hands[seat]) else None


def _a_made_hand_is_not_broken(state, seat):
    moves = state.legal_moves(seat)
    if not moves[0].startswith(("challenge", "discard")) or not _made(state, seat, state.hands[seat]):
        return None
    hand = state.hands[seat]
    good = {
        move
        for move in moves
        if move.startswith(("discard", "swap"))
        and _made(state, seat, [card for card in hand if card != CARDS[move.partition(":")[2][:2]]])
    }
    return good | {"challenge"} if good else None


# Game: Armani, chosen fans.

_FACES = {card for card in range(52) if card % 13 in (0, 10, 11, 12)}


def _faces_choose_the_fan(state, seat):
    if state.phase != "choose":
        return None
    own, other = state.fans[state.power], state.fans[1 - state.power]
    ahead = len(_FACES & set(own)) - len(_FACES & set(other))
    return {"fan:own" if ahead > 0 else "fan:other"} if abs(ahead) >= 6 else None


def _a_face_card_is_taken(state, seat):
    if state.phase != "take":
        return None
    good = {f"take:{CODES[card]}" for card in state.fans[1 - state.power] if card in _FACES}
    return good or None


def _a_bet_is_not_raised_high(state, seat):
    if state.phase != "bets":
        return None
    moves = state.legal_moves(seat)
    return {move for move in moves if move == "fold" or int(move[4:]) <= 3}


THEMES = (
    Theme("normal-cards", "an ace or seven that is led is taken if that costs little", _a_rich_lead_is_taken),
    Theme("normal-cards", "ace and seven of trumps are not spent on a worthless lead", _the_best_trumps_are_kept),
    Theme("normal-cards", "no ace or seven is thrown on a lost trick", _no_points_on_a_lost_trick),
    Theme("avalanche", "what can grow or stop is not let fall when much lies there", _what_can_grow_does_not_fall),
    Theme("avalanche", "a big one that can't grow is stopped", _a_big_one_is_stopped),
    Theme("avalanche", "no ace or joker is given away while a low card would do", _no_strong_card_is_given_away),
    Theme("basic-rummy", "who can be out is out", _out_in_sight),
    Theme("basic-rummy", "the top card that makes a meld is taken", _what_makes_a_meld_is_taken),
    Theme("basic-rummy", "a meld in hand is not broken by a discard", _a_meld_is_not_broken),
    Theme("rummy-500", "who can be out is out", _out_in_sight, medium=False),
    Theme("rummy-500", "a joker is not discarded", _a_joker_is_kept),
    Theme("rummy-500", "a meld in hand is laid", _a_meld_in_hand_is_laid),
    Theme("amagande", "the last card is played", _the_last_card_wins),
    Theme("amagande", "a counter is played rather than five cards drawn", _a_counter_is_played, medium=False),
    Theme("amagande", "an extra turn goes out", _an_extra_turn_goes_out, medium=False),
    Theme("ten-skip", "the card that completes a hand is kept", _what_completes_is_kept),
    Theme("ten-skip", "a made hand is put on notice", _a_made_hand_is_claimed),
    Theme("ten-skip", "a made hand is not broken up", _a_made_hand_is_not_broken, medium=False),
    Theme("armani", "face cards decide which fan is chosen", _faces_choose_the_fan),
    Theme("armani", "a face card is taken", _a_face_card_is_taken),
    Theme("armani", "no high bets are made without knowing a card", _a_bet_is_not_raised_high),
)
