"""Matches in the admin site: everything for a moderator's daily work, and no hidden cards."""

import re

import pytest
from django.urls import reverse

from accounts.models import User
from games.matches import service, tasks
from games.matches.models import Match, SlapAttempt


@pytest.fixture
def moderator(db, client):
    boss = User.objects.create_superuser("mod@example.org", "a long password", name="Mod")
    client.force_login(boss)
    return client


def pages_of(match: Match) -> list[str]:
    return [
        reverse("admin:games_match_changelist"),
        reverse("admin:games_match_change", args=[match.pk]),
        reverse("admin:games_slapattempt_changelist"),
    ]


def test_no_page_shows_seed_snapshot_or_moves_of_a_running_match(moderator, ada, ben, start_match):
    match = start_match("armed", ada, ben)
    choice = service.load(match.pk).state.legal_moves(0)[0]
    service.act(match.pk, 0, choice, request_id="a", player=ada)
    match.refresh_from_db()
    for url in pages_of(match):
        page = moderator.get(url)
        assert page.status_code == 200
        text = page.content.decode()
        assert match.seed not in text
        assert choice not in text
    assert match.seed_hash in moderator.get(pages_of(match)[1]).content.decode()


def test_the_seed_is_shown_after_the_match(moderator, ada, ben, start_match):
    match = start_match("armed", ada, ben)
    service.resign(match, ada)
    match.refresh_from_db()
    assert match.seed in moderator.get(pages_of(match)[1]).content.decode()


@pytest.mark.parametrize("verb", ["add", "change", "delete"])
def test_no_one_changes_a_match_without_the_match_service(moderator, ada, ben, start_match, verb):
    match = start_match("armed", ada, ben)
    arguments = [] if verb == "add" else [match.pk]
    answer = moderator.post(reverse(f"admin:games_match_{verb}", args=arguments), {"status": "over", "post": "yes"})
    assert answer.status_code == 403
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING


def test_a_stuck_match_is_restarted(moderator, ada, start_match, monkeypatch):
    taken = []
    monkeypatch.setattr(tasks, "process_due", lambda *arguments: taken.append(arguments) or "")
    match = start_match("normal-cards", ada, ai={1: "easy"})
    answer = moderator.post(
        reverse("admin:games_match_changelist"), {"action": "process_now", "_selected_action": [match.pk]}, follow=True
    )
    assert taken == [(match.pk, 0)]
    assert "1 running match was restarted" in answer.content.decode()


def test_matches_are_found_by_key_and_player(moderator, ada, ben, start_match):
    match = start_match("armed", ada, ben)
    for words in (match.key, "Ada", "ada@example.org"):
        page = moderator.get(reverse("admin:games_match_changelist"), {"q": words})
        assert match.key in page.content.decode()


def test_slaps_are_listed_with_what_they_were_judged_by(
    moderator, ada, ben, start_match, django_assert_max_num_queries
):
    match = start_match("armani", ada, ben)
    Match.objects.filter(pk=match.pk).update(version=4)
    for seat in (0, 1):
        SlapAttempt.objects.create(
            match=match, seat=seat, version=4, elapsed=500, claimed=412.4, ping=80, cap=88, reaction=412.4,
            at=match.created_at,
        )  # fmt: skip
    with django_assert_max_num_queries(8):
        page = moderator.get(reverse("admin:games_slapattempt_changelist"))
    assert page.content.decode().count(">412<") == 4
    slap = SlapAttempt.objects.get(seat=1)
    page = moderator.get(reverse("admin:games_slapattempt_change", args=[slap.pk])).content.decode()
    # Seats count from one, as in the list.
    assert re.search(r"Seat:\s*</label>\s*<div class=\"readonly\">2</div>", page)
