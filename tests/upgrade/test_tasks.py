"""Tasks queued under the names of commit 96109f2 and later renames still run."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from armani_site.celery import app
from games.matches import service, tasks
from games.matches.models import Heartbeat, Match, Move, Seat

#: Renamed tasks.
OLD = {
    "games.tasks.ai_turn": "games.matches.tasks.ai_turn",
    "games.tasks.ai_move": "games.matches.tasks.ai_move",
    "games.tasks.sweep": "games.matches.tasks.sweep",
    "games.tasks.watch_sweep": "games.operations.tasks.watch_sweep",
    "games.tasks.tidy_open_tables": "games.lobby.tasks.close_stale_tables",
    "games.lobby.tasks.tidy_open_tables": "games.lobby.tasks.close_stale_tables",
}


@pytest.fixture(autouse=True, scope="module")
def _tasks_are_found_as_a_worker_finds_them() -> None:
    app.loader.import_default_modules()


def work(name, *arguments):
    """Run the task of a message with that name, as a worker does."""
    app.tasks[name].apply(arguments, throw=True)


def let_the_ai_player_be_next(match, person):
    while service.load(match.pk).state.to_move()[0] == 0:
        table = service.load(match.pk)
        service.act(match.pk, 0, table.state.default_move(0), request_id=f"first{table.version}", player=person)


@pytest.mark.django_db(transaction=True)
def test_moves_of_ai_players_that_were_queued_by_old_names_are_made(start_match, ada):
    match = start_match("avalanche", ada, ai={1: "easy"})
    let_the_ai_player_be_next(match, ada)
    table = service.load(match.pk)
    work("games.tasks.ai_move", match.pk, table.version, 1, table.state.default_move(1))
    assert service.load(match.pk).version == table.version + 1


@pytest.mark.django_db(transaction=True)
def test_turns_of_ai_players_that_were_queued_by_the_old_name_are_played(start_match, ada):
    match = start_match("avalanche", ada, ai={1: "easy"})
    let_the_ai_player_be_next(match, ada)
    version = service.load(match.pk).version
    work("games.tasks.ai_turn", match.pk, version)
    assert service.load(match.pk).version > version


@pytest.mark.django_db(transaction=True)
def test_open_tables_are_closed_by_the_old_name(ada):
    match = service.open_table(ada, "avalanche", 2, {})
    Match.objects.filter(pk=match.pk).update(due_at=timezone.now() - timedelta(days=1))
    work("games.tasks.tidy_open_tables")
    match.refresh_from_db()
    assert match.status == Match.Status.CANCELLED


@pytest.mark.django_db(transaction=True)
def test_overdue_tasks_run_under_their_old_names(start_match, ada, ben, caplog):
    match = start_match("avalanche", ada, ben)
    late = timezone.now() - timedelta(minutes=9)
    Match.objects.filter(pk=match.pk).update(due_at=late)
    Seat.objects.filter(match=match, due_at__isnull=False).update(due_at=late, is_excused=True)
    service.forget_all()
    work("games.tasks.watch_sweep")
    assert "is the sweep running" in caplog.text
    Heartbeat.objects.update_or_create(pk=1, defaults={"at": timezone.now()})
    work("games.tasks.sweep")
    assert match.moves.get().source == Move.Source.STAND_IN


@pytest.mark.parametrize(("old", "new"), OLD.items())
def test_an_old_name_means_the_task_of_the_new_one(old, new):
    assert app.tasks[old].run == app.tasks[new].run


def test_nothing_is_queued_by_an_old_name_any_more():
    scheduled = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert scheduled <= app.tasks.keys() - OLD.keys()
    assert not OLD.keys() & settings.CELERY_TASK_ROUTES.keys()
    assert {tasks.ai_turn.name, tasks.ai_move.name, tasks.sweep.name} <= set(OLD.values())
    assert app.amqp.router.route({}, tasks.ai_turn.name)["queue"].name == "ai"
