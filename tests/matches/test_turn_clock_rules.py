"""The effect of a turn on a clock, case by case."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

from accounts.playing_times.calendars import WEEKEND
from accounts.playing_times.waking import Calendar
from games.judging.timing import CAP_MAX, JITTER, VERDICT_PAUSE, WINDOW
from games.matches import turn_clock
from games.matches.presets import PRESETS
from games.matches.turn_clock import Columns, Happened, SeatClock, Waits

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
DAILY, LIVE = PRESETS["daily"], PRESETS["table"]
#: Awake from eight to eight.
DAYS = Calendar(ZoneInfo("UTC"), time(8), time(20))
PERSON, AI = None, (1000, 2000)


class Days:
    """The hours of a person awake by day, and the moments requested."""

    def __init__(self) -> None:
        self.asked: list[tuple[datetime, bool]] = []

    def at(self, moment: datetime, *, with_leave: bool = True, weekends_rest: bool = False) -> Calendar:
        self.asked.append((moment, with_leave))
        return replace(DAYS, rest_days=WEEKEND) if weekends_rest else DAYS


def waits(
    clock: str = "daily",
    tempos: Sequence[tuple[int, int] | None] = (PERSON, PERSON),
    to_move: Sequence[int] = (0,),
    *,
    turns_cards: bool = False,
    by_mail: bool = False,
) -> Waits:
    return Waits(clock, "normal", tempos, to_move, turns_cards, by_mail)


def columns(
    wait: Waits, clocks: Sequence[SeatClock], hours: Mapping[int, Days] | None = None, **happened: object
) -> Columns:
    """The columns stored at noon; a random pause is the longest."""
    return turn_clock.columns(wait, clocks, Happened(**happened), hours or {}, NOON, lambda least, most: most)


def asked(**values: object) -> SeatClock:
    """The clock of a turn that began an hour ago."""
    return SeatClock(
        **{"asked_at": NOON - HOUR, "asked_version": 7, "due_at": NOON + HOUR, "bank_seconds": 7200, **values}
    )


# One clock.


def test_the_stored_row_and_other_processes_get_the_whole_clock() -> None:
    clock = SeatClock(NOON, 7, NOON + HOUR, 7200, 3, 1, True, NOON, NOON - MINUTE)
    row = SimpleNamespace(**clock._asdict(), number=2)
    assert SeatClock.of(row) == clock
    assert clock == (NOON, 7, NOON + HOUR, 7200, 3, 1, True, NOON, NOON - MINUTE)
    assert clock.to_json()[0] == NOON.timestamp()
    assert SeatClock.from_json(clock.to_json()) == clock
    assert SeatClock.from_json(SeatClock().to_json()) == SeatClock()
    # From another release, with other columns.
    with pytest.raises(ValueError, match="shorter"):
        SeatClock.from_json(clock.to_json()[:-1])


def test_a_new_player_has_the_clocks_initial_time() -> None:
    assert turn_clock.fresh(DAILY) == SeatClock(bank_seconds=24 * 3600)
    assert turn_clock.fresh(None) == SeatClock()


def test_a_turn_that_ends_costs_its_time_and_gives_the_increment() -> None:
    after = turn_clock.ended(asked(), NOON, LIVE, None, by_player=True)
    # Two hours minus one, limited to the five minutes this clock may hold.
    assert after == SeatClock(bank_seconds=300, turns=1)
    after = turn_clock.ended(asked(bank_seconds=3700), NOON, DAILY, None, by_player=True)
    assert after == SeatClock(bank_seconds=100 + 8 * 3600, turns=1)


def test_a_turn_only_costs_time_within_the_playing_times() -> None:
    # Four hours in the evening and four in the morning.
    begun = asked(asked_at=NOON - 20 * HOUR, bank_seconds=9 * 3600)
    assert turn_clock.ended(begun, NOON, DAILY, DAYS, by_player=True).bank_seconds == (9 - 8 + 8) * 3600


def test_a_turn_that_was_never_asked_costs_nothing_and_no_clock_stays_none() -> None:
    assert turn_clock.ended(SeatClock(bank_seconds=60), NOON, LIVE, None, by_player=True).bank_seconds == 75
    assert turn_clock.ended(SeatClock(bank_seconds=60), NOON, None, None, by_player=True).bank_seconds == 60


def test_the_second_turn_missed_in_a_row_begins_autoplay_and_later_ones_keep_its_beginning() -> None:
    once = turn_clock.ended(asked(), NOON, DAILY, None, by_player=False)
    assert (once.missed, once.turns, once.autopilot_at) == (1, 0, None)
    twice = turn_clock.ended(once._replace(asked_at=NOON), NOON + HOUR, DAILY, None, by_player=False)
    assert (twice.missed, twice.autopilot_at) == (2, NOON + HOUR)
    assert turn_clock.ended(twice, NOON + 2 * HOUR, DAILY, None, by_player=False).autopilot_at == NOON + HOUR


def test_a_player_who_acts_again_has_no_missed_turns() -> None:
    away = asked(missed=3, autopilot_at=NOON - HOUR, offered_at=NOON)
    assert turn_clock.returned(away) == asked()
    assert turn_clock.returned(asked(missed=1)) == asked()
    # Autoplay that ended when the player took over again, and an independent offer.
    assert turn_clock.returned(asked(autopilot_at=NOON)) == asked()
    assert turn_clock.returned(asked(offered_at=NOON)) == asked(offered_at=NOON)


def test_leave_moves_when_a_turn_is_due_unless_it_is_not_on_or_autoplay_has_it() -> None:
    assert turn_clock.retimed(asked(), None).due_at == NOON + HOUR
    assert turn_clock.retimed(asked(bank_seconds=10 * 3600), DAYS).due_at == NOON + 21 * HOUR
    for still in (asked(asked_at=None), asked(due_at=None), asked(autopilot_at=NOON), SeatClock()):
        assert turn_clock.retimed(still, DAYS) == still


def test_the_extension_is_added_to_the_time_that_the_turn_has_taken() -> None:
    after = turn_clock.excused(asked(), NOON, DAILY, None)
    assert after == asked(is_excused=True, bank_seconds=9 * 3600, due_at=NOON + 8 * HOUR)
    after = turn_clock.excused(asked(asked_at=NOON - 20 * HOUR), NOON, DAILY, DAYS)
    # Eight hours of playing times from noon are all that is left of this day.
    assert (after.bank_seconds, after.due_at) == ((8 + 8) * 3600, NOON + 8 * HOUR)
    assert turn_clock.excused(asked(asked_at=None), NOON, DAILY, None).bank_seconds == 8 * 3600


def test_time_that_no_one_could_play_is_given_back_to_turns_that_are_on() -> None:
    for still in (asked(asked_at=None), asked(due_at=None)):
        assert turn_clock.credited(still, NOON - HOUR, NOON, None) == still
    given = turn_clock.credited(asked(), NOON - MINUTE, NOON, None)
    assert given == asked(bank_seconds=7260, due_at=NOON + HOUR + MINUTE)


def test_a_turn_is_late_once_its_time_is_over() -> None:
    clocks = [asked(due_at=NOON), asked(), asked(due_at=None), SeatClock(due_at=NOON), asked(due_at=NOON - HOUR)]
    assert list(turn_clock.late(clocks, NOON)) == [(0, clocks[0]), (4, clocks[4])]


# By whose hours.


@pytest.mark.parametrize(
    ("clock", "tempos", "stops"),
    [
        ("daily", (PERSON, PERSON), True),
        ("daily", (PERSON, AI), False),
        ("daily", (AI, PERSON), True),
        ("table", (PERSON, PERSON), False),
    ],
)
def test_leave_stops_a_clock_by_hours_if_another_person_waits(
    clock: str, tempos: Sequence[tuple[int, int] | None], stops: bool
) -> None:
    assert turn_clock.has_leave(waits(clock, tempos), 0) is stops


def test_a_clock_runs_by_the_hours_of_its_player_if_it_runs_by_hours() -> None:
    for tempos, with_leave in (((PERSON, PERSON), True), ((PERSON, AI), False)):
        hours = Days()
        assert turn_clock.calendar_of(waits(tempos=tempos), 0, hours, NOON) is DAYS
        assert hours.asked == [(NOON, with_leave)]
    assert turn_clock.calendar_of(waits("table"), 0, Days(), NOON) is None
    assert turn_clock.calendar_of(waits(), 0, None, NOON) is None


# All columns.


def test_each_turn_begins_and_ends_by_the_hours_at_its_beginning() -> None:
    evening = NOON - 17 * HOUR
    hours = {0: Days(), 1: Days()}
    clocks = [asked(asked_at=evening, bank_seconds=10 * 3600), SeatClock(bank_seconds=10 * 3600)]
    found = columns(waits(to_move=(1,)), clocks, hours, asked={0: None, 1: 8}, ended=[(0, True)], acted=[0])
    # One hour in the evening and four in the morning.
    assert found.clocks[0] == SeatClock(bank_seconds=(10 - 5 + 8) * 3600, turns=1)
    assert found.clocks[1] == SeatClock(NOON, 8, NOON + 22 * HOUR, 10 * 3600)
    assert (hours[0].asked, hours[1].asked) == ([(evening, True)], [(NOON, True)])
    assert (found.awaited, found.due_at, found.keeps_due, found.told) == ((1,), NOON + 22 * HOUR, False, [])


def test_leave_stops_neither_end_nor_beginning_of_a_turn_among_ai_players() -> None:
    hours = {0: Days()}
    columns(waits(tempos=(PERSON, AI)), [asked(), SeatClock()], hours, asked={0: 8}, ended=[(0, True)])
    assert hours[0].asked == [(NOON - HOUR, False), (NOON, False)]


def test_each_stage_of_an_absence_has_its_notice() -> None:
    clocks = [
        asked(),
        asked(missed=1),
        asked(missed=2, autopilot_at=NOON - HOUR),
        asked(missed=2, autopilot_at=NOON - HOUR),
        asked(),
    ]
    found = columns(
        waits(tempos=[PERSON] * 5),
        clocks,
        asked=dict.fromkeys(range(5)),
        ended=[(0, False), (1, False), (2, False), (3, True), (4, True)],
        acted=[3, 4],
    )
    assert sorted(found.told) == [
        (0, turn_clock.MISSED),
        (1, turn_clock.AWAY),
        (2, turn_clock.STILL_AWAY),
        (3, turn_clock.BACK),
    ]
    assert [clock.missed for clock in found.clocks] == [1, 2, 3, 0, 0]


def test_a_point_that_no_one_is_left_to_watch_is_due_and_a_match_that_waits_for_no_one_is_not() -> None:
    point = waits(turns_cards=True, by_mail=True, to_move=(-1,))
    found = columns(point, [SeatClock(), SeatClock()])
    assert (found.awaited, found.due_at, found.keeps_due) == ([], NOON, False)
    found = columns(waits(to_move=()), [SeatClock(), SeatClock()])
    assert (found.awaited, found.due_at, found.keeps_due) == ((), None, False)


@pytest.mark.parametrize("after_verdict", [False, True])
def test_the_next_card_is_due_after_its_window_or_after_the_verdict(after_verdict: bool) -> None:
    wait = waits("table", turns_cards=True, to_move=(-1,))
    found = columns(wait, [SeatClock()] * 2, after_verdict=after_verdict)
    span = VERDICT_PAUSE if after_verdict else WINDOW["normal"] + CAP_MAX
    assert (found.due_at, found.keeps_due) == (NOON + timedelta(milliseconds=span + JITTER), False)


@pytest.mark.parametrize("seat", [0, 1])
def test_an_ai_player_seems_to_think(seat: int) -> None:
    tempos = [AI if number == seat else PERSON for number in range(2)]
    wait = waits("table", tempos, to_move=(seat,))
    found = columns(wait, [SeatClock()] * 2)
    assert (found.due_at, found.keeps_due) == (NOON + timedelta(seconds=2), False)
    found = columns(wait, [SeatClock()] * 2, is_step=False)
    assert (found.due_at, found.keeps_due) == (None, True)


def test_what_rests_on_the_table_delays_live_clocks_and_ai_players_and_no_clock_by_hours() -> None:
    rest = timedelta(seconds=3)
    live = columns(waits("table"), [SeatClock(bank_seconds=60)] * 2, asked={0: 8}, rest=rest)
    assert (live.clocks[0].asked_at, live.due_at) == (NOON + rest, NOON + rest + MINUTE)
    slow = columns(waits("daily"), [SeatClock(bank_seconds=60)] * 2, asked={0: 8}, rest=rest)
    assert (slow.clocks[0].asked_at, slow.due_at) == (NOON, NOON + MINUTE)
    thinking = columns(waits("table", (AI, PERSON)), [SeatClock()] * 2, rest=rest)
    assert thinking.due_at == NOON + rest + timedelta(seconds=2)


def test_the_match_is_due_with_the_first_of_its_clocks() -> None:
    clocks = [asked(), asked(due_at=NOON + MINUTE), asked(due_at=None)]
    found = columns(waits(tempos=[PERSON] * 3, to_move=(0, 1, 2)), clocks)
    assert (found.due_at, found.keeps_due) == (NOON + MINUTE, False)


def test_a_step_that_is_settled_otherwise_or_sleeps_is_due_at_the_given_time() -> None:
    wait = waits("table", turns_cards=True, to_move=(-1,))
    assert columns(wait, [SeatClock()] * 2, step_at=NOON + HOUR).due_at == NOON + HOUR
    asleep = columns(wait, [SeatClock()] * 2, sleeps=True)
    assert (asleep.due_at, asleep.keeps_due) == (None, False)


def test_a_table_whose_weekends_rest_has_no_weekend_on_its_calendars():
    for rests in (True, False):
        calendar = turn_clock.calendar_of(replace(waits(), weekends_rest=rests), 0, Days(), NOON)
        assert calendar is not None
        assert (calendar.rest_days == WEEKEND) is rests
