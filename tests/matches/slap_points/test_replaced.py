"""A slap point never waits for a player whose seat an AI player has taken over."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from games.matches import presets, service, tasks
from games.matches.models import Match
from games.matches.slap_points import commands

pytestmark = pytest.mark.django_db


def test_a_match_taken_over_by_ai_players_at_a_slap_point_comes_to_its_end(
    begin: Callable[..., Match], monkeypatch: pytest.MonkeyPatch, time_machine
) -> None:
    time_machine.move_to("2026-11-23T11:00:00Z", tick=False)
    monkeypatch.setattr(tasks.ai_turn, "delay", tasks.ai_turn)
    match = begin(3, clock="lunch")
    assert commands.is_open(match.pk)
    match.seats.update(missed=presets.OFFERED_AFTER, autopilot_at=timezone.now())
    service.forget_all()
    service.time_out(match.pk)
    assert not match.seats.filter(ai_level="").exists()
    for _sweep in range(400):
        match.refresh_from_db()
        if match.status == Match.Status.OVER:
            break
        assert match.due_at is not None, f"version {match.version} waits for nobody"
        time_machine.shift(timedelta(seconds=tasks.LEASE + tasks.GRACE))
        tasks.sweep()
    assert match.status == Match.Status.OVER
