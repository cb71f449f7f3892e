"""Bar charts of daily figures, as numbers that a template draws."""

from dataclasses import dataclass
from datetime import date, timedelta

from games.operations.models import DayCount

#: Dimensions: width of a day, height of the highest bar, and space for labels.
STEP, HEIGHT = 12, 96


@dataclass(frozen=True, slots=True)
class Bar:
    """One day."""

    day: date
    count: int
    x: int
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class Chart:
    """One kind of figure over several days."""

    what: str
    title: str
    bars: list[Bar]
    total: int
    most: int

    @property
    def width(self) -> int:
        return STEP * len(self.bars)


def charts(first: date, last: date) -> list[Chart]:
    """A chart per kind, from one query; days without a row count 0."""
    rows = DayCount.objects.filter(day__range=(first, last)).values_list("what", "day", "count")
    counts = {(what, day): count for what, day, count in rows}
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    return [_chart(what, title, [(day, counts.get((what, day), 0)) for day in days]) for what, title in _kinds()]


def _kinds() -> list[tuple[str, str]]:
    return [(what.value, str(what.label)) for what in DayCount.What]


def _chart(what: str, title: str, counts: list[tuple[date, int]]) -> Chart:
    most = max(count for _day, count in counts)
    bars = []
    for at, (day, count) in enumerate(counts):
        # A value above 0 is always visible.
        height = max(2, round(HEIGHT * count / most)) if count else 0
        bars.append(Bar(day, count, STEP * at, HEIGHT - height, height))
    return Chart(what, title, bars, sum(count for _day, count in counts), most)
