import json
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction
from django.db.models import Model, QuerySet
from django.utils import timezone

from accounts import outbox
from accounts.models import OutgoingMail, User
from games.mail import dispatch
from games.mail.models import Notice
from games.matches.models import Match
from games.matches.tasks import overdue

#: Rows of one INSERT; each has a due time of its own.
CHUNK = 10_000
#: Rows that are due in every measurement.
DUE = 50
#: The number of queries in a mean time.
ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Sweep:
    """A table that is swept."""

    name: str
    model: type[Model]
    #: The column that says when a row is due.
    column: str
    #: A first row that is due at a moment; the others are its copies.
    make: Callable[[datetime], Model]
    #: The columns in which a copy differs: SQL in which ``i`` is its number.
    differs: Mapping[str, str]
    #: What one sweep asks for at a moment.
    due: Callable[[datetime], QuerySet[Any, Any]]


def _match(due_at: datetime, key: str = "bench0") -> Match:
    return Match.objects.create(
        key=key,
        slug="armed",
        rules_version=1,
        seat_count=2,
        seed="00",
        status=Match.Status.RUNNING,
        started_at=due_at,
        due_at=due_at,
    )


def _notice(due_at: datetime) -> Notice:
    user = User.objects.create(email="bench@example.org", name="Bench")
    # Belongs to a finished match, so it isn't one of the swept matches.
    match = _match(due_at, "benchmail")
    Match.objects.filter(pk=match.pk).update(status=Match.Status.CANCELLED)
    return Notice.objects.create(match=match, user=user, version=0, created_at=due_at, next_at=due_at)


def _mail(due_at: datetime) -> OutgoingMail:
    return OutgoingMail.objects.create(to="bench@example.org", sender="a@example.org", next_try_at=due_at)


SWEEPS = (
    Sweep("matches", Match, "due_at", _match, {"key": "'bench' || i"}, overdue),
    Sweep("notices", Notice, "next_at", _notice, {"version": "i"}, dispatch.due),
    Sweep("outbox", OutgoingMail, "next_try_at", _mail, {}, outbox.due),
)


class Command(BaseCommand):
    help = (
        "Measure the regular sweeps (matches, notices, the outbox) among many rows that aren't due: how many rows are "
        "read, and how long that takes. Needs an empty database of its own (DATABASE_URL, or DATA_DIR), and leaves it "
        "empty."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--matches",
            type=int,
            default=1_000_000,
            help="the largest number of rows in each table (default: %(default)s)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object a line")

    def handle(self, *, matches: int, **options: Any) -> None:
        if any(each.model.objects.exists() for each in SWEEPS):  # type: ignore[attr-defined]  # any model has them
            raise CommandError("This database is in use. Give the bench one of its own, freshly migrated.")
        now = timezone.now()
        for each in SWEEPS:
            with transaction.atomic():
                fill(each, 0, DUE, now - timedelta(minutes=1))
                stored = DUE
                for size in sorted({matches // 100, matches // 10, matches}):
                    fill(each, stored, size, now + timedelta(hours=1))
                    stored = max(stored, size)
                    figures = {"sweep": each.name, "rows": stored, "due": DUE, **measure(each, now)}
                    if options["json"]:
                        self.stdout.write(json.dumps(figures))
                    else:
                        self.stdout.write("  ".join(f"{name}: {value}" for name, value in figures.items()))
                transaction.set_rollback(True)


def fill(each: Sweep, first: int, last: int, due_at: datetime) -> None:
    """Rows number ``first`` to ``last``, due at ``due_at`` and in the minutes after it."""
    if first == 0:
        each.make(due_at)
        first = 1
    table = each.model._meta.db_table
    columns = [str(field.column) for field in each.model._meta.concrete_fields if not field.primary_key]
    differs = {each.column: "%s", **each.differs}
    # Written by the database itself: a million rows by way of objects take minutes.
    sql = (
        "WITH RECURSIVE number(i) AS (SELECT %s UNION ALL SELECT i + 1 FROM number WHERE i + 1 < %s) "  # noqa: S608 - names of our own
        f"INSERT INTO {table} ({', '.join(_quoted(columns))}) "
        f"SELECT {', '.join(differs.get(column) or f't.{_quoted([column])[0]}' for column in columns)} "
        f"FROM number, {table} t WHERE t.id = (SELECT min(id) FROM {table})"
    )
    with connection.cursor() as cursor:
        for chunk, begin in enumerate(range(first, last, CHUNK)):
            moment = connection.ops.adapt_datetimefield_value(due_at + timedelta(seconds=chunk))
            cursor.execute(sql, [begin, min(begin + CHUNK, last), moment])
        cursor.execute(f"ANALYZE {table}")


def measure(each: Sweep, now: datetime) -> dict[str, Any]:
    """How the database finds the rows due at ``now``: its plan, the rows it read (PostgreSQL only), and the time."""
    due = each.due(now)
    begun = time.perf_counter()
    for _ in range(ROUNDS):
        found = len(due.all())
    milliseconds = (time.perf_counter() - begun) / ROUNDS * 1000
    figures: dict[str, Any] = {"found": found, "ms": round(milliseconds, 2)}
    if connection.vendor == "postgresql":
        plan = json.loads(due.explain(analyze=True, format="json"))[0]["Plan"]
        nodes = list(_nodes(plan))
        read = sum(
            node.get("Actual Rows", 0) + node.get("Rows Removed by Filter", 0)
            for node in nodes
            if not node.get("Plans")
        )
        figures |= {"rows_read": read, "plan": " < ".join(_title(node) for node in nodes)}
    else:
        figures["plan"] = " ".join(due.explain().split())
    return figures


def _quoted(columns: list[str]) -> list[str]:
    return [connection.ops.quote_name(column) for column in columns]


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from _nodes(child)


def _title(node: dict[str, Any]) -> str:
    return " ".join(filter(None, [node["Node Type"], node.get("Index Name", "")]))
