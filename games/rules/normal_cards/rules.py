"""Normal Cards: the trick game of Rwanda with trumps, 36 cards and a stock.

A traditional game, written down by the author of our rules. Rulings where the rules are silent:

- The option ``teams`` has an effect with four or six players only; then even seats play against odd ones.
- All players saw the ace or seven that was put back, so the facts have it (``put_back``), but not its place in the
  stock.
- The last trick of a deal stays in sight until the next deal's first trick is taken.
- Cards taken are kept face down, but all players saw them played: ``facts.played`` lists the cards of this
  deal's finished tricks in order of play, so that AI players count cards as careful people do.
- Autoplay plays the cheapest card: preferably no trump, few points, then low rank.
"""

from bisect import insort
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
from games.engine.cards import CARDS, CODES, RANK, RANKS, SUIT, SUITS, Card, encode
from games.engine.dealing import begin_deal
from games.engine.options import read_deck
from games.engine.text import gettext as _
from games.engine.text import names_in_text
from games.rules.wording import card_name, card_names, listing

SLUG = "normal-cards"
HAND_SIZE = 4

#: The ranks from weakest to strongest.
_WEAK_TO_STRONG = "3456QJK7A"
_POINTS_OF_RANK = {"A": 11, "7": 10, "K": 4, "J": 3, "Q": 2}

PACK: tuple[Card, ...] = tuple(card for card in range(52) if RANKS[RANK[card]] in _WEAK_TO_STRONG)
#: Points of each card.
VALUE: tuple[int, ...] = tuple(_POINTS_OF_RANK.get(RANKS[RANK[card]], 0) for card in range(52))
#: Strength of each card within its suit, 0 for cards that are not in the pack.
STRENGTH: tuple[int, ...] = tuple(_WEAK_TO_STRONG.find(RANKS[RANK[card]]) + 1 for card in range(52))


def _powers(trump: int, led: int) -> tuple[int, ...]:
    """The strength of each card in a trick: trumps beat the suit led, which beats everything else."""
    return tuple(
        STRENGTH[card] + 10 if SUIT[card] == trump else STRENGTH[card] if SUIT[card] == led else 0 for card in range(52)
    )


#: Strength of each card by trump, then by suit led.
POWER = tuple(tuple(_powers(trump, led) for led in range(4)) for trump in range(4))

_MOVE: tuple[Move, ...] = tuple(f"play:{CODES[card]}" for card in range(52))
_CARD_OF_MOVE: dict[Move, Card] = {_MOVE[card]: card for card in PACK}
_NEVER_MAIN = frozenset(card for card in PACK if RANKS[RANK[card]] in "A7")

#: ``turn`` once the match is over; the last item of ``_AWAITED``.
_NO_SEAT = -1
_AWAITED: tuple[tuple[Seat, ...], ...] = (*((seat,) for seat in range(6)), ())

#: Ids of zones by seat.
_HAND = tuple(f"hand:{seat}" for seat in range(6))
_TAKEN = tuple(f"taken:{seat}" for seat in range(6))


class NormalCardsState:
    """One moment of a match.

    Hands are in pack order. The last item of ``stock`` is its top, the first the main card.
    """

    __slots__ = (
        "chance",
        "deal",
        "dealer",
        "deals",
        "hands",
        "last_trick",
        "leader",
        "main",
        "played",
        "points",
        "put_back",
        "stock",
        "taken",
        "teams",
        "trick",
        "trump",
        "turn",
    )

    chance: Chance
    deal: int
    dealer: Seat
    deals: int
    hands: list[list[Card]]
    last_trick: tuple[Card, ...]
    leader: Seat
    main: Card
    played: list[Card]
    points: list[int]
    put_back: list[Card]
    stock: list[Card]
    taken: list[int]
    teams: bool
    trick: list[Card]
    trump: int
    turn: Seat

    def copy(self) -> "NormalCardsState":
        """An equal state that shares nothing mutable with this one."""
        twin = NormalCardsState.__new__(NormalCardsState)
        twin.chance = self.chance.copy()
        twin.deal = self.deal
        twin.dealer = self.dealer
        twin.deals = self.deals
        twin.hands = [hand[:] for hand in self.hands]
        twin.last_trick = self.last_trick
        twin.leader = self.leader
        twin.main = self.main
        twin.played = self.played[:]
        twin.points = self.points[:]
        twin.put_back = self.put_back[:]
        twin.stock = self.stock[:]
        twin.taken = self.taken[:]
        twin.teams = self.teams
        twin.trick = self.trick[:]
        twin.trump = self.trump
        twin.turn = self.turn
        return twin

    # The deal

    def _deal(self, cards: list[Card], emit: Callable[[Event], None] | None) -> None:
        """Deal the shuffled ``cards``: four each from the dealer's left, then turn the main card."""
        hands = self.hands
        seats = len(hands)
        first = (self.dealer + 1) % seats
        dealt = HAND_SIZE * seats
        for place in range(seats):
            hand = cards[place:dealt:seats]
            hand.sort()
            hands[(first + place) % seats] = hand
        stock = cards[dealt:]
        put_back = []
        main = stock.pop(0)
        while main in _NEVER_MAIN:
            put_back.append(main)
            stock.insert(self.chance.below(len(stock) + 1), main)
            main = stock.pop(0)
        stock.append(main)
        stock.reverse()
        self.stock = stock
        self.put_back = put_back
        self.main = main
        self.trump = SUIT[main]
        self.played = []
        self.taken = [0] * seats
        self.trick = []
        self.leader = self.turn = first
        if emit:
            self._emit_deal(emit)

    def _emit_deal(self, emit: Callable[[Event], None]) -> None:
        emit(Event("deal", self.dealer, {"deal": self.deal, "cards": HAND_SIZE, "source": "stock"}))
        for seat, hand in enumerate(self.hands):
            data = {"cards": encode(hand), "source": "stock", "target": f"hand:{seat}"}
            emit(Event("dealt", seat, data, frozenset((seat,))))
        for card in self.put_back:
            emit(Event("put_back", None, {"card": CODES[card], "source": "stock", "target": "stock"}))
        emit(Event("main", None, {"card": CODES[self.main], "source": "stock", "target": "main"}))

    # Legal moves

    def to_move(self) -> Sequence[Seat]:
        """The seat whose turn it is; none when the match is over."""
        return _AWAITED[self.turn]

    def legal_moves(self, seat: Seat) -> Sequence[Move]:
        """Any card in hand: players needn't follow suit or trump."""
        if seat != self.turn:
            return []
        return [_MOVE[card] for card in self.hands[self.turn]]

    def check(self, seat: Seat, move: Move) -> None:
        """Raise ``IllegalMove`` with the reason if ``seat`` may not make ``move`` now."""
        if not isinstance(move, str) or move not in _CARD_OF_MOVE:
            raise IllegalMove(_("“{move}” isn't a move in this game. Play a card, like play:QS.").format(move=move))
        if self.turn == _NO_SEAT:
            raise IllegalMove(_("The match is over."))
        if seat != self.turn:
            raise IllegalMove(_("It's not your turn."))
        card = _CARD_OF_MOVE[move]
        if card not in self.hands[self.turn]:
            raise IllegalMove(_("You don't have {card}.").format(card=card_name(CODES[card])))

    def public_move(self, seat: Seat, move: Move) -> Move:
        """The move itself: all cards are played face up."""
        return move

    def default_move(self, seat: Seat) -> Move:
        """The cheapest card: preferably no trump, few points, then weak. Raises ``IllegalMove`` out of turn."""
        if seat != self.turn or self.turn == _NO_SEAT:
            raise IllegalMove(_("It's not your turn."))
        trump = self.trump
        hand = self.hands[self.turn]
        return _MOVE[min(hand, key=lambda card: (SUIT[card] == trump, VALUE[card], STRENGTH[card], card))]

    # Making moves

    def apply(self, seat: Seat, move: Move, emit: Callable[[Event], None] | None = None) -> None:
        """Play a card; after the last one of a trick, take the trick, refill hands, and deal again if needed."""
        turn = self.turn
        hands = self.hands
        if seat != turn:
            self.check(seat, move)
        try:
            card = _CARD_OF_MOVE[move]
            hands[turn].remove(card)
        except (KeyError, TypeError, ValueError):
            self.check(seat, move)
            raise
        trick = self.trick
        trick.append(card)
        if emit:
            emit(Event("play", turn, {"card": CODES[card], "source": f"hand:{turn}", "target": "trick"}))
        if len(trick) == len(hands):
            self._take_trick(trick, emit)
        else:
            turn += 1
            self.turn = turn if turn < len(hands) else 0

    def _take_trick(self, trick: list[Card], emit: Callable[[Event], None] | None) -> None:
        """Give the trick to the highest trump or, without one, to the highest card of the suit led."""
        hands = self.hands
        seats = len(hands)
        power = POWER[self.trump][SUIT[trick[0]]]
        powers = [power[card] for card in trick]
        winner = (self.leader + powers.index(max(powers))) % seats
        self.points[winner] += sum([VALUE[card] for card in trick])
        self.taken[winner] += seats
        self.played += trick
        self.last_trick = tuple(trick)
        self.trick = []
        self.leader = self.turn = winner
        if emit:
            value = sum(VALUE[card] for card in trick)
            data = {"cards": encode(trick), "points": value, "source": "trick", "target": f"taken:{winner}"}
            emit(Event("trick", winner, data))
        stock = self.stock
        if stock:
            for seat in range(winner, winner + seats):
                card = stock.pop()
                insort(hands[seat % seats], card)
                if emit:
                    self._emit_draw(seat % seats, card, emit)
        elif not hands[0]:
            self._end_deal(emit)

    def _emit_draw(self, seat: Seat, card: Card, emit: Callable[[Event], None]) -> None:
        """Tell everyone about a draw of the main card, and only the player about any other."""
        target = f"hand:{seat}"
        if card == self.main:
            emit(Event("draw_main", seat, {"card": CODES[card], "source": "main", "target": target}))
            return
        emit(Event("draw", seat, {"cards": 1, "source": "stock", "target": target}))
        emit(Event("drawn", seat, {"card": CODES[card]}, frozenset((seat,))))

    def _end_deal(self, emit: Callable[[Event], None] | None) -> None:
        """Score the deal; the next dealer is to the left, or the match ends after the last deal."""
        if emit:
            emit(Event("deal_over", None, {"deal": self.deal, "points": self.points[:]}))
        if self.deal == self.deals:
            self.turn = _NO_SEAT
            if emit:
                emit(Event("over", None, {"winners": list(self._ranking()[0]), "points": self.totals()}))
            return
        self.deal += 1
        self.dealer = (self.dealer + 1) % len(self.hands)
        cards = list(PACK)
        self.chance.shuffle(cards)
        self._deal(cards, emit)

    # End of the match

    def sides(self) -> tuple[tuple[Seat, ...], ...] | None:
        """The two alternating sides of four or six players; ``None`` where each plays alone."""
        seats = len(self.hands)
        if not self.teams or seats < 4:
            return None
        return tuple(range(0, seats, 2)), tuple(range(1, seats, 2))

    def totals(self) -> list[int]:
        """The points of each seat: its own, or its side's."""
        points = self.points
        if self.sides() is None:
            return points[:]
        both = (sum(points[0::2]), sum(points[1::2]))
        return [both[seat % 2] for seat in range(len(points))]

    def _ranking(self) -> tuple[tuple[Seat, ...], ...]:
        totals = self.totals()
        return tuple(
            tuple(seat for seat, total in enumerate(totals) if total == level)
            for level in sorted(set(totals), reverse=True)
        )

    def outcome(self) -> Outcome | None:
        """Most points win; equal points share a place."""
        if self.turn != _NO_SEAT:
            return None
        return Outcome("points", self._ranking(), tuple(self.totals()))

    def returns(self) -> tuple[float, ...]:
        """1 for the best to −1 for the last; zeros before the end."""
        outcome = self.outcome()
        if outcome is None:
            return (0.0,) * len(self.hands)
        return returns_from(outcome.ranking, sides=self.sides() is not None)

    # Views

    def view(self, seat: Seat | None) -> View:
        """The seat's own hand, main card, tricks and counts; of other hands only a drawn main card."""
        public = View(
            game=SLUG,
            seat=None,
            phase="over" if self.turn == _NO_SEAT else "play",
            to_move=self.to_move(),
            seats=self._standings(),
            zones=[
                *self._hidden_hands(),
                Zone("stock", None, max(0, len(self.stock) - 1), None),
                _open_zone("main", self.stock[:1]),
                _open_zone("trick", self.trick),
                _open_zone("last_trick", self.last_trick),
                *[Zone(_TAKEN[owner], owner, count, None) for owner, count in enumerate(self.taken)],
            ],
            facts={
                "options": {"teams": self.teams, "deals": self.deals},
                "deal": self.deal,
                "dealer": self.dealer,
                "trump": SUITS[self.trump],
                "main": CODES[self.main],
                "leader": self.leader,
                "points": self.points[:],
                "played": encode(self.played),
                "put_back": encode(self.put_back),
            },
            moves=[],
        )
        return public if seat is None else self.view_for(seat, public)

    def view_for(self, seat: Seat, public: View) -> View:
        """``view(seat)``, which differs from the public one in its own hand."""
        cards = encode(self.hands[seat])
        return public.for_seat(seat, self.legal_moves(seat), hand=Zone(_HAND[seat], seat, len(cards), cards))

    def _standings(self) -> list[SeatView]:
        sides = self.sides()
        outcome = self.outcome()
        place = None if outcome is None else places(outcome.ranking, sides=sides is not None)
        return [
            SeatView(seat, seat % 2 if sides else None, place[seat] if place else None, total)
            for seat, total in enumerate(self.totals())
        ]

    def _hidden_hands(self) -> list[Zone]:
        zones = []
        for owner, hand in enumerate(self.hands):
            cards: list[str | None] = [None] * len(hand)
            if not self.stock and self.main in hand:
                cards[0] = CODES[self.main]
            zones.append(Zone(_HAND[owner], owner, len(hand), cards))
        return zones


def _open_zone(name: str, cards: Sequence[Card]) -> Zone:
    return Zone(name, None, len(cards), encode(cards))


class NormalCards:
    """The rules of Normal Cards."""

    slug = SLUG
    name = "Normal Cards"
    version = 1
    seats: Sequence[int] = (2, 3, 4, 6)
    state_type = NormalCardsState
    options: tuple[Option, ...] = (
        Option("teams", True, True, (True, False), _("For four or six players: two teams that add up their points.")),
        Option("deals", 1, 1, range(1, 11), _("The points add up over this many deals.")),
    )

    def deal(
        self,
        seats: int,
        options: Options,
        seed: str,
        *,
        deck: Sequence[str] | None = None,
        dealer: Seat | None = None,
    ) -> NormalCardsState:
        """The first state of a match. Raises ``BadOptions`` with the reason."""
        filled, chance, dealer = begin_deal(self, seats, options, seed, dealer)
        cards = list(PACK)
        chance.shuffle(cards)
        state = _new_state(seats, filled, chance)
        state.dealer = dealer
        state._deal(cards if deck is None else read_deck(deck, PACK), None)
        return state

    def determinize(self, view: View, rng: Random) -> NormalCardsState:
        """A random full state that shows exactly ``view`` to the seat of the view."""
        facts = view.facts
        seats = len(view.seats)
        state = _new_state(seats, facts["options"], Chance(rng.randbytes(16)))
        state.deal = facts["deal"]
        state.dealer = facts["dealer"]
        state.leader = facts["leader"]
        state.turn = view.to_move[0] if view.to_move else _NO_SEAT
        state.main = CARDS[facts["main"]]
        state.trump = SUIT[state.main]
        state.points = list(facts["points"])
        state.played = [CARDS[code] for code in facts["played"]]
        state.put_back = [CARDS[code] for code in facts["put_back"]]
        state.trick = _cards(view, "trick")
        state.last_trick = tuple(_cards(view, "last_trick"))
        state.taken = [view.zone(f"taken:{seat}").count for seat in range(seats)]
        state.hands = [_cards(view, f"hand:{seat}") for seat in range(seats)]
        state.stock = _cards(view, "main")
        known = {*state.played, *state.trick, *state.stock}.union(*state.hands)
        unseen = [card for card in PACK if card not in known]
        rng.shuffle(unseen)
        if not state.played:
            # Before the first draw, an ace or seven that was put back is still in the stock.
            unseen.sort(key=lambda card: card not in state.put_back)
        for seat, hand in enumerate(state.hands):
            while len(hand) < view.zone(f"hand:{seat}").count:
                hand.append(unseen.pop())
            hand.sort()
        rng.shuffle(unseen)
        state.stock += unseen
        return state

    def teams(self, state: NormalCardsState) -> tuple[tuple[Seat, ...], ...] | None:
        """The two sides, or ``None`` if each seat plays alone."""
        return state.sides()

    def say(self, event: Event, names: Sequence[str]) -> str:
        """One sentence about ``event``, with ``names`` by seat."""
        data, names = event.data, names_in_text(names)
        name = "" if event.seat is None else names[event.seat]
        match event.kind:
            case "deal":
                return _("Deal {deal}: {name:* deals|you deal} {count} cards to each.").format(
                    deal=data["deal"], name=name, count=data["cards"]
                )
            case "dealt":
                return _("{name:* gets|You get} {cards}.").format(name=name, cards=card_names(data["cards"]))
            case "put_back":
                return _("Turned up and put back into the stock: {card}.").format(card=card_name(data["card"]))
            case "main":
                return _("The main card is {card}: its suit is trumps.").format(card=card_name(data["card"]))
            case "play":
                return _("{name:* plays|You play} {card}.").format(name=name, card=card_name(data["card"]))
            case "trick":
                return _("{name:* takes|You take} {cards}. Points: {points}.").format(
                    name=name, cards=card_names(data["cards"]), points=data["points"]
                )
            case "draw":
                return _("{name:* draws|You draw} a card.").format(name=name)
            case "drawn":
                return _("{name:*'s|Your} new card is {card}.").format(name=name, card=card_name(data["card"]))
            case "draw_main":
                return _("{name:* draws|You draw} the main card, {card}.").format(
                    name=name, card=card_name(data["card"])
                )
            case "deal_over":
                score = _("{name:*|you} {points}")
                scores = ", ".join(
                    score.format(name=names[seat], points=points) for seat, points in enumerate(data["points"])
                )
                return _("Deal {deal} is over. Points: {scores}.").format(deal=data["deal"], scores=scores)
            case "over":
                winners = listing([names[seat] for seat in data["winners"]])
                return _("The match is over. Winner: {winners}.").format(winners=winners)
        raise ValueError(f"not an event of this game: {event.kind}")


def _new_state(seats: int, options: Options, chance: Chance) -> NormalCardsState:
    """A state before its first deal."""
    state = NormalCardsState.__new__(NormalCardsState)
    state.chance = chance
    state.teams = options["teams"]
    state.deals = options["deals"]
    state.deal = 1
    state.points = [0] * seats
    state.hands = [[] for _seat in range(seats)]
    state.last_trick = ()
    return state


def _cards(view: View, zone: str) -> list[Card]:
    """The visible cards of a zone."""
    return [CARDS[code] for code in view.zone(zone).cards or () if code is not None]


RULES = NormalCards()
