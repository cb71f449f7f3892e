"""Lessons: arranged matches explained step by step. Plain data of each game, played by its rules.

A lesson is one sequence of moves. The player's moves are steps, each with a sentence that says what to do; the others
are the script of the AI players and the table. So the match's version tells where the lesson is.

Texts are in English here, marked with ``gettext_noop``; the code that shows them translates them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

from .match import find_rules
from .options import Options
from .protocol import TABLE, Event, IllegalMove, Move, Seat, State

#: Minimum and maximum number of steps.
FEWEST, MOST = 5, 9
#: The seed of all lessons.
SEED = "1e55" * 8
#: Reading time per word while others move, in ms.
READING = 300


class BadLesson(ValueError):
    """A faulty lesson; the text says which one, where and why."""


@dataclass(frozen=True, slots=True)
class Watch:
    """A move of an AI player or the table. ``say``, if given, tells the player what to look at."""

    seat: Seat
    move: Move
    say: str = ""
    #: The new window for slaps from here on, if it changes.
    pace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One move of the player, and the sentence that asks for it.

    ``move`` solves the step. With ``goal``, so does every other move that causes an event of this kind with the values
    of ``goal_data``. Other legal moves are answered by ``otherwise``: the text for that move, for its verb (before the
    colon), or for all others (``""``).
    """

    say: str
    move: Move
    goal: str = ""
    goal_data: Mapping[str, Any] = field(default_factory=dict)
    otherwise: Mapping[str, str] = field(default_factory=dict)
    #: The cards mentioned in the sentence; they are highlighted, and so is the move's button.
    lit: str = ""

    def is_solved_by(self, state: State, seat: Seat, move: Move) -> bool:
        """Whether ``move``, which is legal in ``state``, solves the step."""
        if move == self.move:
            return True
        told: list[Event] = []
        if self.goal:
            state.copy().apply(seat, move, told.append)
        return any(event.kind == self.goal and self.goal_data.items() <= event.data.items() for event in told)

    def words_against(self, move: Move) -> str:
        """Why legal ``move`` isn't the right one here; empty if there is no text about it."""
        found = (self.otherwise.get(name) for name in (move, move.partition(":")[0], ""))
        return next((text for text in found if text), "")


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One lesson of a game. The player has seat 0."""

    game: str
    #: Its name in URLs, unique within its game.
    name: str
    title: str
    #: The version of the rules it was written for, until its author has reviewed it.
    rules_version: int
    seats: int = 2
    options: Options = field(default_factory=dict)
    #: The result of the first shuffle: see :func:`deck`.
    deck: Sequence[str]
    dealer: Seat
    #: The initial window for slaps, for games with slaps.
    pace: str = "relaxed"
    line: Sequence[Step | Watch]
    #: Number of moves already made when the lesson opens, such as bets, or a match up to its last cards.
    opens_at: int = 0
    #: Whether to hide the facts of the table, because a later lesson explains them.
    is_plain: bool = False
    #: What the player has learned; shown at the end.
    end: str
    #: The rules clauses it demonstrates, by their names in the table of clauses.
    teaches: Sequence[str] = ()

    @property
    def key(self) -> str:
        """Its unique name among all lessons."""
        return f"{self.game}/{self.name}"

    @property
    def steps(self) -> Sequence[Step]:
        """The player's moves."""
        return [entry for entry in self.line if isinstance(entry, Step)]

    @property
    def made_before(self) -> Sequence[Watch]:
        """The moves already made when the lesson opens."""
        return [entry for entry in self.line[: self.opens_at] if isinstance(entry, Watch)]

    @cached_property
    def versions(self) -> Sequence[int]:
        """The match's version at each step."""
        return [version for version, entry in enumerate(self.line) if isinstance(entry, Step)]

    def at(self, version: int) -> Step | Watch | None:
        """The step or move at this version; None at the end."""
        return self.line[version] if version < len(self.line) else None

    def pace_at(self, version: int) -> str:
        """The window for slaps at this version."""
        changes = (entry.pace for entry in reversed(self.line[:version]) if isinstance(entry, Watch) and entry.pace)
        return next(changes, self.pace)

    def said_at(self, version: int) -> str:
        """The sentence at this version: one stays until there is another one, or a step is made."""
        entry = self.at(version)
        if entry is None:
            return self.end
        while isinstance(entry, Watch) and not entry.say and version:
            version -= 1
            entry = self.line[version]
            if isinstance(entry, Step):
                return ""
        return entry.say

    def reading_at(self, version: int) -> int:
        """The reading time of a new sentence at this version while the table waits, in ms."""
        entry = self.at(version)
        return READING * len(entry.say.split()) if isinstance(entry, Watch) else 0

    def step_number(self, version: int) -> int:
        """How many steps are done at this version."""
        return sum(asked < version for asked in self.versions)

    def waits(self, version: int) -> bool:
        """Whether the next move is the player's, or none is left: the table waits then."""
        return not isinstance(self.at(version), Watch)

    def move_of(self, version: int, seat: Seat) -> Move | None:
        """The scripted move of another seat; None if there is none."""
        entry = self.at(version)
        return entry.move if isinstance(entry, Watch) and entry.seat == seat else None

    def deal(self) -> State:
        """The initial state."""
        rules = find_rules(self.game, self.rules_version)
        return rules.deal(self.seats, self.options, SEED, deck=self.deck, dealer=self.dealer)

    def validate(self) -> None:
        """Play the lesson through. Raises :class:`BadLesson` if it fails anywhere."""
        if not FEWEST <= len(self.steps) <= MOST:
            raise BadLesson(f"{self.key} has {len(self.steps)} steps: {FEWEST} to {MOST} are wanted")
        try:
            state = self.deal()
        except (KeyError, ValueError) as error:
            raise BadLesson(f"{self.key} can't be dealt: {error}") from error
        if self.versions[0] < self.opens_at:
            raise BadLesson(f"{self.key} opens after its first step")
        for version, entry in enumerate(self.line):
            where = f"{self.key}, move {version + 1}, {entry.move}"
            if isinstance(entry, Step):
                seat = 0
                self._validate_step(state, entry, where)
            else:
                seat = entry.seat
                if seat == 0 and entry.move != "flip" and version >= self.opens_at:
                    raise BadLesson(f"{where}: the player's moves are steps")
            if seat != TABLE and entry.move != "slap" and seat not in state.to_move():
                raise BadLesson(f"{where}: it is not the turn of seat {seat} but of {list(state.to_move())}")
            try:
                state.apply(seat, entry.move)
            except IllegalMove as error:
                raise BadLesson(f"{where}: {error}") from error

    def _validate_step(self, state: State, step: Step, where: str) -> None:
        """Check that texts are full sentences, cards are visible, and the move matches its goal."""
        if not step.say.endswith((".", "!", "?")):
            raise BadLesson(f"{where}: “{step.say}” is no sentence")
        seen = {code for zone in state.view(0).zones for code in zone.cards or () if code}
        hidden = [code for code in step.lit.split() if code not in seen]
        if hidden:
            raise BadLesson(f"{where}: {hidden} can't be lit, the player does not see them")
        told: list[Event] = []
        if step.goal:
            state.copy().apply(0, step.move, told.append)
            if not any(event.kind == step.goal and step.goal_data.items() <= event.data.items() for event in told):
                raise BadLesson(f"{where}: it tells {[event.kind for event in told]}, and not {step.goal}")


def deck(pack: Sequence[str], hands: Sequence[str], then: str = "", *, first: Seat = 0) -> Sequence[str]:
    """A shuffled ``pack`` that deals these ``hands``, card by card, to seat ``first`` first.

    ``then`` are the next cards in order; the rest is in any order. Raises :class:`BadLesson` if the pack lacks one of
    them.
    """
    dealt = [hand.split() for hand in hands]
    if len({len(hand) for hand in dealt}) > 1:
        raise BadLesson(f"hands of different sizes: {hands}")
    rounds = zip(*dealt[first:], *dealt[:first], strict=True)
    front = [code for cards in rounds for code in cards] + then.split()
    missing = Counter(front) - Counter(pack)
    if missing:
        raise BadLesson(f"the pack does not have {sorted(missing.elements())}")
    rest = sorted((Counter(pack) - Counter(front)).elements())
    Random(" ".join(front)).shuffle(rest)  # noqa: S311 - what comes after the lesson is no secret
    return [*front, *rest]
