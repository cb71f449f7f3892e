"""Complete turn-based matches, over days of a virtual clock."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

import pytest
from django.utils import timezone

from accounts.models import User
from games.matches import history, service, tasks
from games.matches.live_match import LiveMatch
from games.matches.models import Match, Move, SlapAttempt
from games.matches.slap_points import segments
from games.matches.slap_points.models import SlapPoint, Watch
from games.replays.check import faults
from games.slaps.rejudge import differences
from tests.factories.slap_points import choose, point_of, press, see

pytestmark = pytest.mark.django_db
SLEEPER = 3


@pytest.mark.parametrize("relay", [pytest.param(False, marks=pytest.mark.whole_match), True])
def test_four_people_play_a_turn_based_match_to_its_end_and_one_of_them_never_comes(begin, people, time_machine, relay):
    time_machine.move_to("2026-11-23 09:00:00+00:00", tick=False)
    rng = Random(11)
    match = begin(4, relay=relay, teams="alternate", stage2_flips=40)
    waited_for_the_sleeper = points = 0
    while True:
        match.refresh_from_db()
        if match.status == Match.Status.OVER:
            break
        time_machine.move_to(timezone.now() + timedelta(minutes=rng.randrange(5, 120)))
        table = service.load(match.pk)
        if not table.at_slap_point:
            asked = list(table.state.to_move())
            if asked == [SLEEPER] or table.sitters[asked[0]].is_ai:
                _wait(match, time_machine)
            else:
                choose(match)
            continue
        version, segment, points = table.version, segments.ahead(table.state), points + 1
        for seat in [seat for seat in match.awaited_seats if seat != SLEEPER]:
            time_machine.move_to(timezone.now() + timedelta(minutes=rng.randrange(1, 60)))
            presses = [(len(segment.moves), 250.0 + rng.randrange(400))] if segment.is_slappable else []
            if rng.random() < 0.2 and len(segment.moves) > 3:
                presses.insert(0, (1, 300.0))
            see(match, seat, *presses)
        if service.load(match.pk).version == version:
            assert Watch.objects.filter(point__match=match, seat=SLEEPER, state=Watch.State.WAITING).exists()
            waited_for_the_sleeper += 1
            _wait(match, time_machine)
            assert service.load(match.pk).version > version
    assert points >= 4
    # Missed twice, then asleep; with a relay, others take turns in between.
    assert waited_for_the_sleeper <= 3
    assert match.outcome["reason"] in ("all_cards", "last_card", "final_lap")
    assert not SlapPoint.objects.filter(match=match, settled_at=None).exists()
    assert not SlapAttempt.objects.filter(match=match, result="pending").exists()
    # The log alone leads to the same end.
    again = history.last(match)
    assert again.state.outcome() is not None
    assert again.version == match.version
    numbers = list(match.moves.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, match.version + 1))
    taken = match.moves.filter(move="slap")
    assert taken.exists()
    assert set(taken.values_list("source", flat=True)) == {Move.Source.TABLE}
    # Judging again gives the same verdicts, and detects anything that was changed.
    assert match.slaps.filter(result="wrong").exists()
    assert differences(match) == []
    match.slaps.filter(result="wrong").update(result="won")
    assert "won is stored, wrong found" in " ".join(differences(match))


def _wait(match: Match, time_machine) -> None:
    """No one comes: let the clocks run out and the sweep act as often as needed."""
    before = service.load(match.pk).version
    for _sweep in range(40):
        match.refresh_from_db()
        if match.due_at is not None and match.due_at > timezone.now():
            time_machine.move_to(match.due_at)
        time_machine.move_to(timezone.now() + timedelta(seconds=20))
        tasks.sweep()
        match.refresh_from_db()
        if service.load(match.pk).version > before or match.status == Match.Status.OVER:
            return
        for table in [service.load(match.pk)]:
            for seat in table.awaited():
                if table.sitters[seat].is_ai:
                    tasks.ai_turn(match.pk, table.version)
    raise AssertionError("the match stands still")


def test_everyone_has_one_point_open_at_a_time(begin):
    match = begin(2)
    first = point_of(match).pk
    assert faults(match) == []
    see(match, 0)
    match.refresh_from_db()
    assert faults(match) == []
    see(match, 1)
    assert point_of(match).pk != first


@dataclass
class Lived:
    """The duration of a turn-based match for its people."""

    hours: float
    points: int
    logins: int


def live_through(match: Match, rng: Random, time_machine) -> Lived:
    """Play a match to its end between people who visit in a median of 3 h after being asked, and do all they can.

    A player who completes a slap point continues with the next at once, as on the watch page.
    """
    begun, logins = timezone.now(), 0
    visits: dict[int, datetime] = {}
    while True:
        match.refresh_from_db()
        if match.status == Match.Status.OVER:
            hours = (timezone.now() - begun) / timedelta(hours=1)
            return Lived(hours, match.slap_points.count(), logins)
        for seat in match.awaited_seats:
            visits.setdefault(seat, timezone.now() + timedelta(hours=3) * rng.lognormvariate(0, 1))
        visitor = min(visits, key=visits.__getitem__)
        time_machine.move_to(max(timezone.now(), visits.pop(visitor)), tick=False)
        logins += visitor in match.awaited_seats
        while visitor in match.awaited_seats and match.status == Match.Status.RUNNING:
            table = service.load(match.pk)
            if table.at_slap_point:
                skim(match, table, visitor, 250.0 + rng.randrange(400) if rng.random() < 0.9 else None)
            else:
                choose_as(match, table, visitor)
            match.refresh_from_db()


def skim(match: Match, table: LiveMatch, seat: int, reaction: float | None) -> None:
    """Watch all cards of the open slap point at once, and slap the last."""
    session = f"skim{seat}v{match.version}"
    begun = service.begin_watch(match.pk, seat, session)
    segment = segments.ahead(table.state)
    Watch.objects.filter(point=begun.point_id, session=session).update(cursor=len(segment.moves))
    if reaction is not None and segment.is_slappable:
        press(match, seat, session, len(segment.moves), reaction, at_point=(point_of(match), segment))
    service.finish_watch(match.pk, seat, session)


def choose_as(match: Match, table: LiveMatch, seat: int) -> None:
    """Make one ordinary choice of ``seat`` like autoplay."""
    player = User.objects.get(pk=table.sitters[seat].player_id)
    move = table.state.default_move(seat)
    service.act(match.pk, seat, move, request_id=f"choice{table.version}", player=player)


@pytest.mark.ladder
@pytest.mark.parametrize(
    ("count", "relay", "days"), [(2, False, (2.0, 4.4)), (8, True, (3.3, 6.6))], ids=["two", "eight with a relay"]
)
def test_a_turn_based_match_takes_as_many_days_as_simulated(
    begin, people, make_player, time_machine, count, relay, days
):
    """From a simulation: 14 points; two players take 3.1 days with 7 visits each, eight with a relay 4.8 days."""
    time_machine.move_to("2026-11-23 09:00:00+00:00", tick=False)
    people += [make_player(f"Guest {number}") for number in range(count - len(people))]
    rng = Random(7)
    lived = []
    for number in range(2):
        match = begin(count, clock="none", relay=relay, bets=False, seed=f"{number:032x}", stage2_flips=104)
        lived.append(live_through(match, rng, time_machine))
    points = sum(each.points for each in lived)
    in_days = 14 * sum(each.hours for each in lived) / points / 24
    logins = 14 * sum(each.logins for each in lived) / points
    assert days[0] <= in_days <= days[1]
    if count == 2:
        assert 12 <= logins <= 19
