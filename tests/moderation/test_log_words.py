"""The log says what was done in words, in each language."""

import ast
import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.moderation import sanctions
from accounts.moderation.audit import record
from accounts.moderation.models import Appeal, Sanction
from games.moderation.log_words import ACTIONS, action_in_words
from games.moderation.reminders import ACTION

ROOT = Path(__file__).parents[2]


def recorded() -> set[str]:
    """Every action name that the code records."""
    calls = (
        node
        for package in ("accounts", "games")
        for file in (ROOT / package).rglob("*.py")
        if "record(" in (text := file.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "record"
    )
    return {call.args[1].value for call in calls if len(call.args) > 2 and isinstance(call.args[1], ast.Constant)}


def test_everything_that_is_recorded_has_words_and_nothing_else_has():
    built = {ACTION, *(f"appeal {decision}" for decision in Appeal.Decision.values)}
    assert recorded() | built == set(ACTIONS)


def test_each_has_german_words():
    with translation.override("de"):
        assert [action for action in ACTIONS if not action_in_words(action).startswith("hat ")] == []


@pytest.mark.django_db
def test_a_german_reads_the_log_in_german_and_finds_an_action_by_its_words(make_moderator, ada):
    mia = make_moderator("Mia", "talk", "accounts", "results")
    mia.language = "de"
    mia.save(update_fields=["language"])
    sanctions.impose(mia, ada, "warning", "respect", "You insulted Ben.")
    record(None, "remind moderators", Sanction.objects.get())
    client = Client(headers={"accept-language": "de"})
    client.force_login(mia)
    log = reverse("admin:moderation_auditentry_changelist")

    def rows(**asked):
        page = client.get(log, asked).content.decode()
        return re.findall(r"field-actor[^>]*>([^<]*)<.*?field-done[^>]*>([^<]*)<", page, re.DOTALL)

    imposed = ("Mia", "hat eine Maßnahme verhängt")
    assert rows() == [("Die Website", "hat die Moderation erinnert"), imposed]
    assert rows(q="Hat eine Maßnahme verhängt") == rows(q="impose") == [imposed]
