"""A test client for pages of people who are logged in."""

import secrets

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.session_store import SessionStore


class QuickClient(Client):
    """Django's test client with a quicker login."""

    def force_login(self, user: User, backend: str | None = None) -> None:
        """Log ``user`` in with one statement.

        Django's own way takes ten, and records the login, which few tests are about; these use :class:`Client`.
        """
        store = SessionStore()
        data = {
            SESSION_KEY: str(user.pk),
            BACKEND_SESSION_KEY: backend or settings.AUTHENTICATION_BACKENDS[0],
            HASH_SESSION_KEY: user.get_session_auth_hash(),
            "used_on": str(timezone.now().date()),
        }
        session = Session(secrets.token_hex(16), store.encode(data), store.get_expiry_date())
        session.save(force_insert=True)
        self.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
