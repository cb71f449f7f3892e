"""Webhook events of mail services: an address that bounces or complains gets no more emails."""

from typing import Any

from anymail.signals import EventType, tracking
from django.dispatch import receiver

from . import outbox
from .models import MailTrouble

_TROUBLE = {
    EventType.BOUNCED: MailTrouble.BOUNCED,
    EventType.REJECTED: MailTrouble.BOUNCED,
    EventType.COMPLAINED: MailTrouble.COMPLAINED,
}


@receiver(tracking, dispatch_uid="accounts.bounces")
def note(*, event: Any, **_kwargs: Any) -> None:
    """Stop emails to an address that a service's webhook reports; ignore other events."""
    why = _TROUBLE.get(event.event_type)
    if why is not None and event.recipient:
        outbox.give_up(event.recipient, why)
