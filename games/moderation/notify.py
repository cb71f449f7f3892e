"""Emails about sanctions, reports and appeals, to players and to moderators."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import outbox
from accounts.links import absolute
from accounts.models import User
from games.mail.outgoing.email_builder import build_email
from games.mail.preferences import wants


def email_person(
    user: User | None, key: str, subject: str, paragraphs: list[str], url_name: str, *, asks: bool = False
) -> bool:
    """Enqueue the email, once for each ``key``, and return whether the person gets it.

    Players without an address read the message on the site. A sanction also shows on every page until it is read, so
    switching these emails off doesn't hide it. Someone whose account is closed sees no page, so their email is always
    sent. ``asks`` links to the page for an answer.
    """
    if user is None or not user.email or (user.is_active and not wants(user, "moderation")):
        return False
    if asks:
        button = _("Answer the question")
    else:
        button = _("See what's waiting") if url_name.startswith("admin:") else _("Read it on the site")
    url = absolute(reverse(url_name)) if user.is_active else ""
    context = {"paragraphs": paragraphs, "url": url, "button": button}
    outbox.enqueue(build_email(user, "moderation", subject, "moderation", context), key=key)
    return True
