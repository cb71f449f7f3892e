"""Rummy 500, 2 to 8 players: Basic Rummy with jokers, aces high or low, and an open pile to dig in.

Rulings made where the rules are silent:

- A run that is joined to a set needs a natural card of its own, like any run.
- An ace in a set counts as not laid low, also when a run goes up from it; the ace at the low end of a run that goes
  down from a set counts 1.
- No deal is void: with an empty stock every turn takes from the pile or ends the deal, so there is always an end.
- With an empty stock and nothing to take, ``pass`` is the only move, and the player still has to make it.
- A joker chosen from the pile may be played wherever it fits, like any card.
- A match that reaches its cap with one player ahead at the target or above ends as ``target``, any other as ``deals``.
- At the end of the match the hands of the last deal stay open on the table.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from games.engine import Event, Move, Option, Options, Seat
from games.engine.cards import BLACK_JOKER, CODES, RANK, RED_JOKER, Card, encode
from games.engine.text import gettext as _
from games.rules._shared.melds import DOWN, RUN, in_a_meld
from games.rules._shared.pieces import Hand, add, card_of, cards_of
from games.rules._shared.rummy import CAP, NO_CARD, Emit, Meld, RummyState, code_or_none
from games.rules._shared.rummy_moves import DRAW_STOCK, SIT_OUT, ParsedMove
from games.rules._shared.rummy_rules import RummyRules
from games.rules.wording import card_name

#: From how many players two packs are used.
TWO_PACKS_FROM = 5
JOKER_SCORES = 15
LOW_ACE_SCORES = 1
ACE = 0
#: The value of each natural card except the ace.
VALUE = tuple(min(RANK[card] + 1, 10) for card in range(52))
TAKES = tuple(f"take:{n}" for n in range(109))


class Rummy500State(RummyState):
    """One moment of a match of Rummy 500."""

    __slots__ = ()

    SLUG: ClassVar[str] = "rummy-500"
    NAME: ClassVar[str] = "Rummy 500"
    VERBS: ClassVar[frozenset[str]] = frozenset((DRAW_STOCK, "take", SIT_OUT, "meld", "lay", "discard"))
    LAST: ClassVar[int] = 14

    @classmethod
    def pack(cls, seats: int, options: Options) -> list[Card]:
        """One pack, or two for five or more players; each with two jokers, unless the table plays without."""
        one = [*range(52), RED_JOKER, BLACK_JOKER] if options["jokers"] else [*range(52)]
        return one * 2 if seats >= TWO_PACKS_FROM else one

    @classmethod
    def hand_size(cls, seats: int) -> int:
        """13 cards for two players, 7 for more."""
        return 13 if seats == 2 else 7

    # The draw

    def _draws(self) -> Sequence[Move]:
        """The stock, or ``pass`` if it is empty; and each card of the pile that can be used at once, from the top."""
        moves = [DRAW_STOCK if self.stock else SIT_OUT]
        hand = self.hands[self.turn]
        layable = self._layable()
        for n, card in enumerate(reversed(self.pile), 1):
            hand = add(hand, card)
            if self._can_use(card, hand, layable):
                moves.append(TAKES[n])
        return moves

    def _layable(self) -> Hand:
        """The natural cards that fit some meld."""
        layable = 0
        for meld in self.melds:
            layable |= meld[4]
        return layable

    def _can_use(self, card: Card, hand: Hand, layable: Hand) -> bool:
        """Whether ``hand``, which holds ``card``, can meld or lay it off at once.

        A run of three that joins a set could be a meld of its own, since no meld has been made this turn.
        """
        if layable and (card >= RED_JOKER or layable >> card & 1):
            return True
        return in_a_meld(card, hand, self.LAST)

    def _refuse_draw(self, parsed: ParsedMove) -> str | None:
        verb, n = parsed.verb, parsed.number
        if verb == DRAW_STOCK:
            return None if self.stock else _("The stock is empty: take from the discard pile or pass.")
        if verb == SIT_OUT:
            return _("You can pass only when the stock is empty.") if self.stock else None
        if verb != "take":
            return _("First draw a card from the stock, or take from the discard pile.")
        if n > len(self.pile):
            return _("The discard pile doesn't have that many cards.")
        hand = self.hands[self.turn]
        for card in self.pile[-n:]:
            hand = add(hand, card)
        chosen = self.pile[-n]
        if self._can_use(chosen, hand, self._layable()):
            return None
        return _("You couldn't use {card} right away, so you can't take it.").format(card=card_name(CODES[chosen]))

    def _draw(self, seat: Seat, parsed: ParsedMove, emit: Emit | None) -> None:
        verb, n = parsed.verb, parsed.number
        if verb == DRAW_STOCK:
            self._draw_stock(seat, emit)
        elif verb == SIT_OUT:
            if emit:
                emit(Event("pass", seat, {}))
            self._end_deal(None, emit)
        else:
            self._take(seat, n, emit)

    def _take(self, seat: Seat, n: int, emit: Emit | None) -> None:
        """The top ``n`` cards of the pile, the deepest of which must be used at once."""
        cards = self.pile[-n:]
        del self.pile[-n:]
        for card in cards:
            self.hands[seat] = add(self.hands[seat], card)
            self.known[seat] = add(self.known[seat], card)
        self.taken = self.must = cards[0]
        self.phase = "play"
        if emit:
            emit(Event("take", seat, {"cards": encode(cards), "source": "discard", "target": f"hand:{seat}"}))

    def banned(self) -> Card:
        """No card: one taken from the pile may be discarded once the chosen one is used."""
        return NO_CARD

    # End of deal and match

    def _is_void(self) -> bool:
        return False

    def gains(self, winner: Seat | None) -> list[int]:
        """The value of each player's cards on the table minus those left in hand."""
        held = (sum(self.value_of(card) for card in cards_of(hand)) for hand in self.hands)
        return [laid - value for laid, value in zip(self._on_table(), held, strict=True)]

    def _on_table(self) -> list[int]:
        """The value of each player's cards on the table."""
        values = [0] * len(self.hands)
        for meld in self.melds:
            for value, owner in zip(self._values(meld), meld[3], strict=True):
                values[owner] += value
        return values

    def _values(self, meld: Meld) -> list[int]:
        """The value of each piece of a meld; an ace at the low end of a run counts 1."""
        (kind, _suit, low, _high), _by, pieces, _owners, _fits = meld
        values = [self.value_of(card_of(piece)) for piece in pieces]
        lowest = {RUN: 0, DOWN: 4}.get(kind)
        if lowest is not None and low == 1 and card_of(pieces[lowest]) < RED_JOKER:
            values[lowest] = LOW_ACE_SCORES
        return values

    def value_of(self, card: Card) -> int:
        """The value of a card in hand."""
        if card >= RED_JOKER:
            return JOKER_SCORES
        ace: int = self.options["ace_scores"]
        return ace if RANK[card] == ACE else VALUE[card]

    def _match_reason(self) -> str:
        """End at the target with one player ahead; a tie means another deal."""
        best = max(self.scores)
        if best >= self.options["target"] and self.scores.count(best) == 1:
            return "target"
        return "deals" if self.deal >= CAP else ""

    def _facts(self) -> dict[str, Any]:
        return {**super()._facts(), "must": code_or_none(self.must), "on_table": self._on_table()}


class Rummy500(RummyRules):
    """The rules of Rummy 500."""

    slug = Rummy500State.SLUG
    name = Rummy500State.NAME
    seats = range(2, 9)
    state_type = Rummy500State
    options = (
        Option(
            "target",
            500,
            500,
            range(100, 1001),
            _("Once a player has this many points at the end of a deal, the most points win."),
        ),
        Option("jokers", True, True, (True, False), _("Each pack has two jokers, which are wild.")),
        Option(
            "ace_scores",
            15,
            15,
            range(5, 26),
            _("What an ace is worth on the table and in your hand. At the low end of a run it's 1."),
        ),
    )


RULES = Rummy500()
