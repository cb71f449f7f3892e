"""Celery tasks of this application; each may run at any time, twice, or at the same time as itself."""

from datetime import timedelta

from celery import shared_task
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from . import guests, outbox
from .models import OutgoingMail

#: For how long a sent mail is kept, for questions about it.
KEEP_SENT = timedelta(days=14)


@shared_task
def send_waiting_mail() -> None:
    """Send the mails that are due."""
    outbox.send_due()


@shared_task
def tidy() -> None:
    """Remove guests who are gone for good, sign-ups never confirmed, ended sessions, and old mails that were sent."""
    guests.tidy_guests()
    SessionStore.clear_expired()
    OutgoingMail.objects.filter(status=OutgoingMail.Status.SENT, sent_at__lt=timezone.now() - KEEP_SENT).delete()
