"""Whom a match waits for, whose clocks run, and when something is due: computed here and nowhere else.

Everything here is plain data: what the state waits for, the clocks of the seats, what happened to turns, the playing
times of the players, and the present moment. Code that moves a match on, or changes a clock beside its moves, stores
the :class:`Columns` that :func:`columns` returns.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Protocol

from accounts.playing_times.waking import Calendar
from games.judging.timing import CAP_MAX, span_before_step
from games.matches.presets import AUTOPILOT_AFTER, PRESETS, Preset, autopilot_pause, deadline, is_by_hours, ticked

#: How a turn ended without its player: missed, missed for the second time in a row, or missed while already away; and
#: the return of a player who was away.
MISSED, AWAY, STILL_AWAY, BACK = "missed", "away", "still away", "back"


class Hours(Protocol):
    """The playing times of a player over time."""

    def at(self, moment: datetime, *, with_leave: bool = True, weekends_rest: bool = False) -> Calendar:
        """The calendar for a turn that begins at ``moment``."""


class SeatClock(NamedTuple):
    """The clock of one seat and its missed turns: the columns with these names in the seat's row."""

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
        """Read the clock from a row."""
        return cls(*(getattr(row, name) for name in cls._fields))

    @property
    def bank(self) -> timedelta:
        """The time that was left when the turn began."""
        return timedelta(seconds=self.bank_seconds or 0)

    def to_json(self) -> list[Any]:
        """The values for a message to other processes; :meth:`from_json` reads them."""
        return [value.timestamp() if isinstance(value, datetime) else value for value in self]

    @classmethod
    def from_json(cls, told: Sequence[Any]) -> "SeatClock":
        """Read what :meth:`to_json` returned."""
        return cls._make(
            [
                datetime.fromtimestamp(value, UTC) if is_moment and value is not None else value
                for is_moment, value in zip(_ARE_MOMENTS, told, strict=True)
            ]
        )


_ARE_MOMENTS = [name.endswith("_at") for name in SeatClock._fields]


# Made for every move, and never changed: frozen ones would take three times as long to make.


@dataclass(slots=True)
class Waits:
    """What a match waits for, according to its state and its seats."""

    #: The name of the match's clock.
    clock: str
    pace: str
    #: By seat, the shortest and longest apparent thinking time of its AI player, in ms; None for a person.
    tempos: Sequence[tuple[int, int] | None]
    #: The seats that the rules wait for; a negative number is the table.
    to_move: Sequence[int]
    #: Whether that move is forced because cards are being turned.
    turns_cards: bool = False
    #: Whether each player watches such cards separately, at a slap point.
    by_mail: bool = False
    #: How long, in ms, the player of a lesson needs to read its text: nothing moves before.
    reading: int = 0
    #: Whether clocks that run by playing times stop on Saturday and Sunday.
    weekends_rest: bool = False

    @property
    def at_slap_point(self) -> bool:
        """Whether each player watches the next cards separately."""
        return self.by_mail and self.turns_cards

    @property
    def deciders(self) -> Sequence[int]:
        """The seats whose choice the match waits for; none while cards are turned."""
        return () if self.turns_cards else self.to_move

    def is_person(self, seat: int) -> bool:
        """Whether a person has this seat."""
        return seat >= 0 and self.tempos[seat] is None


@dataclass(slots=True)
class Happened:
    """What happened to turns since the clocks were last computed."""

    #: By seat, the version from which it is asked, or None if it no longer is.
    asked: Mapping[int, int | None] = field(default_factory=dict)
    #: Turns that ended, in order: the seat, and whether its player ended the turn.
    ended: Sequence[tuple[int, bool]] = ()
    #: Seats whose players have acted themselves.
    acted: Collection[int] = ()
    #: Whether the match has moved on, so that a new pause begins; otherwise the running one continues.
    is_step: bool = True
    #: When the next step is due, if a command has already settled that.
    step_at: datetime | None = None
    #: Whether the next step waits because no player is there to see it.
    sleeps: bool = False
    #: Whether the next step follows a verdict that players should see, and the most latency credit of any connection,
    #: in ms.
    after_verdict: bool = False
    largest_cap: float = CAP_MAX
    #: How long players see what has happened first: no live clock runs meanwhile, and no AI player moves.
    rest: timedelta = timedelta(0)


@dataclass(slots=True)
class Columns:
    """New column values of a match and its seats."""

    awaited: Sequence[int]
    clocks: Sequence[SeatClock]
    due_at: datetime | None
    #: Whether the stored ``due_at`` stays, because a pause continues.
    keeps_due: bool = False
    #: Absences to record: the seat, and one of the constants above.
    told: Sequence[tuple[int, str]] = ()


def columns(
    waits: Waits,
    clocks: Sequence[SeatClock],
    happened: Happened,
    hours: Mapping[int, Hours],
    now: datetime,
    draw: Callable[[float, float], float],
) -> Columns:
    """Compute whom the match waits for from now on, whose clocks run, and when something is due.

    Args:
        waits: what the match waits for now.
        clocks: of the seats, by number, as they are stored.
        happened: what happened to turns since.
        hours: of the players whose clocks change and run by them, by seat.
        now: the current time.
        draw: returns a random pause between two bounds, in ms.
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
    """The seats that the match waits for: at a slap point those still to watch it, otherwise those to move."""
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
    """When something happens without a person's move, None if never; and whether the stored time stays valid."""
    if happened.step_at is not None or happened.sleeps:
        return happened.step_at, False
    if not for_these:
        # The sweep settles a slap point that no player is left to watch.
        return (now if waits.at_slap_point else None), False
    if waits.turns_cards and not waits.by_mail:
        # The window of a card, or the time to see a verdict, already gives players that time.
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


# Which calendar a clock runs by.


def calendar_of(waits: Waits, seat: int, hours: Hours | None, asked_at: datetime) -> Calendar | None:
    """The calendar of a seat's clock for a turn that begins at ``asked_at``; None if it always runs."""
    if hours is None or not is_by_hours(waits.clock):
        return None
    return hours.at(asked_at, with_leave=has_leave(waits, seat), weekends_rest=waits.weekends_rest)


def has_leave(waits: Waits, seat: int) -> bool:
    """Whether leave stops the clock of this seat: not if all others are AI players, so that no one is kept waiting."""
    return is_by_hours(waits.clock) and any(tempo is None for other, tempo in enumerate(waits.tempos) if other != seat)


# Changes of one clock.


def fresh(preset: Preset | None) -> SeatClock:
    """The clock of a player who takes a seat."""
    return SeatClock(bank_seconds=round(preset.start.total_seconds()) if preset else None)


def begun(clock: SeatClock, at: datetime, version: int, preset: Preset | None, calendar: Calendar | None) -> SeatClock:
    """The clock of a seat whose turn begins at ``version``."""
    if preset is None:
        due_at = None
    elif clock.autopilot_at is not None:
        due_at = at + autopilot_pause(preset)
    else:
        due_at = deadline(at, clock.bank, calendar)
    return clock._replace(asked_at=at, asked_version=version, due_at=due_at)


def ended(
    clock: SeatClock, at: datetime, preset: Preset | None, calendar: Calendar | None, by_player: bool
) -> SeatClock:
    """The clock of a seat whose turn has ended, with the increment added."""
    bank = clock.bank_seconds
    if preset is not None:
        spent = ticked(clock.asked_at, at, calendar) if clock.asked_at else timedelta(0)
        bank = round(preset.after_turn(clock.bank, spent).total_seconds())
    missed = clock.missed + (not by_player)
    return clock._replace(
        asked_at=None,
        asked_version=None,
        due_at=None,
        bank_seconds=bank,
        turns=clock.turns + by_player,
        missed=missed,
        autopilot_at=clock.autopilot_at or (at if missed >= AUTOPILOT_AFTER else None),
    )


def returned(clock: SeatClock) -> SeatClock:
    """The clock of a seat whose player has just acted: turns missed before no longer count."""
    if not clock.missed and clock.autopilot_at is None:
        return clock
    return clock._replace(missed=0, autopilot_at=None, offered_at=None)


def retimed(clock: SeatClock, calendar: Calendar | None) -> SeatClock:
    """The clock of a running turn after leave has changed its player's calendar."""
    if clock.asked_at is None or clock.due_at is None or clock.autopilot_at is not None:
        return clock
    return clock._replace(due_at=deadline(clock.asked_at, clock.bank, calendar))


def excused(clock: SeatClock, at: datetime, preset: Preset, calendar: Calendar | None) -> SeatClock:
    """The clock of an expired turn, with the one extension of the match added."""
    bank = ticked(clock.asked_at or at, at, calendar) + preset.excuse
    return clock._replace(
        is_excused=True,
        bank_seconds=round(bank.total_seconds()),
        due_at=deadline(at, preset.excuse, calendar),
    )


def credited(clock: SeatClock, since: datetime, until: datetime, calendar: Calendar | None) -> SeatClock:
    """The clock of a turn that ran during an outage between two moments, with that time given back."""
    if clock.asked_at is None or clock.due_at is None:
        return clock
    lost = ticked(max(clock.asked_at, since), until, calendar)
    bank = clock.bank + lost
    due_at = clock.due_at + lost if clock.autopilot_at else deadline(clock.asked_at, bank, calendar)
    return clock._replace(bank_seconds=round(bank.total_seconds()), due_at=due_at)


def handed_over(clock: SeatClock, *, keeps_missed: bool) -> SeatClock:
    """The clock of a seat that an AI player takes over: it stands still, and keeps the player's finished turns."""
    return SeatClock(turns=clock.turns, missed=clock.missed if keeps_missed else 0)


def late(clocks: Sequence[SeatClock], now: datetime) -> Iterator[tuple[int, SeatClock]]:
    """The seats whose turn has run out of time, with their clocks."""
    for seat, clock in enumerate(clocks):
        if clock.asked_version is not None and clock.due_at is not None and clock.due_at <= now:
            yield seat, clock
