"""Stored matches against their seeds and moves, and the pages on which everyone can check a deal."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

import games.rules
from games.matches import history, service
from games.matches.models import Match
from games.replays.check import faults, moves_with_chances
from games.replays.tasks import check_recent_matches
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("slug", [rules.slug for rules in games.rules.all()])
def test_nothing_is_wrong_with_a_match_as_it_was_played(finished, slug):
    match = finished(slug)
    assert faults(match) == []


def test_nothing_is_wrong_with_a_running_match(start_match, ada, ben):
    match = start_match("basic-rummy", ada, ben)
    seat = service.load(match.pk).state.to_move()[0]
    service.act(match.pk, seat, "draw:stock", request_id="m1", source="stand_in")
    match.refresh_from_db()
    assert faults(match) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"seed_hash": "0" * 64}, "the published hash doesn't belong to the seed"),
        ({"seed": "ab" * 16}, "the published hash doesn't belong to the seed"),
        ({"version": 9999}, "the match has version 9999"),
        (
            {"outcome": {"reason": "target", "ranking": [[1], [0]], "points": [0, 0]}},
            "the stored result differs from the one replayed",
        ),
    ],
)
def test_a_later_change_is_found(finished, change, fault):
    match = finished("basic-rummy")
    for name, value in change.items():
        setattr(match, name, value)
    assert any(fault in found for found in faults(match))


def test_a_changed_move_is_found(finished):
    match = finished("basic-rummy")
    match.moves.filter(number=2).update(move="discard:XX")
    assert "the moves can't be replayed" in faults(match)[0]


def test_the_command_and_the_nightly_task_report_faults(finished, caplog):
    match = finished("amagande")
    out = io.StringIO()
    call_command("check_matches", match.key, stdout=out)
    assert out.getvalue().strip() == "1 matches checked, 0 with faults"
    call_command("check_matches", stdout=out)
    check_recent_matches()
    assert not caplog.records

    Match.objects.update(seed_hash="0" * 64)
    errors = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("check_matches", match.key, stdout=out, stderr=errors)
    assert match.key in errors.getvalue()
    check_recent_matches()
    assert match.key in caplog.text
    with pytest.raises(CommandError, match="nothing"):
        call_command("check_matches", "nothing")


def test_a_match_that_cannot_be_checked_keeps_no_other_from_it(finished, start_match, ada, ben, caplog, monkeypatch):
    broken, wrong = finished("amagande"), finished("basic-rummy")
    Match.objects.filter(pk=wrong.pk).update(seed_hash="0" * 64)
    last = history.last

    def fails_for_one(match):
        if match.pk == broken.pk:
            raise IndexError("QH in a hand")
        return last(match)

    monkeypatch.setattr(history, "last", fails_for_one)
    check_recent_matches()
    assert wrong.key in caplog.text
    assert f"{broken.key} (amagande): the match can't be checked (IndexError in" in caplog.text
    assert "QH" not in caplog.text


def test_the_check_page_gives_seed_hash_and_moves_of_a_finished_match(finished):
    match = finished("amagande")
    page = Client().get(reverse("check", args=[match.key])).content.decode()
    assert match.seed in page
    assert match.seed_hash in page
    moves = json.loads(Client().get(reverse("check_moves", args=[match.key])).content)["moves"]
    assert [move["move"] for move in moves] == list(match.moves.values_list("move", flat=True))
    assert sum(move["chances"] for move in moves) == sum(move["chances"] for move in moves_with_chances(match))


def test_seed_and_moves_of_a_running_match_stay_hidden(start_match, ada, ben):
    match = start_match("amagande", ada, ben)
    client = QuickClient()
    client.force_login(ada)
    for name in ("check", "check_moves"):
        answer = client.get(reverse(name, args=[match.key]))
        assert answer.status_code == 404
        assert match.seed not in answer.content.decode()


def test_the_hash_is_shown_before_the_deal(ada):
    match = service.open_table(ada, "amagande", 2, {})
    client = QuickClient()
    client.force_login(ada)
    page = client.get(match.get_absolute_url()).content.decode()
    assert match.seed_hash in page
    assert match.seed not in page
