"""AI turns and the sweep: everything due happens once, however often the tasks run."""

import threading
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.core.cache.backends.locmem import LocMemCache
from django.utils import timezone

from games.ai.people import pause_of
from games.matches import service, tasks
from games.matches.models import Match, Move, Seat

pytestmark = pytest.mark.django_db


def until_an_ai_is_awaited(match: Match) -> int:
    """Let the people move until only AI players are awaited; returns the version."""
    while True:
        table = service.load(match.pk)
        seat = table.state.to_move()[0]
        if table.sitters[seat].is_ai:
            return table.version
        move = table.state.legal_moves(seat)[0]
        player = match.seats.get(number=seat).player
        service.act(match.pk, seat, move, request_id=f"m{table.version}", player=player)


@pytest.fixture
def waiting(ada, start_match) -> Match:
    """A match that waits for its AI player."""
    match = start_match("normal-cards", ada, ai={1: "easy"})
    until_an_ai_is_awaited(match)
    match.refresh_from_db()
    return match


def test_an_ai_player_moves_through_the_match_service_and_is_named_as_such(waiting):
    tasks.ai_turn(waiting.pk, waiting.version)
    move = waiting.moves.last()
    assert (move.number, move.seat, move.source) == (waiting.version + 1, 1, Move.Source.AI)


def test_an_ai_turn_that_runs_twice_is_one_move(waiting):
    tasks.ai_turn(waiting.pk, waiting.version)
    after = waiting.moves.count()
    tasks.ai_turn(waiting.pk, waiting.version)
    assert waiting.moves.count() == after


def test_no_log_names_a_move_that_failed_for_it_may_be_sealed(waiting, monkeypatch, caplog):
    caplog.set_level("DEBUG")
    monkeypatch.setattr(tasks, "choose", lambda *_args: "play:ZZ")
    tasks.ai_turn(waiting.pk, waiting.version)
    assert "an AI player's move" in caplog.text
    monkeypatch.setattr("games.matches.live_match.LiveMatch.enter", lambda *_args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        service.act(waiting.pk, 1, "play:ZZ", request_id="ai:1", source=Move.Source.AI)
    assert "MakeMove" in caplog.text
    assert "play:" not in caplog.text


def test_an_ai_turn_for_a_match_that_moved_on_or_was_deleted_does_nothing(waiting):
    tasks.ai_turn(waiting.pk, waiting.version + 1)
    tasks.ai_turn(waiting.pk + 1, 0)
    assert waiting.moves.count() == waiting.version


def test_an_ai_turn_is_queued_with_each_commit_that_waits_for_one(ada, start_match, monkeypatch):
    queued = []
    monkeypatch.setattr(
        "games.matches.tasks.think", lambda match_id, version, due_at: queued.append((match_id, version))
    )
    match = start_match("normal-cards", ada, ai={1: "easy"})
    version = until_an_ai_is_awaited(match)
    assert (match.pk, version) in queued or version == 0


@pytest.mark.parametrize("level", ["easy", "hard"])
def test_an_ai_players_pause_is_drawn_before_it_thinks(ada, start_match, monkeypatch, level):
    """The pause is stored with the move before it, by the player's tempo alone: it reveals neither cards nor level."""
    drawn = []
    monkeypatch.setattr(tasks.pool, "submit", lambda *_arguments: pytest.fail("it thinks"))
    monkeypatch.setattr("games.matches.commit.planning.drawn", lambda least, most: drawn.append((least, most)) or 700.0)
    match = start_match("normal-cards", ada, ai={1: level})
    until_an_ai_is_awaited(match)
    match.refresh_from_db()
    assert drawn[-1] == pause_of(service.load(match.pk).sitters[1].name)
    before = match.moves.last().at if match.version else match.started_at
    assert match.due_at - before == timedelta(milliseconds=700)


@pytest.mark.parametrize("thought", [0.0, 0.3])
def test_the_time_that_an_ai_player_thinks_is_not_seen(waiting, monkeypatch, thought):
    """However long it thinks, its move is made when its turn is due."""
    now = timezone.now()
    due = now.timestamp() + 0.5
    queued = []

    class Found:
        def result(self, _timeout):
            monkeypatch.setattr(tasks.timezone, "now", lambda: now + timedelta(seconds=thought))
            return service.load(waiting.pk).state.legal_moves(1)[0]

    monkeypatch.setattr(tasks.pool, "submit", lambda *_arguments: Found())
    monkeypatch.setattr(tasks.ai_move, "apply_async", lambda args, countdown, **_: queued.append((args, countdown)))
    tasks.ai_turn(waiting.pk, waiting.version, due)
    assert not waiting.moves.filter(source=Move.Source.AI).exists()
    [(arguments, countdown)] = queued
    assert now.timestamp() + thought + countdown == pytest.approx(due)
    tasks.ai_move(*arguments)
    assert waiting.moves.filter(source=Move.Source.AI).count() == 1


def test_an_ai_player_who_thought_for_too_long_moves_at_once(waiting):
    tasks.ai_turn(waiting.pk, waiting.version, timezone.now().timestamp() - 1)
    assert waiting.moves.filter(source=Move.Source.AI).count() == 1


def test_an_ai_players_move_is_dropped_once_the_match_has_moved_on(waiting):
    move = service.load(waiting.pk).state.legal_moves(1)[0]
    tasks.ai_turn(waiting.pk, waiting.version)
    moves = waiting.moves.count()
    tasks.ai_move(waiting.pk, waiting.version, 1, move)
    tasks.ai_move(waiting.pk + 1, waiting.version, 1, move)
    assert waiting.moves.count() == moves


def test_ai_players_begin_to_think_before_their_turn_is_due(monkeypatch):
    queued = []
    monkeypatch.setattr(tasks.broker, "submit", lambda function, *arguments: function(*arguments))
    monkeypatch.setattr(tasks.ai_turn, "apply_async", lambda args, countdown: queued.append((args, countdown)))
    due_at = timezone.now() + timedelta(seconds=2)
    tasks.think(1, 5, due_at)
    [((match_id, version, due), countdown)] = queued
    assert (match_id, version, due) == (1, 5, due_at.timestamp())
    assert 1 < countdown <= 2 - tasks.THINKS_BEFORE


def test_queueing_a_task_does_not_wait_for_the_broker_or_fail_without_it(monkeypatch, caplog):
    answers, is_queued_elsewhere = threading.Event(), []

    def away(*_arguments: object, **_options: object) -> None:
        is_queued_elsewhere.append(answers.wait(5))
        raise ConnectionError

    monkeypatch.setattr(tasks.ai_turn, "apply_async", away)
    tasks.queue(tasks.ai_turn, 1, 5)
    answers.set()
    tasks.broker.submit(bool).result()  # after what was queued
    assert is_queued_elsewhere == [True]
    assert "match 1: games.matches.tasks.ai_turn could not be queued" in caplog.text


def test_the_sweep_continues_a_lost_ai_turn_once_at_a_time(waiting, monkeypatch):
    taken: list[tuple[int, int]] = []
    monkeypatch.setattr(tasks.ai_turn, "delay", lambda *arguments: taken.append(arguments))
    Match.objects.filter(pk=waiting.pk).update(due_at=timezone.now() - timedelta(seconds=60))
    tasks.sweep()
    tasks.sweep()
    assert taken == [(waiting.pk, waiting.version)]
    Match.objects.filter(pk=waiting.pk).update(due_at=timezone.now() - timedelta(seconds=60))
    tasks.sweep()
    assert len(taken) == 2


def test_a_turn_that_is_lost_again_is_queued_within_fifteen_seconds(waiting, monkeypatch, time_machine):
    """As if Redis died with the sweep's queue."""
    taken: list[datetime] = []
    monkeypatch.setattr(tasks.ai_turn, "delay", lambda *_arguments: taken.append(timezone.now()))
    time_machine.move_to(waiting.due_at, tick=False)
    for _sweep in range(10):
        time_machine.shift(settings.CELERY_BEAT_SCHEDULE["sweep"]["schedule"].run_every)
        tasks.sweep()
    first, second, *_more = taken
    assert first - waiting.due_at <= timedelta(seconds=6)
    assert second - first <= timedelta(seconds=15)


def test_a_turn_is_played_after_the_first_sweep_if_the_worker_computing_it_was_killed(
    waiting, monkeypatch, time_machine
):
    memory = LocMemCache("of this test", {})
    monkeypatch.setattr(tasks, "cache", memory)
    time_machine.move_to(waiting.due_at - timedelta(seconds=tasks.THINKS_BEFORE), tick=False)
    with monkeypatch.context() as killed:
        killed.setattr(tasks.pool, "submit", lambda *_arguments: 1 / 0)
        killed.setattr(memory, "delete", lambda _name: None)  # its lock remains
        with pytest.raises(ZeroDivisionError):
            tasks.ai_turn(waiting.pk, waiting.version)
    monkeypatch.setattr(tasks.ai_turn, "delay", tasks.ai_turn)
    time_machine.shift(tasks.THINKS_BEFORE + tasks.GRACE + 0.1)
    tasks.sweep()
    memory.clear()
    assert waiting.moves.filter(source=Move.Source.AI).count() == 1


def test_notices_that_are_not_due_yet_are_left_alone(waiting, monkeypatch):
    monkeypatch.setattr(tasks, "process_due", lambda *arguments: pytest.fail("not due"))
    Match.objects.filter(pk=waiting.pk).update(due_at=timezone.now() + timedelta(seconds=1))
    tasks.sweep()


def test_the_sweep_lets_autoplay_move_for_a_player_whose_time_is_over(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    long_ago = timezone.now() - timedelta(days=1)
    Match.objects.filter(pk=match.pk).update(due_at=long_ago)
    match.seats.update(due_at=long_ago, is_excused=True)
    service.forget_all()
    tasks.sweep()
    assert match.moves.get().source == Move.Source.STAND_IN


def test_one_match_that_fails_does_not_block_the_others(ada, ben, start_match, monkeypatch):
    broken = start_match("normal-cards", ada, ben)
    fine = start_match("normal-cards", ada, ben)
    long_ago = timezone.now() - timedelta(days=1)
    Match.objects.update(due_at=long_ago)
    Seat.objects.update(due_at=long_ago, is_excused=True)
    service.forget_all()
    time_out = service.time_out

    def fail_one(match_id: int) -> list[service.Acted]:
        if match_id == broken.pk:
            raise RuntimeError
        return time_out(match_id)

    monkeypatch.setattr(service, "time_out", fail_one)
    tasks.sweep()
    assert not broken.moves.exists()
    assert fine.moves.count() == 1


def test_a_table_that_no_one_watches_waits_for_a_visitor(ada, ben, start_match):
    match = start_match("armani", ada, ben)
    while not (table := service.load(match.pk)).forced_step():
        seat = table.state.to_move()[0]
        moves = table.state.legal_moves(seat)
        player = match.seats.get(number=seat).player
        move = "fold" if "fold" in moves else moves[0]
        service.act(match.pk, seat, move, request_id=f"m{table.version}", player=player)
    Match.objects.filter(pk=match.pk).update(due_at=timezone.now() - timedelta(seconds=60))
    before = match.moves.count()
    tasks.sweep()
    match.refresh_from_db()
    assert match.due_at is None
    assert match.moves.count() == before
    # Without sockets, a player's request turns the card, as on a page without scripts.
    seat, move = service.load(match.pk).forced_step()
    service.act(match.pk, seat, move, request_id="turn", player=match.seats.get(number=seat).player)
    assert match.moves.count() == before + 1


def test_no_one_thinks_twice_at_a_time_for_one_match(waiting, monkeypatch):
    thought = []
    submit = tasks.pool.submit

    def think(function, *arguments):
        thought.append(arguments)
        tasks.ai_turn(waiting.pk, waiting.version)  # the same task again, while the first is thinking
        return submit(function, *arguments)

    monkeypatch.setattr(tasks.pool, "submit", think)
    tasks.ai_turn(waiting.pk, waiting.version)
    assert len(thought) == 1
    assert waiting.moves.filter(source=Move.Source.AI).count() == 1


def test_an_ai_player_thinks_for_a_limited_time_in_a_worker_too():
    limits = tasks.ai_turn.soft_time_limit, tasks.ai_turn.time_limit
    assert limits == (tasks.pool.LONGEST, tasks.pool.LONGEST + 5)


def test_the_sweep_continues_the_turn_of_a_failed_ai_player(waiting, monkeypatch):
    def break_down(*_arguments):
        raise RuntimeError("the child died")

    with monkeypatch.context() as broken:
        broken.setattr(tasks.pool, "submit", break_down)
        with pytest.raises(RuntimeError):
            tasks.ai_turn(waiting.pk, waiting.version)
    assert not waiting.moves.filter(source=Move.Source.AI).exists()
    monkeypatch.setattr(tasks.ai_turn, "delay", tasks.ai_turn)
    Match.objects.filter(pk=waiting.pk).update(due_at=timezone.now() - timedelta(seconds=tasks.GRACE + 1))
    tasks.sweep()
    assert waiting.moves.filter(source=Move.Source.AI).count() == 1
