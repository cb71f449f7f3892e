"""Mails in which moderators answer, to those who are sanctioned, reported or appealed, and mails to moderators."""

from django.urls import reverse

from accounts import outbox
from accounts.links import absolute
from accounts.models import User
from games.mail.outgoing.email_builder import letter
from games.mail.preferences import wants


def tell(user: User | None, key: str, subject: str, paragraphs: list[str], url_name: str) -> None:
    """Write the mail into the outbox, once for each ``key``; who has no address reads it on the site.

    A sanction is also shown on every page until it is read, so nobody misses it by switching such mails off.
    """
    if user is None or not user.email or not wants(user, "moderation"):
        return
    context = {"paragraphs": paragraphs, "url": absolute(reverse(url_name))}
    outbox.enqueue(letter(user, "moderation", subject, "moderation", context), key=key)
