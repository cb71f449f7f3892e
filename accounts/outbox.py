"""The outbox: every email is first stored in a row, together with the reason for it, and sent afterwards.

A process claims an email for a while (its *lease*) before it sends it. If the process is killed, the lease runs out and
another one sends the email, with the same Message-ID, so that a mail server that received it the first time can tell.
"""

import logging
import smtplib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from email.utils import make_msgid
from typing import Any

from anymail.exceptions import AnymailRecipientsRefused
from celery import shared_task
from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from prometheus_client import Histogram

from .models import MailTrouble, OutgoingMail, User

logger = logging.getLogger(__name__)

#: Longer than any attempt can take: see EMAIL_TIMEOUT.
LEASE = timedelta(minutes=10)
#: The waits after the first, second, … failed attempt; after the last one the email has failed.
BACK_OFF = [timedelta(minutes=m) for m in (1, 5, 15, 60, 180, 360, 720, 1440)]
#: The most emails that one run sends; the next run continues.
RUN = 200

_AGE = Histogram(
    "armani_email_age_seconds",
    "From an email being written to the outbox to the mail server having taken it",
    buckets=(0.5, 1, 2, 5, 15, 60, 300, 900, 3600, 6 * 3600, 24 * 3600),
)

Status = OutgoingMail.Status
#: By the part of an email's key before the first colon: whether the reason for the email still holds.
_reasons: dict[str, Callable[[str], bool]] = {}
#: Whether a user wants emails of a kind, once a package has set it; see :func:`set_switches`.
_switches: Callable[[User, str], bool] | None = None


class OutboxBackend(BaseEmailBackend):
    """Django's email backend that writes to the outbox: ``message.send()`` and ``send_mail`` write rows."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write the messages to the outbox; returns how many there were."""
        with transaction.atomic():
            for message in email_messages:
                enqueue(message)
        return len(email_messages)


def register_reason(prefix: str, still_holds: Callable[[str], bool]) -> None:
    """Call ``still_holds(key)`` right before an email whose key begins with ``prefix:`` is sent.

    An email may wait in the outbox for hours while the server is down; one that has lost its reason is dropped.
    """
    _reasons[prefix] = still_holds


def set_switches(wants: Callable[[User, str], bool]) -> None:
    """Set ``wants(user, kind)``, which says which kinds of email a user wants."""
    global _switches
    _switches = wants


def wants(user: User, kind: str) -> bool:
    """Whether ``user`` may get unrequested email of that kind: it is switched on, and the address works."""
    return (
        bool(user.email) and user.is_active and not user.mail_trouble and (_switches is None or _switches(user, kind))
    )


def give_up(address: str, why: MailTrouble) -> None:
    """Stop all unrequested email to ``address``; its owner sees why on every page."""
    address = address.strip().lower()
    count = User.objects.filter(email=address).update(undeliverable=address, undeliverable_why=why)
    if count:
        logger.warning("emails to a user with an undeliverable address are switched off: %s", why)


def enqueue(message: EmailMessage, *, key: str | None = None) -> list[OutgoingMail]:
    """Write an email, one row for each of its recipients, in the transaction that is going on.

    Args:
        message: text, perhaps with an HTML alternative.
        key: names the reason for the email, if it must not be written twice; a second call changes nothing.

    Raises:
        ValueError: it has attachments, or a key and several recipients, or (``BadHeaderError``) a line break in a
            header.
    """
    if message.attachments:
        raise ValueError("the outbox keeps no attachments")
    if key is not None and len(message.recipients()) != 1:
        raise ValueError("a mail with a key has one recipient")
    message.message()  # refuse bad headers now, not later, when it would go unnoticed
    html = next((body for body, kind in getattr(message, "alternatives", []) if kind == "text/html"), "")
    headers = {name: str(value) for name, value in message.extra_headers.items()}
    if message.reply_to:
        headers["Reply-To"] = ", ".join(message.reply_to)
    rows = []
    for to in message.recipients():
        fields = {
            "to": to,
            "sender": message.from_email,
            "subject": message.subject,
            "text": message.body,
            "html": html,
            "headers": {"Message-ID": make_msgid(domain=domain_of(message.from_email)), **headers},
        }
        if key is None:
            rows.append(OutgoingMail.objects.create(**fields))
        else:
            rows.append(OutgoingMail.objects.get_or_create(key=key, defaults=fields)[0])
    send_soon()
    return rows


@shared_task(name="accounts.tasks.send_waiting_mail")
def send_waiting_mail() -> None:
    """Send the emails that are due."""
    send_due()


def send_soon() -> None:
    """Send the waiting emails right after this transaction; if the broker is down, beat does it later."""
    transaction.on_commit(send_waiting_mail.delay, robust=True)


def send_due() -> int:
    """Send the emails that are due, oldest first; return how many were sent."""
    sent = 0
    connection = get_connection(settings.MAIL_BACKEND)
    try:
        for _turn in range(RUN):
            mail = claim()
            if mail is None:
                break
            try:
                if not _has_reason(mail):
                    _finish(mail, status=Status.DROPPED)
                    continue
                message_of(mail, connection).send()
            except Exception as error:  # each backend has its own exceptions; none of them may lose the email
                lasting = _is_refused_for_good(error)
                note_failure(mail, error, lasting=lasting)
                if lasting:
                    give_up(mail.to, MailTrouble.BOUNCED)
                else:
                    break  # the server is probably down; don't find that out for each email
            else:
                _sent(mail)
                sent += 1
    finally:
        connection.close()
    return sent


def due(now: datetime) -> QuerySet[OutgoingMail]:
    """The due emails, those that have waited longest first."""
    return OutgoingMail.objects.filter(next_try_at__lte=now).order_by("next_try_at", "id")


def claim() -> OutgoingMail | None:
    """Claim the email that has been due longest; no other worker gets it during its lease."""
    now = timezone.now()
    if not due(now).exists():  # so that an idle outbox never takes SQLite's one lock for writing
        return None
    with transaction.atomic():
        # SQLite has no row locks and needs none: its transactions begin IMMEDIATE, one after the other.
        mail = due(now).select_for_update(skip_locked=True).first()
        if mail is not None:
            mail.status = Status.SENDING
            mail.attempts += 1
            mail.next_try_at = now + LEASE
            mail.save(update_fields=["status", "attempts", "next_try_at"])
    return mail


def _has_reason(mail: OutgoingMail) -> bool:
    prefix, colon, _rest = (mail.key or "").partition(":")
    return not colon or prefix not in _reasons or _reasons[prefix](mail.key or "")


class _Unfolded(EmailMultiAlternatives):
    """An email whose headers are folded once, by Django.

    Folded again, a header with a long first word would begin with an empty line, which some filters take for spam.
    """

    def message(self, *args: Any, **kwargs: Any) -> Any:
        """The email for the server, with its headers as they are."""
        message = super().message(*args, **kwargs)
        message.policy = message.policy.clone(max_line_length=0)
        return message


def message_of(mail: OutgoingMail, connection: BaseEmailBackend) -> EmailMultiAlternatives:
    """The email as it is given to ``connection``."""
    message = _Unfolded(mail.subject, mail.text, mail.sender, [mail.to], headers=mail.headers, connection=connection)
    if mail.html:
        message.attach_alternative(mail.html, "text/html")
    return message


def _sent(mail: OutgoingMail) -> None:
    now = timezone.now()
    _finish(mail, status=Status.SENT, sent_at=now, last_error="")
    _AGE.observe((now - mail.created_at).total_seconds())


def note_failure(mail: OutgoingMail, error: Exception, *, lasting: bool) -> None:
    """Try again later, or never if the failure is ``lasting``."""
    about = {"email": mail.pk, "attempt": mail.attempts, "kind": (mail.key or "").partition(":")[0]}
    logger.warning("an email could not be sent: %s", type(error).__name__, extra=about)
    text = f"{type(error).__name__}: {error}"[:2000]
    if lasting or mail.attempts > len(BACK_OFF):
        _finish(mail, status=Status.FAILED, last_error=text)
    else:
        wait = BACK_OFF[mail.attempts - 1]
        _finish(mail, status=Status.WAITING, next_try_at=timezone.now() + wait, last_error=text)


def _finish(mail: OutgoingMail, **fields: object) -> None:
    """End the attempt that claimed ``mail``, unless a later attempt has taken over."""
    tried = OutgoingMail.objects.filter(pk=mail.pk, status=Status.SENDING, attempts=mail.attempts)
    tried.update(**{"next_try_at": None, **fields})


def _is_refused_for_good(error: Exception) -> bool:
    """Whether the server or mail service refuses this recipient permanently."""
    return isinstance(error, AnymailRecipientsRefused) or (
        isinstance(error, smtplib.SMTPRecipientsRefused)
        and all(code >= 500 for code, _text in error.recipients.values())
    )


def domain_of(sender: str) -> str:
    """The domain of a sender's address, for Message-IDs and List-IDs."""
    return sender.rpartition("@")[2].strip("> ") or "localhost"
