"""The practice room: one person slaps alone, measured and judged as at a table."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

from django.utils import timezone

from games import rules
from games.ai.slaps import REFLEXES, SLOWER_PATTERN
from games.engine import Rules
from games.engine.cards import CARDS, RANKS, SUITS
from games.judging import verdicts
from games.judging.latency import Measured
from games.judging.timing import FASTEST_REACTION, WINDOW
from games.slaps.models import PracticeRun

#: Cards of one run: about a minute.
CARDS_A_RUN = 40
#: Chances that the next card makes a pair or a sandwich: higher than at a table, so that a minute is informative.
PAIRS, SANDWICHES = 0.16, 0.14
SLAPPABLE = ("pair", "sandwich")
#: Runs shown in the history, and runs used to judge a player's speed.
SHOWN, JUDGED = 10, 3
#: Simulated contests to find how often a player beats an AI player.
IMAGINED = 4000


def slapped() -> Rules:
    """The game for which slaps are practised."""
    return next(game for game in rules.all() if rules.presentation(game.slug).has_slaps)


@dataclass(slots=True)
class Run:
    """One run: its cards, and the result of each press. Independent of clocks and sockets."""

    rng: Random
    shown: int = 0
    pile: list[str] = field(default_factory=list)
    #: Reactions of right slaps, in ms.
    reactions: list[float] = field(default_factory=list)
    missed: int = 0
    wrong: int = 0
    has_pressed: bool = False

    @property
    def is_slappable(self) -> bool:
        """Whether the card on top makes a pattern."""
        played = [CARDS[code] for code in self.pile]
        patterns = rules.presentation(slapped().slug).patterns
        return bool(played) and any(patterns[name](played) for name in SLAPPABLE)

    def show(self) -> str:
        """Show the next card and end the previous one."""
        self.close()
        card = self._draw()
        self.pile.append(card)
        self.shown += 1
        return card

    def close(self) -> None:
        """Close the window of the top card."""
        if not self.has_pressed and self.is_slappable:
            self.missed += 1
        if self.is_slappable:
            self.pile.clear()
        self.has_pressed = False

    def press(self, measured: Measured) -> verdicts.Hand | None:
        """Judge a press on the top card, in the form of a verdict at the table; None for a second press."""
        if self.has_pressed or not self.pile:
            return None
        press = Press(version=self.shown, **{name: getattr(measured, name) for name in measured.__slots__})
        if press.reaction < FASTEST_REACTION:
            return verdicts.row(press, "early")
        self.has_pressed = True
        if self.is_slappable:
            self.reactions.append(press.reaction)
            return verdicts.row(press, verdicts.WON)
        self.wrong += 1
        return verdicts.row(press, verdicts.WRONG)

    def _draw(self) -> str:
        """A card that makes a pair, a sandwich or nothing, and isn't visible already."""
        chance = self.rng.random()
        if self.pile and chance < PAIRS:
            ranks = [self.pile[-1][0]]
        elif len(self.pile) > 1 and chance < PAIRS + SANDWICHES:
            ranks = [self.pile[-2][0]]
        else:
            ranks = [rank for rank in RANKS if rank not in {card[0] for card in self.pile[-2:]}]
        recent = set(self.pile[-6:])
        choices = [rank + suit for rank in ranks for suit in SUITS if rank + suit not in recent]
        return self.rng.choice(choices)


@dataclass(slots=True)
class Press:
    """One press in the practice room, in the form that judging needs."""

    elapsed: float
    claimed: float | None
    ping: float
    cap: float
    seat: int = 0
    version: int = 0
    handicap: float = 0.0
    by_lot: bool = False
    #: The part that was reaction.
    reaction: float = field(init=False)

    def __post_init__(self) -> None:
        self.reaction = verdicts.compensated(self.elapsed, self.claimed, self.ping, self.cap)


def window() -> float:
    """How long a card lies before latency and random time are added, in ms."""
    return WINDOW["normal"]


@dataclass(frozen=True, slots=True)
class Hand:
    """A player's measured reactions: right slaps, and how often they missed or were wrong."""

    reactions: tuple[float, ...]
    missed: int
    wrong: int

    @property
    def median(self) -> float | None:
        """The median reaction in ms."""
        return statistics.median(self.reactions) if self.reactions else None

    @property
    def spread(self) -> float | None:
        """The standard deviation in ms; None for fewer than two slaps."""
        return statistics.stdev(self.reactions) if len(self.reactions) > 1 else None

    @property
    def miss_rate(self) -> float:
        """The share of patterns missed."""
        patterns = len(self.reactions) + self.missed
        return self.missed / patterns if patterns else 0.0


def hand_of(runs: Sequence[PracticeRun]) -> Hand:
    """All these runs combined."""
    reactions = tuple(reaction for run in runs for reaction in run.reactions)
    return Hand(reactions, sum(run.missed for run in runs), sum(run.wrong for run in runs))


def keep(user_id: int, run: Run, ping: float) -> None:
    """Store a finished run in its player's history."""
    PracticeRun.objects.create(
        player_id=user_id,
        at=timezone.now(),
        reactions=[round(reaction, 1) for reaction in run.reactions],
        missed=run.missed,
        wrong=run.wrong,
        ping=ping,
    )


def history(user_id: int) -> list[PracticeRun]:
    """The latest runs, newest first."""
    return list(PracticeRun.objects.filter(player=user_id)[:SHOWN])


@lru_cache(maxsize=128)  # thousands of contests take too long for each view of the page
def shares(hand: Hand) -> Mapping[str, float]:
    """The share of piles that this player would win against each level of AI player."""
    if not hand.reactions:
        return {}
    # The same simulated contests each time, so that the result doesn't flicker.
    return {level: _share(hand, level, Random(level)) for level in REFLEXES}  # noqa: S311 - nothing to guess here


def closest(found: Mapping[str, float]) -> str | None:
    """The level against which the share is closest to half."""
    return min(found, key=lambda level: abs(found[level] - 0.5), default=None)


def _share(hand: Hand, level: str, rng: Random) -> float:
    mine = theirs = 0
    for _contest in range(IMAGINED):
        own = None if rng.random() < hand.miss_rate else rng.choice(hand.reactions)
        other = _reaction_of(level, rng)
        if own is not None and (other is None or own < other):
            mine += 1
        elif other is not None:
            theirs += 1
    return mine / max(1, mine + theirs)


def _reaction_of(level: str, rng: Random) -> float | None:
    """One simulated slap of an AI player on a pair or a sandwich, with its average attention."""
    reflexes = REFLEXES[level]
    is_pair = rng.random() < PAIRS / (PAIRS + SANDWICHES)
    is_away = rng.random() < reflexes.drifts / (reflexes.drifts + reflexes.returns)
    missed = (reflexes.miss_pair if is_pair else reflexes.miss_other) + (reflexes.drifted_miss if is_away else 0)
    if rng.random() < missed:
        return None
    tail = reflexes.tail * (reflexes.drifted_tail if is_away else 1)
    time = rng.gauss(reflexes.mean, reflexes.deviation) + rng.expovariate(1 / tail)
    time += (reflexes.drifted_delay if is_away else 0) + (0 if is_pair else SLOWER_PATTERN)
    return max(reflexes.floor, time)
