"""The hours in which a player's clock runs. Pure: no database and no current time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

DAY = timedelta(days=1)

#: A span of time, from its first moment up to but not including its end.
Span = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class Calendar:
    """When a player's clock runs: in their playing times, not on rest days, not while away.

    ``wake_from`` and ``wake_to`` are local; a window that ends at or before its beginning goes on after
    midnight and belongs to the day on which it begins. ``rest_days`` are numbers of weekdays, 0 is Monday.
    ``away`` are aware spans, in any order.
    """

    zone: ZoneInfo
    wake_from: time
    wake_to: time
    rest_days: frozenset[int] = frozenset()
    away: tuple[Span, ...] = ()

    def windows(self, start: datetime) -> Iterator[Span]:
        """Yield the spans in UTC in which the clock runs, from ``start`` on, in order, without end.

        At least one weekday must not be a rest day; ``start`` is aware.
        """
        first = start.astimezone(self.zone).date() - DAY
        for number in range((date.max - first).days - 1):
            day = first + number * DAY
            if day.weekday() in self.rest_days:
                continue
            begin, end = self._window(day)
            if end > start:
                yield from _without(self.away, max(begin, start), end)

    def _window(self, day: date) -> Span:
        """The playing times that begin on ``day``; a change to or from summer time makes them longer or shorter."""
        begin = self._moment(day, self.wake_from)
        if self.wake_to > self.wake_from:
            return begin, self._moment(day, self.wake_to)
        # If clocks skip the end (at 2:15, say), it counts as 3:15, when the next window may already have begun.
        return begin, min(self._moment(day + DAY, self.wake_to), self._moment(day + DAY, self.wake_from))

    def _moment(self, day: date, clock: time) -> datetime:
        """A local time of day in UTC."""
        return datetime.combine(day, clock, self.zone).astimezone(UTC)

    @property
    def hours_a_day(self) -> timedelta:
        """How long the clock runs on a usual day."""
        length = datetime.combine(date.min, self.wake_to) - datetime.combine(date.min, self.wake_from)
        return length if length > timedelta(0) else length + DAY


def _without(away: tuple[Span, ...], begin: datetime, end: datetime) -> Iterator[Span]:
    """The parts of a span that remain when the others are removed."""
    for leaves, returns in sorted(away):
        if returns <= begin or leaves >= end:
            continue
        if leaves > begin:
            yield begin, leaves
        begin = max(begin, returns)
        if begin >= end:
            return
    if begin < end:
        yield begin, end
