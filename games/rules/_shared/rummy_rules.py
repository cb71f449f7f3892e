"""The rules object shared by both rummies: deal, imagine hidden cards, describe events."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from games.engine import Chance, Event, Option, Options, Seat, State, View
from games.engine.cards import CARDS, Card
from games.engine.dealing import begin_deal
from games.engine.options import read_deck

from .melds import fits, shape_of
from .pieces import PIECES, Hand, add, card_of
from .rummy import NO_CARD, Meld, RummyState
from .rummy_guess import guess_cards, guess_rummy
from .rummy_text import say


class RummyRules:
    """The rules object of both games."""

    version = 1
    slug: str
    name: str
    seats: Sequence[int]
    options: tuple[Option, ...]
    state_type: type[RummyState]

    def deal(
        self,
        seats: int,
        options: Options,
        seed: str,
        *,
        deck: Sequence[str] | None = None,
        dealer: Seat | None = None,
    ) -> RummyState:
        """The first state of a match. Raises :class:`~games.engine.options.BadOptions` with the reason."""
        state = self.state_type.__new__(self.state_type)
        state.options, state.chance, state.dealer = begin_deal(self, seats, options, seed, dealer)
        state.scores = [0] * seats
        state.deal = 1
        state.reason = ""
        state.last_deal = None
        cards = self.state_type.pack(seats, state.options)
        given = None if deck is None else read_deck(deck, cards)
        state.chance.shuffle(cards)
        state.deal_cards(cards if given is None else given, None)
        return state

    def determinize(self, view: View, rng: Random) -> RummyState:
        """A random full state that shows exactly ``view`` to the seat of the view."""
        facts = view.facts
        seats = len(view.seats)
        state = self.state_type.__new__(self.state_type)
        state.options = dict(facts["options"])
        state.chance = Chance(rng.randbytes(16))
        state.deal, state.dealer, state.scores = facts["deal"], facts["dealer"], list(facts["scores"])
        state.turn, state.turns, state.phase, state.reason = facts["turn"], facts["turns"], view.phase, facts["reason"]
        state.laid = sum(1 << seat for seat in facts["laid"])
        state.fresh, state.refills = facts["fresh"], facts["refills"]
        state.melded = facts["melded"] + facts["rummy"]
        state.taken, state.must = _card(facts["taken"]), _card(facts.get("must"))
        state.known = [_hand(codes) for codes in facts["known"]]
        state.unwanted = [_hand(codes) for codes in facts["unwanted"]]
        state.pile = [CARDS[code] for code in view.zone("discard").cards or () if code is not None]
        state.melds = [_seen_meld(view, meld, self.state_type.LAST) for meld in facts["melds"]]
        last = facts["last_deal"]
        state.last_deal = last and (
            last["deal"],
            last["winner"],
            tuple(last["gains"]),
            tuple(_hand(codes) for codes in last["hands"]),
        )
        unseen = Counter(self.state_type.pack(seats, state.options))
        unseen.subtract(state.pile)
        unseen.subtract(card_of(piece) for meld in state.melds for piece in meld[2])
        hands = [view.zone(f"hand:{seat}").cards or () for seat in range(seats)]
        unseen.subtract(CARDS[code] for codes in hands for code in codes if code is not None)
        pool = list(unseen.elements())
        rng.shuffle(pool)
        state.hands = [_hand(codes) for codes in hands]
        hidden = [sum(code is None for code in codes) for codes in hands]
        if hidden[state.turn]:
            for card in self._guess_turn(state, pool, hidden[state.turn], rng):
                pool.remove(card)
                state.hands[state.turn] = add(state.hands[state.turn], card)
            hidden[state.turn] = 0
        for seat, count in enumerate(hidden):
            for _n in range(count):
                state.hands[seat] = add(state.hands[seat], pool.pop())
        state.stock = pool
        return state

    def _guess_turn(self, state: RummyState, pool: list[Card], count: int, rng: Random) -> list[Card]:
        """Hidden cards for the seat in turn that allow its required moves."""
        seen = state.hands[state.turn]
        if state.melded > 1:
            return guess_rummy(seen, pool, count, [meld[0] for meld in state.melds], state.LAST, rng)
        if state.must == NO_CARD:
            return rng.sample(pool, count)

        def can_use_it(cards: Sequence[Card]) -> bool:
            state.hands[state.turn] = seen
            for card in cards:
                state.hands[state.turn] = add(state.hands[state.turn], card)
            return bool(state.legal_moves(state.turn))

        cards = guess_cards(pool, count, can_use_it, rng)
        state.hands[state.turn] = seen
        return cards

    def teams(self, state: State) -> None:
        """No teams: each plays alone."""
        return

    def say(self, event: Event, names: Sequence[str]) -> str:
        """One sentence about ``event``, with ``names`` by seat."""
        return say(event, names)


def _hand(codes: Sequence[str | None]) -> Hand:
    """The hand of the visible codes."""
    hand = 0
    for code in codes:
        if code is not None:
            hand = add(hand, CARDS[code])
    return hand


def _card(code: str | None) -> int:
    return NO_CARD if code is None else CARDS[code]


def _seen_meld(view: View, fact: dict[str, Any], last: int) -> Meld:
    texts = view.zone(f"meld:{fact['n']}").cards or ()
    pieces = tuple(PIECES[text] for text in texts if text is not None)
    shape = shape_of(fact["kind"], pieces, last)
    return shape, fact["by"], pieces, tuple(fact["owners"]), fits(shape, last)
