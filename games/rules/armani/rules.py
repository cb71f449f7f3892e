"""Game: Armani, for 2 to 8 players: bets, secret teams and two stages of duels and slaps.

It follows its author's text, parts of which are lost. The duels and slaps come from Egyptian Ratscrew and Slamwich, the
bids, the secret partners and the valuable queen of spades from Kali Ki Rani.

Rulings where the rules are silent:

- The opener must bet; only later players may fold. ``bettor`` is the player with the highest bid so far.
- With two players, and with ``teams: alternate``, the sides are known from the deal. After 20 draws of one colour,
  seats alternate from the dealer's left, also with an odd number of players.
- A fan is kept in pack order; cards taken join it in pack order.
- Both fans are shuffled when the last card has been taken and dealt when the second dealer has been named.
- A last-card hand of Stage 2 ends the match as ``last_card``, although its side then has all 52 cards.
- The hand in which the limit of flips is reached can still end the match; the final lap begins after it.
- While a won hand waits for ``close`` its duel is over and it's no player's turn; cards burned then go with the hand.
- ``burn:SEAT`` is refused for a seat without cards.
- Autoplay opens with 1 or folds, flips, keeps the fan with more chances in duels, takes the strongest face card, and
  names the first member of a side as its dealer.
"""

from collections.abc import Sequence
from random import Random

from games.engine import (
    TABLE,
    BadOptions,
    Chance,
    Event,
    IllegalMove,
    Move,
    Options,
    Seat,
    View,
)
from games.engine.cards import CARDS, CODES, encode
from games.engine.dealing import begin_deal
from games.engine.options import read_deck
from games.engine.text import gettext as _

from .moment import Emit, Sides
from .power import Power
from .tables import (
    AWAITED,
    BETS,
    BID,
    BURN,
    CHANCES,
    CHOOSE,
    DEALER,
    DUEL,
    FANS,
    FLIP,
    FLIP_OR_SLAP,
    LAST_CARD,
    NO_MOVES,
    NO_SEAT,
    NOBODY_CAN_PLAY,
    OPTIONS,
    PACK,
    PATTERNS,
    PLAYING,
    SLAP,
    STAGE1,
    STAGE2,
    TAKE,
    TAKE_CARD,
)
from .text import reason_against, say
from .view import imagine, show, show_to


class ArmaniState(Power):
    """The state of Game: Armani with its legal moves and the play of hands."""

    __slots__ = ()

    # Legal moves.

    def to_move(self) -> Sequence[Seat]:
        """The seat whose turn it is; the table while a won hand waits for ``close``; none when it is over."""
        return AWAITED[self.turn]

    def legal_moves(self, seat: Seat) -> Sequence[Move]:
        """Every legal move of ``seat`` or of the table."""
        if type(seat) is not int or not TABLE <= seat < self.seats:
            return NO_MOVES
        if self.phase in PLAYING:
            if seat == TABLE:
                return self._table_moves()
            may_slap = self.pile and self.locks[seat] <= self.flips
            if seat == self.turn:
                return FLIP_OR_SLAP if may_slap else FLIP
            return SLAP if may_slap else NO_MOVES
        if seat != self.turn:
            return NO_MOVES
        return self._choices()

    def _table_moves(self) -> Sequence[Move]:
        """The table closes a won hand, and burns for turn-based slaps while there is a face-up pile."""
        if not self.pile:
            return NO_MOVES
        burns = [BURN[seat] for seat, stack in enumerate(self.stacks) if stack]
        return burns if self.winning == NO_SEAT else ["close", *burns]

    def _choices(self) -> Sequence[Move]:
        """The moves of the seat whose turn it is, outside the two stages."""
        if self.phase == BETS:
            return BID[self.highest_bet()]
        if self.phase == CHOOSE:
            return FANS
        if self.phase == TAKE:
            return [TAKE_CARD[card] for card in self.fans[1 - self.power]]
        return [DEALER[member] for member in self.sides[len(self.dealers)]]

    def check(self, seat: Seat, move: Move) -> None:
        """Raise :class:`IllegalMove` with the reason if ``seat`` may not make ``move`` now."""
        if move not in self.legal_moves(seat):
            raise IllegalMove(reason_against(self, seat, move))

    def public_move(self, seat: Seat, move: Move) -> Move:
        """Every move of this game is open."""
        return move

    def default_move(self, seat: Seat) -> Move:
        """The safe move for autoplay. Raises :class:`IllegalMove` if ``seat`` isn't awaited."""
        if seat not in self.to_move():
            raise IllegalMove(_("It's not your turn."))
        moves = self.legal_moves(seat)
        if self.phase == BETS:
            return "fold" if "fold" in moves else moves[0]
        if self.phase == CHOOSE:
            own, other = (sum(CHANCES[card] for card in self.fans[side]) for side in (self.power, 1 - self.power))
            return "fan:own" if own >= other else "fan:other"
        if self.phase == TAKE:
            return TAKE_CARD[max(self.fans[1 - self.power], key=CHANCES.__getitem__)]
        return moves[0]

    def apply(self, seat: Seat, move: Move, emit: Emit = None) -> None:
        """Make ``move`` and emit its events. Raises :class:`IllegalMove`, changing nothing, if it's illegal."""
        if move not in self.legal_moves(seat):
            raise IllegalMove(reason_against(self, seat, move))
        if move == "flip":
            self._flip(seat, emit)
        elif move == "slap":
            self._slap(seat, emit)
        elif move == "close":
            self._collect(self.winning, emit)
        elif move == "fold":
            self._fold(seat, emit)
        else:
            verb, _colon, what = move.partition(":")
            if verb == "bet":
                self._bet(seat, int(what), emit)
            elif verb == "fan":
                self._choose_fan(seat, what, emit)
            elif verb == "take":
                self._take(seat, CARDS[what], emit)
            elif verb == "dealer":
                self._name_dealer(seat, int(what), emit)
            else:
                self._burn(int(what), emit)

    # Playing a hand.

    def _flip(self, seat: Seat, emit: Emit) -> None:
        """Play the top card: the last card wins before a duel is considered."""
        following = self._next(seat)  # if it's the only one, the card counts as held
        stack = self.stacks[seat]
        card = stack.pop()
        self.pile.append(card)
        self.last = seat
        self.flips += 1
        if self.phase == STAGE2:
            self.flips2 += 1
        if emit:
            data = {"card": CODES[card], "cards": [CODES[card]], "source": f"stack:{seat}", "target": "pile"}
            emit(Event("flip", seat, {**data, "number": self.flips}))
        if following == seat:
            self._win(seat, LAST_CARD, emit)
        elif CHANCES[card]:
            self.duel_by = seat
            self.chances = CHANCES[card]
            self._answer(following, emit)
        elif self.duel_by == NO_SEAT:
            self.turn = following
        elif self.chances == 1:
            self._win(self.duel_by, DUEL, emit)
        else:
            self.chances -= 1
            if not stack:
                self._pass_duel(self.duel_by, following, emit)

    def _answer(self, seat: Seat, emit: Emit) -> None:
        """Give ``seat`` the remaining chances to play a face card."""
        self.turn = seat
        if emit:
            emit(Event("duel", seat, {"by": self.duel_by, "chances": self.chances}))

    def _pass_duel(self, by: Seat, following: Seat, emit: Emit) -> None:
        """Pass on the chances of a dueller without cards; if they come back, the player of the face card wins."""
        if following in (by, NO_SEAT):
            self._win(by, DUEL, emit)
        else:
            self._answer(following, emit)

    def _win(self, seat: Seat, by: str, emit: Emit) -> None:
        """Give the hand to ``seat`` as soon as the table closes it, unless it is slapped first."""
        self.winning = seat
        self.winning_by = by
        self.duel_by = NO_SEAT
        self.chances = 0
        self.turn = TABLE
        if emit:
            emit(Event("winning", seat, {"by": by}))

    def is_slappable(self) -> bool:
        """Whether the cards played in this hand make a slappable pattern."""
        played = self.pile[self.burned :] if self.burned else self.pile
        if played:
            for pattern in self.slaps:  # a generator would take as long as the patterns
                if PATTERNS[pattern](played):
                    return True
        return False

    def lock_after(self, *, has_card: bool) -> int:
        """From which card a seat may slap again after a wrong slap now.

        ``has_card`` says whether it had a card to burn.
        """
        return self.flips + self.lockout * (1 if has_card else 2) + 1

    def _slap(self, seat: Seat, emit: Emit) -> None:
        """A right slap takes the face-up pile at once; a wrong one burns a card and locks the slapper out."""
        if self.is_slappable():
            self.locks[seat] = self.flips + 1
            if emit:
                emit(Event("slap", seat, {"right": True}))
            self.winning, self.winning_by = NO_SEAT, None
            self._collect(seat, emit)
            return
        self.locks[seat] = self.lock_after(has_card=bool(self.stacks[seat]))
        if emit:
            emit(Event("slap", seat, {"right": False, "lockout": self.locks[seat] - self.flips}))
        if self.stacks[seat]:
            self._burn(seat, emit)

    def _burn(self, seat: Seat, emit: Emit) -> None:
        """Put the top card of ``seat`` face up under the pile; if that was its last card, skip its turn."""
        stack = self.stacks[seat]
        card = stack.pop()
        self.pile.insert(0, card)
        self.burned += 1
        if emit:
            data = {"card": CODES[card], "cards": [CODES[card]], "source": f"stack:{seat}", "target": "pile"}
            emit(Event("burn", seat, data))
        if stack or seat != self.turn:
            return
        following = self._next(seat)
        if self.duel_by != NO_SEAT:
            self._pass_duel(self.duel_by, following, emit)
        elif following != NO_SEAT:
            self.turn = following
        else:
            # Without a duel there was no face card, so the hand goes to the player who played last.
            self._win(self.last, NOBODY_CAN_PLAY, emit)

    def _collect(self, winner: Seat, emit: Emit) -> None:
        """Give the face-up pile to ``winner``: set aside in Stage 1 and the final lap, under their stack in Stage 2."""
        by_last_card = self.winning_by == LAST_CARD
        aside = self.phase == STAGE1 or self.final_lap
        pile, stack = self.pile, self.stacks[winner]
        if emit:
            target = f"won:{winner}" if aside else f"stack:{winner}"
            emit(Event("collect", winner, {"cards": encode(pile), "source": "pile", "target": target}))
        if aside:
            self.won[winner] += tuple(pile)
            if by_last_card and stack:
                self._lay_rest_aside(winner, emit)
        else:
            stack[:0] = pile[::-1]
        pile.clear()
        self.burned = 0
        self.duel_by = self.winning = self.last = NO_SEAT
        self.winning_by = None
        self.chances = 0
        if not aside:
            self._after_stage2_hand(winner, by_last_card, emit)
        elif any(self.stacks):
            self._lead(winner, emit)
        elif self.final_lap:
            self._count_final_lap(emit)
        else:
            self._count_stage1(emit)

    def _lay_rest_aside(self, winner: Seat, emit: Emit) -> None:
        """Give the player of the last card the rest of their own face-down stack, too."""
        stack = self.stacks[winner]
        if emit:
            data = {"cards": len(stack), "source": f"stack:{winner}", "target": f"won:{winner}"}
            emit(Event("rest", winner, data))
        self.won[winner] += tuple(stack)
        stack.clear()

    # Views.

    def view(self, seat: Seat | None) -> View:
        """What ``seat`` may see; ``None`` is a spectator."""
        return show(self, RULES.slug, seat)

    def view_for(self, seat: Seat, public: View) -> View:
        """``view(seat)``, sharing what it can with the ``public`` view."""
        return show_to(self, seat, public)


class Armani:
    """The rules of Game: Armani."""

    slug = "armani"
    name = "Game: Armani"
    version = 1
    seats = range(2, 9)
    options = OPTIONS
    state_type = ArmaniState

    def deal(
        self,
        seats: int,
        options: Options,
        seed: str,
        *,
        deck: Sequence[str] | None = None,
        dealer: Seat | None = None,
    ) -> ArmaniState:
        """The initial state: cards are dealt, and the player to the dealer's left opens the bets.

        Raises :class:`BadOptions` with the reason.
        """
        filled, chance, dealer = begin_deal(self, seats, options, seed, dealer)
        if filled["teams"] == "alternate" and seats % 2:
            raise BadOptions(_("Teams by every other seat need an even number of players."))
        stacked = None if deck is None else read_deck(deck, PACK)
        cards = list(PACK)
        chance.shuffle(cards)
        state = ArmaniState(seats, filled, dealer, chance)
        for at, card in enumerate(cards if stacked is None else stacked):
            state.stacks[(state.dealer + 1 + at) % seats].append(card)
        if seats == 2 or filled["teams"] == "alternate":
            state._seat_alternately()
        return state

    def determinize(self, view: View, rng: Random) -> ArmaniState:
        """A random full state that shows exactly ``view`` to the seat of the view."""
        state = ArmaniState(len(view.seats), view.facts["options"], view.facts["dealer"], Chance(rng.randbytes(16)))
        imagine(state, view, rng)
        return state

    def teams(self, state: ArmaniState) -> Sides | None:
        """The sides once known; the seat to the first dealer's left is on side 0."""
        return state.sides or None

    def say(self, event: Event, names: Sequence[str]) -> str:
        """One sentence about ``event``, with ``names`` by seat."""
        return say(event, names)


RULES = Armani()
