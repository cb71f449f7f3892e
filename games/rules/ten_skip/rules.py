"""Ten-Skip Challenge, by Darren Dirt: bluff and challenge with 40 cards, for 2 to 6 players.

Rulings made where the rules are silent:

- A pass, a challenge and a claim neither count as swaps in a row nor break the row.
- The limit on swaps depends on the number of players in the round at the start of a turn.
- Losers' hands are counted, not shown; only a challenge and the winner's ``show`` lay a hand open.
- The last card of the stock is kept unseen by the player that draws it.
- If a round leaves at most one player in, the match ends as ``last_in`` even in round 60.
- ``known`` among the facts lists for each hand the cards that all players know to be there; ``exposed`` is the player
  whose claim was false, ``out_in`` the round in which each player went out of the match.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from random import Random

from games.engine import (
    Chance,
    Event,
    IllegalMove,
    Move,
    Option,
    Options,
    Outcome,
    Seat,
    State,
    View,
    returns_from,
)
from games.engine.cards import CODES, Card, encode
from games.engine.dealing import begin_deal
from games.engine.options import read_deck
from games.engine.text import gettext as _

from .tables import (
    DISCARDS,
    END,
    GIVE,
    GIVES,
    HAND_SIZE,
    KEEP,
    KEEPS,
    MADE_SIZE,
    NO_SEAT,
    OVER,
    PACK,
    READABLE,
    ROUNDS,
    SEATS,
    SHOW,
    SWAP_ROUNDS,
    SWAPS,
    TOP,
    TOPS,
    TURN,
    VALUE,
    Cards,
    after,
    has_pair,
    is_made,
    set_of,
    value,
)
from .text import refusal, sentence
from .view import imagine, show

Emit = Callable[[Event], None]


class TenSkipState:
    """One moment of a match.

    ``hands`` are in pack order, ``stock`` has its next card last, ``discard`` its top last, ``drawn`` the first drawn
    first. ``turn`` is the seat whose turn it is, ``victim`` the one asked to give a card for ``offer`` (a card or -1).
    ``known[hand * (seats + 1) + viewer]`` is the set of cards that a viewer knows to be in a hand, the last viewer
    being a spectator; ``shown`` is by seat the set of its exposed cards not seen elsewhere since.
    """

    __slots__ = (
        "chance",
        "dealer",
        "discard",
        "drawn",
        "exposed",
        "hands",
        "in_round",
        "known",
        "limit",
        "notice",
        "offer",
        "one_claim",
        "out_in",
        "phase",
        "round",
        "scores",
        "shown",
        "stock",
        "swaps",
        "turn",
        "victim",
    )

    limit: int
    one_claim: bool
    chance: Chance
    round: int
    dealer: Seat
    scores: list[int]
    out_in: list[int | None]
    in_round: list[Seat]
    hands: list[list[Card]]
    stock: list[Card]
    discard: list[Card]
    drawn: list[Card]
    phase: str
    turn: Seat
    victim: Seat
    offer: Card
    notice: Seat
    exposed: Seat
    swaps: int
    known: list[Cards]
    shown: list[Cards]

    def copy(self) -> "TenSkipState":
        """An equal state that shares nothing mutable with this one."""
        other = TenSkipState.__new__(TenSkipState)
        other.limit = self.limit
        other.one_claim = self.one_claim
        other.chance = Chance(self.chance.seed, self.chance.number)
        other.round = self.round
        other.dealer = self.dealer
        other.scores = self.scores[:]
        other.out_in = self.out_in[:]
        other.in_round = self.in_round[:]
        other.hands = [hand[:] for hand in self.hands]
        other.stock = self.stock[:]
        other.discard = self.discard[:]
        other.drawn = self.drawn[:]
        other.phase = self.phase
        other.turn = self.turn
        other.victim = self.victim
        other.offer = self.offer
        other.notice = self.notice
        other.exposed = self.exposed
        other.swaps = self.swaps
        other.known = self.known[:]
        other.shown = self.shown[:]
        return other

    # Legal moves

    def to_move(self) -> Sequence[Seat]:
        """The seat whose turn it is, or the victim asked to give; none when the match is over."""
        if self.phase == OVER:
            return ()
        return (self.victim if self.phase == GIVE else self.turn,)

    def legal_moves(self, seat: Seat) -> Sequence[Move]:
        """Every legal move of ``seat``; none unless it is awaited."""
        phase = self.phase
        if phase == OVER or seat != (self.victim if phase == GIVE else self.turn):
            return []
        if phase == KEEP:
            return [KEEPS[card] for card in self.drawn]
        if phase == END:
            return ["claim", "end"]
        if phase == SHOW:
            return ["show", "hide"]
        hand = self.hands[seat]
        if phase == GIVE:
            return [GIVES[card] for card in hand]
        if phase == TOP:
            return [TOPS[card] for card in hand]
        moves = [DISCARDS[card] for card in hand] if self.stock else []
        for victim in self.in_round:
            if victim not in (seat, self.notice):
                swaps = SWAPS[victim]
                moves += [swaps[card] for card in hand]
        if not moves:
            moves.append("pass")
        if self.notice >= 0:
            moves.append("challenge")
        return moves

    def check(self, seat: Seat, move: Move) -> None:
        """Raise :class:`IllegalMove` with the reason if ``seat`` may not make ``move`` now."""
        if move not in self.legal_moves(seat):
            raise IllegalMove(refusal(self, seat, move))

    def public_move(self, seat: Seat, move: Move) -> Move:
        """``move``, without the card that is kept or given."""
        verb = move.partition(":")[0]
        return verb if verb in ("keep", "give") else move

    def default_move(self, seat: Seat) -> Move:
        """Discard the most valuable card, keep the cheapest, claim only true hands, and never challenge."""
        hand = self.hands[seat]
        highest = max(hand, key=lambda card: VALUE[card], default=-1)
        match self.phase:
            case "keep":
                return KEEPS[min(self.drawn, key=lambda card: VALUE[card])]
            case "give":
                return GIVES[highest]
            case "end":
                return "claim" if is_made(hand, self._made_size()) else "end"
            case "top":
                return TOPS[highest]
            case "show":
                return "hide"
        if self.stock:
            return DISCARDS[highest]
        return next((SWAPS[victim][highest] for victim in self._victims(seat)), "pass")

    def _victims(self, seat: Seat) -> list[Seat]:
        """The seats that ``seat`` may swap with: others in the round, except one on notice."""
        return [other for other in self.in_round if other not in (seat, self.notice)]

    def _in_match(self) -> list[Seat]:
        return [seat for seat, gone in enumerate(self.out_in) if gone is None]

    def _made_size(self) -> int:
        """The size of a ten-skip hand in this round; the number of players never changes within a round."""
        return MADE_SIZE[len(self._in_match())]

    # Making moves

    def apply(self, seat: Seat, move: Move, emit: Emit | None = None) -> None:
        """Make ``move`` and emit its events. Raises :class:`IllegalMove`, changing nothing, if it's illegal."""
        if move not in self.legal_moves(seat):
            raise IllegalMove(refusal(self, seat, move))
        verb, card, victim = READABLE[move]
        match verb:
            case "discard":
                self._discard(seat, card, emit)
            case "keep":
                self._keep(seat, card, emit)
            case "swap":
                self._offer(seat, card, victim, emit)
            case "give":
                self._give(seat, card, emit)
            case "challenge":
                self._challenge(seat, emit)
            case "top":
                self._leave(seat, card, emit)
            case "pass":
                if emit:
                    emit(Event("pass", seat, {}))
                self._after_cards(emit)
            case "claim":
                self.notice = seat
                if emit:
                    emit(Event("claim", seat, {}))
                self._next_turn(emit)
            case "end":
                if emit:
                    emit(Event("end", seat, {}))
                self._next_turn(emit)
            case "show":
                self._expose(seat, emit)
                self._unchallenged(seat, emit)
            case "hide":
                if emit:
                    emit(Event("hide", seat, {}))
                self._unchallenged(seat, emit)

    def _discard(self, seat: Seat, card: Card, emit: Emit | None) -> None:
        """Put ``card`` on the discard pile and take the top two of the stock; a last single card is kept."""
        hand = self.hands[seat]
        hand.remove(card)
        self.discard.append(card)
        self._seen(1 << card, NO_SEAT)
        self._leaves(seat, 1 << card)
        self.swaps = 0
        if emit:
            emit(_moved("discard", seat, [card], f"hand:{seat}", "discard"))
        if len(self.stock) == 1:
            last = self.stock.pop()
            _insert(hand, last)
            if emit:
                emit(Event("draw", seat, {"cards": 1, "source": "stock", "target": f"hand:{seat}"}))
                emit(Event("drawn", seat, {"cards": encode([last])}, frozenset((seat,))))
            self._after_cards(emit)
            return
        self.drawn = [self.stock.pop(), self.stock.pop()]
        self.phase = KEEP
        if emit:
            emit(Event("draw", seat, {"cards": 2, "source": "stock", "target": "drawn"}))
            emit(Event("drawn", seat, {"cards": encode(self.drawn)}, frozenset((seat,))))

    def _keep(self, seat: Seat, card: Card, emit: Emit | None) -> None:
        """Keep ``card`` of the two drawn; the other goes on the discard pile."""
        self.drawn.remove(card)
        other = self.drawn.pop()
        _insert(self.hands[seat], card)
        self.discard.append(other)
        if emit:
            emit(Event("keep", seat, {"cards": 1, "source": "drawn", "target": f"hand:{seat}"}))
            emit(_moved("reject", seat, [other], "drawn", "discard"))
        self._after_cards(emit)

    def _offer(self, seat: Seat, card: Card, victim: Seat, emit: Emit | None) -> None:
        """Show everyone the card that ``victim`` must take."""
        self.offer = card
        self.victim = victim
        self.phase = GIVE
        self._seen(1 << card, seat)
        self._arrives(seat, 1 << card)
        if emit:
            emit(Event("offer", seat, {"card": CODES[card], "victim": victim}))

    def _give(self, victim: Seat, card: Card, emit: Emit | None) -> None:
        """Let the victim give ``card``, known only to the two players, and take the offered card."""
        taker = self.turn
        offer = self.offer
        self.hands[victim].remove(card)
        self.hands[taker].remove(offer)
        _insert(self.hands[victim], offer)
        _insert(self.hands[taker], card)
        viewers = len(self.hands) + 1
        for viewer in range(viewers):
            if viewer == taker:
                self.known[victim * viewers + viewer] &= ~(1 << card)
            else:
                self.known[victim * viewers + viewer] = 0
        self.known[taker * viewers + victim] |= 1 << card
        self._leaves(taker, 1 << offer)
        self._arrives(victim, 1 << offer)
        self._seen(1 << offer, victim)
        self.swaps += 1
        self.offer = -1
        self.victim = NO_SEAT
        if emit:
            hands = f"hand:{taker}", f"hand:{victim}"
            emit(Event("give", victim, {"cards": 1, "source": hands[1], "target": hands[0], "taker": taker}))
            emit(Event("given", victim, {"cards": encode([card]), "taker": taker}, frozenset((taker, victim))))
            emit(_moved("take", victim, [offer], *hands))
        self._after_cards(emit)

    def _after_cards(self, emit: Emit | None) -> None:
        """End the turn: with a claim if one is allowed, else automatically."""
        if self.notice < 0 and (not self.one_claim or self.exposed in (NO_SEAT, self.turn)):
            self.phase = END
        else:
            self._next_turn(emit)

    def _next_turn(self, emit: Emit | None) -> None:
        """Continue with the next player, unless the round is over before that turn."""
        self.turn = after(self.turn, self.in_round)
        if self.notice == self.turn:
            self.phase = SHOW
        elif self.notice < 0 and not self.stock:
            self._end_round("no_draw_pile", self.in_round, [], emit)
        elif self.notice < 0 and self.swaps >= SWAP_ROUNDS * len(self.in_round):
            self._end_round("swaps", self.in_round, [], emit)
        else:
            self.phase = TURN

    def _challenge(self, seat: Seat, emit: Emit | None) -> None:
        """Show both hands; a right challenger is safe for this round, a wrong one is its only loser."""
        claimer = self.notice
        if emit:
            emit(Event("challenge", seat, {"claimer": claimer}))
        self._expose(claimer, emit)
        self._expose(seat, emit)
        if is_made(self.hands[claimer], self._made_size()):
            self._end_round("challenge_wrong", [seat], self.hands[claimer], emit)
            return
        self.notice = NO_SEAT
        self.exposed = claimer
        self.in_round.remove(seat)
        if emit:
            emit(Event("safe", seat, {"claimer": claimer}))
        if len(self.in_round) == 1:
            self._end_round("last_in_round", self.in_round, [], emit)
        else:
            self.phase = TOP

    def _leave(self, seat: Seat, top: Card, emit: Emit | None) -> None:
        """Put a right challenger's cards on the discard pile, ``top`` last, the others in pack order."""
        cards = [card for card in self.hands[seat] if card != top] + [top]
        self.hands[seat].clear()
        self.discard += cards
        self._seen(set_of(cards), NO_SEAT)
        self._leaves(seat, set_of(cards))
        if emit:
            emit(_moved("leave", seat, cards, f"hand:{seat}", "discard"))
        self._next_turn(emit)

    def _unchallenged(self, claimer: Seat, emit: Emit | None) -> None:
        """Let the claimer win the round; all others still in it lose."""
        self._end_round("unchallenged", [seat for seat in self.in_round if seat != claimer], [], emit)

    # What everyone learns

    def _leaves(self, hand: Seat, cards: Cards) -> None:
        """Note that ``cards`` leave a hand in public."""
        viewers = len(self.hands) + 1
        for at in range(hand * viewers, (hand + 1) * viewers):
            self.known[at] &= ~cards

    def _arrives(self, hand: Seat, cards: Cards) -> None:
        """Note that ``cards`` enter a hand, or are shown there, in public."""
        viewers = len(self.hands) + 1
        for at in range(hand * viewers, (hand + 1) * viewers):
            self.known[at] |= cards

    def _seen(self, cards: Cards, place: Seat) -> None:
        """Note that everyone sees ``cards`` in the hand of ``place``, or on the discard pile (``NO_SEAT``)."""
        for seat in range(len(self.shown)):
            if seat != place:
                self.shown[seat] &= ~cards

    def _expose(self, seat: Seat, emit: Emit | None) -> None:
        cards = set_of(self.hands[seat])
        self._seen(cards, seat)
        self._arrives(seat, cards)
        self.shown[seat] = cards
        if emit:
            emit(Event("show", seat, {"cards": encode(self.hands[seat])}))

    # End of round and match

    def _end_round(self, reason: str, losers: Sequence[Seat], more: Sequence[Card], emit: Emit | None) -> None:
        """Add to the score of ``losers`` their hands and the cards in ``more``, doubled for a pair of their own."""
        if emit:
            emit(Event("round_over", None, {"reason": reason, "losers": list(losers)}))
        for seat in losers:
            hand = self.hands[seat]
            doubled = has_pair(hand)
            points = (value(hand) + value(more)) * (2 if doubled else 1)
            self.scores[seat] += points
            if self.scores[seat] >= self.limit:
                self.out_in[seat] = self.round
            if emit:
                emit(Event("lose", seat, {"points": points, "doubled": doubled, "score": self.scores[seat]}))
                if self.out_in[seat] is not None:
                    emit(Event("eliminated", seat, {}))
        if len(self._in_match()) > 1 and self.round < ROUNDS:
            self._deal_round(after(self.dealer, self._in_match()), None, emit)
            return
        self.phase = OVER
        if emit:
            emit(Event("over", None, {"winners": list(self.ranking()[0])}))

    def _deal_round(self, dealer: Seat, deck: list[Card] | None, emit: Emit | None) -> None:
        """Shuffle, or use ``deck``, and deal to the players still in the match."""
        stock = PACK[:] if deck is None else deck
        if deck is None:
            self.chance.shuffle(stock)
        else:
            self.chance.number += 1
        stock.reverse()
        seats = len(self.hands)
        self.round += 1
        self.dealer = dealer
        self.in_round = self._in_match()
        self.hands = [[] for _seat in range(seats)]
        self.turn = after(dealer, self.in_round)
        to = dealer
        for _n in range(HAND_SIZE[len(self.in_round)] * len(self.in_round)):
            to = after(to, self.in_round)
            self.hands[to].append(stock.pop())
        for hand in self.hands:
            hand.sort()
        self.stock = stock
        self.discard = []
        self.drawn = []
        self.phase = TURN
        self.victim = self.notice = self.exposed = NO_SEAT
        self.offer = -1
        self.swaps = 0
        self.known = [0] * (seats * (seats + 1))
        self.shown = [0] * seats
        if emit:
            emit(Event("deal", dealer, {"round": self.round, "cards": HAND_SIZE[len(self.in_round)]}))
            for seat in self.in_round:
                emit(Event("dealt", seat, {"cards": encode(self.hands[seat])}, frozenset((seat,))))

    def ranking(self) -> tuple[tuple[Seat, ...], ...]:
        """Players still in come before those out; among these, later exits first, then lower totals."""

        def merit(seat: Seat) -> tuple[int, int]:
            gone = self.out_in[seat]
            return (-ROUNDS - 1 if gone is None else -gone), self.scores[seat]

        order = sorted(range(len(self.scores)), key=merit)
        return tuple(tuple(group) for _merit, group in groupby(order, key=merit))

    def outcome(self) -> Outcome | None:
        """How the match ended; ``None`` while it runs."""
        if self.phase != OVER:
            return None
        reason = "last_in" if len(self._in_match()) < 2 else "rounds"
        return Outcome(reason, self.ranking(), tuple(float(score) for score in self.scores))

    def returns(self) -> tuple[float, ...]:
        """The return of each seat between −1 and 1; zeros before the end."""
        if self.phase != OVER:
            return (0.0,) * len(self.hands)
        return returns_from(self.ranking(), sides=False)

    # Views

    def view(self, seat: Seat | None) -> View:
        """What ``seat`` may see; ``None`` is a spectator."""
        return show(self, RULES.slug, seat)


def _insert(hand: list[Card], card: Card) -> None:
    hand.append(card)
    hand.sort()


def _moved(kind: str, seat: Seat, cards: list[Card], source: str, target: str) -> Event:
    return Event(kind, seat, {"cards": encode(cards), "source": source, "target": target})


class TenSkip:
    """The rules of Ten-Skip Challenge."""

    slug = "ten-skip"
    name = "Ten-Skip Challenge"
    version = 1
    seats: Sequence[int] = SEATS
    options = (
        Option(
            "limit",
            default=1000,
            by_mail=300,
            choices=range(100, 5001),
            text=_("You're out of the match with this many points. A lower number makes it shorter."),
        ),
        Option(
            "one_claim",
            default=True,
            by_mail=True,
            choices=(True, False),
            text=_("After a wrong claim, only that player can claim again in the round."),
        ),
    )
    state_type: type[State] = TenSkipState

    def deal(
        self,
        seats: int,
        options: Options,
        seed: str,
        *,
        deck: Sequence[str] | None = None,
        dealer: Seat | None = None,
    ) -> TenSkipState:
        """The first state of a match. Raises :class:`~games.engine.options.BadOptions` with the reason."""
        state = TenSkipState()
        filled, state.chance, dealer = begin_deal(self, seats, options, seed, dealer)
        cards = None if deck is None else read_deck(deck, PACK)
        state.limit = filled["limit"]
        state.one_claim = filled["one_claim"]
        state.round = 0
        state.scores = [0] * seats
        state.out_in = [None] * seats
        state.hands = [[] for _seat in range(seats)]
        state._deal_round(dealer, cards, None)
        return state

    def determinize(self, view: View, rng: Random) -> TenSkipState:
        """A random full state that shows exactly ``view`` to the seat of the view."""
        state = TenSkipState()
        imagine(state, view, rng)
        return state

    def teams(self, state: TenSkipState) -> None:
        """No teams: each plays alone."""

    def say(self, event: Event, names: Sequence[str]) -> str:
        """One sentence about ``event``, with ``names`` by seat."""
        return sentence(event, names)


RULES = TenSkip()
