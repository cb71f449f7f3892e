"""The sweep reads only what is due, and an alarm goes off if it isn't running."""

import logging
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import User
from games.devtools.management.commands import bench_sweep
from games.matches import service, tasks
from games.matches.models import Match
from games.operations import health
from games.operations.tasks import watch_sweep

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("each", bench_sweep.SWEEPS, ids=lambda each: each.name)
def test_each_sweep_finds_what_is_due_by_its_index_and_reads_no_more(each: bench_sweep.Sweep) -> None:
    now = timezone.now()
    bench_sweep.fill(each, 0, 20, now - timedelta(hours=1))
    read = []
    stored = 20
    for size in (2_000, 6_000):
        bench_sweep.fill(each, stored, size, now + timedelta(hours=1))
        stored = size
        figures = bench_sweep.measure(each, now)
        assert figures["found"] == 20
        assert re.search(r"(match|mail_notice|mail)_due", figures["plan"])
        read.append(figures.get("rows_read"))
    if connection.vendor == "postgresql":
        # The first read may skip rows that earlier tests rolled back; three times as many rows that aren't due add
        # nothing.
        assert read[0] >= read[1] == 20
    else:
        # The index contains no finished rows, and is entered at the due ones.
        assert f"SEARCH {each.model._meta.db_table} USING" in figures["plan"]
        assert f"({each.column}<?)" in figures["plan"]


def test_the_alarm_is_silent_while_nothing_is_overdue_and_goes_off_after_five_minutes(
    ada: User, ben: User, start_match: Callable[..., Match], caplog: pytest.LogCaptureFixture
) -> None:
    match = start_match("normal-cards", ada, ben)
    with caplog.at_level(logging.ERROR, "games.operations.tasks"):
        watch_sweep()
        Match.objects.filter(pk=match.pk).update(due_at=timezone.now() - timedelta(minutes=4))
        watch_sweep()
        assert not caplog.records
        Match.objects.filter(pk=match.pk).update(due_at=timezone.now() - timedelta(minutes=6))
        watch_sweep()
    assert "is the sweep running" in caplog.text


def test_the_alarm_notices_a_match_whose_processing_always_fails(
    ada: User, ben: User, start_match: Callable[..., Match], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = start_match("normal-cards", ada, ben)
    long_ago = timezone.now() - timedelta(minutes=10)
    Match.objects.filter(pk=match.pk).update(due_at=long_ago)
    match.seats.filter(asked_at__isnull=False).update(due_at=long_ago)

    def fail(_match_id: int) -> None:
        raise RuntimeError

    monkeypatch.setattr(service, "time_out", fail)
    tasks.sweep()
    match.refresh_from_db()
    assert match.due_at > timezone.now()
    assert health.overdue_since(timezone.now()) == long_ago
