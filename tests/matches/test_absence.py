"""A seat whose player doesn't answer."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError
from django.db.models import F
from django.utils import timezone

from accounts import social
from accounts.models import OutgoingMail, User
from accounts.playing_times import calendars
from accounts.playing_times.models import Deputy, Leave, LeaveAccount
from games.mail import dispatch
from games.matches import outages, presets, service, tasks
from games.matches.commands import absence
from games.matches.commit import store
from games.matches.models import Departure, Heartbeat, Match, MissedTurn, Move, Outage, Seat, hash_of
from games.matches.turn_clock import SeatClock
from tests.factories.matches import SEED
from tests.factories.tables import keep_up

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
#: A Monday at ten in the morning, UTC.
MONDAY = datetime(2026, 11, 23, 10, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _monday(time_machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    time_machine.move_to(MONDAY, tick=False)
    monkeypatch.setattr(tasks.ai_turn, "delay", lambda *_arguments: None)


@pytest.fixture
def pass_time(time_machine: Any) -> Callable[[timedelta], None]:
    return lambda span: time_machine.shift(span)


@pytest.fixture
def cleo(make_player: Callable[[str], User]) -> User:
    return make_player("Cleo")


@pytest.fixture
def dan(make_player: Callable[[str], User]) -> User:
    return make_player("Dan")


@pytest.fixture
def open_match() -> Callable[..., Match]:
    def start(*people: User, clock: str = "daily", slug: str = "amagande", ai: int = 0) -> Match:
        match = service.open_table(
            people[0],
            slug,
            len(people) + ai,
            {},
            ai={len(people) + number: "easy" for number in range(ai)},
            clock=clock,
        )
        for person in people[1:]:
            service.join(match, person)
        Match.objects.filter(pk=match.pk).update(seed=SEED, seed_hash=hash_of(SEED))
        service.start(match, people[0])
        return match

    return start


def no_leave(*people: User) -> None:
    for person in people:
        LeaveAccount.objects.create(user=person, days=0, counted_at=timezone.now() + timedelta(days=1000))


def asked(match: Match) -> Seat:
    """The seat that is asked; there is exactly one."""
    return match.seats.get(asked_at__isnull=False)


def kinds(match: Match) -> list[str]:
    return list(match.incidents.values_list("kind", flat=True))


def act(match: Match, seat: Seat | None = None) -> None:
    """Let the asked player make a safe turn."""
    seat = seat or asked(match)
    table = service.load(match.pk)
    while seat.number in table.deciders():
        move = table.state.default_move(seat.number)
        service.act(match.pk, seat.number, move, request_id=f"m{table.version}", player=seat.player)
        keep_up(table)


def until_due(match: Match, time_machine: Any) -> None:
    """Let time pass until the sweep finds the match due."""
    match.refresh_from_db()
    time_machine.move_to(match.due_at + timedelta(seconds=tasks.GRACE + 1), tick=False)
    tasks.sweep()
    match.refresh_from_db()


def skip(match: Match, player: User, time_machine: Any) -> None:
    """Let everyone but ``player`` play until that player is asked and has missed the turn."""
    others_turns(match, player)
    moves = match.moves.count()
    while match.moves.count() == moves and match.status == Match.Status.RUNNING:
        until_due(match, time_machine)


def others_turns(match: Match, player: User) -> None:
    while (seat := asked(match)).player_id != player.pk:
        act(match, seat)


def test_the_clock_stops_at_night(ada, ben, open_match):
    match = open_match(ada, ben)
    seat = asked(match)
    # 13 hours of Monday until 23, and 11 from 8 on Tuesday.
    assert seat.due_at == datetime(2026, 11, 24, 19, tzinfo=UTC)
    assert match.due_at == seat.due_at


def test_time_that_passes_asleep_is_not_taken_from_the_bank(ada, ben, open_match, pass_time):
    match = open_match(ada, ben)
    seat = asked(match)
    pass_time(23 * HOUR)
    act(match, seat)
    seat.refresh_from_db()
    # 13 hours on Monday and 1 on Tuesday were used, 8 were added.
    assert seat.bank_seconds == (24 - 14 + 8) * 3600


def test_chosen_hours_count_from_the_next_turn_on(ada, ben, open_match, pass_time):
    match = open_match(ada, ben)
    seat = asked(match)
    due_at = seat.due_at
    calendars.change(seat.player, "UTC", time(8), time(23), [])
    pass_time(2 * HOUR)
    with pytest.raises(calendars.PlayingTimesError):
        calendars.change(seat.player, "UTC", time(9), time(19), [1, 2])
    pass_time(timedelta(days=-31))
    seat.player.playing_times.update(since=timezone.now() - timedelta(days=31))
    pass_time(timedelta(days=31))
    calendars.change(seat.player, "UTC", time(9), time(19), [1, 2])
    seat.refresh_from_db()
    assert seat.due_at == due_at
    act(match, seat)
    act(match)
    seat.refresh_from_db()
    assert seat.due_at.hour < 19 or seat.due_at.time() == time(19)
    assert seat.due_at.weekday() not in (1, 2)


def test_leave_is_spent_by_the_hour_when_the_clock_reaches_zero(ada, ben, open_match, time_machine):
    match = open_match(ada, ben)
    seat = asked(match)
    before = calendars.balance(seat.player)
    due_at = seat.due_at
    until_due(match, time_machine)
    seat.refresh_from_db()
    assert seat.due_at == due_at + HOUR
    assert not match.moves.exists()
    assert calendars.balance(seat.player) == pytest.approx(before - 1 / 15, abs=0.1)
    assert Leave.objects.get().is_automatic
    # A repeated sweep spends nothing twice.
    tasks.process_due(match.pk, match.version)
    assert Leave.objects.count() == 1


def test_an_hour_of_leave_stops_the_clocks_of_all_matches(ada, ben, cleo, open_match, time_machine):
    first, second = open_match(ada, ben), open_match(ada, ben)
    Seat.objects.filter(match=second).update(asked_at=None, asked_version=None, due_at=None)
    one = asked(first)
    Seat.objects.filter(match=second, number=one.number).update(asked_at=MONDAY, asked_version=0, due_at=one.due_at)
    service.forget_all()
    until_due(first, time_machine)
    tasks.sweep()
    assert Leave.objects.count() == 1
    other = Seat.objects.get(match=second, number=one.number)
    assert other.due_at == one.due_at + HOUR


def test_leave_that_is_booked_moves_the_end_of_turns_that_run_and_giving_it_back_moves_it_again(
    ada, ben, open_match, django_capture_on_commit_callbacks
):
    match = open_match(ada, ben)
    seat = asked(match)
    due_at = seat.due_at
    with django_capture_on_commit_callbacks(execute=True):
        leave = calendars.book(seat.player, MONDAY + 2 * HOUR, MONDAY + 7 * HOUR)
    seat.refresh_from_db()
    match.refresh_from_db()
    assert seat.due_at == match.due_at == datetime(2026, 11, 25, 9, tzinfo=UTC)
    with django_capture_on_commit_callbacks(execute=True):
        calendars.give_back(leave)
    seat.refresh_from_db()
    assert seat.due_at == due_at


def test_there_is_no_leave_from_a_match_against_ai_players(ada, open_match, time_machine):
    match = open_match(ada, ai=1)
    while not match.seats.filter(asked_at__isnull=False).exists():
        match.refresh_from_db()
        tasks.ai_turn(match.pk, match.version)
    match.refresh_from_db()
    until_due(match, time_machine)
    assert not Leave.objects.exists()
    assert kinds(match) == ["excused"]


def test_then_one_extension_per_match_is_shown_to_everyone(ada, ben, open_match, time_machine):
    match = open_match(ada, ben)
    seat = asked(match)
    no_leave(ada, ben)
    until_due(match, time_machine)
    seat.refresh_from_db()
    assert (seat.is_excused, match.moves.count(), kinds(match)) == (True, 0, ["excused"])
    assert presets.ticked(timezone.now(), seat.due_at, None) >= 8 * HOUR


def test_then_autoplay_plays_this_one_turn(ada, ben, open_match, time_machine):
    match = open_match(ada, ben)
    seat = asked(match)
    no_leave(ada, ben)
    skip(match, seat.player, time_machine)
    assert set(match.moves.values_list("source", flat=True)) == {Move.Source.STAND_IN}
    assert kinds(match) == ["excused", "stand_in"]
    seat.refresh_from_db()
    assert (seat.missed, seat.turns, seat.autopilot_at, seat.bank_seconds) == (1, 0, None, 8 * 3600)
    assert MissedTurn.objects.get().player == seat.player
    assert asked(match).number != seat.number


def test_two_missed_turns_in_a_row_start_autoplay_and_any_action_of_the_player_ends_it(
    ada, ben, cleo, open_match, time_machine
):
    match = open_match(ada, ben, cleo)
    seat = asked(match)
    no_leave(ada, ben, cleo)
    skip(match, seat.player, time_machine)
    skip(match, seat.player, time_machine)
    seat.refresh_from_db()
    assert seat.autopilot_at is not None
    # An email about it is sent once, if it is still true.
    time_machine.shift(timedelta(minutes=11))
    dispatch.send_due()
    told = OutgoingMail.objects.filter(key__startswith="away:")
    assert [mail.to for mail in told] == [seat.player.email]
    assert "so autoplay makes safe moves for you" in " ".join(told[0].text.split())
    others_turns(match, seat.player)
    seat.refresh_from_db()
    assert seat.due_at == seat.asked_at + timedelta(minutes=1)
    act(match, seat)
    seat.refresh_from_db()
    assert (seat.missed, seat.autopilot_at, seat.turns) == (0, None, 1)
    assert kinds(match)[-2:] == ["autopilot", "returned"]


def gone(match: Match, player: User, time_machine: Any) -> Seat:
    """Keep ``player`` away until the seat is offered."""
    seat = match.seats.get(player=player)
    for _ in range(presets.OFFERED_AFTER + 1):
        skip(match, player, time_machine)
        seat.refresh_from_db()
        if seat.offered_at is not None:
            return seat
    raise AssertionError("never offered")


def test_after_six_turns_on_autoplay_the_seat_is_offered_and_someone_takes_it(
    ada, ben, cleo, dan, open_match, time_machine, pass_time
):
    match = open_match(ada, ben, cleo)
    no_leave(ada, ben, cleo)
    leaver = asked(match).player
    seat = gone(match, leaver, time_machine)
    assert kinds(match)[-1] == "offered"
    with pytest.raises(service.Refused):
        service.take_seat(match, seat.number, dan)
    pass_time(2 * presets.offer_lasts(presets.PRESETS["daily"]))
    taken = service.take_seat(match, seat.number, dan)
    assert (taken.player, taken.player_name, taken.missed, taken.offered_at) == (dan, "Dan", 0, None)
    assert Departure.objects.get().player == leaver
    assert kinds(match)[-1] == "taken"
    with pytest.raises(service.Refused):
        service.take_seat(match, seat.number, dan)
    others_turns(match, dan)
    act(match, match.seats.get(player=dan))
    with pytest.raises(service.Refused):
        service.act(match.pk, seat.number, "draw", request_id="back", player=leaver)


def test_the_substitute_is_asked_first_then_friends(
    ada, ben, cleo, dan, make_player, open_match, time_machine, pass_time
):
    eve = make_player("Eve")
    match = open_match(ada, ben, cleo)
    no_leave(ada, ben, cleo)
    leaver = asked(match).player
    Deputy.objects.create(user=leaver, deputy=dan)
    social.ask(leaver, eve)
    social.ask(eve, leaver)
    seat = gone(match, leaver, time_machine)

    def may_take(person):
        return service.takeable(Seat.objects.filter(pk=seat.pk), person) == [seat]

    may = {person.name: partial(may_take, person) for person in (dan, eve)}
    assert (may["Dan"](), may["Eve"]()) == (True, False)
    pass_time(presets.offer_lasts(presets.PRESETS["daily"]))
    assert (may["Dan"](), may["Eve"]()) == (True, True)
    assert not may_take(make_player("Finn"))
    social.block(ben, eve)
    assert not may["Eve"]()


def test_a_seat_that_no_one_takes_goes_to_an_ai_player(ada, ben, cleo, open_match, time_machine, pass_time):
    match = open_match(ada, ben, cleo)
    no_leave(ada, ben, cleo)
    seat = gone(match, asked(match).player, time_machine)
    pass_time(3 * presets.offer_lasts(presets.PRESETS["daily"]))
    skip(match, seat.player, time_machine)
    seat.refresh_from_db()
    assert (seat.ai_level, seat.has_resigned) == ("easy", True)
    match.refresh_from_db()
    assert match.is_rated
    assert kinds(match)[-1] == "replaced"


def test_with_fewer_than_two_people_left_ai_players_finish_and_it_does_not_count(ada, ben, open_match, time_machine):
    match = open_match(ada, ben)
    no_leave(ada, ben)
    leaver = asked(match).player
    for _ in range(presets.OFFERED_AFTER):
        skip(match, leaver, time_machine)
    match.refresh_from_db()
    assert not match.is_rated
    assert match.seats.get(player=leaver).ai_level == "easy"
    assert kinds(match)[-2:] == ["replaced", "unrated"]
    assert match.status == Match.Status.RUNNING


def test_a_match_that_everyone_left_comes_to_its_end(ada, ben, open_match, time_machine):
    match = open_match(ada, ben, clock="table")
    for _ in range(400):
        match.refresh_from_db()
        if match.status == Match.Status.OVER:
            break
        until_due(match, time_machine)
        tasks.ai_turn(match.pk, match.version)
    assert match.status == Match.Status.OVER
    assert not match.is_rated


def test_a_second_sweep_and_a_repeat_after_a_kill_change_nothing(ada, ben, open_match, time_machine, monkeypatch):
    match = open_match(ada, ben)
    no_leave(ada, ben)
    until_due(match, time_machine)
    seat = asked(match)
    time_machine.move_to(seat.due_at + HOUR, tick=False)

    def killed(*_arguments: Any) -> None:
        raise SystemExit

    # Before anything is stored, and after everything is.
    for broken in ("games.matches.commit.store.store_optional_rows", "games.matches.commands.moves.events.publish"):
        monkeypatch.setattr(broken, killed)
        with pytest.raises(SystemExit):
            service.time_out(match.pk)
        monkeypatch.undo()
        monkeypatch.setattr(tasks.ai_turn, "delay", lambda *_arguments: None)
        assert match.moves.exists() == broken.endswith("publish")
        service.forget_all()
    moves, incidents = match.moves.count(), kinds(match)
    assert moves
    for _ in range(3):
        service.time_out(match.pk)
        tasks.process_due(match.pk, match.version)
    assert (match.moves.count(), kinds(match)) == (moves, incidents)


def test_no_autoplay_move_is_made_for_a_player_who_acts_at_the_last_moment(ada, ben, open_match, time_machine):
    match = open_match(ada, ben)
    no_leave(ada, ben)
    until_due(match, time_machine)
    seat = asked(match)
    time_machine.move_to(seat.due_at + HOUR, tick=False)
    command = absence.HandleDeadline(match.pk)
    act(match, seat)
    assert not service.submit(command).result().is_new
    assert not match.moves.filter(source=Move.Source.STAND_IN).exists()


# Outages.


def test_time_in_which_no_one_could_play_is_credited_to_every_clock(ada, ben, open_match, time_machine):
    outages.beat()
    slow, live = open_match(ada, ben), open_match(ada, ben, clock="table")
    due = {match.pk: asked(match).due_at for match in (slow, live)}
    # Down from 10 to 3 at night: 13 hours of playing times, 17 on the wall clock.
    time_machine.move_to(MONDAY + 17 * HOUR, tick=False)
    tasks.sweep()
    assert not Move.objects.exists(), "the sweep must wait for the credit"
    outages.beat()
    tasks.sweep()
    assert not Move.objects.exists()
    assert not Leave.objects.exists()
    service.credit_outages()
    service.credit_outages()
    assert Outage.objects.get().is_credited
    assert asked(slow).due_at == datetime(2026, 11, 25, 17, tzinfo=UTC)
    assert asked(live).due_at == due[live.pk] + 17 * HOUR
    assert due[slow.pk] == datetime(2026, 11, 24, 19, tzinfo=UTC)
    slow.refresh_from_db()
    assert slow.due_at == asked(slow).due_at
    # The turn uses only the time that ran while people could play.
    act(live)
    assert live.seats.get(number=live.moves.first().seat).bank_seconds in (195, 180)


def test_a_credit_that_was_killed_half_way_is_continued(ada, ben, open_match, time_machine, monkeypatch):
    outages.beat()
    matches = [open_match(ada, ben, clock="table") for _ in range(3)]
    time_machine.move_to(MONDAY + HOUR, tick=False)
    outages.beat()
    submit, credited = absence.submit, []

    def killed(command: absence.CreditOutage) -> Any:
        if credited:
            raise SystemExit
        credited.append(command)
        return submit(command)

    monkeypatch.setattr(absence, "submit", killed)
    with pytest.raises(SystemExit):
        service.credit_outages()
    monkeypatch.setattr(absence, "submit", submit)
    assert not outages.is_served(timezone.now())
    service.credit_outages()
    assert outages.is_served(timezone.now())
    assert {asked(match).due_at for match in matches} == {MONDAY + HOUR + timedelta(minutes=3)}


def test_a_credit_goes_on_after_a_passing_fault_of_the_database(ada, ben, open_match, time_machine, monkeypatch):
    outages.beat()
    matches = [open_match(ada, ben, clock="table") for _ in range(2)]
    time_machine.move_to(MONDAY + HOUR, tick=False)
    outages.beat()

    def fails(_clocks: Any) -> None:
        raise OperationalError("deadlock detected")

    with monkeypatch.context() as patch:
        patch.setattr(store, "store_clocks", fails)
        service.credit_outages()
    assert not outages.is_served(timezone.now())
    service.credit_outages()
    assert outages.is_served(timezone.now())
    assert {asked(match).due_at for match in matches} == {MONDAY + HOUR + timedelta(minutes=3)}


@pytest.mark.parametrize("error", [OperationalError("away"), InterfaceError("connection already closed")])
def test_the_heartbeat_outlives_faults_of_the_database(error, monkeypatch):
    beats = []

    def beat() -> None:
        beats.append(1)
        if len(beats) == 1:
            raise error
        heart.stop()

    monkeypatch.setattr(outages, "beat", beat)
    monkeypatch.setattr(outages, "BEAT_EVERY", 0.0)
    heart = outages.HeartbeatThread(lambda: None)
    monkeypatch.setattr(heart, "join", lambda _seconds: None)
    heart.run()
    assert len(beats) == 2


def test_a_short_restart_or_a_clock_put_back_is_no_outage(ada, ben, open_match, time_machine):
    outages.beat()
    time_machine.shift(timedelta(seconds=50))
    outages.beat()
    time_machine.shift(-5 * HOUR)
    outages.beat()
    time_machine.shift(timedelta(seconds=20))
    outages.beat()
    assert not Outage.objects.exists()
    assert Heartbeat.objects.get().at == timezone.now()


def test_a_turn_lasts_when_the_clock_is_put_back(ada, ben, open_match, time_machine):
    match = open_match(ada, ben)
    seat = asked(match)
    time_machine.shift(-5 * HOUR)
    act(match, seat)
    seat.refresh_from_db()
    assert seat.bank_seconds == (24 + 8) * 3600


def test_a_match_that_is_not_due_gets_its_own_due_time_back(ada, ben, open_match, time_machine):
    match = open_match(ada, ben)
    due_at = match.due_at
    Match.objects.filter(pk=match.pk).update(due_at=F("due_at") - timedelta(days=1))
    time_machine.move_to(MONDAY + HOUR, tick=False)
    Match.objects.filter(pk=match.pk).update(due_at=MONDAY)
    tasks.sweep()
    match.refresh_from_db()
    assert match.due_at == due_at
    assert [SeatClock.of(seat) for seat in match.seats.all()] == service.load(match.pk).clocks


def test_an_unreadable_match_keeps_no_other_from_its_credit(ada, ben, open_match, time_machine):
    outages.beat()
    broken, whole = open_match(ada, ben, clock="table"), open_match(ada, ben, clock="table")
    Match.objects.filter(pk=broken.pk).update(rules_version=999)
    service.forget_all()
    time_machine.move_to(MONDAY + HOUR, tick=False)
    outages.beat()
    service.credit_outages()
    assert outages.is_served(timezone.now())
    assert asked(whole).due_at == MONDAY + HOUR + timedelta(minutes=3)
