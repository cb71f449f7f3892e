"""How long reports wait, how many are upheld, and who closes them."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.moderation.models import Appeal, Report, Sanction
from games.devtools import demo_week
from games.moderation.figures import figures
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def closed(person, moderator, hours, outcome="upheld", ago=timedelta(days=1)):
    return Report.objects.create(
        kind="player",
        rule="respect",
        thing=f"player:{hours}",
        accused=person,
        sentence="Rude.",
        created_at=NOW - ago - timedelta(hours=hours),
        closed_at=NOW - ago,
        closed_by=moderator,
        outcome=outcome,
    )


def test_without_closed_reports_there_is_no_figure():
    found = figures(NOW)
    assert (found.closed, found.p50, found.in_time, found.granted, found.load) == (0, None, None, None, [])


def test_the_figures_are_about_recently_closed_reports(make_moderator, ada):
    tara, theo = make_moderator("Tara", "talk"), make_moderator("Theo", "talk")
    for hours in range(1, 10):
        closed(ada, tara, hours)
    closed(ada, theo, 48, "dismissed")
    closed(ada, theo, 500, "dismissed", ago=timedelta(days=31))
    Report.objects.create(kind="player", rule="respect", thing="open", accused=ada, sentence="Rude.", created_at=NOW)
    for decision in ("granted", "denied", "denied", ""):
        sanction = Sanction.objects.create(
            person=ada, person_name="Ada", kind="warning", rule="respect", reason="Rude."
        )
        Appeal.objects.create(sanction=sanction, decision=decision, decided_at=NOW if decision else None)
    found = figures(NOW)
    assert (found.closed, found.p50, found.p90, found.in_time, found.upheld) == (10, 6.0, 48.0, 0.9, 0.9)
    assert (found.appeals, found.granted) == (3, pytest.approx(1 / 3))
    assert found.load == [("Tara", 9), ("Theo", 1)]


def test_the_page_shows_them_in_few_queries(make_moderator, ada, django_assert_max_num_queries):
    tara = make_moderator("Tara", "talk")
    closed(ada, tara, 5, ago=timedelta(0))
    Report.objects.update(created_at=NOW, closed_at=NOW)
    client = QuickClient()
    client.force_login(tara)
    with django_assert_max_num_queries(12):
        page = client.get(reverse("admin:moderation_figures")).content.decode()
    assert "Tara</th>" in page
    assert "100 %" in page


def test_a_busy_week_for_trying_out_has_reports_in_all_states(make_moderator, make_player):
    tara, rolf = make_moderator("Tara", "talk"), make_moderator("Rolf", "results")
    people = [make_player(f"Player{n}") for n in range(6)]
    demo_week.fill(random.Random(1), people, [tara, rolf], [])
    reports = Report.objects.all()
    assert reports.count() == demo_week.REPORTS
    assert reports.filter(closed_at__isnull=False).count() > 150
    for state in ({"claimed_by__isnull": False}, {"snoozed_until__isnull": False}, {"merged_into__isnull": False}):
        assert reports.filter(closed_at=None, **state).exists(), state
    assert reports.exclude(desk="").exists()
    assert Appeal.objects.filter(decision="").exists()
    assert figures(timezone.now()).closed > 150
