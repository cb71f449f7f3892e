"""Amagande, the Rwandan game of the crazy-eights family, for 2 to 6 players.

Rulings made where the rules are silent:

- A turned-up card that may not start the pile goes back into the stock before the next one is turned, so it can come up
  again. All players have seen it: ``put_back`` among the facts lists such cards.
- A jack reverses the direction with two players, too; only the facts show it then.
- A penalty ends the turn even if no cards are left to draw; such a turn isn't one of the passes that block the match.
  The count of passes starts again if a seat passes although it could have played a card.
- If the discard pile has only its top card, nothing is shuffled and no chance is used up.
- A match that is blocked in its last turn ends as blocked.
- At the end of the match all hands are shown, because every sum counts.
- ``turn`` is the seat whose turn it is, as in the other games; ``turns`` counts the turns that have ended.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from random import Random
from typing import Any

from games.engine import (
    Chance,
    Event,
    IllegalMove,
    Move,
    Option,
    Options,
    Outcome,
    Seat,
    SeatView,
    State,
    View,
    Zone,
    places,
    returns_from,
)
from games.engine.cards import CARDS, CODES, IS_RED, RANK, SUIT, SUITS, Card, encode
from games.engine.dealing import begin_deal
from games.engine.options import read_deck
from games.engine.text import gettext as _
from games.rules.wording import card_name, colour_name, suit_name

from .tables import (
    ACE,
    ACE_OF_SPADES,
    ANY,
    ASKED,
    BLOCK,
    COLOURS,
    COUNTERS,
    DRAW,
    EIGHT,
    ELIMINATING,
    FITS_COLOUR,
    FITS_SUIT,
    FITS_TOP,
    HAND_SIZE,
    JACK,
    JOKERS,
    MOVES_OF,
    MOVES_OF_UNDER_PENALTY,
    PACK,
    PASS,
    PENALTY,
    PLAYS,
    PLAYS_UNDER_PENALTY,
    READABLE,
    SAFE,
    SEVEN,
    TURNS,
    VALUE,
    Cards,
    listed_of,
    may_begin,
    sum_of,
)
from .text import say

Emit = Callable[[Event], None]


class AmagandeState:
    """One moment of a match.

    ``hands`` are sets of cards, ``stock`` has its next card last, ``discard`` its top last; ``suit`` is the required
    suit and ``colour`` the required colour (0 black, 1 red), -1 for none; ``fits`` is the set of cards that may be
    played now by a player that has them; ``drawn`` says that ``seat`` has drawn this turn.
    """

    __slots__ = (
        "chance",
        "colour",
        "dealer",
        "direction",
        "discard",
        "drawn",
        "fits",
        "free",
        "hands",
        "passes",
        "penalty",
        "put_back",
        "ranking",
        "reason",
        "reference",
        "seat",
        "stacking",
        "stock",
        "suit",
        "turns",
    )

    stacking: bool
    chance: Chance
    dealer: Seat
    reference: int
    hands: list[Cards]
    stock: list[Card]
    discard: list[Card]
    seat: Seat
    direction: int
    suit: int
    colour: int
    penalty: int
    free: bool
    drawn: bool
    turns: int
    passes: int
    put_back: tuple[Card, ...]
    fits: Cards
    reason: str | None
    ranking: tuple[tuple[Seat, ...], ...]

    def copy(self) -> "AmagandeState":
        """An equal state that shares nothing mutable with this one."""
        other = AmagandeState.__new__(AmagandeState)
        other.stacking = self.stacking
        other.chance = Chance(self.chance.seed, self.chance.number)
        other.dealer = self.dealer
        other.reference = self.reference
        other.hands = self.hands[:]
        other.stock = self.stock[:]
        other.discard = self.discard[:]
        other.seat = self.seat
        other.direction = self.direction
        other.suit = self.suit
        other.colour = self.colour
        other.penalty = self.penalty
        other.free = self.free
        other.drawn = self.drawn
        other.turns = self.turns
        other.passes = self.passes
        other.put_back = self.put_back
        other.fits = self.fits
        other.reason = self.reason
        other.ranking = self.ranking
        return other

    # Legal moves

    def to_move(self) -> Sequence[Seat]:
        """The seat whose turn it is; none when the match is over."""
        return () if self.reason is not None else ASKED[self.seat]

    def legal_moves(self, seat: Seat) -> Sequence[Move]:
        """The plays that fit (under a penalty: the counters) in pack order, then ``draw`` or, after it, ``pass``."""
        if seat != self.seat or self.reason is not None:
            return []
        moves: list[Move] = []
        moves_of = MOVES_OF_UNDER_PENALTY if self.penalty else MOVES_OF
        playable = self.hands[seat] & self.fits
        while playable:
            card = playable & -playable
            moves += moves_of[card]
            playable ^= card
        moves.append(PASS if self.drawn else DRAW)
        return moves

    def check(self, seat: Seat, move: Move) -> None:
        """Raise :class:`IllegalMove` with the reason if ``seat`` may not make ``move`` now."""
        if move not in self.legal_moves(seat):
            raise IllegalMove(self._refusal(seat, move))

    def _refusal(self, seat: Seat, move: Move) -> str:
        """Why ``move`` isn't legal."""
        if not isinstance(move, str) or move not in READABLE:
            return _("That's not a move in Amagande.")
        if self.reason is not None:
            return _("The match is over.")
        if seat != self.seat:
            return _("It's not your turn.")
        if move == DRAW:
            return _("You've already drawn. Play a card, or pass.")
        if move == PASS:
            return _("You can pass only after you draw.")
        bit, card, _named = PLAYS_UNDER_PENALTY[move] if move == BLOCK else PLAYS[move]
        if not self.hands[seat] & bit:
            return _("You don't have {card}.").format(card=card_name(CODES[card]))
        if self.penalty and card != ACE_OF_SPADES:
            return _("That doesn't counter the penalty. Counter it, or draw {count} cards.").format(count=self.penalty)
        if self.penalty:
            return _("An ace of spades that blocks a penalty doesn't choose a suit.")
        if card == ACE_OF_SPADES:
            return _("Choose the suit that must follow your ace.")
        if self.suit >= 0:
            return _("The next card must be {suit}.").format(suit=suit_name(SUITS[self.suit]))
        if self.colour >= 0:
            return _("The next card must be {colour}, and not a joker.").format(
                colour=colour_name(COLOURS[self.colour])
            )
        return _("{card} doesn't fit on {top}.").format(
            card=_capital(card_name(CODES[card])), top=card_name(CODES[self.discard[-1]])
        )

    def public_move(self, seat: Seat, move: Move) -> Move:
        """``move`` itself: nothing is chosen in secret."""
        return move

    def default_move(self, seat: Seat) -> Move:
        """The most valuable playable card, but not the card of the showdown; else ``draw``, then ``pass``.

        An ace names the suit of which the hand has most.
        """
        moves = self.legal_moves(seat)
        plays = PLAYS_UNDER_PENALTY if self.penalty else PLAYS
        held = [0, 0, 0, 0, 0]
        for card in listed_of(self.hands[seat]):
            held[SUIT[card]] += 1

        def merit(move: Move) -> tuple[int, int]:
            _bit, card, named = plays[move]
            return VALUE[card], held[named] if named >= 0 else 0

        showdown = f"play:{CODES[13 * self.reference + SEVEN]}"
        return max((move for move in moves[:-1] if move != showdown), key=merit, default=moves[-1])

    # Making moves

    def apply(self, seat: Seat, move: Move, emit: Emit | None = None) -> None:
        """Make ``move`` and emit its events. Raises :class:`IllegalMove`, changing nothing, if it's illegal."""
        if seat != self.seat or self.reason is not None or not isinstance(move, str):
            raise IllegalMove(self._refusal(seat, move))
        play = (PLAYS_UNDER_PENALTY if self.penalty else PLAYS).get(move)
        if play is not None and play[0] & self.hands[seat] & self.fits:
            self._play(seat, *play, emit)
        elif move == DRAW and not self.drawn:
            self._draw(seat, emit)
        elif move == PASS and self.drawn:
            if emit:
                emit(Event("pass", seat, {}))
            self._end_turn(self.direction, emit)
        else:
            raise IllegalMove(self._refusal(seat, move))

    def _play(self, seat: Seat, bit: Cards, card: Card, named: int, emit: Emit | None) -> None:
        hand = self.hands[seat] ^ bit
        self.hands[seat] = hand
        self.discard.append(card)
        faced = self.penalty
        self.suit = named
        self.colour = int(IS_RED[card]) if card in JOKERS else -1
        self.penalty = 0
        self.free = False
        self.passes = 0
        if emit:
            emit(_moved("play", seat, [card], f"hand:{seat}", "discard", suit=SUITS[named] if named >= 0 else None))
        rank = RANK[card]
        if not hand:
            self.turns += 1
            self.end("out", seat, emit)
            return
        if rank == SEVEN and SUIT[card] == self.reference:
            self.turns += 1
            self.end("showdown", seat, emit)
            return
        step = self.direction
        if PENALTY[card]:
            self.penalty = PENALTY[card] + (faced if self.stacking else 0)
            self.fits = COUNTERS[card]
        else:
            if rank == ACE and named < 0:
                self.free = True
            elif rank == EIGHT:
                step *= 2
            elif rank == JACK:
                self.direction = -step
                step = 0 if len(self.hands) == 2 else -step
            self.fits = self._fits()
        if emit:
            self._emit_effect(seat, card, step, emit)
        self._end_turn(step, emit)

    def _fits(self) -> Cards:
        """The cards that fit while there is no penalty."""
        if self.free:
            return ANY
        if self.suit >= 0:
            return FITS_SUIT[self.suit]
        if self.colour >= 0:
            return FITS_COLOUR[self.colour]
        return FITS_TOP[self.discard[-1]]

    def _draw(self, seat: Seat, emit: Emit | None) -> None:
        """Draw one card and stay to play or pass; or draw the whole penalty, which ends the turn."""
        penalty = self.penalty
        drawn: list[Card] = []
        while len(drawn) < (penalty or 1) and (self.stock or self._refill(emit)):
            drawn.append(self.stock.pop())
        for card in drawn:
            self.hands[seat] |= 1 << card
        if emit:
            if drawn:
                emit(Event("draw", seat, {"cards": len(drawn), "source": "stock", "target": f"hand:{seat}"}))
                emit(Event("drawn", seat, {"cards": encode(drawn)}, frozenset((seat,))))
            else:
                emit(Event("nothing_to_draw", seat, {}))
        if penalty:
            self.penalty = 0
            self.fits = self._fits()
            self._end_turn(self.direction, emit)
        elif drawn:
            self.passes = 0
            self.drawn = True
        else:
            self.passes = 0 if self.hands[seat] & self.fits else self.passes + 1
            self._end_turn(self.direction, emit)

    def _refill(self, emit: Emit | None) -> bool:
        """Shuffle the discard pile, except its top card, into a new stock; returns whether there were cards."""
        under = self.discard[:-1]
        if not under:
            return False
        self.chance.shuffle(under)
        under.reverse()
        self.stock = under
        self.discard = self.discard[-1:]
        if emit:
            emit(Event("refill", None, {"cards": len(under), "source": "discard", "target": "stock"}))
        return True

    def _end_turn(self, step: int, emit: Emit | None) -> None:
        """Pass the turn to the seat ``step`` seats on, unless the match is blocked or its turns are used up."""
        seats = len(self.hands)
        self.seat = (self.seat + step) % seats
        self.drawn = False
        self.turns += 1
        if self.passes >= seats:
            self.end("blocked", None, emit)
        elif self.turns >= TURNS:
            self.end("turns", None, emit)

    # End of the match

    def end(self, reason: str, by: Seat | None, emit: Emit | None) -> None:
        """End the match; ``by`` played the last card or the seven of the showdown."""
        self.reason = reason

        def merit(seat: Seat) -> tuple[bool, int, bool]:
            hand = self.hands[seat]
            total = sum_of(hand)
            if reason == "out":
                return seat != by, total, False
            return bool(hand & ELIMINATING) or total > SAFE, total, seat == by

        order = sorted(range(len(self.hands)), key=merit)
        self.ranking = tuple(tuple(group) for _merit, group in groupby(order, key=merit))
        if emit:
            emit(Event(reason, by, {}))
            for seat, hand in enumerate(self.hands):
                if hand:
                    emit(Event("hand", seat, {"cards": encode(listed_of(hand)), "sum": sum_of(hand)}))
            emit(Event("over", None, {"winners": list(self.ranking[0])}))

    def outcome(self) -> Outcome | None:
        """How the match ended, with the sum of each hand as points; ``None`` while it runs."""
        if self.reason is None:
            return None
        return Outcome(self.reason, self.ranking, tuple(float(sum_of(hand)) for hand in self.hands))

    def returns(self) -> tuple[float, ...]:
        """The return of each seat between −1 and 1; zeros before the end."""
        if self.reason is None:
            return (0.0,) * len(self.hands)
        return returns_from(self.ranking, sides=False)

    # Views

    def view(self, seat: Seat | None) -> View:
        """What ``seat`` may see: its own hand, the pile and the public facts; at the end all hands."""
        over = self.reason is not None
        place = places(self.ranking, sides=False) if over else (None,) * len(self.hands)
        zones = [
            Zone(f"hand:{owner}", owner, len(cards), encode(cards) if over else [None] * len(cards))
            for owner, cards in enumerate(map(listed_of, self.hands))
        ]
        zones.append(Zone("stock", None, len(self.stock), None))
        zones.append(Zone("discard", None, len(self.discard), encode(self.discard)))
        public = View(
            game=RULES.slug,
            seat=None,
            phase="over" if over else "drawn" if self.drawn else "play",
            to_move=list(self.to_move()),
            seats=[
                SeatView(owner, place=place[owner], points=sum_of(hand) if over else 0)
                for owner, hand in enumerate(self.hands)
            ],
            zones=zones,
            facts={
                "options": {"stacking": self.stacking},
                "reference": SUITS[self.reference],
                "suit": SUITS[self.suit] if self.suit >= 0 else None,
                "colour": COLOURS[self.colour] if self.colour >= 0 else None,
                "penalty": self.penalty,
                "direction": self.direction,
                "free": self.free,
                "dealer": self.dealer,
                "turn": self.seat,
                "turns": self.turns,
                "passes": self.passes,
                "put_back": encode(self.put_back),
                "reason": self.reason,
            },
            moves=[],
        )
        return public if seat is None else self.view_for(seat, public)

    def view_for(self, seat: Seat, public: View) -> View:
        """``view(seat)``, which differs from the ``public`` one in its own hand."""
        cards = listed_of(self.hands[seat])
        hand = Zone(f"hand:{seat}", seat, len(cards), encode(cards))
        return public.for_seat(seat, list(self.legal_moves(seat)), hand=hand)

    def _emit_effect(self, seat: Seat, card: Card, step: int, emit: Emit) -> None:
        seats = len(self.hands)
        if self.penalty:
            emit(Event("penalty", (seat + step) % seats, {"count": self.penalty}))
        elif self.free:
            emit(Event("block", seat, {}))
        elif step % seats == 0:
            emit(Event("again", seat, {}))
        elif RANK[card] == EIGHT:
            emit(Event("skip", (seat + self.direction) % seats, {}))
        elif RANK[card] == JACK:
            emit(Event("turn_round", seat, {"direction": self.direction}))


def _moved(kind: str, seat: Seat, cards: list[Card], source: str, target: str, **more: Any) -> Event:
    return Event(kind, seat, {"cards": encode(cards), "source": source, "target": target, **more})


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class Amagande:
    """The rules of Amagande."""

    slug = "amagande"
    name = "Amagande"
    version = 1
    seats: Sequence[int] = range(2, 7)
    options = (
        Option(
            "stacking",
            default=False,
            by_mail=False,
            choices=(False, True),
            text=_("A counter adds to the penalty instead of cancelling it."),
        ),
    )
    state_type: type[State] = AmagandeState

    def deal(
        self,
        seats: int,
        options: Options,
        seed: str,
        *,
        deck: Sequence[str] | None = None,
        dealer: Seat | None = None,
    ) -> AmagandeState:
        """The first state of a match. Raises :class:`~games.engine.options.BadOptions` with the reason."""
        filled, chance, dealer = begin_deal(self, seats, options, seed, dealer)
        if deck is None:
            stock = list(PACK)
            chance.shuffle(stock)
        else:
            stock = read_deck(deck, PACK)
            chance.number += 1
        state = AmagandeState()
        state.stacking = filled["stacking"]
        state.chance = chance
        state.dealer = dealer
        state.reference = chance.below(4)
        stock.reverse()
        state.hands = [0] * seats
        for turn in range(seats * HAND_SIZE[seats]):
            state.hands[(state.dealer + 1 + turn) % seats] |= 1 << stock.pop()
        state.stock = stock
        put_back: list[Card] = []
        while not may_begin(stock[-1], state.reference):
            put_back.append(stock.pop())
            stock.insert(len(stock) - chance.below(len(stock) + 1), put_back[-1])
        state.put_back = tuple(put_back)
        state.discard = [stock.pop()]
        state.seat = (state.dealer + 1) % seats
        state.direction = 1
        state.suit = state.colour = -1
        state.penalty = state.turns = state.passes = 0
        state.free = state.drawn = False
        state.fits = FITS_TOP[state.discard[-1]]
        state.reason = None
        state.ranking = ()
        return state

    def determinize(self, view: View, rng: Random) -> AmagandeState:
        """A random full state that shows exactly ``view`` to the seat of the view."""
        facts = view.facts
        seats = len(view.seats)
        state = AmagandeState()
        state.stacking = facts["options"]["stacking"]
        state.chance = Chance(rng.randbytes(16))
        state.dealer = facts["dealer"]
        state.reference = SUITS.index(facts["reference"])
        hands = [view.zone(f"hand:{seat}") for seat in range(seats)]
        seen = [[CARDS[code] for code in hand.cards or () if code is not None] for hand in hands]
        state.discard = [CARDS[code] for code in view.zone("discard").cards or () if code is not None]
        hidden = sorted(set(PACK).difference(state.discard, *seen))
        rng.shuffle(hidden)
        state.put_back = tuple(CARDS[code] for code in facts["put_back"])
        if view.zone("stock").count == len(PACK) - seats * HAND_SIZE[seats] - 1:
            # No one has drawn, so cards put back are still in the stock. Hands are filled from the end.
            hidden.sort(key=lambda card: card not in state.put_back)
        for hand, cards in zip(hands, seen, strict=True):
            while len(cards) < hand.count:
                cards.append(hidden.pop())
        state.hands = [sum(1 << card for card in cards) for cards in seen]
        rng.shuffle(hidden)
        state.stock = hidden
        state.direction = facts["direction"]
        state.suit = -1 if facts["suit"] is None else SUITS.index(facts["suit"])
        state.colour = -1 if facts["colour"] is None else COLOURS.index(facts["colour"])
        state.penalty = facts["penalty"]
        state.free = facts["free"]
        state.drawn = view.phase == "drawn"
        state.turns = facts["turns"]
        state.passes = facts["passes"]
        state.reason = facts["reason"]
        state.seat = facts["turn"]
        placed = sorted((seat.place or 0, seat.seat) for seat in view.seats)
        state.ranking = (
            ()
            if state.reason is None
            else tuple(
                tuple(seat for _place, seat in group) for _place, group in groupby(placed, key=lambda item: item[0])
            )
        )
        state.fits = COUNTERS[state.discard[-1]] if state.penalty else state._fits()
        return state

    def teams(self, state: AmagandeState) -> None:
        """No teams: each plays alone."""

    def say(self, event: Event, names: Sequence[str]) -> str:
        """One sentence about ``event``, with ``names`` by seat."""
        return say(event, names)


RULES = Amagande()
