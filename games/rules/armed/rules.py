"""Armed: War in which you choose the card; for two players.

Rulings where the rules are silent:

- The winner of a battle takes the cards, and the whole deck is shuffled before the next draw, so a battle
  uses exactly one shuffle, its wars included.
- The match ends before either player draws: a player that can't draw loses, even if the other's hand is short too, and
  ``battle`` keeps the number of the last battle in which a card was played.
- If a war ends the match, the played cards stay on the battleground, and count for the players that played them.
- Everyone knows that turned cards are in their winner's deck or hand until they are turned again: ``facts["known"]``.
- Autoplay plays the lowest card.
- The latest cards that each seat turned are public, because any player could note them down: ``facts["turned"]``.
"""

from bisect import insort
from collections.abc import Callable, Mapping, Sequence
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
    View,
    Zone,
    places,
    returns_from,
)
from games.engine.cards import CARDS, CODES, RANK, RANKS, Card, encode
from games.engine.dealing import begin_deal
from games.engine.options import read_deck
from games.engine.text import gettext as _
from games.engine.text import names_in_text
from games.rules.wording import card_name, card_names

SEATS: tuple[Seat, ...] = (0, 1)
PACK = tuple(range(52))
MOST_BATTLES = 2000
#: Turned cards of each seat that the view remembers.
TURNED_LATELY = 60

OPTIONS = (
    Option(
        name="hand_size",
        default=6,
        by_mail=6,
        choices=range(3, 11),
        text=_("Cards in hand at the start of a battle."),
    ),
    Option(
        name="battles",
        default=0,
        by_mail=26,
        choices=range(MOST_BATTLES + 1),
        text=_("After this many battles, more cards win; 0 means play to the end."),
    ),
)

#: The value of each card in a battle: an ace is high.
VALUE = tuple(14 if rank == 0 else rank + 1 for rank in RANK[:52])

_PLAY = tuple(f"play:{CODES[card]}" for card in PACK)
_PLAYED = {move: card for card, move in enumerate(_PLAY)}
_NOTHING = -1
_ONE: tuple[tuple[Seat, ...], ...] = ((0,), (1,))
_NO_SEATS: tuple[Seat, ...] = ()

Emit = Callable[[Event], None] | None


class ArmedState:
    """One moment of a match of Armed.

    The top of a deck is its last item; ``laid`` holds the cards turned in this battle, ``sealed`` each seat's chosen
    card, or -1; ``known`` has a bit for each card that everyone knows to be a seat's; ``turned`` has each seat's
    recently turned ranks, the last one last; ``reason`` and ``ranking`` are empty until the end.
    """

    __slots__ = (
        "battle",
        "battles",
        "chance",
        "decks",
        "hand_size",
        "hands",
        "known",
        "laid",
        "ranking",
        "reason",
        "sealed",
        "totals",
        "turned",
    )

    chance: Chance
    hand_size: int
    battles: int
    battle: int
    decks: list[list[Card]]
    hands: list[list[Card]]
    laid: list[list[Card]]
    sealed: list[Card]
    totals: list[int]
    known: list[int]
    turned: list[str]
    reason: str
    ranking: tuple[tuple[Seat, ...], ...]

    def copy(self) -> "ArmedState":
        """An equal state that shares nothing mutable with this one."""
        twin = ArmedState.__new__(ArmedState)
        twin.chance = self.chance.copy()
        twin.hand_size = self.hand_size
        twin.battles = self.battles
        twin.battle = self.battle
        first, second = self.decks
        twin.decks = [first[:], second[:]]
        first, second = self.hands
        twin.hands = [first[:], second[:]]
        first, second = self.laid
        twin.laid = [first[:], second[:]]
        twin.sealed = self.sealed[:]
        twin.totals = self.totals[:]
        twin.known = self.known[:]
        twin.turned = self.turned[:]
        twin.reason = self.reason
        twin.ranking = self.ranking
        return twin

    # Legal moves

    def to_move(self) -> Sequence[Seat]:
        """The seats that have yet to choose a card; none when the match is over."""
        if self.reason:
            return _NO_SEATS
        first, second = self.sealed
        if first == second:
            return SEATS
        return _ONE[0] if first == _NOTHING else _ONE[1]

    def legal_moves(self, seat: Seat) -> Sequence[Move]:
        """Any card of the hand, until one is chosen."""
        if seat not in SEATS or self.reason or self.sealed[seat] != _NOTHING:
            return []
        return [_PLAY[card] for card in self.hands[seat]]

    def check(self, seat: Seat, move: Move) -> None:
        """Raise :class:`IllegalMove` with the reason if ``seat`` may not make ``move`` now."""
        self._read(seat, move)

    def _read(self, seat: Seat, move: Move) -> Card:
        """The card of a legal ``move``. Raises :class:`IllegalMove`."""
        if seat not in SEATS:
            raise IllegalMove(_("There's no such seat at this table."))
        if self.reason:
            raise IllegalMove(_("The match is over."))
        card = _PLAYED.get(move) if isinstance(move, str) else None
        if card is None:
            raise IllegalMove(
                _("We couldn't read “{move}”. A move is play: and a card, like play:QS.").format(move=move)
            )
        if self.sealed[seat] != _NOTHING:
            raise IllegalMove(_("You've chosen your card. Now the other player chooses."))
        if card not in self.hands[seat]:
            raise IllegalMove(_("You don't hold {card}.").format(card=card_name(CODES[card])))
        return card

    def public_move(self, seat: Seat, move: Move) -> Move:
        """The choice is sealed: others only see that it was made."""
        return "choose"

    def default_move(self, seat: Seat) -> Move:
        """The lowest card. Raises :class:`IllegalMove` if ``seat`` isn't awaited."""
        if seat not in self.to_move():
            raise IllegalMove(_("You have nothing to choose right now."))
        return _PLAY[min(self.hands[seat], key=VALUE.__getitem__)]

    # Making moves

    def apply(self, seat: Seat, move: Move, emit: Emit = None) -> None:
        """Play a card face down; when both have, turn them. Raises :class:`IllegalMove`, changing nothing."""
        card = self._read(seat, move)
        self.hands[seat].remove(card)
        self.sealed[seat] = card
        if emit:
            way = {"source": f"hand:{seat}", "target": f"battleground:{seat}"}
            emit(Event("laid", seat, {"cards": 1, **way}))
            emit(Event("chose", seat, {"card": CODES[card], **way}, frozenset((seat,))))
        if self.sealed[1 - seat] != _NOTHING:
            self._turn(emit)

    def _turn(self, emit: Emit) -> None:
        """Turn both cards: the higher total takes all; equal totals start a war."""
        first, second = cards = self.sealed
        self.sealed = [_NOTHING, _NOTHING]
        for seat in SEATS:
            card = cards[seat]
            self.laid[seat].append(card)
            self.known[seat] &= ~(1 << card)
            self.turned[seat] = (self.turned[seat] + RANKS[RANK[card]])[-TURNED_LATELY:]
        totals = self.totals
        totals[0] += VALUE[first]
        totals[1] += VALUE[second]
        if emit:
            emit(Event("turned", None, {"cards": encode(cards), "totals": totals[:]}))
        if totals[0] == totals[1]:
            self._begin_war(emit)
        else:
            self._take(0 if totals[0] > totals[1] else 1, emit)

    def _begin_war(self, emit: Emit) -> None:
        """Let each player choose another card; one with an empty hand draws first, and loses if that's impossible."""
        if emit:
            emit(Event("war", None, {"battle": self.battle, "totals": self.totals[:]}))
        stuck = [seat for seat in SEATS if not self.hands[seat] and not self.decks[seat]]
        if stuck:
            self._end("deck_out", (SEATS,) if len(stuck) == 2 else ((1 - stuck[0],), (stuck[0],)), emit)
            return
        for seat in SEATS:
            if not self.hands[seat]:
                self._draw(seat, emit)

    def _take(self, winner: Seat, emit: Emit) -> None:
        """Put all cards of the battle under the winner's deck and shuffle it."""
        won = self.laid[0] + self.laid[1]
        for card in won:
            self.known[winner] |= 1 << card
        deck = self.decks[winner]
        deck += won
        deck.sort()
        self.chance.shuffle(deck)
        deck.reverse()
        self.laid = [[], []]
        if emit:
            source = [f"battleground:{seat}" for seat in SEATS]
            emit(Event("taken", winner, {"cards": encode(won), "source": source, "target": f"deck:{winner}"}))
        self._begin_battle(emit)

    def _begin_battle(self, emit: Emit) -> None:
        """Let both draw up to ``hand_size``; a player without a card to draw loses."""
        self.totals = [0, 0]
        if self.battle == (self.battles or MOST_BATTLES):
            first, second = self._held()
            more = 0 if first > second else 1
            self._end("battles", (SEATS,) if first == second else ((more,), (1 - more,)), emit)
            return
        for seat in SEATS:
            if not self.decks[seat] and len(self.hands[seat]) < self.hand_size:
                self._end("deck_out", ((1 - seat,), (seat,)), emit)
                return
        self.battle += 1
        for seat in SEATS:
            self._draw(seat, emit)

    def _draw(self, seat: Seat, emit: Emit) -> None:
        """Draw up to ``hand_size``, or as many as there are."""
        hand = self.hands[seat]
        deck = self.decks[seat]
        drawn = []
        while len(hand) < self.hand_size and deck:
            card = deck.pop()
            insort(hand, card)
            if emit:
                drawn.append(card)
        if drawn and emit:
            way = {"source": f"deck:{seat}", "target": f"hand:{seat}"}
            emit(Event("drawn", seat, {"cards": len(drawn), **way}))
            emit(Event("drew", seat, {"cards": encode(drawn), **way}, frozenset((seat,))))

    # End of the match

    def _held(self) -> tuple[int, int]:
        """The cards each seat owns: deck, hand, and cards in battle."""
        first, second = (
            len(self.decks[seat]) + len(self.hands[seat]) + len(self.laid[seat]) + (self.sealed[seat] != _NOTHING)
            for seat in SEATS
        )
        return first, second

    def _end(self, reason: str, ranking: tuple[tuple[Seat, ...], ...], emit: Emit) -> None:
        self.reason = reason
        self.ranking = ranking
        if emit:
            data = {"reason": reason, "ranking": [list(group) for group in ranking], "points": list(self._held())}
            emit(Event("over", None, data))

    def outcome(self) -> Outcome | None:
        """``deck_out`` or ``battles``; points are the cards owned."""
        return Outcome(self.reason, self.ranking, self._held()) if self.reason else None

    def returns(self) -> tuple[float, ...]:
        """1 and −1, or 0 for a draw."""
        return returns_from(self.ranking, sides=False) if self.reason else (0.0, 0.0)

    # Views

    def view(self, seat: Seat | None) -> View:
        """The seat's own hand and choice, the turned cards, and the sizes of all stacks."""
        place = places(self.ranking, sides=False) if self.reason else (None, None)
        held = self._held()
        zones = []
        for owner in SEATS:
            hand = self.hands[owner]
            zones.append(Zone(f"hand:{owner}", owner, len(hand), encode(hand) if owner == seat else [None] * len(hand)))
            zones.append(Zone(f"deck:{owner}", owner, len(self.decks[owner]), None))
            ground: list[str | None] = [*encode(self.laid[owner])]
            if self.sealed[owner] != _NOTHING:
                ground.append(CODES[self.sealed[owner]] if owner == seat else None)
            zones.append(Zone(f"battleground:{owner}", owner, len(ground), ground))
        return View(
            game=RULES.slug,
            seat=seat,
            phase="over" if self.reason else "war" if self.laid[0] else "battle",
            to_move=self.to_move(),
            seats=[SeatView(owner, place=place[owner], points=held[owner]) for owner in SEATS],
            zones=zones,
            facts={
                "options": {"hand_size": self.hand_size, "battles": self.battles},
                "battle": self.battle,
                "war": bool(self.laid[0]),
                "totals": self.totals[:],
                "turned": self.turned[:],
                "known": [[CODES[card] for card in PACK if self.known[owner] >> card & 1] for owner in SEATS],
                "reason": self.reason or None,
            },
            moves=[] if seat is None else self.legal_moves(seat),
        )


class ArmedRules:
    """The rules of Armed: tables and texts, no match."""

    slug = "armed"
    name = "Armed"
    version = 1
    seats = (2,)
    options = OPTIONS
    state_type = ArmedState

    def deal(
        self,
        seats: int,
        options: Options,
        seed: str,
        *,
        deck: Sequence[str] | None = None,
        dealer: Seat | None = None,
    ) -> ArmedState:
        """Deal 26 cards each, one at a time from the dealer's left; then both draw their hands."""
        state = ArmedState()
        filled, state.chance, dealer = begin_deal(self, seats, options, seed, dealer)
        pack = list(PACK)
        state.chance.shuffle(pack)
        if deck is not None:
            pack = read_deck(deck, PACK)
        first = 1 - dealer
        state.decks = [pack[first::2], pack[1 - first :: 2]]
        state.hand_size = filled["hand_size"]
        state.battles = filled["battles"]
        state.battle = 0
        state.hands = [[], []]
        state.laid = [[], []]
        state.sealed = [_NOTHING, _NOTHING]
        state.known = [0, 0]
        state.turned = ["", ""]
        state.reason = ""
        state.ranking = ()
        state._begin_battle(None)
        return state

    def determinize(self, view: View, rng: Random) -> ArmedState:
        """A random full state that shows exactly ``view``: known cards stay with their owners, the rest is random."""
        facts = view.facts
        state = ArmedState()
        state.chance = Chance(rng.randbytes(32))
        state.hand_size = facts["options"]["hand_size"]
        state.battles = facts["options"]["battles"]
        state.battle = facts["battle"]
        state.totals = list(facts["totals"])
        state.known = [sum(1 << CARDS[code] for code in codes) for codes in facts["known"]]
        state.turned = list(facts["turned"])
        state.reason = facts["reason"] or ""
        state.ranking = _ranking(view) if state.reason else ()
        grounds = [view.zone(f"battleground:{seat}").cards or () for seat in SEATS]
        hands = [view.zone(f"hand:{seat}").cards or () for seat in SEATS]
        decks = [view.zone(f"deck:{seat}").count for seat in SEATS]
        turned = min(map(len, grounds))
        state.laid = [[CARDS[code] for code in ground[:turned] if code is not None] for ground in grounds]
        seen = {CARDS[code] for codes in (*grounds, *hands) for code in codes if code is not None}
        hidden = [card for card in PACK if card not in seen]
        rng.shuffle(hidden)
        unknown = [card for card in hidden if not (state.known[0] | state.known[1]) >> card & 1]
        state.hands, state.decks, state.sealed = [], [], []
        for seat in SEATS:
            places_left = [*grounds[seat][turned:], *hands[seat]].count(None) + decks[seat]
            cards = [card for card in hidden if state.known[seat] >> card & 1]
            while len(cards) < places_left:
                cards.append(unknown.pop())
            rng.shuffle(cards)
            sealed, hand = (
                [cards.pop() if code is None else CARDS[code] for code in codes]
                for codes in (grounds[seat][turned:], hands[seat])
            )
            state.sealed.append(sealed[0] if sealed else _NOTHING)
            state.hands.append(sorted(hand))
            state.decks.append(cards)
        return state

    def teams(self, state: ArmedState) -> None:
        """No teams: each plays alone."""
        return

    def say(self, event: Event, names: Sequence[str]) -> str:
        """One sentence about ``event``, with ``names`` by seat."""
        data, names = event.data, names_in_text(names)
        name = "" if event.seat is None else names[event.seat]
        match event.kind:
            case "laid":
                return _("{name:* plays|You play} a card face down.").format(name=name)
            case "chose":
                return _("{name:* has|You have} chosen {card}.").format(name=name, card=card_name(data["card"]))
            case "turned":
                first, second = data["cards"]
                return _("{first:* reveals|You reveal} {card1}, {second:* reveals|you reveal} {card2}.").format(
                    first=names[0], card1=card_name(first), second=names[1], card2=card_name(second)
                )
            case "war":
                return _("War! Both have {total}, so both play another card.").format(total=data["totals"][0])
            case "taken":
                cards = card_names(data["cards"])
                return _(
                    "{name:* wins|You win} {cards} and {name:shuffles them into their|shuffle them into your} stock."
                ).format(name=name, cards=cards)
            case "drawn":
                if data["cards"] == 1:
                    return _("{name:* draws|You draw} a card.").format(name=name)
                return _("{name:* draws|You draw} {count} cards.").format(name=name, count=data["cards"])
            case "drew":
                return _("{name:* has|You have} drawn {cards}.").format(name=name, cards=card_names(data["cards"]))
            case "over":
                return _say_over(data, names)
        raise ValueError(f"Armed has no event {event.kind}")


def _say_over(data: Mapping[str, Any], names: Sequence[str]) -> str:
    if len(data["ranking"]) == 1:
        return _("The match is a draw.")
    (winner,), (loser,) = data["ranking"]
    if data["reason"] == "deck_out":
        return _("{loser:* has|You have} no cards left to draw. {winner:* wins|You win}.").format(
            winner=names[winner], loser=names[loser]
        )
    return _("That was the last battle. {winner:* wins|You win} by {more} cards to {fewer}.").format(
        winner=names[winner], more=data["points"][winner], fewer=data["points"][loser]
    )


def _ranking(view: View) -> tuple[tuple[Seat, ...], ...]:
    """The ranking of a finished view, from its places."""
    best = tuple(seat.seat for seat in view.seats if seat.place == 1)
    rest = tuple(seat.seat for seat in view.seats if seat.place != 1)
    return (best, rest) if rest else (best,)


RULES = ArmedRules()
