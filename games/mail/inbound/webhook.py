"""Mails that a mail service hands over by its webhook, whichever of those that django-anymail knows."""

from typing import Any

from anymail.signals import inbound
from django.dispatch import receiver

from games.mail.inbound import handler
from games.mail.inbound import message as incoming


@receiver(inbound, dispatch_uid="games.mail.take_in")
def take_in(event: Any, **_kwargs: Any) -> None:
    """Play what the mail says; an error makes the service bring it again later."""
    message = event.message
    if message.spam_detected:
        return
    recipients = [message.envelope_recipient] if message.envelope_recipient else []
    if recipients and handler.ticket_of(recipients) is None:
        return
    handler.receive(incoming.of_message(message, recipients, message.envelope_sender))
