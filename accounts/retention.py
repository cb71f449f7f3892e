"""How long data is kept. The privacy page shows these numbers, and the hourly task follows them."""

from datetime import timedelta

from django.apps import apps
from django.utils import timezone

from accounts import guests, sessions
from accounts.models import OutgoingMail
from accounts.session_store import SessionStore

#: How long a sent email is kept, for questions about it, and how long one that could not be sent.
KEEP_SENT = timedelta(days=14)
KEEP_FAILED = timedelta(days=30)
#: Reports are deleted with their evidence this long after their decision; the decisions themselves stay.
KEEP_REPORTS = timedelta(days=365)


def delete_expired() -> None:
    """Delete expired guests, unconfirmed sign-ups, ended sessions, old emails, and reports decided long ago."""
    now = timezone.now()
    guests.delete_expired()
    SessionStore.clear_expired()
    sessions.delete_expired()
    status = OutgoingMail.Status
    OutgoingMail.objects.filter(status=status.SENT, sent_at__lt=now - KEEP_SENT).delete()
    OutgoingMail.objects.filter(status=status.DROPPED, created_at__lt=now - KEEP_SENT).delete()
    OutgoingMail.objects.filter(status=status.FAILED, created_at__lt=now - KEEP_FAILED).delete()
    apps.get_model("moderation", "Report")._default_manager.filter(closed_at__lt=now - KEEP_REPORTS).delete()
