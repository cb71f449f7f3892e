"""Reports from mail services: an address that bounces or complains gets no more emails."""

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
    """Switch email off for an address that a service's webhook reports; other events tell nothing that we act on."""
    why = _TROUBLE.get(event.event_type)
    if why is not None and event.recipient:
        outbox.give_up(event.recipient, why)
