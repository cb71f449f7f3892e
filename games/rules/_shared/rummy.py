"""A table of rummy: the deals, turns and melds that Basic Rummy and Rummy 500 share.

The modules of the two games define drawing, void deals, card values and the end of the match.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from games.engine import (
    Chance,
    Event,
    IllegalMove,
    Move,
    Options,
    Outcome,
    Seat,
    SeatView,
    View,
    Zone,
    places,
    returns_from,
)
from games.engine.cards import BLACK_JOKER, CARDS, CODES, RED_JOKER, Card, encode
from games.engine.text import gettext as _
from games.rules.wording import card_name, card_names

from .going_out import can_go_out
from .melds import KINDS, NO_MELD, RUN, SET, Shape, fits, grown, joined_runs, joined_shape, new_melds
from .pieces import SINGLE, TEXTS, TWIN, Hand, Piece, add, card_of, cards_of, joker_for, joker_in_set, remove
from .rummy_moves import DISCARDS, DRAW_STOCK, LONGEST, ParsedMove, read_move

Emit = Callable[[Event], None]
#: A meld on the table: its shape, its maker, its pieces in order, the owner of each piece, and the cards that fit it.
Meld = tuple[Shape, Seat, tuple[Piece, ...], tuple[Seat, ...], Hand]

#: Maximum number of deals in a match.
CAP = 40
NO_CARD = -1

_JOKERS = (RED_JOKER, BLACK_JOKER)
_ASKED = tuple((seat,) for seat in range(8))


class RummyState(ABC):
    """One moment of a match.

    ``hands``, ``known`` (cards that everyone saw each seat take and not play since) and ``unwanted`` (cards it left on
    the pile or discarded in this deal) are hands as in :mod:`.pieces`; ``stock`` has its next card last, ``pile`` its
    top last. ``laid`` has the bits of the seats that have melded or laid off in this deal; ``fresh`` says that the seat
    in ``turn`` had not when its turn began; ``melded`` counts its melds this turn; ``taken`` is the card it chose from
    the pile this turn, and ``must`` is that card until it is used, or ``NO_CARD``. ``turns`` counts the finished turns
    of this deal. ``last_deal`` describes the last deal: its number, who went out or ``None``, each seat's gain, and
    each hand.
    """

    __slots__ = (
        "chance",
        "deal",
        "dealer",
        "fresh",
        "hands",
        "known",
        "laid",
        "last_deal",
        "melded",
        "melds",
        "must",
        "options",
        "phase",
        "pile",
        "reason",
        "refills",
        "scores",
        "stock",
        "taken",
        "turn",
        "turns",
        "unwanted",
    )

    options: dict[str, Any]
    chance: Chance
    deal: int
    dealer: Seat
    turn: Seat
    turns: int
    phase: str
    reason: str
    scores: list[int]
    hands: list[Hand]
    known: list[Hand]
    unwanted: list[Hand]
    stock: list[Card]
    pile: list[Card]
    melds: list[Meld]
    laid: int
    fresh: bool
    melded: int
    taken: int
    must: int
    refills: int
    last_deal: tuple[int, Seat | None, tuple[int, ...], tuple[Hand, ...]] | None

    SLUG: ClassVar[str]
    NAME: ClassVar[str]
    #: Possible actions by the word before the colon; a draw without cards is a word of its own.
    VERBS: ClassVar[frozenset[str]]
    #: The position of a run's highest card: 13 for the king, 14 for the ace.
    LAST: ClassVar[int]

    def copy(self) -> "RummyState":
        """An equal state that shares nothing mutable with this one."""
        kind = type(self)
        other = kind.__new__(kind)
        other.options = self.options
        other.chance = Chance(self.chance.seed, self.chance.number)
        other.deal = self.deal
        other.dealer = self.dealer
        other.turn = self.turn
        other.turns = self.turns
        other.phase = self.phase
        other.reason = self.reason
        other.scores = self.scores[:]
        other.hands = self.hands[:]
        other.known = self.known[:]
        other.unwanted = self.unwanted[:]
        other.stock = self.stock[:]
        other.pile = self.pile[:]
        other.melds = self.melds[:]
        other.laid = self.laid
        other.fresh = self.fresh
        other.melded = self.melded
        other.taken = self.taken
        other.must = self.must
        other.refills = self.refills
        other.last_deal = self.last_deal
        return other

    # To be defined by each game

    @classmethod
    @abstractmethod
    def pack(cls, seats: int, options: Options) -> list[Card]:
        """The cards of the game in pack order."""

    @classmethod
    @abstractmethod
    def hand_size(cls, seats: int) -> int:
        """How many cards each seat is dealt."""

    @abstractmethod
    def _draws(self) -> Sequence[Move]:
        """The legal moves of the seat in turn before it has drawn."""

    @abstractmethod
    def _refuse_draw(self, parsed: ParsedMove) -> str | None:
        """Why the seat in turn may not make this draw, or ``None`` if it may."""

    @abstractmethod
    def _draw(self, seat: Seat, parsed: ParsedMove, emit: Emit | None) -> None:
        """Make a legal move of the draw."""

    @abstractmethod
    def banned(self) -> Card:
        """The card that the seat in turn may not discard this turn; ``NO_CARD`` if there is none."""

    @abstractmethod
    def _is_void(self) -> bool:
        """Whether a deal ends without a score at the start of a turn."""

    @abstractmethod
    def gains(self, winner: Seat | None) -> list[int]:
        """Each seat's gain from the deal that has ended."""

    @abstractmethod
    def _match_reason(self) -> str:
        """Why the match is over after this deal; empty if it isn't."""

    @abstractmethod
    def value_of(self, card: Card) -> int:
        """The value of a card in hand."""

    # Legal moves

    def to_move(self) -> Sequence[Seat]:
        """The seat whose turn it is; none when the match is over."""
        return () if self.reason else _ASKED[self.turn]

    def legal_moves(self, seat: Seat) -> Sequence[Move]:
        """The ways to draw; after the draw the melds, lay-offs by meld, and discards in pack order."""
        if seat != self.turn or self.reason:
            return []
        if self.phase == "draw":
            return self._draws()
        hand = self.hands[seat]
        if self.must != NO_CARD:
            needs = 1 << self.must
            return [move for move in self._all_melds(hand) + self._all_lays(hand) if _cards(move) & needs]
        moves: list[Move] = []
        if not self.melded:
            moves = self._all_melds(hand)
        elif self.fresh and can_go_out(hand, self._table(), self.LAST):
            moves = [move for move in self._all_melds(hand) if self._keeps_rummy(move)]
        moves += self._all_lays(hand)
        if self.melded > 1:
            # Going rummy: only moves that lead to an empty hand, and a discard only of the last card.
            moves = [move for move in moves if not move.startswith("lay") or self._keeps_rummy(move)]
            if hand.bit_count() > 1:
                return moves
        return moves + self._all_discards(hand)

    def _all_melds(self, hand: Hand) -> list[Move]:
        return ["meld:" + text for text in new_melds(hand, self.LAST)]

    def _all_lays(self, hand: Hand) -> list[Move]:
        """Every lay-off of one card, or of a run of three joined to a set, whether legal now or not."""
        moves: list[Move] = []
        jokers = [joker for joker in _JOKERS if hand >> joker & 1]
        for n, (shape, _by, _pieces, _owners, fitting) in enumerate(self.melds, 1):
            if fitting:
                cards = hand & fitting
                while cards:
                    bit = cards & -cards
                    moves.append(f"lay:{CODES[bit.bit_length() - 1]}@{n}")
                    cards ^= bit
                for joker in jokers:
                    if shape[0] == SET:
                        moves.append(f"lay:{TEXTS[joker_in_set(joker, shape[1])]}@{n}")
                    else:
                        moves += [f"lay:{TEXTS[joker_for(joker, card)]}@{n}" for card in cards_of(fitting)]
            elif shape[0] == SET:
                moves += [f"lay:{run}@{n}" for run in joined_runs(shape, hand, self.LAST)]
        return moves

    def _all_discards(self, hand: Hand) -> list[Move]:
        """A discard of each card, except a banned one."""
        moves = []
        rest = hand & SINGLE
        while rest:
            bit = rest & -rest
            moves.append(DISCARDS[bit.bit_length() - 1])
            rest ^= bit
        banned = self.banned()
        return moves if banned == NO_CARD else [move for move in moves if move != DISCARDS[banned]]

    def _table(self) -> list[Shape]:
        return [meld[0] for meld in self.melds]

    def _keeps_rummy(self, move: Move) -> bool:
        """Whether the rest of the hand can still be played in this turn after a possible meld or lay-off."""
        parsed = read_move(move)
        return parsed is not None and self._goes_out_after(parsed)

    def _goes_out_after(self, parsed: ParsedMove) -> bool:
        table = self._table()
        if parsed.verb == "meld":
            table.append(parsed.shape)
        else:
            table[parsed.number - 1] = self._laid_on(self.melds[parsed.number - 1], parsed, NO_CARD)[0]
        return can_go_out(remove(self.hands[self.turn], parsed.need), table, self.LAST)

    def check(self, seat: Seat, move: Move) -> None:
        """Raise :class:`IllegalMove` with the reason if ``seat`` may not make ``move`` now."""
        self._legal(seat, move)

    def _legal(self, seat: Seat, move: Move) -> ParsedMove:
        """Parse a legal move. Raises :class:`IllegalMove` for any other."""
        parsed = read_move(move) if isinstance(move, str) and len(move) <= LONGEST else None
        if parsed is None or parsed.verb not in self.VERBS:
            raise IllegalMove(_("That's not a move in {game}.").format(game=self.NAME))
        if self.reason:
            raise IllegalMove(_("The match is over."))
        if seat != self.turn:
            raise IllegalMove(_("It's not your turn."))
        reason = self._refuse_draw(parsed) if self.phase == "draw" else self._refuse_play(parsed)
        if reason is not None:
            raise IllegalMove(reason)
        return parsed

    def _refuse_play(self, parsed: ParsedMove) -> str | None:
        """Why the seat in turn, after drawing, may not make this move, or ``None`` if it may."""
        hand = self.hands[self.turn]
        if parsed.verb == "discard":
            return self._refuse_to_discard(parsed.number, hand)
        if parsed.verb not in ("meld", "lay"):
            return _("You've already drawn.")
        if missing := parsed.need & ~hand:
            return _("You don't have {cards}.").format(
                cards=card_names(encode(cards_of(missing & SINGLE or missing >> TWIN)))
            )
        melded = self.melded + (parsed.verb == "meld")
        refusal = self._refuse_meld(parsed.shape) if parsed.verb == "meld" else self._refuse_lay(parsed)
        if refusal is None and self.must != NO_CARD and not parsed.need >> self.must & 1:
            refusal = self._must_be_used()
        if refusal is None and melded > 1 and not self._goes_out_after(parsed):
            if self.melded > 1:
                return _("You're going rummy, and that would leave cards you can't get rid of this turn.")
            return _(
                "You can play a second meld in one turn only to go rummy, and you can't put down all your other cards."
            )
        return refusal

    def _refuse_to_discard(self, card: Card, hand: Hand) -> str | None:
        if not hand >> card & 1:
            return _("You don't have {card}.").format(card=card_name(CODES[card]))
        if self.must != NO_CARD:
            return self._must_be_used()
        if self.melded > 1 and hand.bit_count() > 1:
            return _("You're going rummy. Put down your whole hand this turn.")
        if card == self.banned():
            return _("You took {card} from the discard pile this turn, so you can't discard it now.").format(
                card=card_name(CODES[card])
            )
        return None

    def _must_be_used(self) -> str:
        return _("First use {card}, the card you took from the discard pile.").format(card=card_name(CODES[self.must]))

    def _refuse_meld(self, shape: Shape) -> str | None:
        if shape == NO_MELD:
            return _("That's not a set or a run.")
        if shape[0] == RUN and shape[3] > self.LAST:
            return _("The ace is low here.")
        if self.melded and not self.fresh:
            return _("You can play only one new meld per turn.")
        return None

    def _refuse_lay(self, parsed: ParsedMove) -> str | None:
        if parsed.number > len(self.melds):
            return _("There's no meld {number} on the table.").format(number=parsed.number)
        shape = self.melds[parsed.number - 1][0]
        if len(parsed.pieces) > 1:
            if joined_shape(shape, parsed.shape, self.LAST):
                return None
            return _("Add cards one at a time. Only a run of three can join a set of four.")
        if grown(shape, parsed.pieces[0], self.LAST):
            return None
        return _("That card doesn't fit meld {number}.").format(number=parsed.number)

    def public_move(self, seat: Seat, move: Move) -> Move:
        """``move`` itself: nothing is chosen in secret."""
        return move

    def default_move(self, seat: Seat) -> Move:
        """Draw from the stock, or pass; then discard the most valuable legal card, a joker last.

        If a meld is required, because of a card taken or when going rummy, make the first one.
        """
        # Listing all legal moves takes far longer.
        if self.phase == "draw" and self.stock:
            return DRAW_STOCK
        hand = self.hands[seat]
        if self.phase != "play" or self.must != NO_CARD or (self.melded > 1 and hand.bit_count() > 1):
            return self.legal_moves(seat)[0]

        def merit(move: Move) -> tuple[bool, int]:
            return (card := CARDS[move[8:]]) < RED_JOKER, self.value_of(card)

        return max(self._all_discards(hand), key=merit)

    # Making moves

    def apply(self, seat: Seat, move: Move, emit: Emit | None = None) -> None:
        """Make ``move`` and emit its events. Raises :class:`IllegalMove`, changing nothing, if it's illegal."""
        parsed = self._legal(seat, move)
        if self.phase == "draw":
            self._draw(seat, parsed, emit)
            return
        if parsed.verb == "discard":
            self._discard(seat, parsed.number, emit)
            return
        self.must = NO_CARD
        self.laid |= 1 << seat
        self._gives(seat, parsed.need)
        if parsed.verb == "meld":
            self._meld(seat, parsed, emit)
        else:
            self._lay(seat, parsed, emit)
        if not self.hands[seat]:
            self._end_deal(seat, emit)

    def _gives(self, seat: Seat, cards: Hand) -> None:
        """Remove cards from a hand in public, known copies first."""
        self.hands[seat] = remove(self.hands[seat], cards)
        known = self.known[seat]
        if known:
            self.known[seat] = remove(known, known & cards)

    def _draw_stock(self, seat: Seat, emit: Emit | None) -> None:
        if self.pile:
            self.unwanted[seat] |= 1 << self.pile[-1]
        card = self.stock.pop()
        self.hands[seat] = add(self.hands[seat], card)
        self.phase = "play"
        if emit:
            emit(Event("draw", seat, {"cards": 1, "source": "stock", "target": f"hand:{seat}"}))
            emit(Event("drawn", seat, {"cards": [CODES[card]]}, frozenset((seat,))))

    def _meld(self, seat: Seat, parsed: ParsedMove, emit: Emit | None) -> None:
        owners = (seat,) * len(parsed.pieces)
        self.melds.append((parsed.shape, seat, parsed.pieces, owners, fits(parsed.shape, self.LAST)))
        self.melded += 1
        if emit:
            emit(self._moved("meld", seat, parsed.pieces, len(self.melds)))
            if self.melded == 2:
                emit(Event("going_rummy", seat, {}))

    def _lay(self, seat: Seat, parsed: ParsedMove, emit: Emit | None) -> None:
        self.melds[parsed.number - 1] = self._laid_on(self.melds[parsed.number - 1], parsed, seat)
        if emit:
            emit(self._moved("lay" if len(parsed.pieces) == 1 else "join", seat, parsed.pieces, parsed.number))

    def _laid_on(self, meld: Meld, parsed: ParsedMove, seat: Seat) -> Meld:
        """A meld after ``seat`` lays fitting cards on it: one card, or a run of three that joins a set."""
        shape, by, pieces, owners, _fits = meld
        at = len(pieces)
        found = grown(shape, parsed.pieces[0], self.LAST) if len(parsed.pieces) == 1 else None
        if found is not None:
            shape, at = found
            if shape[0] == SET:
                at = sum(piece <= parsed.pieces[0] for piece in pieces)
        else:
            shape = joined_shape(shape, parsed.shape, self.LAST) or shape
        owners = (*owners[:at], *(seat for _piece in parsed.pieces), *owners[at:])
        return shape, by, (*pieces[:at], *parsed.pieces, *pieces[at:]), owners, fits(shape, self.LAST)

    def _moved(self, kind: str, seat: Seat, pieces: tuple[Piece, ...], n: int) -> Event:
        data = {
            "cards": encode([card_of(piece) for piece in pieces]),
            "pieces": [TEXTS[piece] for piece in pieces],
            "meld": n,
            "kind": KINDS[self.melds[n - 1][0][0]],
            "source": f"hand:{seat}",
            "target": f"meld:{n}",
        }
        return Event(kind, seat, data)

    def _discard(self, seat: Seat, card: Card, emit: Emit | None) -> None:
        """Discard a card and end the turn."""
        self._gives(seat, 1 << card)
        self.pile.append(card)
        self.unwanted[seat] |= 1 << card
        self.turns += 1
        if emit:
            emit(Event("discard", seat, {"cards": [CODES[card]], "source": f"hand:{seat}", "target": "discard"}))
        if not self.hands[seat]:
            self._end_deal(seat, emit)
        else:
            self._begin_turn((seat + 1) % len(self.hands))
            if self._is_void():
                self._end_deal(None, emit)

    def _begin_turn(self, seat: Seat) -> None:
        self.turn = seat
        self.phase = "draw"
        self.fresh = not self.laid >> seat & 1
        self.melded = 0
        self.taken = NO_CARD
        self.must = NO_CARD

    def deal_cards(self, cards: list[Card], emit: Emit | None) -> None:
        """Deal one card at a time from the dealer's left, turn one up, and let the dealer's left begin."""
        seats = len(self.scores)
        size = self.hand_size(seats)
        self.hands = [0] * seats
        self.known = [0] * seats
        self.unwanted = [0] * seats
        for at in range(size * seats):
            seat = (self.dealer + 1 + at) % seats
            self.hands[seat] = add(self.hands[seat], cards[at])
        self.pile = [cards[size * seats]]
        self.stock = cards[: size * seats : -1]
        self.melds = []
        self.laid = 0
        self.refills = 0
        self.turns = 0
        self._begin_turn((self.dealer + 1) % seats)
        if emit:
            emit(Event("deal", self.dealer, {"deal": self.deal, "count": size}))
            for seat in range(seats):
                data = {"cards": encode(cards_of(self.hands[seat])), "source": "stock", "target": f"hand:{seat}"}
                emit(Event("hand", seat, data, frozenset((seat,))))
            emit(Event("turn_up", None, {"cards": encode(self.pile), "source": "stock", "target": "discard"}))

    # End of deal and match

    def _end_deal(self, winner: Seat | None, emit: Emit | None) -> None:
        """Score the deal, show all hands, and deal again or end the match."""
        gains = self.gains(winner)
        self.scores = [score + gain for score, gain in zip(self.scores, gains, strict=True)]
        self.last_deal = (self.deal, winner, tuple(gains), tuple(self.hands))
        self.reason = self._match_reason()
        if emit:
            shown = [encode(cards_of(hand)) for hand in self.hands]
            data = {"deal": self.deal, "winner": winner, "gains": gains, "scores": self.scores[:], "hands": shown}
            emit(Event("deal_over", winner, data))
        if self.reason:
            self.phase = "over"
            self.known = self.hands[:]
            if emit:
                emit(Event("match_over", None, {"winners": list(self._ranking()[0]), "scores": self.scores[:]}))
        else:
            self.deal += 1
            self.dealer = (self.dealer + 1) % len(self.hands)
            cards = self.pack(len(self.hands), self.options)
            self.chance.shuffle(cards)
            self.deal_cards(cards, emit)

    def _ranking(self) -> tuple[tuple[Seat, ...], ...]:
        """Highest score first; equal scores share a place."""
        return tuple(
            tuple(seat for seat, own in enumerate(self.scores) if own == score)
            for score in sorted(set(self.scores), reverse=True)
        )

    def outcome(self) -> Outcome | None:
        """How the match ended; ``None`` while it runs."""
        if not self.reason:
            return None
        return Outcome(self.reason, self._ranking(), tuple(float(score) for score in self.scores))

    def returns(self) -> tuple[float, ...]:
        """The return of each seat between −1 and 1; zeros before the end."""
        return returns_from(self._ranking(), sides=False) if self.reason else (0.0,) * len(self.scores)

    # Views

    def view(self, seat: Seat | None) -> View:
        """Everything except the stock and hidden cards in other hands."""
        place = places(self._ranking(), sides=False) if self.reason else (None,) * len(self.scores)
        public = View(
            game=self.SLUG,
            seat=None,
            phase=self.phase,
            to_move=list(self.to_move()),
            seats=[SeatView(n, None, place[n], score) for n, score in enumerate(self.scores)],
            zones=[
                *(self._hand_zone(owner, known) for owner, known in enumerate(self.known)),
                Zone("stock", None, len(self.stock), None),
                Zone("discard", None, len(self.pile), encode(self.pile)),
                *(
                    Zone(f"meld:{n}", by, len(pieces), [TEXTS[piece] for piece in pieces])
                    for n, (_shape, by, pieces, _owners, _fits) in enumerate(self.melds, 1)
                ),
            ],
            facts=self._facts(),
            moves=[],
        )
        return public if seat is None else self.view_for(seat, public)

    def view_for(self, seat: Seat, public: View) -> View:
        """``view(seat)``, which differs from the ``public`` one in its own hand."""
        return public.for_seat(seat, list(self.legal_moves(seat)), hand=self._hand_zone(seat, self.hands[seat]))

    def _hand_zone(self, owner: Seat, visible: Hand) -> Zone:
        cards = [*encode(cards_of(visible)), *[None] * (self.hands[owner] ^ visible).bit_count()]
        return Zone(f"hand:{owner}", owner, len(cards), cards)

    def _facts(self) -> dict[str, Any]:
        return {
            "options": dict(self.options),
            "deal": self.deal,
            "dealer": self.dealer,
            "scores": self.scores[:],
            "turn": self.turn,
            "turns": self.turns,
            "laid": [seat for seat in range(len(self.hands)) if self.laid >> seat & 1],
            "fresh": self.fresh,
            "melded": self.melded > 0,
            "rummy": self.melded > 1,
            "refills": self.refills,
            "taken": code_or_none(self.taken),
            "melds": [
                {"n": n, "kind": KINDS[shape[0]], "by": by, "owners": list(owners)}
                for n, (shape, by, _pieces, owners, _fits) in enumerate(self.melds, 1)
            ],
            "known": [encode(cards_of(hand)) for hand in self.known],
            "unwanted": [encode(cards_of(cards)) for cards in self.unwanted],
            "reason": self.reason,
            "last_deal": self._last_deal_fact(),
        }

    def _last_deal_fact(self) -> dict[str, Any] | None:
        if self.last_deal is None:
            return None
        deal, winner, gains, hands = self.last_deal
        shown = [encode(cards_of(hand)) for hand in hands]
        return {"deal": deal, "winner": winner, "gains": list(gains), "hands": shown}


def _cards(move: Move) -> Hand:
    """The cards that a meld or lay-off uses from the hand."""
    parsed = read_move(move)
    return parsed.need if parsed else 0


def code_or_none(card: int) -> str | None:
    """The code of a card, or ``None`` for ``NO_CARD``."""
    return None if card == NO_CARD else CODES[card]
