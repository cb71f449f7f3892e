"""Clock presets: a bank, Fischer's increment with a cap, and when a turn ends. Pure.

A turn lasts from the moment a seat is asked until it is no longer asked. Each seat has a bank; the time of a turn is
taken from it, and the end of the turn adds the increment, up to the cap.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.playing_times.waking import Calendar, Span

ZERO = timedelta(0)
_SECOND, _MINUTE, _HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Preset:
    """A clock that a match can be played by.

    ``by_hours``: it runs in playing times only and stops on leave; otherwise it always runs.
    """

    name: str
    start: timedelta
    increment: timedelta
    cap: timedelta
    #: How much time the one extension of a match gives.
    excuse: timedelta
    by_hours: bool

    def after_turn(self, bank: timedelta, spent: timedelta) -> timedelta:
        """The bank after a turn that took ``spent``; it never goes below zero."""
        return min(self.cap, max(ZERO, bank - max(ZERO, spent)) + self.increment)


PRESETS = {
    preset.name: preset
    for preset in (
        Preset("table", _MINUTE * 3, _SECOND * 15, _MINUTE * 5, excuse=_MINUTE, by_hours=False),
        Preset("lunch", _HOUR * 2, _MINUTE * 20, _HOUR * 4, excuse=_HOUR, by_hours=True),
        Preset("daily", _HOUR * 24, _HOUR * 8, _HOUR * 48, excuse=_HOUR * 8, by_hours=True),
        Preset("relaxed", _HOUR * 72, _HOUR * 12, _HOUR * 96, excuse=_HOUR * 12, by_hours=True),
    )
}
#: Turns missed in a row after which a stand-in plays on without waiting, and after which the seat is offered.
AUTOPILOT_AFTER = 2
OFFERED_AFTER = AUTOPILOT_AFTER + 6
#: Or after this much of the absent player's waking time on autoplay.
OFFERED_LATEST = timedelta(hours=24)
#: The groups a seat is offered to in this order: the substitute, friends, everyone. After that an AI player takes it.
OFFERED_TO = ("deputy", "friends", "everybody")


def is_by_hours(clock: str) -> bool:
    """Whether the clock of this name runs in playing times only."""
    preset = PRESETS.get(clock)
    return preset is not None and preset.by_hours


#: The clocks of matches that people play at one sitting.
LIVE = frozenset(preset.name for preset in PRESETS.values() if not preset.by_hours)


def is_live(clock: str, people: int) -> bool:
    """Whether so many people play in one sitting by this clock; without a clock one does, for whom no other waits."""
    return clock in LIVE or (clock not in PRESETS and people < 2)


def autopilot_pause(preset: Preset) -> timedelta:
    """How long a stand-in waits before it plays a turn for a player who has missed several."""
    return _MINUTE if preset.by_hours else 5 * _SECOND


def offer_lasts(preset: Preset) -> timedelta:
    """How long each group of ``OFFERED_TO`` has before the next one is asked, too."""
    return max(_MINUTE, preset.increment)


def deadline(start: datetime, budget: timedelta, calendar: Calendar | None) -> datetime:
    """The first moment at which ``budget`` is used up since ``start``; without a calendar, the clock always runs.

    Raises ``OverflowError`` for a budget that lasts beyond the last date that Python knows.
    """
    if budget <= ZERO:
        return start
    if calendar is None:
        return start + budget
    for begin, end in calendar.windows(start):
        if begin + budget <= end:
            return begin + budget
        budget -= end - begin
    raise OverflowError("no end in sight")


def ticked(start: datetime, end: datetime, calendar: Calendar | None) -> timedelta:
    """For how long a clock runs between two moments; zero if they are in the wrong order."""
    if end <= start:
        return ZERO
    if calendar is None:
        return end - start
    return sum((last - first for first, last in _spans(start, end, calendar)), ZERO)


def _spans(start: datetime, end: datetime, calendar: Calendar) -> Iterator[Span]:
    for first, last in calendar.windows(start):
        if first >= end:
            return
        yield first, min(last, end)
