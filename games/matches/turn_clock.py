"""Who a match waits for, whose clocks run and when something is due: computed here and nowhere else.

Everything here is plain data: what the state waits for, the clocks of the seats, what happened to turns, the hours of
the players, and the present moment. Whatever moves a match on, or changes a clock beside its moves, stores the
:class:`Columns` that :func:`columns` gives.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from accounts.playing_times.waking import Calendar
from games.judging.timing import CAP_MAX, span_before_step
from games.matches.presets import AUTOPILOT_AFTER, PRESETS, Preset, autopilot_pause, deadline, is_by_hours, ticked

#: What is to be told of a turn that ended without its player: another one missed, the second in a row, one while away
#: already; and that a player who was away has acted.
MISSED, AWAY, STILL_AWAY, BACK = "missed", "away", "still away", "back"


class Hours(Protocol):
    """The hours of a player over time."""

    def at(self, moment: datetime, *, with_leave: bool = True, weekends_rest: bool = False) -> Calendar:
        """What holds for a turn that is asked at ``moment``."""


@dataclass(frozen=True, slots=True)
class SeatClock:
    """The clock of one seat, and what was missed by it: the columns of a seat's row of these names."""

    asked_at: datetime | None = None
    asked_version: int | None = None
    due_at: datetime | None = None
    bank_seconds: int | None = None
    turns: int = 0
    missed: int = 0
    is_excused: bool = False
    autopilot_at: datetime | None = None
    offered_at: datetime | None = None

    @classmethod
    def of(cls, row: Any) -> "SeatClock":
        """What a row says."""
        return cls(*(getattr(row, name) for name in CLOCK_COLUMNS))

    @property
    def bank(self) -> timedelta:
        """What the clock showed when its player was asked."""
        return timedelta(seconds=self.bank_seconds or 0)

    def values(self) -> list[Any]:
        """The columns, in the order of ``CLOCK_COLUMNS``."""
        return [getattr(self, name) for name in CLOCK_COLUMNS]

    def to_json(self) -> list[Any]:
        """As other processes are told of it; :meth:`from_json` reads it."""
        return [value.timestamp() if isinstance(value, datetime) else value for value in self.values()]

    @classmethod
    def from_json(cls, told: Sequence[Any]) -> "SeatClock":
        """What :meth:`to_json` gave."""
        values: list[Any] = [
            datetime.fromtimestamp(value, UTC) if name.endswith("_at") and value is not None else value
            for name, value in zip(CLOCK_COLUMNS, told, strict=True)
        ]
        return cls(*values)


CLOCK_COLUMNS = tuple(column.name for column in fields(SeatClock))


@dataclass(frozen=True, slots=True)
class Waits:
    """What a match waits for, as its state and its seats have it."""

    #: The name of its clock.
    clock: str
    pace: str
    #: By seat: how long its AI player seems to think, from and to, in ms; None for a person.
    tempos: Sequence[tuple[int, int] | None]
    #: Whom the rules wait for; a number below 0 is the table.
    to_move: Sequence[int]
    #: Whether that move is forced, because cards are turned.
    turns_cards: bool = False
    #: Whether players watch such cards each for themselves, at a slap point.
    by_mail: bool = False
    #: How long its player reads what is said, in ms: nothing moves before.
    reading: int = 0
    #: Whether no clock that runs by hours runs on Saturday and Sunday.
    weekends_rest: bool = False

    @property
    def at_slap_point(self) -> bool:
        """Whether the next cards are watched by each player."""
        return self.by_mail and self.turns_cards

    @property
    def deciders(self) -> Sequence[int]:
        """Seats whose choice the match waits for: no one's while cards are turned."""
        return () if self.turns_cards else self.to_move

    def is_person(self, seat: int) -> bool:
        """Whether a person has this seat."""
        return seat >= 0 and self.tempos[seat] is None


@dataclass(frozen=True, slots=True)
class Happened:
    """What became of turns since the clocks were last worked out."""

    #: Seats that were asked or are no longer: the version from which on, None if not.
    asked: Mapping[int, int | None] = field(default_factory=dict)
    #: Turns that ended, in order: seat, and whether its player ended it.
    ended: Sequence[tuple[int, bool]] = ()
    #: Seats whose players have acted themselves.
    acted: Collection[int] = ()
    #: Whether the match has moved on, so that pauses begin again; else those that are on go on.
    is_step: bool = True
    #: When the next step is due, if that was settled otherwise.
    step_at: datetime | None = None
    #: Whether no player is there to see the next step, which therefore waits.
    sleeps: bool = False
    #: Whether that step follows a verdict that is to be seen, and the most that any line is credited with, in ms.
    after_verdict: bool = False
    largest_cap: float = CAP_MAX
    #: How long what has happened is to be seen first: no live clock runs meanwhile, and no AI player moves.
    rest: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True)
class Columns:
    """What is to be stored of a match and its seats."""

    awaited: Sequence[int]
    clocks: Sequence[SeatClock]
    due_at: datetime | None
    #: Whether ``due_at`` stays as it is stored, because a pause goes on.
    keeps_due: bool = False
    #: What is to be told of absence: seat, and one of the words above.
    told: Sequence[tuple[int, str]] = ()


def columns(
    waits: Waits,
    clocks: Sequence[SeatClock],
    happened: Happened,
    hours: Mapping[int, Hours],
    now: datetime,
    draw: Callable[[float, float], float],
) -> Columns:
    """Whom the match waits for from now on, whose clocks run, and when something is due.

    Args:
        waits: what the match waits for now.
        clocks: of the seats, by number, as they are stored.
        happened: what became of turns since.
        hours: of the players whose clocks change and run by them, by seat.
        now: the moment of it all.
        draw: a pause in ms between two.
    """
    after = list(clocks)
    told: list[tuple[int, str]] = []
    for seat in {*happened.asked, *happened.acted, *(seat for seat, _by_player in happened.ended)}:
        if waits.is_person(seat):
            after[seat] = _after(waits, seat, after[seat], happened, hours.get(seat), now, told)
    for_these = awaited(waits, after)
    due_at, keeps_due = _due(waits, for_these, after, happened, now, draw)
    return Columns(for_these, after, due_at, keeps_due, told)


def awaited(waits: Waits, clocks: Sequence[SeatClock]) -> Sequence[int]:
    """The seats that the match waits for: at a slap point those that have still to watch it, else those to move."""
    if not waits.at_slap_point:
        return waits.to_move
    return [seat for seat, clock in enumerate(clocks) if clock.asked_version is not None]


def _after(
    waits: Waits,
    seat: int,
    clock: SeatClock,
    happened: Happened,
    hours: Hours | None,
    now: datetime,
    told: list[tuple[int, str]],
) -> SeatClock:
    """The clock of one person's seat after what happened."""
    preset = PRESETS.get(waits.clock)
    for number, by_player in happened.ended:
        if number == seat:
            clock = ended(clock, now, preset, calendar_of(waits, seat, hours, clock.asked_at or now), by_player)
            if not by_player:
                told.append(
                    (seat, MISSED if not clock.autopilot_at else AWAY if clock.autopilot_at == now else STILL_AWAY)
                )
    if seat in happened.acted:
        if clock.autopilot_at is not None:
            told.append((seat, BACK))
        clock = returned(clock)
    version = happened.asked.get(seat)
    if version is not None:
        since = now if is_by_hours(waits.clock) else now + happened.rest
        clock = begun(clock, since, version, preset, calendar_of(waits, seat, hours, now))
    return clock


def _due(
    waits: Waits,
    for_these: Sequence[int],
    clocks: Sequence[SeatClock],
    happened: Happened,
    now: datetime,
    draw: Callable[[float, float], float],
) -> tuple[datetime | None, bool]:
    """When something happens without a person's move, None if never; and whether what is stored holds on."""
    if happened.step_at is not None or happened.sleeps:
        return happened.step_at, False
    if not for_these:
        # A slap point that no player is left to watch is settled by the sweep.
        return (now if waits.at_slap_point else None), False
    if waits.turns_cards and not waits.by_mail:
        # The window of a card, or the time to see a verdict, is such a rest itself.
        rest = timedelta(0)
        span: tuple[float, float] | None = span_before_step(
            waits.pace, happened.largest_cap, after_verdict=happened.after_verdict
        )
    else:
        rest = happened.rest
        span = min(
            (tempo for seat in for_these if seat >= 0 and (tempo := waits.tempos[seat]) is not None), default=None
        )
    if span is not None:
        span = max(span[0], waits.reading), max(span[1], waits.reading)
        return (now + rest + timedelta(milliseconds=draw(*span)), False) if happened.is_step else (None, True)
    return min((clock.due_at for clock in clocks if clock.due_at is not None), default=None), False


# By whose hours a clock runs.


def calendar_of(waits: Waits, seat: int, hours: Hours | None, asked_at: datetime) -> Calendar | None:
    """By what the clock of a seat runs that is asked at a moment; None: it ticks plainly."""
    if hours is None or not is_by_hours(waits.clock):
        return None
    return hours.at(asked_at, with_leave=has_leave(waits, seat), weekends_rest=waits.weekends_rest)


def has_leave(waits: Waits, seat: int) -> bool:
    """Whether leave stops the clock of this seat: not where all others are AI players, which wait for no one else."""
    return is_by_hours(waits.clock) and any(tempo is None for other, tempo in enumerate(waits.tempos) if other != seat)


# What becomes of one clock.


def fresh(preset: Preset | None) -> SeatClock:
    """The clock of a player who sits down."""
    return SeatClock(bank_seconds=round(preset.start.total_seconds()) if preset else None)


def begun(clock: SeatClock, at: datetime, version: int, preset: Preset | None, calendar: Calendar | None) -> SeatClock:
    """The clock of a seat that is asked from ``version`` on."""
    if preset is None:
        due_at = None
    elif clock.autopilot_at is not None:
        due_at = at + autopilot_pause(preset)
    else:
        due_at = deadline(at, clock.bank, calendar)
    return replace(clock, asked_at=at, asked_version=version, due_at=due_at)


def ended(
    clock: SeatClock, at: datetime, preset: Preset | None, calendar: Calendar | None, by_player: bool
) -> SeatClock:
    """The clock of a seat that is no longer asked, with the increment for its turn."""
    bank = clock.bank_seconds
    if preset is not None:
        spent = ticked(clock.asked_at, at, calendar) if clock.asked_at else timedelta(0)
        bank = round(preset.after_turn(clock.bank, spent).total_seconds())
    missed = clock.missed + (not by_player)
    return replace(
        clock,
        asked_at=None,
        asked_version=None,
        due_at=None,
        bank_seconds=bank,
        turns=clock.turns + by_player,
        missed=missed,
        autopilot_at=clock.autopilot_at or (at if missed >= AUTOPILOT_AFTER else None),
    )


def returned(clock: SeatClock) -> SeatClock:
    """The clock of a seat whose player has just acted: whatever was missed before no longer counts."""
    if not clock.missed and clock.autopilot_at is None:
        return clock
    return replace(clock, missed=0, autopilot_at=None, offered_at=None)


def retimed(clock: SeatClock, calendar: Calendar | None) -> SeatClock:
    """The clock of a turn that goes on, after leave has changed the hours by which it runs."""
    if clock.asked_at is None or clock.due_at is None or clock.autopilot_at is not None:
        return clock
    return replace(clock, due_at=deadline(clock.asked_at, clock.bank, calendar))


def excused(clock: SeatClock, at: datetime, preset: Preset, calendar: Calendar | None) -> SeatClock:
    """The clock of a turn whose time is over, with the one extension of the match."""
    bank = ticked(clock.asked_at or at, at, calendar) + preset.excuse
    return replace(
        clock,
        is_excused=True,
        bank_seconds=round(bank.total_seconds()),
        due_at=deadline(at, preset.excuse, calendar),
    )


def credited(clock: SeatClock, since: datetime, until: datetime, calendar: Calendar | None) -> SeatClock:
    """The clock of a turn that ran during an outage, between two moments, with that time given back."""
    if clock.asked_at is None or clock.due_at is None:
        return clock
    lost = ticked(max(clock.asked_at, since), until, calendar)
    bank = clock.bank + lost
    due_at = clock.due_at + lost if clock.autopilot_at else deadline(clock.asked_at, bank, calendar)
    return replace(clock, bank_seconds=round(bank.total_seconds()), due_at=due_at)


def handed_over(clock: SeatClock, *, keeps_missed: bool) -> SeatClock:
    """The clock of a seat that an AI player plays on from: it stands still, and tells what its player has done."""
    return SeatClock(turns=clock.turns, missed=clock.missed if keeps_missed else 0)


def late(clocks: Sequence[SeatClock], now: datetime) -> Iterator[tuple[int, SeatClock]]:
    """The seats whose time for a turn is over, with their clocks."""
    for seat, clock in enumerate(clocks):
        if clock.asked_version is not None and clock.due_at is not None and clock.due_at <= now:
            yield seat, clock
