"""The group commit: several processes at one table, faults, and database failures."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError, connection, connections, transaction
from django.utils import timezone

from accounts.models import User
from accounts.playing_times.models import Leave
from games.matches import live_match, service
from games.matches.commands import absence, endings, live_sessions
from games.matches.commit import planning, slap_store, store
from games.matches.commit.batch import BatchCommitter
from games.matches.commit.changeset import Acted, ChangeSet, Command, Refused, RemoteCommit, Unavailable
from games.matches.commit.writer import Writer
from games.matches.models import Match, Outage, Seat, SlapAttempt
from games.matches.turn_clock import SeatClock
from tests.factories.commits import JOINED, Moves, assert_log_is_whole, at_once, command_of, done, first_moves, silent
from tests.factories.slaps import past_the_bets

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def match(ada: User, ben: User, start_match: Callable[..., Match]) -> Match:
    return start_match("normal-cards", ada, ben)


@pytest.fixture
def other(ada: User, ben: User, start_match: Callable[..., Match]) -> Match:
    return start_match("normal-cards", ben, ada)


class TestSideBySide:
    def test_eight_processes_that_all_send_every_move_store_each_once(self, match):
        count = 30
        moves = first_moves(match, count)
        announced: list[int] = []

        def process() -> list[Acted]:
            committer = BatchCommitter(lambda change: announced.extend(entry.number for entry in change.entries))
            return [self.insist(committer, match, moves, number) for number in range(count)]

        answers = at_once(*[process] * 8)
        for answer in answers:
            assert [acted.version for acted in answer] == list(range(1, count + 1))
        for number in range(count):
            assert sum(answer[number].is_new for answer in answers) == 1
        assert sorted(announced) == list(range(1, count + 1))
        assert_log_is_whole(match, count)

    def insist(self, committer: BatchCommitter, match: Match, moves: Moves, number: int) -> Acted:
        """Repeat a move until it is stored, as a browser does."""
        for _ in range(50):
            (answer,) = done(committer, command_of(match, moves, number))
            if not isinstance(answer, Unavailable):
                break
        if isinstance(answer, Exception):
            raise answer
        return answer

    def test_a_command_decided_on_a_state_that_another_process_moved_on_is_decided_again(self, match):
        moves = first_moves(match, 3)
        here, there = BatchCommitter(silent), BatchCommitter(silent)
        assert done(here, command_of(match, moves, 0)) == [Acted(1, is_new=True)]
        assert done(there, command_of(match, moves, 1)) == [Acted(2, is_new=True)]
        # Here it is still version 1, at which neither is legal.
        assert done(here, command_of(match, moves, 2), command_of(match, moves, 1)) == [
            Acted(3, is_new=True),
            Acted(2, repeated=True),
        ]
        assert_log_is_whole(match, 3)

    def test_a_refusal_is_by_the_newest_state(self, match):
        moves = first_moves(match, 2)
        here, there = BatchCommitter(silent), BatchCommitter(silent)
        seat, _move = moves[0]
        done(
            here,
            service.move_command(
                match.pk, seat, "nonsense", request_id="x", player_id=match.seats.get(number=seat).player_id
            ),
        )
        done(there, command_of(match, moves, 0))
        late = command_of(match, moves, 0)
        late.request_id, late.seen_version = "another", 0
        (refused,) = done(here, late)
        assert isinstance(refused, Refused)
        assert (refused.code, refused.version) == ("stale", 1)

    def test_announced_moves_are_not_read_again(self, match, django_assert_num_queries):
        moves = first_moves(match, 3)
        here, there = BatchCommitter(silent), BatchCommitter(silent)
        done(here, command_of(match, moves, 0))
        changes: list[ChangeSet] = []
        there.announce = changes.append
        done(there, command_of(match, moves, 1))
        entries = [(entry.seat, entry.move, entry.request_id, entry.source) for entry in changes[0].entries]
        here.apply_remote_commit(RemoteCommit(match.pk, 2, entries, changes[0].at))
        command = command_of(match, moves, 2)
        with django_assert_num_queries(6 - JOINED):  # begin, the version, the move, the clocks, the notice, the end
            assert done(here, command) == [Acted(3, is_new=True)]

    def test_a_slap_on_a_card_that_another_process_has_turned_is_not_too_late(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        table = past_the_bets(match)
        here, there = BatchCommitter(silent), BatchCommitter(silent)
        here.load({match.pk})
        done(there, service.AdvanceTable(match.pk, table.version))
        card = service.load(match.pk).card
        assert card == table.version + 1
        press = service.RecordPress(
            match.pk, seat=0, card=card, elapsed=310, claimed=310, ping=0, cap=0, player_id=ada.pk
        )
        assert done(here, press) == [Acted(card)]
        assert match.slaps.get().result == SlapAttempt.Result.PENDING

    def test_a_second_slap_of_a_seat_in_the_same_batch_is_too_late_and_the_first_counts(self, ada, start_match):
        match = start_match("armani", ada, ai={1: "easy"})
        table = past_the_bets(match)
        committer = BatchCommitter(silent)
        while "slap" not in table.state.legal_moves(0) or table.card is None:
            done(committer, service.AdvanceTable(match.pk, table.version))
            table = service.load(match.pk)
        slaps = [
            service.RecordPress(
                match.pk,
                seat=0,
                card=table.card,
                elapsed=310,
                claimed=310,
                ping=0,
                cap=0,
                rival_cap=None,
                at_once=True,
                player_id=ada.pk,
            )
            for _ in range(2)
        ]
        first, second = done(committer, *slaps)
        assert first == Acted(table.version)
        assert second.code == "late"
        assert [slap.result for slap in match.slaps.all()] == [SlapAttempt.Result.WRONG]  # and no note of the second

    def test_four_processes_give_one_verdict_per_card(self, ada, ben, start_match):
        match = start_match("armani", ada, ben)
        past_the_bets(match)
        keepers = [BatchCommitter(silent) for _ in range(4)]
        judged = 0
        for _ in range(12):
            table = service.load(match.pk)
            if table.forced_step() is None:
                break
            for seat, reaction in ((0, 310), (1, 350)):
                if table.card is not None and "slap" in table.state.legal_moves(seat):
                    press = service.RecordPress(
                        match.pk,
                        seat=seat,
                        card=table.card,
                        elapsed=reaction,
                        claimed=reaction,
                        ping=0,
                        cap=0,
                        rival_cap=None,
                        player_id=(ada, ben)[seat].pk,
                    )
                    assert done(keepers[seat], press) == [Acted(table.version)]
            results = at_once(
                *[partial(done, keeper, service.AdvanceTable(match.pk, table.version)) for keeper in keepers]
            )
            refused = [result for (result,) in results if isinstance(result, Refused)]
            assert [result.code for result in refused] == ["stale"] * 3
            judged += table.card is not None
        assert judged > 4
        attempts = SlapAttempt.objects.filter(match=match)
        assert not attempts.filter(result=SlapAttempt.Result.PENDING).exists()
        entered = match.moves.filter(move="slap").count()
        assert entered == attempts.exclude(result=SlapAttempt.Result.BEATEN).count() > 0
        match.refresh_from_db()
        assert_log_is_whole(match, match.version)

    def test_of_several_players_who_take_the_last_seat_at_once_one_gets_it_and_the_others_are_refused(
        self, ada, make_player
    ):
        match = service.open_table(ada, "normal-cards", 2, {})
        people = [make_player(name) for name in ("Cleo", "Dan", "Eve", "Finn")]
        results = at_once(*[lambda one=one: service.join(Match.objects.get(pk=match.pk), one).number for one in people])
        assert results.count(1) == 1
        assert [error.code for error in results if error != 1] == ["taken"] * 3
        results = at_once(*[lambda: service.start(Match.objects.get(pk=match.pk), ada)] * 3)
        assert results.count(None) == 1
        assert [error.code for error in results if error is not None] == ["begun"] * 2

    def test_two_players_who_want_a_rematch_at_once_meet_at_one_table(self, ada, ben, match):
        service.resign(match, ada)
        first, second = at_once(*[lambda one=one: service.rematch(match, one) for one in (ada, ben)])
        assert first == second
        assert {seat.player for seat in first.seats.all()} == {ada, ben}
        assert Match.objects.count() == 2

    def test_of_two_players_who_resign_at_once_one_has_lost(self, ada, ben, match):
        results = at_once(*[lambda one=one: service.resign(Match.objects.get(pk=match.pk), one) for one in (ada, ben)])
        assert results.count(None) == 1
        assert [error.code for error in results if error is not None] == ["over"]
        assert sorted(match.seats.values_list("place", flat=True)) == [1, 2]


class Broken(Command):
    """A command that fails after changing the table."""

    def decide(self, change: ChangeSet) -> Acted:
        state = change.table.state
        seat = state.to_move()[0]
        change.enter(seat, state.legal_moves(seat)[0], "broken", "player")
        raise RuntimeError("a fault")


class TestFaults:
    def test_a_failing_command_affects_no_other(self, match, other):
        moves, more = first_moves(match, 2), first_moves(other, 1)
        broken = Broken(match.pk)
        commands = [command_of(match, moves, 0), broken, command_of(match, moves, 1), command_of(other, more, 0)]
        answers = done(BatchCommitter(silent), *commands)
        assert isinstance(answers[1], RuntimeError)
        assert [answers[0], answers[2], answers[3]] == [
            Acted(1, is_new=True),
            Acted(2, is_new=True),
            Acted(1, is_new=True),
        ]
        assert_log_is_whole(match, 2)

    def test_an_unreadable_match_affects_no_other(self, match, other):
        moves = first_moves(other, 1)
        commands = [command_of(match, first_moves(match, 1), 0), command_of(other, moves, 0)]
        Match.objects.filter(pk=match.pk).update(rules_version=999)
        failed, stored = done(BatchCommitter(silent), *commands)
        assert isinstance(failed, Unavailable)
        assert stored == Acted(1, is_new=True)

    def test_a_match_that_cannot_be_stored_affects_no_other(self, match, other, monkeypatch):
        columns = planning.columns

        def fails_for_one(table: live_match.LiveMatch, *arguments: Any, **more: Any) -> Any:
            if table.match_id == match.pk:
                raise RuntimeError("a fault")
            return columns(table, *arguments, **more)

        monkeypatch.setattr(planning, "columns", fails_for_one)
        commands = [command_of(one, first_moves(one, 1), 0) for one in (match, other)]
        failed, stored = done(BatchCommitter(silent), *commands)
        assert isinstance(failed, Unavailable)
        assert stored == Acted(1, is_new=True)
        assert not match.moves.exists()

    def test_a_repeated_old_name_affects_no_other(self, match, other, monkeypatch):
        monkeypatch.setattr(live_match, "REMEMBERED_REQUESTS", 1)
        moves = first_moves(match, 3)
        committer = BatchCommitter(silent)
        done(committer, command_of(match, moves, 0))
        done(committer, command_of(match, moves, 1))
        again = command_of(match, moves, 2)
        again.request_id = "m0"
        fresh = command_of(other, first_moves(other, 1), 0)
        assert done(committer, again, fresh) == [Acted(1, repeated=True), Acted(1, is_new=True)]
        assert fresh.tries == 0
        assert_log_is_whole(match, 2)

    def test_a_move_that_cannot_be_announced_is_stored_all_the_same(self, match):
        def fails(change: ChangeSet) -> None:
            raise RuntimeError("no broker")

        assert done(BatchCommitter(fails), command_of(match, first_moves(match, 1), 0)) == [Acted(1, is_new=True)]

    def test_the_writer_survives_any_input(self, match):
        moves = first_moves(match, 2)
        with running(Writer(BatchCommitter(silent))) as writer:
            assert self.answer(writer, command_of(match, moves, 0)) == Acted(1, is_new=True)
            assert isinstance(self.answer(writer, Broken(match.pk)), RuntimeError)
            writer.apply_remote_commit(RemoteCommit(match.pk, 2, [(0, "nonsense", "x", "player")], match.started_at))
            assert self.answer(writer, command_of(match, moves, 1)) == Acted(2, is_new=True)

    def test_the_writer_outlives_a_clock_that_it_cannot_apply(self, match):
        moves = first_moves(match, 2)
        with running(Writer(BatchCommitter(silent))) as writer:
            assert self.answer(writer, command_of(match, moves, 0)) == Acted(1, is_new=True)
            clocks = {9: SeatClock()}  # no such seat
            entries = [(*moves[1], "x", "player")]
            writer.apply_remote_commit(RemoteCommit(match.pk, 2, entries, match.started_at, clocks))
            assert self.answer(writer, command_of(match, moves, 1)) == Acted(2, is_new=True)

    def test_the_writer_outlives_a_fault_of_its_committer(self, match, monkeypatch):
        committer = BatchCommitter(silent)
        moves = first_moves(match, 1)

        def fails(_commands: Any) -> None:
            raise RuntimeError("a fault")

        with running(Writer(committer)) as writer:
            with monkeypatch.context() as patch:
                patch.setattr(committer, "commit", fails)
                assert isinstance(self.answer(writer, command_of(match, moves, 0)), Unavailable)
            assert self.answer(writer, command_of(match, moves, 0)) == Acted(1, is_new=True)

    def test_a_new_socket_does_not_wait_for_commands_that_are_being_stored(self):
        with running(Writer(BatchCommitter(silent))) as writer, writer.lock:  # as during a batch
            coming = threading.Thread(target=writer.start)
            coming.start()
            coming.join(5)
            assert not coming.is_alive()

    def test_commands_that_come_in_while_the_writer_stops_are_stored(self, match):
        moves = first_moves(match, 1)
        writer = Writer(BatchCommitter(silent))
        writer.start()
        writer.waiting.put(None)
        writer.thread.join(10)
        command = command_of(match, moves, 0)
        writer.submit(command)
        writer.stop()
        assert command.answer.result(10) == Acted(1, is_new=True)

    def answer(self, writer: Writer, command: Command) -> Acted | BaseException:
        writer.submit(command)
        return command.answer.exception(20) or command.answer.result()


def test_each_field_of_a_clock_is_stored_in_its_column(match):
    at = timezone.now()
    clock = SeatClock(at, 5, at + timedelta(1), 70, 6, 2, True, at + timedelta(2), at + timedelta(3))
    store.store_clocks([(match.pk, 1, clock)])
    assert SeatClock.of(match.seats.get(number=1)) == clock
    assert SeatClock.of(match.seats.get(number=0)) != clock


class TestDatabaseGoesAway:
    def test_a_command_that_could_not_be_stored_is_unavailable_and_succeeds_later(self, match, other, monkeypatch):
        committer = BatchCommitter(silent)
        moves = first_moves(match, 1)

        def fails(changes: Any) -> Any:
            raise OperationalError("the database system is shutting down")

        commands = [command_of(match, moves, 0), command_of(other, first_moves(other, 1), 0)]
        with monkeypatch.context() as patch:
            patch.setattr(store, "advance", fails)
            answers = done(committer, *commands)
        assert [answer.code for answer in answers] == ["unavailable"] * 2
        assert not match.moves.exists()
        assert done(committer, command_of(match, moves, 0)) == [Acted(1, is_new=True)]
        assert_log_is_whole(match, 1)

    def test_a_command_that_could_not_read_is_unavailable(self, ada, ben, start_match, monkeypatch):
        match = start_match("armani", ada, ben)
        past_the_bets(match)
        service.step(match.pk, service.load(match.pk).version)

        def fails(*_: Any, **__: Any) -> Any:
            raise OperationalError("gone")

        monkeypatch.setattr(slap_store, "fetched", fails)
        (answer,) = done(BatchCommitter(silent), service.AdvanceTable(match.pk, service.load(match.pk).version))
        assert isinstance(answer, Unavailable)

    @pytest.mark.services
    def test_a_column_of_another_type_costs_one_try(self, ada, ben, start_match):
        """As during a migration; what a connection has prepared gives the old type for ever."""

        def change_type(kind: str) -> None:
            with connections.create_connection("default").cursor() as cursor:
                cursor.execute(f"ALTER TABLE games_slapattempt ALTER COLUMN ping TYPE {kind}")
                cursor.connection.close()

        match = start_match("armani", ada, ben)
        past_the_bets(match)
        committer = BatchCommitter(silent)

        def step() -> Any:
            (answer,) = done(committer, service.AdvanceTable(match.pk, service.load(match.pk).version))
            return answer

        for _ in range(7):
            assert not isinstance(step(), Refused)
        change_type("real")
        try:
            assert isinstance(step(), Unavailable)
            assert not isinstance(step(), Refused)
        finally:
            change_type("double precision")

    def test_a_connection_lost_in_the_middle_costs_one_try(self, match, monkeypatch):
        """PostgreSQL closes the writer's connection while it stores; SQLite's file is locked for too long."""
        moves = first_moves(match, 2)
        if connection.vendor == "sqlite":
            monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.2)
        with running(Writer(BatchCommitter(silent))) as writer:
            command = command_of(match, moves, 0)
            with database_fails(match, lambda: writer.submit(command)):
                assert isinstance(command.answer.exception(20), Unavailable)
            for number in range(2):
                again = command_of(match, moves, number)
                writer.submit(again)
                assert again.answer.result(20) == Acted(number + 1, is_new=True)
        assert_log_is_whole(match, 2)


@contextmanager
def running(writer: Writer) -> Iterator[Writer]:
    writer.start()
    try:
        yield writer
    finally:
        writer.stop()


@contextmanager
def database_fails(match: Match, begin: Callable[[], None]) -> Iterator[None]:
    """Let ``begin`` submit a command that the database then fails to store."""
    if connection.vendor == "sqlite":
        lock = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        begin()
        yield
        lock.execute("ROLLBACK")
        lock.close()
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM games_match WHERE id = %s FOR UPDATE", [match.pk])
        # In a separate thread: here it would be part of this transaction.
        threading.Thread(target=begin).start()
        killed: list[Any] = []
        end = time.monotonic() + 10
        while not killed and time.monotonic() < end:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()"
            )
            killed = cursor.fetchall()
        assert killed
        yield


class TestCommandsThatAreNoMoves:
    def test_each_command_has_its_own_match_and_keeps_its_place_in_the_batch(self, match, other, ada, ben):
        moves = first_moves(match, 2)
        first, last = command_of(match, moves, 0), command_of(match, moves, 1)
        elsewhere = command_of(other, first_moves(other, 1), 0)
        given_up = endings.Resign(match.pk, ben.pk)
        found = done(BatchCommitter(silent), first, given_up, elsewhere, last)
        assert found[:3] == [Acted(1, is_new=True), None, Acted(1, is_new=True)]
        assert isinstance(found[3], Refused)
        assert found[3].code == "over"
        assert (first.tries, given_up.tries, elsewhere.tries) == (0, 0, 0)

    def test_another_process_that_knows_an_older_match_decides_again(self, match, ada, ben):
        here, there = BatchCommitter(silent), BatchCommitter(silent)
        moves = first_moves(match, 2)
        assert done(here, command_of(match, moves, 0)) == [Acted(1, is_new=True)]
        assert done(there, endings.Resign(match.pk, ben.pk)) == [None]
        late = command_of(match, moves, 1)
        (refused,) = done(here, late)
        assert isinstance(refused, Refused)
        assert refused.code == "over"
        assert match.moves.count() == 1

    def test_people_who_offer_the_end_at_once_in_two_processes_end_it_once(self, match, ada, ben):
        told = []
        offers = [
            partial(done, BatchCommitter(told.append), endings.OfferEnd(match.pk, player.pk)) for player in (ada, ben)
        ]
        found = at_once(*offers)
        assert sorted(found) == [[False], [True]]
        match.refresh_from_db()
        assert match.status == Match.Status.OVER
        assert match.outcome["reason"] == service.AGREED
        assert not match.end_offers.exists()
        assert sum(change.outcome is not None for change in told) == 1

    def test_people_who_offer_to_play_live_at_once_in_two_processes_do(self, ada, ben, start_by_mail):
        match = start_by_mail("normal-cards", ada, ben)
        offers = [
            partial(done, BatchCommitter(silent), live_sessions.OfferLive(match.pk, player.pk)) for player in (ada, ben)
        ]
        assert sorted(at_once(*offers)) == [[False], [True]]
        match.refresh_from_db()
        assert match.is_played_live

    def test_a_command_inside_a_transaction_is_part_of_it(self, match, ada):
        told: list[ChangeSet] = []
        with running(Writer(BatchCommitter(told.append))) as writer:

            def give_up() -> None:
                command = endings.Resign(match.pk, ada.pk)
                writer.submit(command)
                assert command.answer.result(10) is None
                assert Match.objects.get(pk=match.pk).status == Match.Status.OVER
                assert not told

            with transaction.atomic():
                give_up()
                transaction.set_rollback(True)
            assert Match.objects.get(pk=match.pk).status == Match.Status.RUNNING
            assert not told
            with transaction.atomic():
                give_up()
            assert [change.outcome.reason for change in told] == ["resignation"]
            assert Match.objects.get(pk=match.pk).status == Match.Status.OVER

    def test_a_deadline_that_two_processes_handle_at_once_is_handled_once(self, match, time_machine):
        match.seats.update(is_excused=True)
        due_at = Match.objects.get(pk=match.pk).due_at
        time_machine.move_to(due_at + timedelta(seconds=1))
        told: list[ChangeSet] = []
        committers = [BatchCommitter(told.append) for _ in range(4)]
        found = at_once(*[partial(done, committer, absence.HandleDeadline(match.pk)) for committer in committers])
        assert sorted(answer.is_new for (answer,) in found) == [False, False, False, True]
        assert match.moves.count() == 1
        assert match.incidents.count() == 1


class TestClocksOfAnOutdatedCopy:
    """Another process has moved on: a copy on which a clock stands still must not settle that it stays as it is."""

    @pytest.fixture
    def here(self) -> BatchCommitter:
        return BatchCommitter(silent)

    @pytest.fixture
    def slow(self, ada: User, ben: User, start_by_mail: Callable[..., Match], here: BatchCommitter) -> Match:
        """A turn-based match of which ``here`` knows the beginning only."""
        match = start_by_mail("normal-cards", ada, ben)
        here.load({match.pk})
        return match

    @pytest.fixture
    def next_seat(self, slow: Match) -> Seat:
        """The seat that is asked after a move in another process."""
        moves = first_moves(slow, 1)
        assert done(BatchCommitter(silent), command_of(slow, moves, 0)) == [Acted(1, is_new=True)]
        seat = slow.seats.get(due_at__isnull=False)
        assert seat.number != moves[0][0]
        return seat

    def test_leave_moves_a_turn_that_began_in_another_process(self, here, slow, next_seat):
        self.book(next_seat.player)
        assert done(here, absence.Retime(slow.pk, next_seat.player_id)) == [None]
        self.assert_later(next_seat, slow)

    def test_leave_moves_the_turn_of_a_player_who_took_the_seat_in_another_process(self, here, slow, make_player):
        cleo = make_player("Cleo")
        seat = slow.seats.get(due_at__isnull=False)
        slow.seats.filter(pk=seat.pk).update(offered_at=timezone.now() - timedelta(days=30))
        there = BatchCommitter(silent)
        assert done(there, absence.TakeSeat(slow.pk, seat.number, cleo)) == [None]
        seat.refresh_from_db()
        assert seat.player_id == cleo.pk
        self.book(cleo)
        assert done(here, absence.Retime(slow.pk, cleo.pk)) == [None]
        self.assert_later(seat, slow)

    def test_an_outage_is_credited_to_a_turn_that_began_in_another_process(self, here, slow, next_seat):
        credit = self.credit(slow, next_seat)
        assert done(here, credit) == [None]
        self.assert_later(next_seat, slow)
        assert Outage.objects.get().last_seat == next_seat.pk
        (again,) = done(here, absence.CreditOutage(slow.pk, credit.outage, credit.row, credit.number))
        assert isinstance(again, Refused)
        assert again.code == "credited"

    def test_a_match_that_another_process_has_ended_stays_as_it_is(self, here, slow, ada):
        seat = slow.seats.get(due_at__isnull=False)
        credit = self.credit(slow, seat)
        done(BatchCommitter(silent), endings.Resign(slow.pk, ada.pk))
        ended = self.stored(slow)
        assert done(here, absence.Retime(slow.pk, seat.player_id)) == [None]
        assert done(here, credit) == [None]
        assert self.stored(slow) == ended
        assert Outage.objects.get().last_seat == seat.pk

    def test_a_player_without_a_seat_changes_nothing(self, here, slow, make_player):
        before = self.stored(slow)
        assert done(here, absence.Retime(slow.pk, make_player("Cleo").pk)) == [None]
        assert self.stored(slow) == before

    def book(self, player: User) -> None:
        """Leave from now on, of which no process has been told yet."""
        now = timezone.now()
        Leave.objects.create(user=player, starts_at=now, ends_at=now + timedelta(days=3), days=3)

    def credit(self, match: Match, seat: Seat) -> absence.CreditOutage:
        outage = Outage.objects.create(since=seat.asked_at, until=seat.asked_at + timedelta(days=3))
        return absence.CreditOutage(match.pk, outage, seat.pk, seat.number)

    def assert_later(self, seat: Seat, match: Match) -> None:
        before = seat.due_at
        seat.refresh_from_db()
        match.refresh_from_db()
        assert match.due_at == seat.due_at > before + timedelta(days=1)

    def stored(self, match: Match) -> tuple[Any, ...]:
        return Match.objects.values().get(pk=match.pk), [*match.seats.values()]
