"""Database sessions, read with a compiled query because almost every page reads one."""

from datetime import datetime

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from accounts.compiled import compiled, first


@compiled
def _unexpired(key: str, now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)


class SessionStore(db.SessionStore):
    """Django's database sessions: same table, same format."""

    def _get_session_from_db(self) -> Session | None:
        session = first(_unexpired(self.session_key or "", timezone.now()))
        if session is None:
            self._session_key = None
        return session
