"""Avalanche, by Légrády Gábor and Kápolnás György; for two to six players.

Inside this module a card is ``8 * rank + suit``, the ranks counted from 0 for a two to 13 for a joker (red
before black), so that a sorted hand has its ranks together and each rank in pack order.

Rulings where the rules are silent:

- Empty hands are refilled one after another, each in full, from the seat that is next to play.
- Any number of cards of one rank may be played at any time, so only cards that aren't in the hand are refused.
- When the stock is empty, the match ends as soon as only one player holds cards, even during an avalanche that this
  player could still answer; the avalanche goes to the player that played last.
- Cards that were played and are gone stay known, and so does the hand that the last player stores, because no other
  card is unseen by then: ``facts["gone"]``.
- Autoplay takes snow if it may. During an avalanche it plays as many cards as were played last, of the lowest rank that
  lets it grow, or else of the lowest rank (a stop); if it can't, its lowest card.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from itertools import groupby
from random import Random

from games.engine import (
    BadOptions,
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
from games.engine.cards import CARDS, CODES
from games.engine.dealing import begin_deal
from games.engine.options import read_deck
from games.engine.text import gettext as _
from games.engine.text import names_in_text
from games.rules.wording import card_names, listing, rank_name

#: The ranks as moves spell them, low to high; X is the joker.
RANKS = "23456789TJQKAX"
JOKER = 13
MOST_OF_A_RANK = 16

#: One pack in pack order, as cards of the engine: three jokers, red black red.
PACK = (*range(54), CARDS["RJ"])

OPTIONS = (
    Option(
        name="packs",
        default=2,
        by_mail=2,
        choices=range(1, 5),
        text=_("How many packs are shuffled together, each with three jokers."),
    ),
    Option(
        name="hand",
        default=10,
        by_mail=10,
        choices=range(5, 16),
        text=_("How many cards you get at the deal, and draw again when your hand is empty."),
    ),
)

_ENGINE_CARD = (*(13 * suit + (rank + 1) % 13 for rank in range(13) for suit in range(4)), 52, 53)
#: This module's card for each card of the engine, and back (unused numbers are -1).
FROM_ENGINE = [0] * 54
TO_ENGINE = [-1] * 8 * 14
for _index, _card in enumerate(_ENGINE_CARD):
    FROM_ENGINE[_card] = _index // 4 * 8 + _index % 4
    TO_ENGINE[FROM_ENGINE[_card]] = _card

SNOW = "snow"
#: The move that plays a number of cards of one rank, by rank and number.
LAY = tuple(tuple(f"lay:{rank}x{number}" for number in range(MOST_OF_A_RANK + 1)) for rank in RANKS)
_LAID = {move: (rank, number) for rank, moves in enumerate(LAY) for number, move in enumerate(moves) if number}
_WAITING: tuple[tuple[Seat, ...], ...] = tuple((seat,) for seat in range(6))
_NO_SEATS: tuple[Seat, ...] = ()
_NO_ONE = -1

Emit = Callable[[Event], None] | None
Card = int


class AvalancheState:
    """One moment of a match of Avalanche.

    The top of ``stock`` is its last item. ``last`` is the seat that added last to the avalanche, or -1, and
    ``last_rank`` and ``last_number`` are the cards it added. ``gone`` holds the stored and stopped cards, ``stores``
    and ``stopped`` are their numbers. ``turn`` is -1 when the match is over.
    """

    __slots__ = (
        "avalanche",
        "chance",
        "dealer",
        "gone",
        "hand_size",
        "hands",
        "last",
        "last_number",
        "last_rank",
        "packs",
        "stock",
        "stopped",
        "stores",
        "turn",
    )

    chance: Chance
    packs: int
    hand_size: int
    dealer: Seat
    turn: Seat
    hands: list[list[Card]]
    stock: list[Card]
    avalanche: list[Card]
    last: Seat
    last_rank: int
    last_number: int
    stores: list[int]
    stopped: int
    gone: list[Card]

    def copy(self) -> "AvalancheState":
        """An equal state that shares nothing mutable with this one."""
        twin = AvalancheState.__new__(AvalancheState)
        twin.chance = self.chance.copy()
        twin.packs = self.packs
        twin.hand_size = self.hand_size
        twin.dealer = self.dealer
        twin.turn = self.turn
        twin.hands = [hand[:] for hand in self.hands]
        twin.stock = self.stock[:]
        twin.avalanche = self.avalanche[:]
        twin.last = self.last
        twin.last_rank = self.last_rank
        twin.last_number = self.last_number
        twin.stores = self.stores[:]
        twin.stopped = self.stopped
        twin.gone = self.gone[:]
        return twin

    # Legal moves

    def to_move(self) -> Sequence[Seat]:
        """The seat whose turn it is; none when it is over."""
        return _WAITING[self.turn] if self.turn != _NO_ONE else _NO_SEATS

    def legal_moves(self, seat: Seat) -> Sequence[Move]:
        """Snow, if there is no avalanche and there is stock, and every play: any number of one rank."""
        if seat != self.turn or seat == _NO_ONE:
            return []
        moves = [SNOW] if self.last == _NO_ONE and self.stock else []
        held = -1
        number = 0
        for card in self.hands[seat]:
            rank = card >> 3
            if rank == held:
                number += 1
            else:
                held = rank
                number = 1
            moves.append(LAY[rank][number])
        return moves

    def check(self, seat: Seat, move: Move) -> None:
        """Raise :class:`IllegalMove` with the reason if ``seat`` may not make ``move`` now."""
        if self._read(seat, move):
            self._find(seat, move)

    def _read(self, seat: Seat, move: Move) -> bool:
        """Whether a legal move of ``seat`` plays cards; otherwise it takes snow. Raises :class:`IllegalMove`."""
        if seat not in range(len(self.hands)):
            raise IllegalMove(_("There's no such seat at this table."))
        if self.turn == _NO_ONE:
            raise IllegalMove(_("The match is over."))
        if not isinstance(move, str) or (move != SNOW and move not in _LAID):
            raise IllegalMove(
                _("We couldn't read “{move}”. A move is snow, or lay: with a rank and a number, like lay:5x2.").format(
                    move=move
                )
            )
        if seat != self.turn:
            raise IllegalMove(_("It's not your turn."))
        if move != SNOW:
            return True
        if self.last != _NO_ONE:
            raise IllegalMove(_("You must add to the avalanche."))
        if not self.stock:
            raise IllegalMove(_("The stock is empty, so you must start an avalanche."))
        return False

    def _find(self, seat: Seat, move: Move) -> tuple[int, int]:
        """The position and number of a play's cards in the hand. Raises :class:`IllegalMove`."""
        rank, number = _LAID[move]
        hand = self.hands[seat]
        at = bisect_left(hand, rank << 3)
        end = at + number
        if end > len(hand) or hand[end - 1] >> 3 != rank:
            held = bisect_left(hand, (rank + 1) << 3) - at
            if held:
                raise IllegalMove(_("You hold only {cards}.").format(cards=amount(held, rank)))
            raise IllegalMove(_("You hold no {rank}.").format(rank=rank_name(RANKS[rank], 1)))
        return at, number

    def public_move(self, seat: Seat, move: Move) -> Move:
        """Every move is public."""
        return move

    def default_move(self, seat: Seat) -> Move:
        """Take snow; else grow as low as possible, stop, or play one card. Raises :class:`IllegalMove` out of turn."""
        if seat != self.turn or seat == _NO_ONE:
            raise IllegalMove(_("It's not your turn."))
        if self.last == _NO_ONE:
            return SNOW if self.stock else LAY[self.hands[seat][0] >> 3][1]
        held = [(rank, len(list(cards))) for rank, cards in groupby(self.hands[seat], lambda card: card >> 3)]
        enough = [rank for rank, number in held if number >= self.last_number]
        growing = [rank for rank in enough if rank >= self.last_rank]
        if growing or enough:
            return LAY[(growing or enough)[0]][self.last_number]
        return LAY[held[0][0]][1]

    # Making moves

    def apply(self, seat: Seat, move: Move, emit: Emit = None) -> None:
        """Take snow or play cards. Raises :class:`IllegalMove`, changing nothing."""
        if not self._read(seat, move):
            self._snow(seat, emit)
            return
        at, number = self._find(seat, move)
        hand = self.hands[seat]
        cards = hand[at : at + number]
        del hand[at : at + number]
        rank = cards[0] >> 3
        self.avalanche += cards
        before = self.last
        kind = self._kind(rank, number)
        if emit:
            way = {"source": f"hand:{seat}", "target": "avalanche"}
            emit(Event(kind, seat, {"rank": RANKS[rank], "n": number, "cards": codes(cards), **way}))
        if kind == "fall":
            self._store(before, emit)
            self._next_avalanche(seat, emit)
        elif kind == "stop":
            self._stop(emit)
            self._next_avalanche(seat, emit)
        else:
            self.last = seat
            self.last_rank = rank
            self.last_number = number
            self._go_on(seat, emit)

    def _kind(self, rank: int, number: int) -> str:
        """The effect of a play on the avalanche: start, grow, stop or fall."""
        if self.last == _NO_ONE:
            return "start"
        if number > self.last_number or (number == self.last_number and rank >= self.last_rank):
            return "grow"
        return "stop" if number == self.last_number and number > 1 else "fall"

    def _snow(self, seat: Seat, emit: Emit) -> None:
        """Take the top card of the stock into the hand."""
        card = self.stock.pop()
        insort(self.hands[seat], card)
        if emit:
            way = {"source": "stock", "target": f"hand:{seat}"}
            emit(Event("snow", seat, {"cards": 1, **way}))
            emit(Event("drew", seat, {"cards": codes([card]), **way}, frozenset((seat,))))
        self.turn = (seat + 1) % len(self.hands)

    def _go_on(self, seat: Seat, emit: Emit) -> None:
        """After a start or growth: ask the next player with cards; without one, the avalanche falls."""
        if not self.stock and self._end_if_one_is_left(emit):
            return
        following = self._left_with_cards(seat + 1)
        if following in (seat, _NO_ONE):
            self._store(seat, emit)
            self._next_avalanche(seat, emit)
        else:
            self.turn = following

    def _left_with_cards(self, seat: Seat) -> Seat:
        """The first seat with cards from ``seat`` on, going left; -1 if there is none."""
        hands = self.hands
        seats = len(hands)
        for step in range(seat, seat + seats):
            if hands[step % seats]:
                return step % seats
        return _NO_ONE

    def _store(self, seat: Seat, emit: Emit) -> None:
        """Let the avalanche fall to ``seat``, which stores it face down."""
        self.stores[seat] += len(self.avalanche)
        if emit:
            way = {"source": "avalanche", "target": f"store:{seat}"}
            emit(Event("stored", seat, {"cards": len(self.avalanche), **way}))
        self._clear()

    def _stop(self, emit: Emit) -> None:
        """Remove the avalanche from the game."""
        self.stopped += len(self.avalanche)
        if emit:
            way = {"source": "avalanche", "target": "stopped"}
            emit(Event("stopped", None, {"cards": len(self.avalanche), **way}))
        self._clear()

    def _clear(self) -> None:
        self.gone += self.avalanche
        self.avalanche = []
        self.last = _NO_ONE

    def _next_avalanche(self, seat: Seat, emit: Emit) -> None:
        """Let empty hands draw, from the left of ``seat``, which played last; then the first seat with cards plays."""
        seats = len(self.hands)
        if self.stock:
            for step in range(seat + 1, seat + 1 + seats):
                if not self.hands[step % seats] and self.stock:
                    self._refill(step % seats, emit)
        if not self.stock and self._end_if_one_is_left(emit):
            return
        self.turn = self._left_with_cards(seat + 1)

    def _refill(self, seat: Seat, emit: Emit) -> None:
        """Draw as many cards as were dealt, or all that are left."""
        cards = self.stock[: -self.hand_size - 1 : -1]
        del self.stock[-self.hand_size :]
        self.hands[seat] = sorted(cards)
        if emit:
            way = {"source": "stock", "target": f"hand:{seat}"}
            emit(Event("refilled", seat, {"cards": len(cards), **way}))
            emit(Event("drew", seat, {"cards": codes(sorted_by_pack(cards)), **way}, frozenset((seat,))))

    # End of the match

    def _end_if_one_is_left(self, emit: Emit) -> bool:
        """End if the stock is empty and only one player has cards; that player stores them."""
        holders = [seat for seat, hand in enumerate(self.hands) if hand]
        if len(holders) > 1:
            return False
        if self.last != _NO_ONE:
            self._store(self.last, emit)
        for seat in holders:
            hand = self.hands[seat]
            self.stores[seat] += len(hand)
            self.gone += hand
            if emit:
                way = {"source": f"hand:{seat}", "target": f"store:{seat}"}
                emit(Event("kept", seat, {"cards": len(hand), **way}))
            self.hands[seat] = []
        self.turn = _NO_ONE
        if emit:
            ranking = [list(group) for group in self._ranking()]
            emit(Event("over", None, {"reason": "cards_out", "ranking": ranking, "points": self.stores[:]}))
        return True

    def _ranking(self) -> tuple[tuple[Seat, ...], ...]:
        """Most stored cards first, ties together."""
        stores = self.stores
        return tuple(
            tuple(seat for seat, store in enumerate(stores) if store == points)
            for points in sorted(set(stores), reverse=True)
        )

    def outcome(self) -> Outcome | None:
        """``cards_out``; points are the stored cards."""
        return Outcome("cards_out", self._ranking(), tuple(self.stores)) if self.turn == _NO_ONE else None

    def returns(self) -> tuple[float, ...]:
        """From 1 for the best place to −1 for the last."""
        if self.turn != _NO_ONE:
            return (0.0,) * len(self.hands)
        return returns_from(self._ranking(), sides=False)

    # Views

    def view(self, seat: Seat | None) -> View:
        """The seat's own hand, the avalanche, and all sizes."""
        over = self.turn == _NO_ONE
        place = places(self._ranking(), sides=False) if over else (None,) * len(self.hands)
        zones = [Zone(f"hand:{owner}", owner, len(hand), [None] * len(hand)) for owner, hand in enumerate(self.hands)]
        zones.append(Zone("stock", None, len(self.stock), None))
        zones.append(Zone("avalanche", None, len(self.avalanche), codes(self.avalanche)))
        zones += [Zone(f"store:{owner}", owner, store, None) for owner, store in enumerate(self.stores)]
        zones.append(Zone("stopped", None, self.stopped, None))
        last = {"seat": self.last, "rank": RANKS[self.last_rank], "n": self.last_number}
        public = View(
            game=RULES.slug,
            seat=None,
            phase="over" if over else "play",
            to_move=self.to_move(),
            seats=[
                SeatView(
                    owner,
                    place=place[owner],
                    points=self.stores[owner],
                    out=not hand and not self.stock,
                )
                for owner, hand in enumerate(self.hands)
            ],
            zones=zones,
            facts={
                "options": {"packs": self.packs, "hand": self.hand_size},
                "dealer": self.dealer,
                "last": None if self.last == _NO_ONE else last,
                "gone": codes(sorted_by_pack(self.gone)),
            },
            moves=[],
        )
        return public if seat is None else self.view_for(seat, public)

    def view_for(self, seat: Seat, public: View) -> View:
        """``view(seat)``, which differs from the ``public`` one in its own hand."""
        cards = codes(sorted_by_pack(self.hands[seat]))
        return public.for_seat(seat, self.legal_moves(seat), hand=Zone(f"hand:{seat}", seat, len(cards), cards))


def codes(cards: Sequence[Card]) -> list[str]:
    """The codes of some cards, in the order given."""
    return [CODES[TO_ENGINE[card]] for card in cards]


def sorted_by_pack(cards: Sequence[Card]) -> list[Card]:
    """Sort cards in pack order."""
    return sorted(cards, key=TO_ENGINE.__getitem__)


def amount(number: int, rank: int) -> str:
    """A number of cards of one rank in words: ``1 king``, ``3 fives``."""
    return _("{n} {rank}").format(n=number, rank=rank_name(RANKS[rank], number))


class AvalancheRules:
    """The rules of Avalanche: tables and texts, no match."""

    slug = "avalanche"
    name = "Avalanche"
    version = 1
    seats = range(2, 7)
    options = OPTIONS
    state_type = AvalancheState

    def deal(
        self,
        seats: int,
        options: Options,
        seed: str,
        *,
        deck: Sequence[str] | None = None,
        dealer: Seat | None = None,
    ) -> AvalancheState:
        """Deal the hands, one card at a time from the dealer's left; the rest is the stock."""
        state = AvalancheState()
        filled, state.chance, state.dealer = begin_deal(self, seats, options, seed, dealer)
        state.packs = filled["packs"]
        state.hand_size = filled["hand"]
        dealt = seats * state.hand_size
        pack = list(PACK) * state.packs
        if dealt > len(pack):
            raise BadOptions(_("There aren't enough cards to deal that many."))
        given = None if deck is None else read_deck(deck, pack)
        state.chance.shuffle(pack)
        cards = [FROM_ENGINE[card] for card in given or pack]
        first = (state.dealer + 1) % seats
        state.hands = [sorted(cards[(seat - first) % seats : dealt : seats]) for seat in range(seats)]
        state.stock = cards[: dealt - 1 : -1]
        state.turn = first
        state.avalanche = []
        state.last = _NO_ONE
        state.last_rank = 0
        state.last_number = 0
        state.stores = [0] * seats
        state.stopped = 0
        state.gone = []
        return state

    def determinize(self, view: View, rng: Random) -> AvalancheState:
        """A random full state that shows exactly ``view``; hidden cards are dealt at random."""
        facts = view.facts
        seats = range(len(view.seats))
        state = AvalancheState()
        state.chance = Chance(rng.randbytes(32))
        state.packs = facts["options"]["packs"]
        state.hand_size = facts["options"]["hand"]
        state.dealer = facts["dealer"]
        state.turn = view.to_move[0] if view.to_move else _NO_ONE
        last = facts["last"]
        state.last = last["seat"] if last else _NO_ONE
        state.last_rank = RANKS.index(last["rank"]) if last else 0
        state.last_number = last["n"] if last else 0
        state.avalanche = _cards(view.zone("avalanche").cards or ())
        state.gone = _cards(facts["gone"])
        state.stores = [view.zone(f"store:{seat}").count for seat in seats]
        state.stopped = view.zone("stopped").count
        hidden = [FROM_ENGINE[card] for card in PACK] * state.packs
        own = [] if view.seat is None else sorted(_cards(view.zone(f"hand:{view.seat}").cards or ()))
        for card in (*own, *state.avalanche, *state.gone):
            hidden.remove(card)
        rng.shuffle(hidden)
        state.hands = []
        for seat in seats:
            count = view.zone(f"hand:{seat}").count
            state.hands.append(own if seat == view.seat else sorted(hidden[:count]))
            if seat != view.seat:
                del hidden[:count]
        state.stock = hidden
        return state

    def teams(self, state: AvalancheState) -> None:
        """No teams: each plays alone."""
        return

    def say(self, event: Event, names: Sequence[str]) -> str:
        """One sentence about ``event``, with ``names`` by seat."""
        data, names = event.data, names_in_text(names)
        name = "" if event.seat is None else names[event.seat]
        match event.kind:
            case "start" | "grow" | "stop" | "fall":
                cards = amount(data["n"], RANKS.index(data["rank"]))
                sentence = {
                    "start": _("{name:* starts|You start} an avalanche with {cards}."),
                    "grow": _("{name:* plays|You play} {cards}. The avalanche grows."),
                    "stop": _("{name:* plays|You play} {cards}: as many, but lower. The avalanche stops."),
                    "fall": _("{name:* plays|You play} {cards}. The avalanche falls."),
                }[event.kind]
                return sentence.format(name=name, cards=cards)
            case "stored":
                return _("{name:* stores|You store} the avalanche (+{number}).").format(name=name, number=data["cards"])
            case "stopped":
                return _("The avalanche leaves the game ({number} cards).").format(number=data["cards"])
            case "snow":
                return _("Snowfall: {name:* takes|you take} a card from the stock.").format(name=name)
            case "refilled":
                return _("{name:* has|You have} no cards left and {name:draws|draw} {number} from the stock.").format(
                    name=name, number=data["cards"]
                )
            case "drew":
                return _("{name:* has|You have} drawn {cards}.").format(name=name, cards=card_names(data["cards"]))
            case "kept":
                return _(
                    "Only {name:* still has cards, and stores|you still have cards, and store} them (+{number})."
                ).format(name=name, number=data["cards"])
            case "over":
                best = data["ranking"][0]
                points = data["points"][best[0]]
                winners = listing([names[seat] for seat in best])
                if len(best) == 1:
                    return _("{name:* wins|You win} with {points} stored cards.").format(name=winners, points=points)
                return _("{names} share first place with {points} stored cards.").format(names=winners, points=points)
        raise ValueError(f"Avalanche has no event {event.kind}")


def _cards(seen: Sequence[str | None]) -> list[Card]:
    """The cards of the visible codes."""
    return [FROM_ENGINE[CARDS[code]] for code in seen if code is not None]


RULES = AvalancheRules()
