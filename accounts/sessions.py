"""Whether a session still holds."""

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.utils.crypto import constant_time_compare

from accounts.models import User


def is_signed_in(session: SessionBase | None, user_id: int | None) -> bool:
    """Whether the session is there still, and was not ended by a new password or a closed account."""
    if session is None or user_id is None:
        return True
    # The class of what a lazy session holds, not of the wrapper.
    stored = session.__class__(session.session_key)
    user = User.objects.filter(pk=user_id, is_active=True).first()
    return user is not None and constant_time_compare(stored.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
