"""Write notices in the transaction of their cause."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from games.lobby.invitations import invited
from games.mail.models import Kind, Notice
from games.mail.schedule import LIVE_PUSH_AFTER, PUSH_AFTER
from games.matches import sql
from games.matches.events import MatchBegan, MatchEnded, PlayerAbsent, SeatOffered, Turn, TurnsBegan, recorders
from games.matches.models import Incident, Match

#: A player who has looked within this time knows that a match has begun or ended.
NEWS_AFTER = timedelta(minutes=5)

#: Incidents of absence with an email to the absent player; the others read about them in their next one.
_TOLD_OF_ABSENCE: dict[str, Kind] = {
    Incident.Kind.STAND_IN: Kind.MISSED,
    Incident.Kind.AUTOPILOT: Kind.AWAY,
    Incident.Kind.OFFERED: Kind.OFFERED,
    Incident.Kind.REPLACED: Kind.REPLACED,
    Incident.Kind.TAKEN: Kind.REPLACED,
}


# At a live table only players with pushes get a notice; no one else costs a row.
_ASK = """
INSERT INTO mail_notice
    (kind, match_id, user_id, seat, version, created_at, next_at, stages, mails, failures, error)
SELECT 'turn', asked.column1, asked.column2, asked.column3, asked.column4, asked.column5, asked.column6, '', 0, 0, ''
FROM (VALUES {rows}) AS asked
WHERE NOT asked.column7 OR EXISTS (SELECT 1 FROM mail_pushsubscription WHERE user_id = asked.column2)
ON CONFLICT DO NOTHING
"""
_TYPES = ("bigint", "bigint", "int", "int", "timestamptz", "timestamptz", "boolean")


def connect() -> None:
    """Write notices from now on for events of matches and the lobby."""
    recorders[TurnsBegan].append(lambda event: ask(event.turns))
    recorders[MatchBegan].append(lambda event: _notify(Kind.BEGINS, event.match, event.user_ids, NEWS_AFTER))
    recorders[MatchEnded].append(over)
    recorders[PlayerAbsent].append(absent)
    recorders[SeatOffered].append(lambda event: _notify(Kind.OFFER, event.match, event.user_ids, event.wait))
    invited.connect(invite, dispatch_uid="mail.invite")


def ask(asked: Sequence[Turn]) -> None:
    """Write notices for new turns, in one statement; a turn noted twice counts once."""
    if not asked:
        return
    adapt = sql.moments()
    values: list[Any] = []
    for turn in asked:
        first = turn.at + (LIVE_PUSH_AFTER if turn.is_live else PUSH_AFTER)
        values += (turn.match_id, turn.user_id, turn.seat, turn.version, adapt(turn.at), adapt(first), turn.is_live)
    sql.execute(_ASK, _TYPES, values)


def over(event: MatchEnded) -> None:
    """Notify these people of the end of a turn-based match; the others were present."""
    if not event.is_live:
        _write(Kind.OVER, event.match_id, event.version, event.user_ids, NEWS_AFTER)


def absent(event: PlayerAbsent) -> None:
    """Notify a player of what happened to their turn or seat while they were away."""
    kind = _TOLD_OF_ABSENCE.get(event.kind)
    if kind is not None:
        _write(kind, event.match_id, event.version, [event.user_id], NEWS_AFTER)


def invite(match: Match, user_ids: Iterable[int], **_kwargs: Any) -> None:
    """Notify people of an invitation to an open table."""
    _notify(Kind.INVITATION, match, user_ids, timedelta(0))


def _notify(kind: Kind, match: Match, user_ids: Iterable[int], wait: timedelta) -> None:
    _write(kind, match.pk, match.version, user_ids, wait)


def _write(kind: Kind, match_id: int, version: int, user_ids: Iterable[int], wait: timedelta) -> None:
    now = timezone.now()
    rows = [
        Notice(kind=kind, match_id=match_id, user_id=user, version=version, created_at=now, next_at=now + wait)
        for user in sorted(set(user_ids))
    ]
    if rows:
        Notice.objects.bulk_create(rows, ignore_conflicts=True)
