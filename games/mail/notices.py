"""Writing down who is to be told what, in the transaction that gives the reason for it."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection
from django.utils import timezone

from games.mail.models import Kind, Notice
from games.mail.schedule import LIVE_PUSH_AFTER, PUSH_AFTER
from games.matches.models import Match

#: Who looks within this time has seen by themselves that a match has begun or ended.
NEWS_AFTER = timedelta(minutes=5)


class Asked(NamedTuple):
    """A person whose choice a match waits for since ``at``, from ``version`` on."""

    match_id: int
    user_id: int
    seat: int
    version: int
    at: datetime
    is_live: bool


# At a live table only those are told who have a browser that takes pushes, and nobody else costs a row.
_ASK = """
INSERT INTO mail_notice
    (kind, match_id, user_id, seat, version, created_at, next_at, stages, mails, failures, error)
SELECT 'turn', asked.column1, asked.column2, asked.column3, asked.column4, asked.column5, asked.column6, '', 0, 0, ''
FROM (VALUES {rows}) AS asked
WHERE NOT asked.column7 OR EXISTS (SELECT 1 FROM mail_pushsubscription WHERE user_id = asked.column2)
ON CONFLICT DO NOTHING
"""
_TYPES = ("bigint", "bigint", "int", "int", "timestamptz", "timestamptz", "boolean")


def ask(asked: Sequence[Asked]) -> None:
    """Note the turns that begin: one statement for all of them, none for none. A turn noted twice is one."""
    if not asked:
        return
    adapt = connection.ops.adapt_datetimefield_value
    # PostgreSQL must be told the types of a bare list of values.
    marks = [f"%s::{name}" if connection.vendor == "postgresql" else "%s" for name in _TYPES]
    values: list[Any] = []
    for turn in asked:
        first = turn.at + (LIVE_PUSH_AFTER if turn.is_live else PUSH_AFTER)
        values += (turn.match_id, turn.user_id, turn.seat, turn.version, adapt(turn.at), adapt(first), turn.is_live)
    with connection.cursor() as cursor:
        cursor.execute(_ASK.format(rows=", ".join([f"({', '.join(marks)})"] * len(asked))), values)


def begins(match: Match, user_ids: Iterable[int]) -> None:
    """A match has begun for these people, none of whom is asked yet: the turn's own mail tells the others."""
    _tell(Kind.BEGINS, match, user_ids, NEWS_AFTER)


def over(match_id: int, version: int, user_ids: Iterable[int]) -> None:
    """A match is over, after ``version`` moves, for these people."""
    _write(Kind.OVER, match_id, version, user_ids, NEWS_AFTER)


def away(match_id: int, version: int, user_id: int) -> None:
    """This person has missed turns, and a stand-in plays on for them until they are back."""
    _write(Kind.AWAY, match_id, version, [user_id], NEWS_AFTER)


def invite(match: Match, user_ids: Iterable[int]) -> None:
    """These people are asked to sit down at an open table."""
    _tell(Kind.INVITATION, match, user_ids, timedelta(0))


def offer_seat(match: Match, user_ids: Iterable[int], wait: timedelta = timedelta(0)) -> None:
    """A seat of a running match, whose player is gone, will be offered to these people after ``wait``."""
    _tell(Kind.OFFER, match, user_ids, wait)


def _tell(kind: Kind, match: Match, user_ids: Iterable[int], wait: timedelta) -> None:
    _write(kind, match.pk, match.version, user_ids, wait)


def _write(kind: Kind, match_id: int, version: int, user_ids: Iterable[int], wait: timedelta) -> None:
    now = timezone.now()
    rows = [
        Notice(kind=kind, match_id=match_id, user_id=user, version=version, created_at=now, next_at=now + wait)
        for user in sorted(set(user_ids))
    ]
    if rows:
        Notice.objects.bulk_create(rows, ignore_conflicts=True)
