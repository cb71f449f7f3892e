"""The match service at a slap point: who it waits for, how it is settled, and the cost."""

from datetime import timedelta
from itertools import pairwise

import pytest
from django.utils import timezone

from accounts.models import OutgoingMail
from accounts.playing_times.models import LeaveAccount
from games.engine import TABLE
from games.mail import dispatch
from games.matches import service, tasks
from games.matches.live_match import FLIP
from games.matches.models import Match, Move, SlapAttempt
from games.matches.slap_points import commands, segments
from games.matches.slap_points.models import Attendance, SlapPoint, Watch
from tests.factories.slap_points import all_have_watched, choose, point_of, press, see, segment_of, slappable

pytestmark = pytest.mark.django_db


def waits(match: Match) -> list[int]:
    match.refresh_from_db()
    asked = list(match.seats.filter(asked_version__isnull=False).values_list("number", flat=True))
    assert asked == match.awaited_seats
    return asked


def last_of(match: Match) -> int:
    return len(segment_of(match).moves)


class TestOpening:
    def test_everyone_is_asked_and_no_move_is_made(self, begin):
        match = begin(2)
        table = service.load(match.pk)
        assert table.at_slap_point
        assert table.version == 2
        assert waits(match) == [0, 1]
        assert point_of(match).version == 2
        assert match.due_at == min(match.seats.values_list("due_at", flat=True))

    def test_cards_are_neither_turned_nor_slapped_at_the_table(self, begin, people):
        match = begin(2)
        for seat, move in ((0, "flip"), (1, "flip"), (0, "slap")):
            with pytest.raises(service.Refused) as refused:
                service.act(match.pk, seat, move, request_id=f"try{seat}", player=people[seat])
            assert refused.value.code == "watch"
        with pytest.raises(service.Refused):
            service.step(match.pk, 2)
        assert service.load(match.pk).version == 2
        assert service.load(match.pk).view(0).moves == []

    def test_a_live_table_has_no_slap_points(self, begin):
        match = begin(2, clock="table", bets=False)
        while not (table := service.load(match.pk)).forced_step():
            seat = table.state.to_move()[0]
            service.act(
                match.pk, seat, "fold" if table.version else "bet:1", request_id=f"b{table.version}",
                player=match.seats.get(number=seat).player,
            )  # fmt: skip
        assert not SlapPoint.objects.exists()
        assert not table.by_mail

    def test_one_person_alone_without_a_clock_sits_at_a_live_table(self, begin):
        assert not service.load(begin(1, clock="none", ai={1: "easy"}, bets=False).pk).by_mail
        service.forget_all()
        assert service.load(begin(2, clock="none").pk).by_mail

    def test_a_point_that_is_missing_is_opened_by_the_sweep(self, begin):
        match = begin(2)
        SlapPoint.objects.all().delete()
        service.forget_all()
        tasks.process_due(match.pk, match.version)
        assert point_of(match).version == 2
        assert waits(match) == [0, 1]


class TestSettling:
    def test_nothing_is_settled_before_the_last_has_seen_it(self, begin):
        match = begin(2)
        see(match, 0)
        assert service.load(match.pk).version == 2
        assert waits(match) == [1]

    @pytest.mark.parametrize("first", [0, 1])
    def test_the_fastest_reaction_takes_the_stack_even_if_another_press_came_first(self, begin, first):
        match = slappable(begin, 2)
        last = last_of(match)
        hands = {0: 412, 1: 388}
        for seat in (first, 1 - first):
            see(match, seat, (last, hands[seat]))
        table = service.load(match.pk)
        slap = match.moves.get(move="slap")
        assert (slap.seat, slap.number, slap.source) == (1, 2 + last + 1, Move.Source.TABLE)
        assert dict(SlapAttempt.objects.values_list("seat", "result")) == {0: "beaten", 1: "won"}
        verdict = SlapPoint.objects.get(version=2).verdict
        assert [(slap["seat"], slap["reaction"], slap["result"]) for slap in verdict["slaps"]] == [
            (1, 388, "won"),
            (0, 412, "beaten"),
        ]
        assert table.state.view(None).zone("pile").count == 0
        assert point_of(match).version == table.version
        assert waits(match) == [0, 1]

    def test_without_a_slap_play_goes_on(self, begin):
        match = slappable(begin, 2)
        last = last_of(match)
        for seat in (0, 1):
            see(match, seat)
        table = service.load(match.pk)
        assert table.version == 2 + last
        assert not match.moves.filter(move="slap").exists()
        assert point_of(match).version == table.version

    def test_burned_cards_are_paid_in_the_order_of_the_cards_and_then_the_seats_before_the_slap(self, begin):
        match = slappable(begin, 3, least=6)
        start, last = match.version, last_of(match)
        see(match, 2, (1, 300), (last, 500))
        see(match, 0, (3, 300))
        see(match, 1, (1, 300))
        moves = list(match.moves.filter(number__gt=start + last).values_list("seat", "move"))
        assert moves[:4] == [(TABLE, "burn:1"), (TABLE, "burn:2"), (TABLE, "burn:0"), (2, "slap")]

    def test_a_lock_out_runs_on_into_the_next_slap_point(self, begin):
        match = slappable(begin, 2)
        last = last_of(match)
        state, segment = service.load(match.pk).state, segment_of(match)
        number = last - 1 if segment.moves[last - 2][1] == FLIP else last - 2
        flips = next(now.flips for at, now in segments.walk(state, segment) if at == number)
        see(match, 0, (number, 300))
        see(match, 1, (last, 400))
        assert point_of(match).locks[0] == flips + state.lockout + 1

    def test_a_player_on_two_screens_presses_once(self, begin):
        match = begin(2)
        see(match, 0, (1, 300), finish=False)
        assert not press(match, 0, f"s0v{point_of(match).version}", 1, 200)
        assert SlapAttempt.objects.get().reaction == 300

    def test_the_last_hand_of_a_stage_is_handed_over_when_all_have_seen_it(self, begin):
        match = begin(2, stage2_flips=0)
        for _ in range(60):
            segment = segment_of(match)
            see(match, 0)
            see(match, 1, (len(segment.moves), 300)) if segment.is_slappable else see(match, 1)
            if not service.load(match.pk).at_slap_point:
                break
        table = service.load(match.pk)
        assert table.state.phase == "choose"
        assert waits(match) == list(table.state.to_move())
        assert not SlapPoint.objects.filter(settled_at=None).exists()
        choose(match)
        assert service.load(match.pk).state.phase == "stage2"
        assert waits(match) == [0, 1]

    def test_a_slap_point_cannot_be_settled_early(self, begin):
        match = begin(2)
        see(match, 0)
        service.settle(match.pk)
        assert service.load(match.pk).version == 2

    def test_the_sweep_settles_a_slap_point_that_everyone_has_watched(self, begin, time_machine):
        match = begin(2)
        see(match, 0)
        see(match, 1, finish=False)
        all_have_watched(match)
        assert service.load(match.pk).version == 2
        time_machine.move_to(timezone.now() + timedelta(seconds=5))
        tasks.sweep()
        assert service.load(match.pk).version > 2

    def test_a_player_who_leaves_is_not_waited_for(self, begin, people, django_capture_on_commit_callbacks):
        match = begin(3)
        see(match, 0)
        see(match, 1)
        with django_capture_on_commit_callbacks(execute=True):
            service.resign(match, people[2])
        assert service.load(match.pk).version > 3
        assert waits(match) == [0, 1]

    def test_a_match_of_two_is_over_when_one_resigns(self, begin, people):
        match = begin(2)
        see(match, 0)
        service.resign(match, people[1])
        match.refresh_from_db()
        assert match.status == Match.Status.OVER
        with pytest.raises(service.Refused):
            service.begin_watch(match.pk, 0, "again")

    def test_a_player_who_has_seen_the_cards_and_one_without_a_seat_may_not_begin(self, begin):
        match = begin(2)
        see(match, 0)
        with pytest.raises(service.Refused) as refused:
            service.begin_watch(match.pk, 0, "again")
        assert refused.value.code == "seen"
        with pytest.raises(service.Refused):
            service.begin_watch(match.pk, 7, "nobody")


class TestAiPlayers:
    def test_they_press_when_the_segment_is_made(self, begin):
        match = begin(1, clock="daily", ai={1: "hard", 2: "hard"})
        attempts = list(SlapAttempt.objects.filter(match=match))
        last = 2 + 1 + last_of(match)
        for attempt in attempts:
            assert attempt.version > match.version
            assert attempt.result == ("pending" if attempt.version == last else "wrong")
            assert 100 <= attempt.reaction <= 1700

    def test_they_are_not_waited_for_and_can_win(self, begin):
        won = 0
        match = begin(1, clock="daily", ai={1: "hard", 2: "hard"})
        for _ in range(8):
            assert waits(match) == [0]
            see(match, 0)
            won += match.moves.filter(move="slap", seat__in=(1, 2)).count()
            if not service.load(match.pk).at_slap_point:
                choose(match)
        assert won

    def test_an_ai_player_presses_no_card_while_it_is_locked_out(self, begin, monkeypatch):
        from games.matches.slap_points import opening

        monkeypatch.setattr(opening.slaps, "reaction", lambda *args, **more: 300.0)
        match = begin(1, clock="daily", ai={1: "easy"}, lockout=2)
        start = match.version
        cards = [attempt.version - start for attempt in SlapAttempt.objects.filter(seat=1).order_by("version")]
        gaps = {after - before for before, after in pairwise(cards)}
        assert min(gaps, default=3) >= 3


class TestLostLines:
    def test_each_card_is_shown_once_and_the_next_one_on_return(self, begin):
        match = begin(2)
        point = point_of(match)
        service.begin_watch(match.pk, 0, "a")
        assert commands.advance(point.pk, "a", 1)
        assert not commands.advance(point.pk, "a", 1)
        assert commands.advance(point.pk, "a", 2)
        service.lose_watch(match.pk, "a")
        assert not commands.advance(point.pk, "a", 3)
        begun = service.begin_watch(match.pk, 0, "b")
        assert (begun.cursor, begun.returns_left) == (2, 1)
        assert not commands.advance(point.pk, "b", 2)
        assert commands.advance(point.pk, "b", 3)

    def test_after_a_third_lost_connection_the_rest_counts_as_not_slapped(self, begin):
        match = begin(2)
        point = point_of(match)
        for number in range(1, 4):
            service.begin_watch(match.pk, 0, f"s{number}")
            assert commands.advance(point.pk, f"s{number}", number)
            service.lose_watch(match.pk, f"s{number}")
        assert Watch.objects.get(seat=0).state == Watch.State.SEEN
        assert waits(match) == [1]
        with pytest.raises(service.Refused):
            service.begin_watch(match.pk, 0, "s4")

    def test_a_connection_lost_before_a_card_was_shown_costs_nothing(self, begin):
        match = begin(2)
        for number in range(9):
            assert service.begin_watch(match.pk, 0, f"s{number}").returns_left == 2
            service.lose_watch(match.pk, f"s{number}")

    def test_a_process_that_died_counts_as_a_lost_connection(self, begin):
        match = begin(2)
        point = point_of(match)
        for number in range(1, 4):
            assert service.begin_watch(match.pk, 0, f"s{number}") is not None
            assert commands.advance(point.pk, f"s{number}", number)
        assert service.begin_watch(match.pk, 0, "s4") is None
        assert waits(match) == [1]

    def test_the_newest_device_shows_and_the_older_one_may_not_press(self, begin):
        match = begin(2)
        point = point_of(match)
        service.begin_watch(match.pk, 0, "phone")
        commands.advance(point.pk, "phone", 1)
        service.begin_watch(match.pk, 0, "desk")
        assert not commands.advance(point.pk, "phone", 2)
        with pytest.raises(service.Refused):
            press(match, 0, "phone", 1, 300)
        service.lose_watch(match.pk, "phone")
        assert Watch.objects.get(seat=0).losses == 1
        assert commands.advance(point.pk, "desk", 2)


class TestClocks:
    def run_out(self, match: Match, time_machine) -> None:
        # Neither leave nor an extension is left.
        match.seats.update(is_excused=True)
        service.forget_all()
        for seat in match.seats.filter(player__isnull=False):
            LeaveAccount.objects.get_or_create(
                user=seat.player, defaults={"days": 0, "counted_at": timezone.now() + timedelta(days=1000)}
            )
        match.refresh_from_db()
        time_machine.move_to(match.due_at + timedelta(seconds=5))
        tasks.sweep()

    @pytest.fixture(autouse=True)
    def _monday_noon(self, time_machine) -> None:
        time_machine.move_to("2026-11-23 12:00:00+00:00", tick=False)

    def test_when_the_clocks_run_out_the_rest_is_settled_without_them(self, begin, time_machine):
        match = slappable(begin, 2)
        see(match, 0, (last_of(match), 400))
        self.run_out(match, time_machine)
        assert match.moves.filter(move="slap", seat=0).exists()
        assert Attendance.objects.get(seat=1).missed == 1
        assert waits(match) == [0, 1]

    def test_a_player_who_misses_two_in_a_row_is_asleep_until_they_come_back(self, begin, time_machine):
        match = begin(3)
        for _ in range(2):
            for seat in (0, 1):
                see(match, seat)
            self.run_out(match, time_machine)
            assert service.load(match.pk).at_slap_point
        assert waits(match) == [0, 1]
        service.wake(match.pk, 2)
        assert waits(match) == [0, 1, 2]
        for seat in (0, 1, 2):
            see(match, seat)
        choose(match)
        assert waits(match) == [0, 1, 2]

    def test_a_player_who_misses_two_in_a_row_is_on_autoplay_in_log_and_emails_until_they_watch_again(
        self, begin, people, time_machine
    ):
        match = begin(3)
        for _ in range(2):
            assert not match.incidents.exists()
            for seat in (0, 1):
                see(match, seat)
            self.run_out(match, time_machine)
            assert service.load(match.pk).at_slap_point
        assert match.seats.get(number=2).autopilot_at is not None
        assert [(told.kind, told.seat, told.name) for told in match.incidents.all()] == [("autopilot", 2, "Cem")]
        time_machine.shift(timedelta(minutes=11))
        dispatch.send_due()
        assert [mail.to for mail in OutgoingMail.objects.filter(key__startswith="away:")] == [people[2].email]
        service.wake(match.pk, 2)
        see(match, 2)
        assert match.seats.get(number=2).autopilot_at is None
        assert [told.kind for told in match.incidents.all()] == ["autopilot", "returned"]

    def test_watching_in_time_between_makes_two_missed_not_in_a_row(self, begin, time_machine):
        match = begin(3)
        for seats in ((0, 1), (0, 1, 2), (0, 1)):
            for seat in seats:
                see(match, seat)
            if len(seats) == 2:
                self.run_out(match, time_machine)
            choose(match)
        assert waits(match) == [0, 1, 2]

    def test_if_all_are_asleep_they_are_waited_for_again(self, begin, time_machine):
        match = begin(2)
        points = 1
        for _ in range(4):
            self.run_out(match, time_machine)
            if not service.load(match.pk).at_slap_point:
                break
            points += 1
            assert SlapPoint.objects.count() == points
            assert waits(match)

    def test_a_player_who_is_watching_when_the_clock_runs_out_may_finish(self, begin, time_machine):
        match = begin(2)
        see(match, 0)
        match.refresh_from_db()
        time_machine.move_to(match.due_at - timedelta(seconds=2))
        see(match, 1, finish=False)
        time_machine.shift(timedelta(seconds=7))
        tasks.sweep()
        assert service.load(match.pk).version == 2
        service.finish_watch(match.pk, 1, "s1v2")
        assert service.load(match.pk).version > 2
        assert Attendance.objects.get(seat=1).missed == 0

    def test_a_match_without_a_clock_waits(self, begin, time_machine):
        match = begin(2, clock="none")
        time_machine.shift(timedelta(days=90))
        tasks.sweep()
        assert service.load(match.pk).version == 2
        assert waits(match) == [0, 1]


class TestRelay:
    def test_one_of_each_side_watches_and_no_one_again_before_all_have_served(self, begin):
        match = begin(4, relay=True, teams="alternate")
        sides = service.load(match.pk).rules.teams(service.load(match.pk).state)
        served: dict[int, list[int]] = {0: [], 1: []}
        for _ in range(6):
            if not service.load(match.pk).at_slap_point:
                choose(match)
            asked = waits(match)
            assert len(asked) == 2
            for seat in asked:
                served[int(seat in sides[1])].append(seat)
                see(match, seat)
        for side, order in served.items():
            assert len(order) == 6
            for at in (0, 2, 4):
                assert set(order[at : at + 2]) == set(sides[side])

    def test_others_may_not_watch(self, begin):
        match = begin(4, relay=True, teams="alternate")
        other = next(seat for seat in range(4) if seat not in waits(match))
        with pytest.raises(service.Refused) as refused:
            service.begin_watch(match.pk, other, "x")
        assert refused.value.code == "not_watching"

    def test_three_players_all_watch(self, begin):
        assert waits(begin(3, relay=True)) == [0, 1, 2]

    def test_a_side_without_a_person_sends_an_ai_player(self, begin):
        match = begin(1, relay=True, teams="alternate", ai={1: "easy", 2: "easy", 3: "easy"})
        for _ in range(4):
            assert waits(match) == [0]
            start = service.load(match.pk).version
            see(match, 0)
            pressed = SlapAttempt.objects.filter(match=match, version__gt=start).values_list("seat", flat=True)
            # Seat 2 is on the person's side: only one of the two others may slap at each point.
            assert 2 not in pressed
            if not service.load(match.pk).at_slap_point:
                choose(match)


def test_slaps_on_cards_that_not_everyone_has_seen_are_not_in_the_admin_list(begin, admin_client):
    match = begin(1, ai={1: "hard"})
    SlapAttempt.objects.create(
        match=match, seat=1, version=match.version + 3, elapsed=412.5, reaction=412.5, ping=0, cap=0, at=timezone.now()
    )
    assert b"412.5" not in admin_client.get("/admin/games/slapattempt/").content
