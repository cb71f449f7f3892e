"""Every URL of the admin site by role: what each may open, and what each may send.

A new page without an entry here fails; so does one that is open to a role not named in its entry.
"""

from collections.abc import Iterator

import pytest
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import middleware
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from accounts.models import OutgoingMail, User
from accounts.moderation.audit import record
from accounts.moderation.models import Appeal, NameChange, Sanction
from games.ai_reports.models import AiCase
from games.chat import lines
from games.mail.models import Notice
from games.matches.models import Outage, SlapAttempt
from games.matches.slap_points.models import SlapPoint
from games.moderation import reports
from games.operations.models import DayCount, Failure
from games.site_status.models import Announcement, Switches
from games.slaps.models import Flag
from tests.factories.addresses import refuse_plainly
from tests.factories.samples import sampled

pytestmark = pytest.mark.django_db

MODERATORS = {"talk", "results", "accounts"}
OPERATIONS = {"operations"}
INSIDE = {*MODERATORS, *OPERATIONS, "staff"}
ROLES = (*sorted(INSIDE), "player", "visitor")
NOBODY: set[str] = set()

#: Roles that read list, page and history of each model.
READ = {
    "mfa.authenticator": {"accounts"},
    "accounts.user": MODERATORS,
    "accounts.outgoingmail": OPERATIONS,
    "cases.aicase": OPERATIONS,
    "games.match": {"results", "operations"},
    "games.outage": OPERATIONS,
    "games.slapattempt": {"results"},
    "mail.notice": OPERATIONS,
    "moderation.appeal": MODERATORS,
    "moderation.auditentry": {*MODERATORS, *OPERATIONS},
    "moderation.namechange": {"accounts"},
    "moderation.report": MODERATORS,
    "moderation.sanction": MODERATORS,
    "operations.announcement": OPERATIONS,
    "operations.bouncedaddress": OPERATIONS,
    "operations.daycount": OPERATIONS,
    "operations.failure": OPERATIONS,
    "operations.switches": OPERATIONS,
    "points.slappoint": OPERATIONS,
    "slaps.flag": {"results"},
    "talk.line": MODERATORS,
}
#: Roles that may send the form of a row's page. A report's page accepts none: its commands have URLs of their own.
SEND = {
    "moderation.appeal": MODERATORS,
    "operations.announcement": OPERATIONS,
    "operations.switches": OPERATIONS,
}
#: Roles that add and delete rows.
ADD = {"operations.announcement": OPERATIONS}
DELETE = {**ADD, "mfa.authenticator": {"accounts"}}
#: Every other URL: who may open it, and who may send to it.
OTHERS = {
    "index": (INSIDE, INSIDE),
    "login": (INSIDE, INSIDE),  # others are redirected to the site's own page
    "logout": ({"player", "visitor"}, INSIDE | {"player", "visitor"}),  # a form; visitors are redirected to the login
    "password_change": (INSIDE, INSIDE),
    "password_change_done": (INSIDE, NOBODY),
    "autocomplete": (NOBODY, NOBODY),
    "jsi18n": (INSIDE, NOBODY),
    "view_on_site": (INSIDE, INSIDE),
    "auth_user_password_change": (NOBODY, NOBODY),
    "report_claim": (MODERATORS, MODERATORS),
    "report_release": (MODERATORS, MODERATORS),
    "report_look": (MODERATORS, {"results"}),
    "report_sanction": (MODERATORS, MODERATORS),
    "report_close": (MODERATORS, MODERATORS),
    "report_quick": (MODERATORS, MODERATORS),
    "report_undo": (MODERATORS, MODERATORS),
    "report_merge": (MODERATORS, MODERATORS),
    "report_hand_over": (MODERATORS, MODERATORS),
    "report_snooze": (MODERATORS, MODERATORS),
    "report_ask": (MODERATORS, MODERATORS),
    "report_second_look": (MODERATORS, MODERATORS),
    "sanction_confirm": (MODERATORS, MODERATORS),
    "sanction_lift": (MODERATORS, MODERATORS),
    "person_file": (MODERATORS, MODERATORS),
    "person_similar": ({"accounts"}, {"accounts"}),
    "person_note": (MODERATORS, MODERATORS),
    "person_sessions": (MODERATORS, MODERATORS),
    "person_ask": (MODERATORS, MODERATORS),
    "person_agree": (MODERATORS, MODERATORS),
    "person_decide": (MODERATORS, MODERATORS),
    "moderation_figures": (MODERATORS, MODERATORS),
    "send_failed_again": (OPERATIONS, OPERATIONS),
}


def names_of(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    """Names of all URLs; those without a name only redirect, or answer that there is no such page."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from names_of(pattern.url_patterns)
        elif pattern.name:
            yield pattern.name


def admin_names() -> set[str]:
    (site,) = (each for each in get_resolver().url_patterns if str(each.pattern) == "admin/")
    return set(names_of(site.url_patterns)) - {"app_list"}


@pytest.fixture(autouse=True)
def _plain_refusals(monkeypatch):
    refuse_plainly(monkeypatch)


@pytest.fixture
def rows(ada, ben, start_match, make_player):
    """A row of each model that a role can read, by the model's label."""
    match = start_match("amagande", ada, ben)
    report = reports.file(ada, reports.find(ada, "match", match.key), "other", "Something is wrong.")
    decision = Sanction.objects.create(person=ben, person_name="Ben", kind="silence", rule="respect", reason="Rude.")
    now = timezone.now()
    bounced = make_player("Bo")
    User.objects.filter(pk=bounced.pk).update(undeliverable=bounced.email, undeliverable_why="bounced")
    return {
        "accounts.user": ada,
        "accounts.outgoingmail": OutgoingMail.objects.create(to="a@example.org", sender="b@example.org", subject="Hi"),
        "cases.aicase": AiCase.objects.create(
            match=match, number=1, seat=0, level="easy", name="Ida", move="x", record={"slug": "amagande"}, view={}
        ),
        "games.match": match,
        "games.outage": Outage.objects.create(since=now, until=now),
        "games.slapattempt": SlapAttempt.objects.create(
            match=match, seat=0, version=0, elapsed=1, ping=1, cap=1, reaction=1, at=now
        ),
        "mfa.authenticator": Authenticator.objects.create(user=ada, type="totp", data={}),
        "mail.notice": Notice.objects.create(kind="over", match=match, user=ada, version=0, created_at=now),
        "moderation.appeal": Appeal.objects.create(sanction=decision),
        "moderation.auditentry": record(None, "try", ada),
        "moderation.namechange": NameChange.objects.create(user=ada, old_name="Adda", new_name="Ada"),
        "moderation.report": report,
        "moderation.sanction": decision,
        "operations.announcement": Announcement.objects.create(text="New cards!"),
        "operations.bouncedaddress": bounced,
        "operations.daycount": DayCount.objects.create(day=now.date(), what="matches", count=3),
        "operations.failure": Failure.objects.create(kind="ai_turn", match=match, version=0, error="KeyError"),
        "operations.switches": Switches.row(),
        "points.slappoint": SlapPoint.objects.create(match=match, version=0, opened_at=now),
        "slaps.flag": Flag.objects.create(player=ada, kind="median", figure=120, cards=30, last=f"{match.key} 3"),
        "talk.line": lines.say(match, ada, text="hello"),
    }


def lines_of_the_table(rows) -> Iterator[tuple[str, str, set[str], set[str]]]:
    """Name and URL of every page, who may open it, and whose form it accepts."""
    for label, read in READ.items():
        prefix = label.replace(".", "_")
        pk = rows[label].pk if label in rows else 1
        one = reverse(f"admin:{prefix}_change", args=[pk])
        send = SEND.get(label, read if label == "moderation.report" else NOBODY)
        add, delete = ADD.get(label, NOBODY), DELETE.get(label, NOBODY)
        # Switches have one row, and figures no pages for single rows.
        yield f"{prefix}_changelist", reverse(f"admin:{prefix}_changelist"), read, read
        yield f"{prefix}_change", one, read, send
        yield f"{prefix}_history", reverse(f"admin:{prefix}_history", args=[pk]), read, read
        yield f"{prefix}_add", reverse(f"admin:{prefix}_add"), add, add
        yield f"{prefix}_delete", reverse(f"admin:{prefix}_delete", args=[pk]), delete, delete
    arguments = {
        "auth_user_password_change": [rows["accounts.user"].pk],
        "view_on_site": [ContentType.objects.get_for_model(rows["games.match"]).pk, rows["games.match"].pk],
    }
    for name, (read, send) in OTHERS.items():
        kind = {"report": "moderation.report", "sanction": "moderation.sanction", "person": "accounts.user"}.get(
            name.partition("_")[0]
        )
        given = arguments.get(name, [rows[kind].pk] if kind else [])
        yield name, reverse(f"admin:{name}", args=given), read, send
    for app in sorted({label.split(".")[0] for label in READ}):
        read = set().union(*(roles for label, roles in READ.items() if label.startswith(f"{app}.")))
        yield "app_list", reverse("admin:app_list", args=[app]), read, read


def is_let_in(answer) -> bool:
    """Whether a page was shown or the action done; visitors are redirected to the login, or refused."""
    if answer.status_code == 302:
        return "/login/" not in answer.url
    return answer.status_code == 200


@pytest.fixture
def client_of(make_player, make_moderator, monkeypatch):
    """A browser with that role, whose permissions are read once instead of at each of hundreds of pages."""

    def make(role):
        client = Client()
        if role == "visitor":
            return client
        person = make_player("Pia") if role == "player" else make_moderator("Role", *{role} - {"staff"})
        client.force_login(person)
        monkeypatch.setattr(middleware, "get_user", lambda _request: person)
        return client

    return make


def test_every_page_of_the_admin_site_has_its_line(rows):
    assert {
        f"{model._meta.app_label}.{model._meta.model_name}"
        for model in apps.get_models()
        if admin.site.is_registered(model)
    } == set(READ)
    named = {name for name, *_rest in lines_of_the_table(rows)} - {"app_list"}
    assert admin_names() == named
    assert all(apps.get_model(label) for label in READ)


@pytest.mark.parametrize("role", sampled(ROLES, "talk", "visitor"))
def test_each_role_opens_its_own_pages_and_no_other(rows, client_of, role):
    client = client_of(role)
    wrong = [
        (name, role in read)
        for name, address, read, _send in lines_of_the_table(rows)
        if is_let_in(client.get(address)) != (role in read)
    ]
    assert wrong == []


@pytest.mark.parametrize("role", sampled(ROLES, "talk", "visitor"))
def test_each_role_sends_its_own_forms_and_no_other(rows, client_of, role):
    client = client_of(role)
    wrong = [
        (name, role in send)
        for name, address, _read, send in lines_of_the_table(rows)
        if name != "logout" and is_let_in(client.post(address)) != (role in send)
    ]
    assert wrong == []
    assert is_let_in(client.post(reverse("admin:logout")))
