"""Log entries in the reader's language, with names, and links to what they may open."""

import ast
import re
from pathlib import Path

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.audit import record
from accounts.moderation.models import AuditEntry, Report, Sanction
from games.mail.models import Notice
from games.moderation import deferral, quick, reports
from games.moderation.log_entries import LABELS
from games.site_status.models import Announcement, Switches

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[2]
LIST = "admin:moderation_auditentry_changelist"


def reads(person, language="en") -> Client:
    User.objects.filter(pk=person.pk).update(language=language)
    client = Client(headers={"accept-language": language})
    client.force_login(person)
    return client


def page_of(client, entry) -> str:
    return client.get(reverse("admin:moderation_auditentry_change", args=[entry.pk])).content.decode()


def shown(client, entry) -> dict[str, str]:
    """The content of an entry's page, by field."""
    rows = re.findall(r'field-(\w+)">.*?class="readonly">(.*?)</div>', page_of(client, entry), re.DOTALL)
    return {name: re.sub(r"\s+", " ", text).strip() for name, text in rows}


def last(action) -> AuditEntry:
    return AuditEntry.objects.filter(action=action).order_by("-pk")[0]


def called(client) -> list[str]:
    return re.findall(r'field-called">([^<]*)<', client.get(reverse(LIST)).content.decode())


def stored_keys() -> set[str]:
    """Every key that the code writes to ``before`` and ``after`` directly."""
    found: set[str] = set()
    for package in ("accounts", "games"):
        for file in (ROOT / package).rglob("*.py"):
            if "record(" not in (text := file.read_text()):
                continue
            for call in ast.walk(ast.parse(text)):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "record":
                    for given in call.keywords:
                        if given.arg in ("before", "after") and isinstance(given.value, ast.Dict):
                            found |= {key.value for key in given.value.keys if isinstance(key, ast.Constant)}
    return found


def test_everything_that_is_stored_has_a_label(mia, ada):
    sanctions.impose(mia, ada, "warning", "respect", "You insulted Ben.")
    forms = [admin.site.get_model_admin(model).fields for model in (Switches, Announcement)]
    built = {"version", "due_at", "decision", "by", "status", "attempts", "undeliverable", "type", "last_used_at"}
    keys = stored_keys() | built | {name for fields in forms for name in fields} | set(last("impose").after)
    assert keys == set(LABELS)


def test_a_decision_is_logged_with_names_and_in_words(mia, ada):
    done = sanctions.impose(mia, ada, "warning", "respect", "You insulted Ben.")
    entry = last("impose")
    fields = shown(reads(mia), entry)
    assert fields["actor_link"] == f'<a href="{reverse("admin:person_file", args=[mia.pk])}">Mia</a>'
    address = reverse("admin:moderation_sanction_change", args=[done.pk])
    assert fields["target_link"] == f'<a href="{address}">warning: Ada</a>'
    assert fields["after_in_words"] == (
        "About: Ada<br>Kind: warning<br>Rule: respect<br>Until: –<br>Match: –<br>In force: no<br>Taken back: no"
    )
    assert fields["before_in_words"] == "–"
    page = page_of(reads(mia), entry)
    assert f"sanction:{done.pk}" not in page
    assert "&#x27;" not in page.split("field-after_in_words")[1]


def test_a_german_reads_it_in_german_though_it_was_written_in_english(mia, ada, ben, start_match):
    match = start_match("amagande", ada, ben)
    done = sanctions.impose(mia, ada, "warning", "respect", "You insulted Ben.")
    report = reports.file(ada, reports.find(ada, "player", "ben"), "respect", "He was rude.")
    reports.claim(mia, report)
    notice = Notice.objects.create(kind="over", match=match, user=ada, version=0, created_at=done.imposed_at)
    record(mia, "tell again", notice)
    german = reads(mia, "de")
    assert called(german) == [f"eine Partie ist vorbei: Ada, {match}", "Spieler: Ben", "Verwarnung: Ada"]
    fields = shown(german, last("impose"))
    assert "Verwarnung: Ada" in fields["target_link"]
    assert "Art: Verwarnung<br>Regel: Respekt" in fields["after_in_words"]
    assert "Mia: Verwarnung: Ada" in page_of(german, last("impose"))


def test_a_deleted_target_keeps_its_stored_name(mia, ada, ben):
    sanctions.impose(mia, ada, "warning", "respect", "You insulted Ben.")
    record(ben, "look at sessions", ada)
    Sanction.objects.all().delete()
    User.objects.filter(pk=ben.pk).delete()
    assert called(reads(mia, "de")) == ["Ada", "warning: Ada"]
    assert shown(reads(mia), last("impose"))["target_link"] == "warning: Ada"
    assert shown(reads(mia), last("look at sessions"))["actor_link"] == "Ben"


def test_links_lead_only_where_the_reader_may_go(mia, ada, ben, make_moderator):
    report = reports.file(ada, reports.find(ada, "player", "ben"), "respect", "He was rude.")
    reports.claim(mia, report)
    entry = last("claim report")
    address = reverse("admin:moderation_report_change", args=[report.pk])
    assert address in shown(reads(make_moderator("Tara", "talk")), entry)["target_link"]
    for role, name in (("results", "Rolf"), ("operations", "Olga")):
        fields = shown(reads(make_moderator(name, role)), entry)
        assert fields["target_link"] == "player: Ben"
    assert fields["actor_link"] == "Mia"


def test_reports_desks_presses_seats_and_switches_are_named(mia, ada, ben, make_player, start_match):
    match = start_match("amagande", ada, ben)
    cases = [
        reports.file(person, reports.find(person, "player", "ben"), "respect", "He was rude.")
        for person in (ada, make_player("Cleo"))
    ]
    reports.claim(mia, cases[0])
    deferral.merge(mia, cases[0], [cases[1].pk])
    quick.press(mia, Report.objects.get(pk=cases[0].pk), "warn", "insult")
    reports.release(mia, Report.objects.get(pk=cases[0].pk))
    deferral.hand_over(mia, Report.objects.get(pk=cases[0].pk), "moderation.handle_results", "It's about play.")
    record(mia, "look at table", match, after={"seat": 1, "version": 0})
    record(mia, "switch", Switches.row(), after={"signup_open": False, "banner_level": "error"})
    client = reads(mia)
    address = reverse("admin:moderation_report_change", args=[cases[1].pk])
    assert shown(client, last("merge reports"))["after_in_words"] == f'Reports: <a href="{address}">player: Ben</a>'
    pressed = shown(client, last("cancel quick decision"))["before_in_words"]
    assert pressed == "Decision: Warn and tell both<br>Decided by: Mia"
    handed = shown(client, last("hand over report"))
    assert (handed["before_in_words"], handed["after_in_words"]) == ("Desk: decided by its rule", "Desk: results")
    assert shown(client, last("look at table"))["after_in_words"] == "As seen by: seat 2<br>Move: 0"
    switched = shown(client, last("switch"))["after_in_words"]
    assert switched == "Sign-ups allowed: no<br>Importance: something is broken"
