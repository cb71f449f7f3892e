"""Every URL, called with odd values by every role: no error of the site, and no changes to rows of others.

URLs, form fields and the parameters that views read are found, not listed, so a new page is crawled with everything it
reads. Values are random with a fixed seed; ``CRAWL_ROUNDS=50`` sends that many more.
"""

import os
import random
import re
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import reduce
from operator import or_
from urllib.parse import quote

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection, transaction
from django.db.models import Q
from django.http import QueryDict
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern
from django.utils import timezone

from accounts.models import OutgoingMail, User
from accounts.moderation.models import Sanction
from accounts.playing_times.models import Leave
from games.chat import lines
from games.matches import service
from games.matches.models import Match
from games.moderation import reports
from games.operations.models import Failure
from games.site_status.models import Announcement
from tests.factories.addresses import HEALTH, refuse_plainly
from tests.factories.site_process import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.whole_match]

ROUNDS = int(os.environ.get("CRAWL_ROUNDS", "1"))
ROLES = ("visitor", "guest", "stranger", "player", "talk", "results", "accounts", "operations", "superuser")
#: Roles without access to the rows of others.
OUTSIDE = {"visitor", "guest", "stranger"}
#: Values that no form sends, and some that they do send, to get past the first check.
ODD = (
    "", " ", "x", "-1", "0", "1", "2", "7", "٣", "²", "1.5", "1e400", "nan", "9" * 30, str(2**63), "on", "true", "null",
    "[]", '{"a": [[[[{}]]]]}', "[" * 3000, "a" * 5000, "\n", "\r\nX: y", "\x0b\x1b", "\ufeff\u202e\ud7ff\U0010ffff",
    "9999-12-31T23:59", "0001-01-01", "2026-02-30", "25:61", "<b>%s{}", "../../", "armani", "daily", "easy", "Ada",
    "ada@example.org", "x@y@z", "other", "friends", "player:ben", "H7", "draw", "de", "-0", "+1", "1,2,3", "1-2", "a:b",
)  # fmt: skip
FIELD = re.compile(r'<(?:input|select|textarea|button)\b[^>]*?\bname="([^"]+)"')
READ = re.compile(r'\.(?:GET|POST|data)(?:\.get(?:list)?\(|\[)"([\w-]+)"')


@pytest.fixture
def world(ada, ben, make_player, start_match, start_by_mail):
    """One of everything a URL can be about: URL arguments by name."""
    now = timezone.now()
    running, by_mail = start_match("amagande", ada, ai={1: "easy"}), start_by_mail("basic-rummy", ada, ben)
    finished = start_match("normal-cards", ada, ben)
    service.resign(finished, ben)
    open_one = service.open_table(ada, "armani", 4, {})
    line = lines.say(running, ada, text="hello")
    report = reports.file(ben, reports.find(ben, "player", "ada"), "respect", "She is rude.")
    decided = {"rule": "respect", "reason": "Rude.", "in_force_at": now}
    numbers = [
        report.pk,
        Sanction.objects.create(person=ada, person_name="Ada", kind="warning", **decided).pk,
        Announcement.objects.create(text="Soon!").pk,
        Leave.objects.create(user=ada, starts_at=now + timedelta(1), ends_at=now + timedelta(3), days=2).pk,
        OutgoingMail.objects.create(to="a@example.org", sender="b@example.org", subject="Hi", status="failed").pk,
        Failure.objects.create(kind="ai_turn", match=running, version=1, error="KeyError").pk,
        ada.pk,
        line.pk,
        make_player("Cleo").pk,
    ]
    return {
        "key": [match.key for match in (running, by_mail, finished, open_one)],
        "slug": ["armani", "basic-rummy", "normal-cards"],
        "name_key": ["ada", "ben"],
        "ref": ["ben", running.key, f"{running.key}-{line.pk}", f"{running.key}-1"],
        "kind": ["player", "match", "line", "move"],
        "int": [*sorted(set(numbers)), 0, 2**70],
    }


def paths(world: dict[str, list[object]], rng: random.Random) -> Iterator[str]:
    """Every URL a few times, with different arguments: some valid, some odd."""

    def value(kind: str, name: str) -> str:
        known = world["int"] if kind == "int" else world.get(name, [])
        return quote(str(rng.choice(known)) if known and (kind == "int" or rng.random() < 0.9) else rng.choice(ODD), "")

    def filled(route: str) -> str:
        return re.sub(r"<(?:(\w+):)?(\w+)>", lambda part: value(part[1] or "str", part[2]), route)

    def walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, before + str(pattern.pattern))
            elif not isinstance(pattern.pattern, RegexPattern) and pattern.name not in HEALTH:
                route = before + str(pattern.pattern)
                for _time in range(2 if "<" in route else 1):
                    yield "/" + filled(route)

    yield from walk(get_resolver().url_patterns, "")
    for action in ("befriend", "block", "nothing"):
        yield f"/player/{value('str', 'name_key')}/{action}/"
    for key in ("x", "Mg:1v:x", ":" * 300):
        yield f"/accounts/confirm-email/{key}/"
        yield f"/accounts/password/reset/key/{rng.choice(['1', 'zzzzzzzzzzzzzz'])}-{key}/"
    for model in apps.get_models():
        if admin.site.is_registered(model):
            row = model._default_manager.first()
            yield f"/admin/{model._meta.app_label}/{model._meta.model_name}/{row.pk if row else 1}/change/"


def parameters() -> list[str]:
    """Parameters that views read from a query or form by a literal name."""
    files = [path for folder in ("accounts", "games") for path in (ROOT / folder).rglob("*.py")]
    return sorted({name for path in files for name in READ.findall(path.read_text())} | {"page", "q", "o", "p", "next"})


def drawn(names: list[str], rng: random.Random) -> QueryDict:
    """Some of these fields with an odd value each, one in ten twice."""
    data = QueryDict(mutable=True)
    for name in names:
        for _time in range(rng.choice([0, 1, 1, 1, 1, 1, 1, 1, 1, 2])):
            data.appendlist(name, rng.choice(ODD))
    return data


@pytest.fixture
def client_of(ada, ben, make_player, make_moderator):
    """A browser with that role, freshly authenticated and without rate limits."""

    def make(role: str) -> Client:
        client = Client(raise_request_exception=True)
        if role == "guest":
            client.post("/guest/")
        elif role != "visitor":
            person = {"stranger": lambda: make_player("Quinn"), "player": lambda: ada}.get(
                role, lambda: make_moderator("Role", *([] if role == "superuser" else [role]))
            )()
            person.is_superuser = role == "superuser"
            person.save()
            client.force_login(person)
            session = client.session
            session["account_authentication_methods"] = [{"method": "password", "at": time.time()}]
            session.save()
        return client

    return make


def owned(people: list[User]) -> dict[tuple[str, object], object]:
    """Every row that is one of these people, or refers to one."""
    found: dict[tuple[str, object], object] = {}
    keys = [person.pk for person in people]
    for model in apps.get_models():
        names = ["pk"] if model is User else [each.name for each in model._meta.fields if each.related_model is User]
        if names:
            rows = model._default_manager.filter(reduce(or_, (Q(**{f"{name}__in": keys}) for name in names))).values()
            found |= {(model._meta.label, row[model._meta.pk.attname]): row for row in rows}
    return found


@pytest.mark.parametrize("role", ROLES)
def test_no_request_causes_an_error(role, world, ada, ben, client_of, settings, monkeypatch):
    refuse_plainly(monkeypatch)
    settings.ACCOUNT_RATE_LIMITS = False
    rng = random.Random(f"{role} 1")
    client, read, faults, answered = client_of(role), parameters(), [], 0

    people, written = [ada, ben], []
    before = owned(people)
    # Anyone with the URL may sit down there.
    del before["games.Match", Match.objects.get(status=Match.Status.OPEN).pk]

    def note(execute: Callable[..., object], sql: str, *arguments: object) -> object:
        """Note every statement that may change rows."""
        if not sql.lstrip().startswith(("SELECT", "SAVEPOINT", "RELEASE", "ROLLBACK")):
            written.append(sql)
        return execute(sql, *arguments)

    def ask(method: str, path: str, names: list[str]) -> str:
        """Send a request and roll back its changes."""
        nonlocal answered
        data = drawn(names, rng)
        cookies = client.cookies.copy()
        written.clear()
        try:
            with transaction.atomic(), connection.execute_wrapper(note):
                if method == "GET":
                    answer = client.get(f"{path}?{data.urlencode()}")
                else:
                    answer = client.post(path, data.urlencode(), content_type="application/x-www-form-urlencoded")
                if role in OUTSIDE and method == "POST" and written:
                    now = owned(people)
                    faults.extend((path, row) for row, was in before.items() if now.get(row) != was)
                page = b"".join(answer.streaming_content) if answer.streaming else answer.content
                transaction.set_rollback(True)
        except Exception as error:  # each is a 500
            faults.append((method, path, dict(data.lists()), repr(error)))
            return ""
        finally:
            client.cookies = cookies
        answered += answer.status_code < 400
        if answer.status_code >= 500:
            faults.append((method, path, dict(data.lists()), answer.status_code))
        return page.decode(errors="replace")

    for _round in range(ROUNDS):
        for path in paths(world, rng):
            fields = sorted(set(FIELD.findall(ask("GET", path, []))) - {"csrfmiddlewaretoken"})
            ask("GET", path, rng.sample(read, 12))
            ask("POST", path, fields + rng.sample(read, 12))
    assert faults == []
    assert answered > 100
    assert Match.objects.count() == 4, "all was taken back"
