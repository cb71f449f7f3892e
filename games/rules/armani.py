"""Game: Armani, for 2 to 8 players: bets, secret teams and two stages of duels and slaps.

After its author's text, of which some lists are lost; from Egyptian Ratscrew and Slamwich come the duels and
slaps, from Kali Ki Rani the bids, the secret partners and the precious queen of spades.

Rulings where the rules are silent:

- The opener must bet; only those after may fold. ``bettor`` is whoever has bid most so far.
- With two players, and under ``teams: alternate``, the sides are known from the deal. After 20 same-colour
  draws seats alternate from the dealer's left, with odd numbers of players too.
- A fan is kept in pack order; cards taken join it in pack order.
- Both fans are shuffled when the last card has been taken and dealt when the second dealer has been named.
- A last-card hand of Stage 2 ends the match as ``last_card``, although its side then has all 52 cards.
- The hand in which the bound of flips is reached can still end the match; the final lap begins after it.
- While a won hand waits for ``close`` its duel is over and nobody is on turn; cards burned then go with the hand.
- ``burn:SEAT`` is refused for a seat without cards.
- A seat that does not answer opens with 1 or folds, flips, keeps the fan with more chances in duels, takes the
  strongest face card, and names the first member of a side as its dealer.
"""

from bisect import insort
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from games.engine import (
    TABLE,
    BadOptions,
    Chance,
    Event,
    IllegalMove,
    Move,
    Options,
    Outcome,
    Seat,
    View,
    returns_from,
)
from games.engine.cards import CARDS, CODES, IS_RED, Card, encode
from games.engine.options import check_dealer, check_seats, fill, read_deck, read_seed
from games.engine.text import gettext as _

from . import armani_sight, armani_words
from .armani_table import (
    AWAITED,
    BETS,
    BID,
    BURN,
    CHANCES,
    CHOOSE,
    DEALER,
    DEALERS,
    DUEL,
    ENDLESS_FLIPS,
    FANS,
    FLIP,
    FLIP_OR_SLAP,
    HIGHEST_BET,
    LAST_CARD,
    LEFT_OF,
    NO_MOVES,
    NO_SIDE,
    NOBODY,
    NOBODY_CAN_PLAY,
    OPTIONS,
    OVER,
    PACK,
    PATTERNS,
    PLAYING,
    QUEEN_OF_SPADES,
    SAME_COLOUR_DRAWS,
    SLAP,
    STAGE1,
    STAGE2,
    TAKE,
    TAKE_CARD,
    colour_of,
    points_of,
)

Tell = Callable[[Event], None] | None
Sides = tuple[tuple[Seat, ...], ...]


class ArmaniState:
    """One moment of a match of Game: Armani.

    Face-down stacks are lists with the top card last; ``pile`` is the face-up stack, bottom first,
    of which the first ``burned`` cards were burned in this hand and the others played.
    """

    __slots__ = (
        "bets",
        "bettor",
        "burned",
        "captains",
        "chance",
        "chances",
        "colours",
        "dealer",
        "dealers",
        "draws",
        "duel_by",
        "fans",
        "final",
        "final_lap",
        "flips",
        "flips2",
        "folded",
        "last",
        "lockout",
        "locks",
        "phase",
        "pile",
        "power",
        "reason",
        "seats",
        "sides",
        "slaps",
        "stacks",
        "stage1",
        "stage2_flips",
        "teams_by",
        "to_take",
        "turn",
        "winner",
        "winning",
        "winning_by",
        "won",
    )

    def __init__(self, seats: int, options: Options, dealer: Seat, chance: Chance) -> None:
        """The empty table of a new match, before the cards are dealt."""
        self.seats = seats
        self.teams_by: str = options["teams"]
        self.slaps: tuple[str, ...] = tuple(options["slaps"])
        self.lockout: int = options["lockout"]
        self.stage2_flips: int = options["stage2_flips"]
        self.dealer = dealer
        self.chance = chance
        self.phase = BETS
        #: Whom the match waits for: a seat, the table, or nobody.
        self.turn: Seat = (dealer + 1) % seats
        self.stacks: list[list[Card]] = [[] for _seat in range(seats)]
        self.pile: list[Card] = []
        self.burned = 0
        #: Cards laid aside by each seat, in Stage 1 and in the final lap.
        self.won: list[tuple[Card, ...]] = [()] * seats
        self.fans: tuple[tuple[Card, ...], ...] = ((), ())
        # The bets.
        self.bets: tuple[tuple[int, ...], ...] = ((),) * seats
        self.folded: tuple[bool, ...] = (False,) * seats
        self.bettor: Seat = NOBODY
        # The teams: colours told, cards looked at (each known to its owner alone), and the sides once known.
        self.colours: tuple[tuple[str, ...], ...] = ((),) * seats
        self.draws: tuple[tuple[Card, ...], ...] = ((),) * seats
        self.sides: Sides = ()
        # The hand: who played the face card to answer, chances left, whose hand it will be at `close`, and why.
        self.duel_by: Seat = NOBODY
        self.chances = 0
        self.winning: Seat = NOBODY
        self.winning_by: str | None = None
        self.last: Seat = NOBODY
        #: Cards played in the match, and in Stage 2; the number of the card from which each seat may slap.
        self.flips = 0
        self.flips2 = 0
        self.locks: list[int] = [0] * seats
        self.final_lap = False
        # Choosing Power, and the cards still to be taken with it.
        self.stage1: tuple[int, ...] = ()
        self.power = NO_SIDE
        self.captains: tuple[Seat, ...] = ()
        self.to_take = 0
        self.dealers: tuple[Seat, ...] = ()
        # The end: points of the final lap, why it ended, which side won.
        self.final: tuple[int, ...] = ()
        self.reason: str | None = None
        self.winner = NO_SIDE

    def copy(self) -> "ArmaniState":
        """An equal state that shares nothing mutable with this one."""
        new = ArmaniState.__new__(ArmaniState)
        new.seats = self.seats
        new.teams_by = self.teams_by
        new.slaps = self.slaps
        new.lockout = self.lockout
        new.stage2_flips = self.stage2_flips
        new.dealer = self.dealer
        new.chance = self.chance.copy()
        new.phase = self.phase
        new.turn = self.turn
        new.stacks = [stack[:] for stack in self.stacks]
        new.pile = self.pile[:]
        new.burned = self.burned
        new.won = self.won[:]
        new.fans = self.fans
        new.bets = self.bets
        new.folded = self.folded
        new.bettor = self.bettor
        new.colours = self.colours
        new.draws = self.draws
        new.sides = self.sides
        new.duel_by = self.duel_by
        new.chances = self.chances
        new.winning = self.winning
        new.winning_by = self.winning_by
        new.last = self.last
        new.flips = self.flips
        new.flips2 = self.flips2
        new.locks = self.locks[:]
        new.final_lap = self.final_lap
        new.stage1 = self.stage1
        new.power = self.power
        new.captains = self.captains
        new.to_take = self.to_take
        new.dealers = self.dealers
        new.final = self.final
        new.reason = self.reason
        new.winner = self.winner
        return new

    def options(self) -> dict[str, Any]:
        """The options of the match by name."""
        return {
            "teams": self.teams_by,
            "slaps": list(self.slaps),
            "lockout": self.lockout,
            "stage2_flips": self.stage2_flips,
        }

    # What may be done.

    def to_move(self) -> Sequence[Seat]:
        """The seat on turn; the table while a won hand waits for ``close``; nobody when it is over."""
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
        """The table closes a hand that is won, and burns for slaps by mail while there is a face-up stack."""
        if not self.pile:
            return NO_MOVES
        burns = [BURN[seat] for seat, stack in enumerate(self.stacks) if stack]
        return burns if self.winning == NOBODY else ["close", *burns]

    def _choices(self) -> Sequence[Move]:
        """The moves of the seat on turn outside the two stages."""
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
            raise IllegalMove(armani_words.reason_against(self, seat, move))

    def public_move(self, seat: Seat, move: Move) -> Move:
        """Every move of this game is open."""
        return move

    def default_move(self, seat: Seat) -> Move:
        """What a cautious stand-in does. Raises :class:`IllegalMove` if ``seat`` is not awaited."""
        if seat not in self.to_move():
            raise IllegalMove(_("It is not your turn."))
        moves = self.legal_moves(seat)
        if self.phase == BETS:
            return "fold" if "fold" in moves else moves[0]
        if self.phase == CHOOSE:
            own, other = (sum(CHANCES[card] for card in self.fans[side]) for side in (self.power, 1 - self.power))
            return "fan:own" if own >= other else "fan:other"
        if self.phase == TAKE:
            return TAKE_CARD[max(self.fans[1 - self.power], key=CHANCES.__getitem__)]
        return moves[0]

    def apply(self, seat: Seat, move: Move, tell: Tell = None) -> None:
        """Make ``move``, telling its events in order. Raises :class:`IllegalMove` and changes nothing if illegal."""
        if move not in self.legal_moves(seat):
            raise IllegalMove(armani_words.reason_against(self, seat, move))
        if move == "flip":
            self._flip(seat, tell)
        elif move == "slap":
            self._slap(seat, tell)
        elif move == "close":
            self._collect(self.winning, tell)
        elif move == "fold":
            self._fold(seat, tell)
        else:
            verb, _colon, what = move.partition(":")
            if verb == "bet":
                self._bet(seat, int(what), tell)
            elif verb == "fan":
                self._choose_fan(seat, what, tell)
            elif verb == "take":
                self._take(seat, CARDS[what], tell)
            elif verb == "dealer":
                self._name_dealer(seat, int(what), tell)
            else:
                self._burn(int(what), tell)

    # The bets.

    def highest_bet(self) -> int:
        """The highest bet so far; 0 before the first."""
        return 0 if self.bettor == NOBODY else self.bets[self.bettor][-1]

    def _bet(self, seat: Seat, points: int, tell: Tell) -> None:
        """Bid ``points``; if no number is higher, all others fold at once."""
        self.bets = tuple((*bids, points) if at == seat else bids for at, bids in enumerate(self.bets))
        self.bettor = seat
        if tell:
            tell(Event("bet", seat, {"points": points}))
        if points == HIGHEST_BET:
            for other in LEFT_OF[self.seats][seat][:-1]:
                if not self.folded[other]:
                    self._mark_folded(other, tell, forced=True)
        self._next_bidder(seat, tell)

    def _fold(self, seat: Seat, tell: Tell) -> None:
        self._mark_folded(seat, tell, forced=False)
        self._next_bidder(seat, tell)

    def _mark_folded(self, seat: Seat, tell: Tell, *, forced: bool) -> None:
        self.folded = tuple(gone or at == seat for at, gone in enumerate(self.folded))
        if tell:
            tell(Event("fold", seat, {"forced": forced}))

    def _next_bidder(self, seat: Seat, tell: Tell) -> None:
        """The next one who has not folded bids; when all but one have folded the teams are found."""
        left = [other for other in LEFT_OF[self.seats][seat] if not self.folded[other]]
        if len(left) > 1:
            self.turn = left[0]
            return
        if tell:
            tell(Event("bets_over", self.bettor, {"points": self.highest_bet()}))
        if not self.sides:
            self._draw_teams(tell)
        self.phase = STAGE1
        if tell:
            tell(Event("stage", None, {"stage": 1}))
        self._lead(LEFT_OF[self.seats][self.dealer][0], tell)

    # The teams.

    def _seat_alternately(self) -> None:
        """Every other seat on a side, the dealer's left on side 0."""
        side = [(seat - self.dealer - 1) % self.seats % 2 for seat in range(self.seats)]
        self.sides = _sides_from(side)

    def _draw_teams(self, tell: Tell) -> None:
        """Same colour, same team; if all are the same, all look again, at most 20 times."""
        order = LEFT_OF[self.seats][self.dealer]
        for _draw in range(SAME_COLOUR_DRAWS):
            looked = self._look(order, tell)
            red = [IS_RED[looked[seat]] for seat in range(self.seats)]
            if any(red) and not all(red):
                self.sides = _sides_from([int(red[seat] != red[order[0]]) for seat in range(self.seats)])
                break
        else:
            self._seat_alternately()
        if tell:
            tell(Event("teams", None, {"teams": [list(side) for side in self.sides]}))

    def _look(self, order: Sequence[Seat], tell: Tell) -> dict[Seat, Card]:
        """All look at their top cards and tell the colours, then all put them back at random places."""
        looked = {seat: self.stacks[seat].pop() for seat in order}
        for seat, card in looked.items():
            stack = f"stack:{seat}"
            if tell:
                data = {"card": CODES[card], "cards": [CODES[card]], "source": stack, "target": stack}
                tell(Event("look", seat, data, frozenset((seat,))))
                tell(Event("colour", seat, {"colour": colour_of(card), "cards": 1, "source": stack, "target": stack}))
        for seat, card in looked.items():
            stack_of = self.stacks[seat]
            stack_of.insert(len(stack_of) - self.chance.below(len(stack_of) + 1), card)
        self.draws = tuple((*seen, looked[seat]) for seat, seen in enumerate(self.draws))
        self.colours = tuple((*told, colour_of(looked[seat])) for seat, told in enumerate(self.colours))
        return looked

    # Playing a hand.

    def _next(self, seat: Seat) -> Seat:
        """The next seat to the left with face-down cards, maybe ``seat`` itself; nobody if there is none."""
        stacks = self.stacks
        for other in LEFT_OF[self.seats][seat]:
            if stacks[other]:
                return other
        return NOBODY

    def _lead(self, winner: Seat, tell: Tell) -> None:
        """``winner`` leads the next hand, or the next to the left with cards."""
        self.turn = winner if self.stacks[winner] else self._next(winner)
        if tell:
            tell(Event("lead", self.turn, {}))

    def _flip(self, seat: Seat, tell: Tell) -> None:
        """Play the top card: the last card wins before a duel is looked at."""
        following = self._next(seat)  # itself if it is the only one, the card itself counting as held
        stack = self.stacks[seat]
        card = stack.pop()
        self.pile.append(card)
        self.last = seat
        self.flips += 1
        if self.phase == STAGE2:
            self.flips2 += 1
        if tell:
            data = {"card": CODES[card], "cards": [CODES[card]], "source": f"stack:{seat}", "target": "pile"}
            tell(Event("flip", seat, {**data, "number": self.flips}))
        if following == seat:
            self._win(seat, LAST_CARD, tell)
        elif CHANCES[card]:
            self.duel_by = seat
            self.chances = CHANCES[card]
            self._answer(following, tell)
        elif self.duel_by == NOBODY:
            self.turn = following
        elif self.chances == 1:
            self._win(self.duel_by, DUEL, tell)
        else:
            self.chances -= 1
            if not stack:
                self._pass_duel(self.duel_by, following, tell)

    def _answer(self, seat: Seat, tell: Tell) -> None:
        """``seat`` has the chances that are left to play a face card."""
        self.turn = seat
        if tell:
            tell(Event("duel", seat, {"by": self.duel_by, "chances": self.chances}))

    def _pass_duel(self, by: Seat, following: Seat, tell: Tell) -> None:
        """The dueller ran dry: the rest of the chances pass on; back at the face card's player it wins at once."""
        if following in (by, NOBODY):
            self._win(by, DUEL, tell)
        else:
            self._answer(following, tell)

    def _win(self, seat: Seat, by: str, tell: Tell) -> None:
        """The hand is ``seat``'s as soon as the table closes it, unless it is slapped first."""
        self.winning = seat
        self.winning_by = by
        self.duel_by = NOBODY
        self.chances = 0
        self.turn = TABLE
        if tell:
            tell(Event("winning", seat, {"by": by}))

    def is_slappable(self) -> bool:
        """Whether the cards played in this hand make a pattern that may be slapped."""
        played = self.pile[self.burned :]
        return bool(played) and any(PATTERNS[pattern](played) for pattern in self.slaps)

    def lock_after(self, *, has_card: bool) -> int:
        """The number of the card from which a seat may slap again after a slap in vain now.

        ``has_card`` is whether it had a card to burn for it.
        """
        return self.flips + self.lockout * (1 if has_card else 2) + 1

    def _slap(self, seat: Seat, tell: Tell) -> None:
        """A right slap takes the face-up stack at once; a wrong one burns a card and locks the slapper out."""
        if self.is_slappable():
            self.locks[seat] = self.flips + 1
            if tell:
                tell(Event("slap", seat, {"right": True}))
            self.winning, self.winning_by = NOBODY, None
            self._collect(seat, tell)
            return
        self.locks[seat] = self.lock_after(has_card=bool(self.stacks[seat]))
        if tell:
            tell(Event("slap", seat, {"right": False, "lockout": self.locks[seat] - self.flips}))
        if self.stacks[seat]:
            self._burn(seat, tell)

    def _burn(self, seat: Seat, tell: Tell) -> None:
        """The top card of ``seat`` goes face up under the face-up stack; a seat on turn that runs dry is skipped."""
        stack = self.stacks[seat]
        card = stack.pop()
        self.pile.insert(0, card)
        self.burned += 1
        if tell:
            data = {"card": CODES[card], "cards": [CODES[card]], "source": f"stack:{seat}", "target": "pile"}
            tell(Event("burn", seat, data))
        if stack or seat != self.turn:
            return
        following = self._next(seat)
        if self.duel_by != NOBODY:
            self._pass_duel(self.duel_by, following, tell)
        elif following != NOBODY:
            self.turn = following
        else:
            # Without a duel there was no face card, so the hand goes to whoever played last.
            self._win(self.last, NOBODY_CAN_PLAY, tell)

    def _collect(self, winner: Seat, tell: Tell) -> None:
        """Give the face-up stack to ``winner``: aside in Stage 1 and the final lap, under their stack in Stage 2."""
        by_last_card = self.winning_by == LAST_CARD
        aside = self.phase == STAGE1 or self.final_lap
        pile, stack = self.pile, self.stacks[winner]
        if tell:
            target = f"won:{winner}" if aside else f"stack:{winner}"
            tell(Event("collect", winner, {"cards": encode(pile), "source": "pile", "target": target}))
        if aside:
            self.won[winner] += tuple(pile)
            if by_last_card and stack:
                self._lay_rest_aside(winner, tell)
        else:
            stack[:0] = pile[::-1]
        pile.clear()
        self.burned = 0
        self.duel_by = self.winning = self.last = NOBODY
        self.winning_by = None
        self.chances = 0
        if not aside:
            self._after_stage2_hand(winner, by_last_card, tell)
        elif any(self.stacks):
            self._lead(winner, tell)
        elif self.final_lap:
            self._count_final_lap(tell)
        else:
            self._count_stage1(tell)

    def _lay_rest_aside(self, winner: Seat, tell: Tell) -> None:
        """The last card wins its player also what is still in their own face-down stack."""
        stack = self.stacks[winner]
        if tell:
            data = {"cards": len(stack), "source": f"stack:{winner}", "target": f"won:{winner}"}
            tell(Event("rest", winner, data))
        self.won[winner] += tuple(stack)
        stack.clear()

    # Stage 1 is counted; Choosing Power.

    def _gather(self) -> tuple[tuple[Card, ...], ...]:
        """The cards laid aside, by side, in pack order."""
        return tuple(tuple(sorted(card for seat in side for card in self.won[seat])) for side in self.sides)

    def _count_stage1(self, tell: Tell) -> None:
        """Open the fans, count them, and find out which side has Choosing Power."""
        sides = self.sides
        self.fans = self._gather()
        self.won = [()] * self.seats
        self.stage1 = tuple(points_of(fan) for fan in self.fans)
        self.captains = tuple(self._captain(side) for side in sides)
        if tell:
            for side, fan in enumerate(self.fans):
                data = {"side": side, "seats": list(sides[side]), "cards": encode(fan), "points": self.stage1[side]}
                sources = [f"won:{seat}" for seat in sides[side]]
                tell(Event("fan", None, {**data, "source": sources[0], "sources": sources, "target": f"fan:{side}"}))
        betting = int(self.bettor in sides[1])
        bet = self.highest_bet()
        kept = self.stage1[betting] - self.stage1[1 - betting] >= bet
        self.power = betting if kept else 1 - betting
        self.phase = CHOOSE
        self.turn = self.captains[self.power]
        if tell:
            data = {"side": self.power, "seats": list(sides[self.power]), "kept": kept, "bet": bet}
            tell(Event("power", self.turn, data))

    def _captain(self, side: Sequence[Seat]) -> Seat:
        """The member with the highest bet; if none of them bet, the first from the dealer's left."""
        if any(self.bets[seat] for seat in side):
            return max(side, key=lambda seat: max(self.bets[seat], default=0))
        return next(seat for seat in LEFT_OF[self.seats][self.dealer] if seat in side)

    def _choose_fan(self, seat: Seat, which: str, tell: Tell) -> None:
        """The side with Choosing Power picks the fan that it plays with."""
        if which == "other":
            self.fans = self.fans[::-1]
        if tell:
            tell(Event("choose", seat, {"fan": which, "counts": [len(fan) for fan in self.fans]}))
        other = 1 - self.power
        self.phase = TAKE
        self.to_take = min(len(self.sides[other]), len(self.fans[other]))
        self._after_taking(tell)

    def _take(self, seat: Seat, card: Card, tell: Tell) -> None:
        """Take one card out of the fan left to the other side."""
        power = self.power
        mine = list(self.fans[power])
        insort(mine, card)
        theirs = tuple(other for other in self.fans[1 - power] if other != card)
        self.fans = (tuple(mine), theirs) if power == 0 else (theirs, tuple(mine))
        self.to_take -= 1
        if tell:
            data = {"card": CODES[card], "cards": [CODES[card]]}
            tell(Event("take", seat, {**data, "source": f"fan:{1 - power}", "target": f"fan:{power}"}))
        self._after_taking(tell)

    def _after_taking(self, tell: Tell) -> None:
        """When all is taken: a side with all 52 cards has won; else both fans are shuffled face down."""
        if self.to_take:
            return
        power = self.power
        if not self.fans[1 - power]:
            self._end("all_cards", power, tell)
            return
        self._shuffle_fans(tell)
        if self.seats == 2:
            self._deal_stage2(tell)
        else:
            self.phase = DEALERS
            self.turn = self.captains[1 - power]

    def _shuffle_fans(self, tell: Tell) -> None:
        shuffled = []
        for fan in self.fans:
            cards = list(fan)
            self.chance.shuffle(cards)
            shuffled.append(tuple(cards))
        self.fans = tuple(shuffled)
        if tell:
            tell(Event("shuffle", None, {"counts": [len(fan) for fan in self.fans]}))

    def _name_dealer(self, seat: Seat, dealer: Seat, tell: Tell) -> None:
        """The side without Choosing Power names a dealer for side 0, then for side 1."""
        side = len(self.dealers)
        self.dealers = (*self.dealers, dealer)
        if tell:
            tell(Event("dealer", seat, {"side": side, "dealer": dealer}))
        if side == 1:
            self._deal_stage2(tell)

    # Stage 2.

    def _deal_stage2(self, tell: Tell) -> None:
        """Deal each side's cards to its members, the dealer last, and let the original dealer's left lead."""
        for side, members in enumerate(self.sides):
            start = members.index(self.dealers[side]) + 1 if self.dealers else 0
            order = members[start:] + members[:start]
            for at, card in enumerate(self.fans[side]):
                self.stacks[order[at % len(order)]].append(card)
            if tell:
                for seat in order:
                    data = {"cards": len(self.stacks[seat]), "source": f"fan:{side}", "target": f"stack:{seat}"}
                    tell(Event("deal", seat, data))
        self.fans = ((), ())
        self.phase = STAGE2
        if tell:
            tell(Event("stage", None, {"stage": 2}))
        self._lead(LEFT_OF[self.seats][self.dealer][0], tell)

    def _after_stage2_hand(self, winner: Seat, by_last_card: bool, tell: Tell) -> None:
        """The two endings; else, at the bound, the final lap; else the next hand."""
        sides = self.sides
        side = int(winner in sides[1])
        if by_last_card:
            self._end("last_card", side, tell)
        elif not any(self.stacks[seat] for seat in sides[1 - side]):
            self._end("all_cards", side, tell)
        else:
            if self.flips2 >= (self.stage2_flips or ENDLESS_FLIPS):
                self.final_lap = True
                if tell:
                    tell(Event("final_lap", None, {}))
            self._lead(winner, tell)

    def _count_final_lap(self, tell: Tell) -> None:
        """The higher total wins; 29 to 29 goes to the side that holds the queen of spades."""
        cards = self._gather()
        self.final = (points_of(cards[0]), points_of(cards[1]))
        if tell:
            tell(Event("count", None, {"points": list(self.final), "teams": [list(side) for side in self.sides]}))
        if self.final[0] == self.final[1]:
            winner = int(QUEEN_OF_SPADES in cards[1])
        else:
            winner = int(self.final[1] > self.final[0])
        self._end("final_lap", winner, tell)

    # The end.

    def _end(self, reason: str, winner: int, tell: Tell) -> None:
        self.phase = OVER
        self.turn = NOBODY
        self.reason = reason
        self.winner = winner
        if tell:
            seats = list(self.sides[winner])
            tell(Event("over", None, {"reason": reason, "side": winner, "seats": seats}))

    def _ranking(self) -> tuple[tuple[Seat, ...], ...]:
        sides = self.sides
        return sides if self.winner == 0 else sides[::-1]

    def side_points(self, seat: Seat) -> int:
        """The Stage 1 points of the seat's side; 0 before they are counted."""
        return self.stage1[int(seat in self.sides[1])] if self.stage1 else 0

    def outcome(self) -> Outcome | None:
        """How the match ended; ``None`` while it runs. Points are those of Stage 1."""
        if self.reason is None:
            return None
        return Outcome(self.reason, self._ranking(), tuple(self.side_points(seat) for seat in range(self.seats)))

    def returns(self) -> tuple[float, ...]:
        """1 for the winning side, −1 for the other; zeros before the end."""
        if self.reason is None:
            return (0.0,) * self.seats
        return returns_from(self._ranking(), sides=True)

    # What each may see.

    def view(self, seat: Seat | None) -> View:
        """What ``seat`` may see; ``None`` is a spectator."""
        return armani_sight.show(self, RULES.slug, seat)


def _sides_from(side_of: Sequence[int]) -> Sides:
    """The members of each side, from the side of each seat."""
    return tuple(tuple(seat for seat, of in enumerate(side_of) if of == side) for side in (0, 1))


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
        """The first state of a match: the cards dealt, the player at the dealer's left to open the bets.

        Raises :class:`BadOptions` with the reason.
        """
        check_seats(self.seats, seats)
        filled = fill(self.options, options)
        check_dealer(seats, dealer)
        if filled["teams"] == "alternate" and seats % 2:
            raise BadOptions(_("Teams by alternate seats need an even number of players."))
        chance = Chance(read_seed(seed))
        stacked = None if deck is None else read_deck(deck, PACK)
        drawn = chance.below(seats)
        cards = list(PACK)
        chance.shuffle(cards)
        state = ArmaniState(seats, filled, drawn if dealer is None else dealer, chance)
        for at, card in enumerate(cards if stacked is None else stacked):
            state.stacks[(state.dealer + 1 + at) % seats].append(card)
        if seats == 2 or filled["teams"] == "alternate":
            state._seat_alternately()
        return state

    def determinize(self, view: View, rng: Random) -> ArmaniState:
        """A random full state that shows exactly ``view`` to the seat of the view."""
        state = ArmaniState(len(view.seats), view.facts["options"], view.facts["dealer"], Chance(rng.randbytes(16)))
        armani_sight.imagine(state, view, rng)
        return state

    def teams(self, state: ArmaniState) -> Sides | None:
        """The sides once they are known, side 0 with the seat at the first dealer's left."""
        return state.sides or None

    def say(self, event: Event, names: Sequence[str]) -> str:
        """One sentence about ``event``, with ``names`` by seat."""
        return armani_words.say(event, names)


RULES = Armani()
