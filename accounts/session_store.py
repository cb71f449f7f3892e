"""Sessions in the database, read with one compiled query, since each page begins by reading one."""

from datetime import datetime

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from accounts.compiled import compiled


@compiled
def _unexpired(key: str, now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)


class SessionStore(db.SessionStore):
    """Django's sessions, in its own table."""

    def _get_session_from_db(self) -> Session | None:
        for session in _unexpired(self.session_key or "", timezone.now()):
            return session
        self._session_key = None
        return None
