"""What the AI players of both rummies know: cards worth keeping, melds worth making, and dangerous discards."""

from collections.abc import Mapping
from random import Random
from typing import TypeVar

from games.ai.policy import Policy
from games.ai.rummy_sight import Sight, Weights
from games.engine import Move, Seat, View
from games.engine.cards import RED_JOKER, Card
from games.rules._shared.melds import new_melds, suits_held
from games.rules._shared.pieces import NATURAL, SINGLE, Hand, cards_of, remove
from games.rules._shared.rummy import RummyState
from games.rules._shared.rummy_moves import DISCARDS, DRAW_STOCK, read_move

RummyStateType = TypeVar("RummyStateType", bound=RummyState)

#: The value of keeping a card that may become part of a meld, in points of the hand: for each card of its rank, each
#: neighbour, and each card with a gap between.
MATE, NEIGHBOUR, GAP = 4.0, 3.5, 2.0
#: A card of a meld in hand, or a joker, is not discarded.
IN_A_MELD, JOKER = 40.0, 60.0
#: The cost of discarding a card that the next player can use.
DANGER = 3.0


class RummyPolicy(Policy[RummyStateType]):
    """What both rummies have in common: meld everything possible, and discard the least promising card.

    They don't search: simulated deals of two reasonable discards differed only by luck. A hard player weighs outs and
    dangers instead, by the cards that were seen, taken, left and discarded.
    """

    playouts: Mapping[str, int] = {}
    forgets = {"easy": 1.0}
    weights: Weights

    def choose(self, view: View, level: str, rng: Random) -> Move:
        """Hard players weigh outs and dangers; the others use rules of thumb."""
        if level != "hard" or view.seat is None or len(view.moves) == 1:
            return super().choose(view, level, rng)
        return self.careful(self.imagine(view, rng), view.seat)

    def careful(self, state: RummyStateType, seat: Seat) -> Move:
        """The move of a player who remembers what was taken, left and discarded."""
        sight = Sight(state, seat)
        if state.phase == "draw":
            return self.careful_draw(state, seat, sight)
        move = self.laying(state, seat)
        if move and not self.holds_back(state, seat, sight):
            return move
        return DISCARDS[sight.discards(state, self.weights)[0]]

    def careful_draw(self, state: RummyStateType, seat: Seat, sight: Sight) -> Move:
        """Draw as a careful player; defined by each game."""
        return self.draw(state, seat)

    def holds_back(self, state: RummyStateType, seat: Seat, sight: Sight) -> bool:
        """Whether a careful player holds back possible melds; defined by each game."""
        return False

    def greedy(self, state: RummyStateType, seat: Seat, rng: Random) -> Move:
        """Draw useful cards, meld what is possible, and discard the card least worth keeping."""
        if state.phase == "draw":
            return self.draw(state, seat)
        return self.laying(state, seat) or self.discards(state, seat)[0]

    def plain(self, state: RummyStateType, seat: Seat, rng: Random) -> Move:
        """The greedy move, but a discard is judged only by its points."""
        if state.phase == "draw":
            return self.draw(state, seat)
        return self.laying(state, seat) or state.default_move(seat)

    def draw(self, state: RummyStateType, seat: Seat) -> Move:
        """Choose a draw; defined by each game."""
        return DRAW_STOCK

    def laying(self, state: RummyStateType, seat: Seat) -> Move | None:
        """The meld or lay-off with the most points that can be made now."""
        if not self._may_lay(state, seat):
            return None
        moves = [move for move in state.legal_moves(seat) if not move.startswith("discard:")]
        return max(moves, key=lambda move: self.worth_laying(state, move), default=None)

    def _may_lay(self, state: RummyStateType, seat: Seat) -> bool:
        """Whether a meld or lay-off might be possible; faster than listing all moves."""
        hand = state.hands[seat]
        if hand >> RED_JOKER & 3 or any(meld[4] & hand or (meld[0][0] == 0 and not meld[4]) for meld in state.melds):
            return True
        return (not state.melded or state.fresh) and bool(new_melds(hand, state.LAST))

    def worth_laying(self, state: RummyStateType, move: Move) -> float:
        """The points of the cards that a move puts down; melds first, since only one is allowed per turn."""
        found = read_move(move)
        if found is None:
            return -1.0
        points = sum(state.value_of(card) for card in cards_of(found.need))
        jokers = sum(card >= RED_JOKER for card in cards_of(found.need))
        return points + (100 if found.verb == "meld" else 0) - (25 if jokers else 0)

    def discards(self, state: RummyStateType, seat: Seat) -> list[Move]:
        """The legal discards, best first."""
        hand = state.hands[seat]
        gone = self._gone(state, seat)
        in_melds = 0
        for text in new_melds(hand, state.LAST):
            found = read_move("meld:" + text)
            in_melds |= found.need if found else 0
        following = state.known[(seat + 1) % len(state.hands)] & SINGLE

        def merit(card: Card) -> float:
            if card >= RED_JOKER:
                return -JOKER
            kept = keeping(card, hand, gone, state.LAST) + (IN_A_MELD if in_melds >> card & 1 else 0)
            return self.burden(state, card) - kept - DANGER * _seems_wanted(card, following)

        banned = state.banned()
        cards = [card for card in set(cards_of(hand)) if card != banned]
        cards.sort(key=lambda card: (-merit(card), card))
        return [DISCARDS[card] for card in cards]

    def burden(self, state: RummyStateType, card: Card) -> float:
        """The cost of being left with a card."""
        return 0.4 * state.value_of(card)

    def _gone(self, state: RummyStateType, seat: Seat) -> Hand:
        """The cards that can't come any more: in the pile or in melds."""
        gone = 0
        for card in state.pile:
            gone |= 1 << card
        for meld in state.melds:
            for piece in meld[2]:
                if piece < 52:
                    gone |= 1 << piece
        return gone


def keeping(card: Card, hand: Hand, gone: Hand, last: int) -> float:
    """The promise of ``card`` together with others of ``hand``, counting only cards that can still come."""
    suit, rank = divmod(card, 13)
    naturals = hand & NATURAL
    mates = suits_held(naturals, rank).bit_count() - 1
    promise = 0.0
    if mates:
        coming = 4 - suits_held(naturals | gone, rank).bit_count()
        promise += MATE * (mates if coming else 0) * (0.5 + 0.25 * coming)
    line = naturals >> 13 * suit & 0x1FFF
    dead = gone >> 13 * suit & 0x1FFF
    if last == 14:
        line |= (line & 1) << 13
        dead |= (dead & 1) << 13

    def held(at: int) -> bool:
        return 0 <= at < last and bool(line >> at & 1)

    def comes(at: int) -> bool:
        return 0 <= at < last and not dead >> at & 1

    for at in (rank, 13) if rank == 0 and last == 14 else (rank,):
        for step in (-1, 1):
            if held(at + step):
                promise += NEIGHBOUR * (comes(at - step) + comes(at + 2 * step)) / 2
            elif held(at + 2 * step) and comes(at + step):
                promise += GAP
    return promise


def _seems_wanted(card: Card, known: Hand) -> int:
    """Whether a player known to hold certain cards probably wants ``card``."""
    if not known:
        return 0
    suit, rank = divmod(card, 13)
    near = known >> 13 * suit & 0x1FFF
    return int(bool(suits_held(known, rank)) or bool(near & (0b11011 << rank >> 2 & 0x1FFF)))


def meld_points(state: RummyState, hand: Hand, must: Card) -> tuple[float, Hand]:
    """The points of the best meld of ``hand`` that contains ``must``, and its cards."""
    best, used = 0.0, 0
    for text in new_melds(hand, state.LAST):
        found = read_move("meld:" + text)
        if found is not None and found.need >> must & 1:
            points = sum(state.value_of(card) for card in cards_of(found.need))
            if points > best:
                best, used = points, found.need
    return best, used


def left_after(hand: Hand, used: Hand) -> list[Card]:
    """The cards of ``hand`` without those used."""
    return cards_of(remove(hand, used))
