"""High Card, the toy of docs/adding-a-game.md: five rounds, in each the highest card takes a point.

Each of 2 to 4 players gets five cards of a 52-card pack. Left of the dealer begins; everyone plays one card, and
the highest rank (ace low) scores a point, the first to play it if there are several. The winner begins the next
round. Most points win after five rounds; equal points share the place.
"""

from collections.abc import Callable, Sequence
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
    SeatView,
    View,
    Zone,
    places,
    returns_from,
)
from games.engine.cards import CARDS, CODES, RANK, Card, encode
from games.engine.dealing import begin_deal
from games.engine.options import read_deck
from games.engine.text import gettext as _

PACK = range(52)
ROUNDS = 5


class HighCardState:
    """One moment of a match."""

    __slots__ = ("chance", "hands", "leader", "played", "points", "table")

    chance: Chance
    hands: list[list[Card]]
    leader: Seat
    played: list[Card]
    points: list[int]
    table: list[Card]

    def copy(self) -> "HighCardState":
        """An equal state that shares nothing mutable with this one."""
        twin = HighCardState()
        twin.chance = self.chance.copy()
        twin.hands = [hand[:] for hand in self.hands]
        twin.leader = self.leader
        twin.played = self.played[:]
        twin.points = self.points[:]
        twin.table = self.table[:]
        return twin

    def to_move(self) -> Sequence[Seat]:
        """The seat whose turn it is; none when all cards are played."""
        if not any(self.hands):
            return ()
        return ((self.leader + len(self.table)) % len(self.hands),)

    def legal_moves(self, seat: Seat) -> Sequence[Move]:
        """Any card in hand."""
        return [f"play:{code}" for code in encode(self.hands[seat])] if seat in self.to_move() else []

    def check(self, seat: Seat, move: Move) -> None:
        """Raise ``IllegalMove`` with the reason if ``seat`` may not make ``move`` now."""
        if not isinstance(move, str) or not move.startswith("play:") or move[5:] not in CODES:
            raise IllegalMove(_("Play a card, like play:QS."))
        if not self.to_move():
            raise IllegalMove(_("The match is over."))
        if seat not in self.to_move():
            raise IllegalMove(_("It's not your turn."))
        if move not in self.legal_moves(seat):
            raise IllegalMove(_("You do not hold that card."))

    def apply(self, seat: Seat, move: Move, emit: Callable[[Event], None] | None = None) -> None:
        """Play a card; the last of a round scores the point."""
        self.check(seat, move)
        card = CARDS[move[5:]]
        self.hands[seat].remove(card)
        self.table.append(card)
        if emit:
            emit(Event("play", seat, {"card": CODES[card], "source": f"hand:{seat}", "target": "table"}))
        if len(self.table) == len(self.hands):
            self.score_trick(emit)

    def score_trick(self, emit: Callable[[Event], None] | None) -> None:
        """Give the point to the highest card."""
        ranks = [RANK[card] for card in self.table]
        self.leader = (self.leader + ranks.index(max(ranks))) % len(self.hands)
        self.points[self.leader] += 1
        if emit:
            emit(Event("point", self.leader, {"cards": encode(self.table), "source": "table", "target": "played"}))
        self.played += self.table
        self.table = []

    def public_move(self, seat: Seat, move: Move) -> Move:
        """The move itself."""
        return move

    def default_move(self, seat: Seat) -> Move:
        """The lowest card."""
        return min(self.legal_moves(seat), key=lambda move: RANK[CARDS[move[5:]]])

    def outcome(self) -> Outcome | None:
        """Most points win."""
        if self.to_move():
            return None
        ranking = tuple(
            tuple(seat for seat, points in enumerate(self.points) if points == level)
            for level in sorted(set(self.points), reverse=True)
        )
        return Outcome("rounds", ranking, tuple(self.points))

    def returns(self) -> tuple[float, ...]:
        """1 for the best to −1 for the last; zeros before the end."""
        outcome = self.outcome()
        return returns_from(outcome.ranking, sides=False) if outcome else (0.0,) * len(self.hands)

    def view(self, seat: Seat | None) -> View:
        """The own hand and what was played; of the rest the counts."""
        outcome = self.outcome()
        place = places(outcome.ranking, sides=False) if outcome else None
        hands = [
            Zone(f"hand:{owner}", owner, len(hand), encode(hand) if owner == seat else [None] * len(hand))
            for owner, hand in enumerate(self.hands)
        ]
        seen = sum(map(len, self.hands)) + len(self.table) + len(self.played)
        return View(
            game="high-card",
            seat=seat,
            phase="over" if outcome else "play",
            to_move=self.to_move(),
            seats=[SeatView(at, None, place and place[at], points) for at, points in enumerate(self.points)],
            zones=[
                *hands,
                Zone("stock", None, len(PACK) - seen, None),
                Zone("table", None, len(self.table), encode(self.table)),
                Zone("played", None, len(self.played), encode(self.played)),
            ],
            facts={"options": {}, "leader": self.leader},
            moves=[] if seat is None else self.legal_moves(seat),
        )


class HighCard:
    """The rules of High Card."""

    slug = "high-card"
    name = "High Card"
    version = 1
    seats: Sequence[int] = (2, 3, 4)
    state_type = HighCardState
    options: tuple[Option, ...] = ()

    def deal(
        self,
        seats: int,
        options: Options,
        seed: str,
        *,
        deck: Sequence[str] | None = None,
        dealer: Seat | None = None,
    ) -> HighCardState:
        """The first state of a match. Raises ``BadOptions`` with the reason."""
        _options, chance, dealer = begin_deal(self, seats, options, seed, dealer)
        cards = list(PACK)
        chance.shuffle(cards)
        if deck is not None:
            cards = read_deck(deck, PACK)
        state = HighCardState()
        state.chance = chance
        state.leader = (dealer + 1) % seats
        state.hands = [[] for _seat in range(seats)]
        for turn in range(ROUNDS * seats):
            state.hands[(state.leader + turn) % seats].append(cards[turn])
        for hand in state.hands:
            hand.sort()
        state.played, state.table, state.points = [], [], [0] * seats
        return state

    def determinize(self, view: View, rng: Random) -> HighCardState:
        """A random full state that shows exactly ``view`` to the seat of the view."""
        state = HighCardState()
        state.chance = Chance(rng.randbytes(16))
        state.leader = view.facts["leader"]
        state.points = [int(seat.points) for seat in view.seats]
        state.table, state.played = (
            [CARDS[str(code)] for code in view.zone(at).cards or ()] for at in ("table", "played")
        )
        hands = [view.zone(f"hand:{seat.seat}") for seat in view.seats]
        state.hands = [[CARDS[code] for code in hand.cards or () if code] for hand in hands]
        unseen = sorted(set(PACK).difference(state.table, state.played, *state.hands))
        rng.shuffle(unseen)
        for hand, zone in zip(state.hands, hands, strict=True):
            hand += [unseen.pop() for _card in range(zone.count - len(hand))]
            hand.sort()
        return state

    def teams(self, state: HighCardState) -> None:
        """Each plays alone."""

    def say(self, event: Event, names: Sequence[str]) -> str:
        """One sentence about ``event``, with ``names`` by seat."""
        assert event.seat is not None
        name = names[event.seat]
        if event.kind == "play":
            return _("{name} plays {card}.").format(name=name, card=event.data["card"])
        return _("{name} scores a point.").format(name=name)


RULES = HighCard()
