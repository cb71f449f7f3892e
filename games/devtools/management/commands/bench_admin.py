import json
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, models, transaction
from django.template.response import TemplateResponse
from django.test import RequestFactory, override_settings
from django.utils import timezone

from accounts.admin_kit import MOST
from accounts.models import OutgoingMail, User
from accounts.moderation.models import AuditEntry, NameChange, Report, Sanction
from games.ai_reports.models import AiCase
from games.chat.models import Line
from games.mail.models import Notice
from games.matches.models import Match, Seat, SlapAttempt
from games.matches.slap_points.models import SlapPoint
from games.operations.models import Failure
from games.slaps.models import Flag

#: Maximum rows that one page may read: rows counted, rows skipped to reach the last page, and a margin for rows that
#: don't fit a filter most rows fit.
BOUND = 8 * MOST
KEY = "bench77"
TERMS = (KEY, "bench77@example.org", "Bench 77", "no such person")


class Command(BaseCommand):
    help = (
        "Measure every list of the admin site with each of its filters and searches and on its last page: queries, "
        "rows read, time in the database. Needs an empty database of its own (DATABASE_URL, or DATA_DIR), and leaves "
        "it empty. Fails if a page reads too many rows (PostgreSQL only)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--matches", type=int, default=1_000_000, help="matches (default: %(default)s)")
        parser.add_argument("--all", action="store_true", help="print every page, not just the worst of each list")

    def handle(self, *, matches: int, **options: Any) -> None:
        if Match.objects.exists():
            raise CommandError("This database has matches in it. Give the bench one of its own, freshly migrated.")
        # No browser will ask for the styles of these pages, so they needn't be collected.
        files = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
        with override_settings(STORAGES={**settings.STORAGES, "staticfiles": files}), transaction.atomic():
            begun = time.perf_counter()
            fill(matches)
            self.stdout.write(f"filled in {time.perf_counter() - begun:.0f} s")
            boss = User.objects.create_superuser("boss@example.org", name="Boss")
            worst = 0
            for label, rows, pages in measure_all(boss):
                shown = pages if options["all"] else [max(pages, key=lambda page: page.milliseconds)]
                for page in shown:
                    self.stdout.write(
                        f"{label:28} {rows:>9,} rows  {len(pages):>3} pages  {page.queries:>2} queries  "
                        f"{page.milliseconds:>6.1f} ms  {page.rows_read:>7,} read  ?{page.query}"
                    )
                worst = max(worst, *(page.rows_read for page in pages))
            transaction.set_rollback(True)
        if worst > BOUND:
            raise CommandError(f"A page reads {worst:,} rows, more than the allowed {BOUND:,}.")


@dataclass(slots=True)
class Page:
    """The cost of one page of a list."""

    query: str
    queries: int = 0
    milliseconds: float = 0.0
    rows_read: int = 0
    statements: list[tuple[str, Any]] = field(default_factory=list)


def measure_all(boss: User) -> Iterator[tuple[str, int, list[Page]]]:
    """Name, rows and pages of each list."""
    for model in filter(admin.site.is_registered, apps.get_models()):
        model_admin = admin.site.get_model_admin(model)
        rows = model._default_manager.count()
        pages = [measure(model_admin, query, boss) for query in queries_of(model_admin, boss)]
        yield model._meta.label, rows, [page for page in pages if page.queries] or pages


def queries_of(model_admin: Any, boss: User) -> Iterator[str]:
    """The URLs of a list: unfiltered, its last page, each filter choice, each search."""
    yield ""
    changes = model_admin.get_changelist_instance(request_for("", boss))
    last = changes.paginator.num_pages
    if last > 1:
        yield f"p={last}"
    for spec in changes.filter_specs:
        for choice in spec.choices(changes):
            if not choice["selected"]:
                yield choice["query_string"].lstrip("?")
    if model_admin.search_fields:
        for term in TERMS:
            yield f"q={term.replace(' ', '+')}"


def measure(model_admin: Any, query: str, boss: User) -> Page:
    """Request one page as a browser does, then explain its database queries."""
    page = Page(query)

    def note(execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        begun = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            page.milliseconds += (time.perf_counter() - begun) * 1000
            page.queries += 1
            page.statements.append((sql, params))

    with connection.execute_wrapper(note):
        answer = model_admin.changelist_view(request_for(query, boss))
        if isinstance(answer, TemplateResponse):
            answer.render()
    if connection.vendor == "postgresql":
        page.rows_read = sum(rows_read(sql, params) for sql, params in page.statements if sql.startswith("SELECT"))
    return page


def request_for(query: str, boss: User) -> Any:
    """A request for a page of a list."""
    request = RequestFactory().get(f"/admin/?{query}")
    request.user = boss
    return request


def rows_read(sql: str, params: Any) -> int:
    """Rows read by PostgreSQL to answer a query."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params)
        plan = cursor.fetchone()[0]
    plan = json.loads(plan) if isinstance(plan, str) else plan
    return round(sum(_read_by(node) for node in _nodes(plan[0]["Plan"])))


def _read_by(node: dict[str, Any]) -> float:
    if node.get("Plans"):
        return 0
    rows = node.get("Actual Rows", 0) + node.get("Rows Removed by Filter", 0)
    return rows * node.get("Actual Loops", 1)


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from _nodes(child)


@dataclass(frozen=True, slots=True)
class Filled:
    """The benchmark's people and matches, to which all other rows refer."""

    now: datetime
    user: User
    people: int
    first: int
    match: Match
    matches: int

    @property
    def person_key(self) -> str:
        """The key of row ``i``'s person, in SQL."""
        return f"{self.first} + i % {self.people}"

    @property
    def at_match(self) -> str:
        """The key of row ``i``'s match, in SQL."""
        return f"{self.match.pk} + i"


def fill(matches: int) -> None:
    """Write matches, and as many other rows as a site of that size would have."""
    now, people = timezone.now(), max(20, matches // 10)
    user = _fill_people(people)
    first = User.objects.order_by("pk").values_list("pk", flat=True)[1]
    filled = Filled(now, user, people, first, _fill_matches(matches, now), matches)
    for number in (0, 1):
        player = user if number else None
        seat = Seat.objects.create(match=filled.match, number=number, player=player, player_name="x")
        player_id = f"{first} + (i + {number * 7}) % {people}"
        _copy(seat, matches - 1, match_id=filled.at_match, player_id=player_id)
    for row, count, columns in _rows_of_matches(filled) + _rows_of_people(filled):
        row.save()
        _copy(row, count, **columns)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _fill_people(count: int) -> User:
    user = User.objects.create_user("template@example.org", name="Template")
    _copy(
        user,
        count,
        email="CASE WHEN i % 10 = 0 THEN NULL ELSE 'bench' || i || '@example.org' END",
        is_guest="i % 10 = 0",
        name="'Bench ' || i",
        name_key="'bench' || i",
        is_staff="i % 10000 = 1",
        is_active="i % 5000 <> 1",
        undeliverable="CASE WHEN i % 5000 = 3 THEN 'bench' || i || '@example.org' ELSE '' END",
    )
    return user


def _fill_matches(matches: int, now: datetime) -> Match:
    """Write the matches; returns the first."""
    over = {"status": "over", "started_at": now, "finished_at": now, "outcome": {}}
    running = {"status": "running", "started_at": now, "due_at": now + timedelta(hours=1)}
    # Some filtered values are rare: a game that few people play, an overdue match.
    slug = "CASE WHEN i % 5000 = 0 THEN 'ten-skip' WHEN i % 2 = 0 THEN 'armani' ELSE 'armed' END"
    for prefix, count, values in (
        ("bench", matches - matches // 20, over),
        ("benchr", matches // 20 - matches // 1000, running),
        ("bencho", matches // 1000, {"status": "open"}),
        ("benchl", 20, {**running, "due_at": now - timedelta(hours=1)}),
    ):
        match = Match.objects.create(
            key=f"{prefix}-x", slug="armed", rules_version=1, seat_count=2, seed="00", seed_hash="00", **values
        )
        _copy(match, count, key=f"'{prefix}' || i", slug=slug)
    return Match.objects.order_by("pk")[0]


Rows = list[tuple[models.Model, int, dict[str, str]]]


def _rows_of_matches(filled: Filled) -> Rows:
    match, user, now, matches = filled.match, filled.user, filled.now, filled.matches
    at_match, person_key = filled.at_match, filled.person_key
    return [
        (
            SlapAttempt(match=match, seat=0, version=0, elapsed=1, ping=1, cap=1, reaction=1, at=now, result="won"),
            matches // 2,
            {"match_id": at_match, "result": "CASE WHEN i % 5000 = 0 THEN 'wrong' ELSE 'won' END"},
        ),
        (
            Notice(kind="turn", match=match, user=user, version=0, created_at=now),
            matches // 2,
            {"match_id": at_match, "user_id": person_key, "failures": "CASE WHEN i % 5000 = 0 THEN 3 ELSE 0 END"},
        ),
        (
            Line(match=match, author=user, author_name="x", text="hello"),
            matches // 2,
            {"match_id": at_match, "author_id": person_key, "is_removed": "i % 5000 = 0"},
        ),
        (SlapPoint(match=match, version=0, opened_at=now), matches // 10, {"match_id": at_match}),
        (
            AiCase(match=match, number=1, seat=0, level="easy", name="x", move="x", record={"slug": "armed"}, view={}),
            matches // 50,
            {"match_id": at_match, "reporter_id": person_key, "is_settled": "i % 500 <> 0"},
        ),
        (
            Failure(kind="ai_turn", match=match, version=0, error="KeyError"),
            matches // 50,
            {"match_id": at_match, "kind": "CASE WHEN i % 500 = 0 THEN 'replay' ELSE 'ai_turn' END"},
        ),
        (
            AuditEntry(actor_name="x", action="try", target="user:1"),
            matches // 5,
            {"actor_name": "'Bench ' || (i % 10)", "action": "'action' || (i % 20)", "target": "'match:' || i"},
        ),
    ]


def _rows_of_people(filled: Filled) -> Rows:
    user, now, matches = filled.user, filled.now, filled.matches
    person_key = filled.person_key
    return [
        (
            OutgoingMail(to="x@example.org", sender="a@example.org", subject="Hi", status="sent", sent_at=now),
            matches // 2,
            {
                "to": "'bench' || i || '@example.org'",
                "status": "CASE WHEN i % 5000 = 0 THEN 'failed' ELSE 'sent' END",
            },
        ),
        (
            Report(
                kind="match",
                rule="fair",
                thing="match:x",
                reporter=user,
                reporter_name="x",
                sentence="No.",
                closed_at=now,
                outcome="upheld",
            ),
            matches // 50,
            {
                "thing": "'match:' || i",
                "reporter_id": person_key,
                "match_id": filled.at_match,
                "kind": "CASE WHEN i % 500 = 0 THEN 'move' ELSE 'match' END",
                "rule": "CASE WHEN i % 500 = 0 THEN 'spam' ELSE 'fair' END",
            },
        ),
        (
            Sanction(person=user, person_name="x", kind="silence", rule="respect", reason="x", in_force_at=now),
            matches // 50,
            {"person_id": person_key, "kind": "CASE WHEN i % 500 = 0 THEN 'closed' ELSE 'silence' END"},
        ),
        (
            NameChange(user=user, old_name="x", new_name="y"),
            matches // 50,
            {"user_id": person_key, "old_name": "'B' || i"},
        ),
        (
            Flag(player=user, kind="median", figure=1, cards=1, last="x"),
            filled.people - 1,
            {"player_id": f"{filled.first} + i", "kind": "CASE WHEN i % 500 = 0 THEN 'steady' ELSE 'median' END"},
        ),
    ]


def _copy(row: models.Model, count: int, **columns: str) -> None:
    """Copies of a row, numbered ``i`` from 1; ``columns`` are SQL for the columns that differ."""
    quote = connection.ops.quote_name
    table, key = quote(row._meta.db_table), quote(str(row._meta.pk.column if row._meta.pk else "id"))
    names = [str(each.column) for each in row._meta.concrete_fields if not each.primary_key]
    if connection.vendor == "postgresql":
        # The rows have different times.
        moments = {"found_at", "last_at", "imposed_at", "created_at", "closed_at"}.intersection(names) - set(columns)
        columns |= {name: f"t.{quote(name)} - i * interval '1 second'" for name in moments}
    values = [columns.get(name, f"t.{quote(name)}") for name in names]
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %s) "  # noqa: S608 - our own words
            f"INSERT INTO {table} ({', '.join(map(quote, names))}) "
            f"SELECT {', '.join(value.replace('%', '%%') for value in values)} FROM {table} t, n WHERE t.{key} = %s",
            [max(1, count), row.pk],
        )
