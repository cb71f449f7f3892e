"""Parts shared by all emails about matches: headers, footer links, style."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from email.header import Header
from typing import Any

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.email_style import inlined, wrapped
from accounts.links import absolute
from accounts.models import User
from accounts.outbox import domain_of
from games.mail.models import ABSENCE, Correspondence, Kind

#: How long the links in an email's footer work.
LINK_LIFETIME = timedelta(days=180)
_SALT = "games.mail.letters"


class BadLink(ValueError):
    """A forged or expired link."""


@dataclass(frozen=True, slots=True)
class Link:
    """The content of a footer link: one kind of email to one person, and the match it was about."""

    user_id: int
    kind: str
    match_id: int | None

    @property
    def token(self) -> str:
        """The link's token for the address."""
        return signing.dumps([self.user_id, self.kind, self.match_id], salt=_SALT)

    @classmethod
    def read(cls, token: str) -> "Link":
        """Read a token. Raises :class:`BadLink`."""
        try:
            user_id, kind, match_id = signing.loads(token, salt=_SALT, max_age=LINK_LIFETIME)
        except signing.BadSignature as error:
            raise BadLink from error
        return cls(user_id, kind, match_id)


def domain() -> str:
    """The domain of the sender address."""
    return domain_of(settings.DEFAULT_FROM_EMAIL)


def message_id(what: str, *numbers: object) -> str:
    """A Message-ID that stays the same when the same email is written again."""
    return f"<{what}.{'.'.join(str(number) for number in numbers)}@{domain()}>"


def build_email(
    user: User,
    kind: str,
    subject: str,
    template: str,
    context: Mapping[str, Any],
    *,
    match_id: int | None = None,
    headers: Mapping[str, str] | None = None,
    reply_to: str = "",
) -> EmailMultiAlternatives:
    """Build an email from ``mail/<template>.txt`` and ``.html``, with the headers common to all emails.

    Args:
        user: the recipient, who needs an address.
        kind: the :class:`~games.mail.models.Kind`: a list of its own, with one-click unsubscribe.
        subject: a single line.
        template: the name of the templates.
        context: for the templates, which also get ``settings_url`` and ``stop_url``.
        match_id: the match that the footer can switch off separately.
        headers: additional headers.
        reply_to: the address for replies; none if empty.
    """
    stop_url = absolute(reverse("mail_stop", args=[Link(user.pk, kind, match_id).token]))
    filled = {
        **context,
        "subject": subject,
        "user": user,
        "site_url": settings.SITE_URL,
        "settings_url": absolute(reverse("account_settings_notices")),
        "stop_url": stop_url,
    }
    text = wrapped(render_to_string(f"mail/{template}.txt", filled))
    html = inlined(render_to_string(f"mail/{template}.html", filled))
    message = EmailMultiAlternatives(
        subject,
        text,
        settings.DEFAULT_FROM_EMAIL,
        [user.email or ""],
        reply_to=[reply_to] if reply_to else None,
        headers={**_list_headers(kind, stop_url, match_id), **(headers or {})},
    )
    message.attach_alternative(html, "text/html")
    return message


def _list_headers(kind: str, stop_url: str, match_id: int | None) -> dict[str, str]:
    """The headers of automatic emails, including one-click unsubscribe.

    The turns of each match are a separate list.
    """
    own = f"{match_id}." if kind == Kind.TURN and match_id is not None else ""
    return {
        # Only the words are encoded, so that the list's id stays readable to mail programs.
        "List-Id": f"{Header(list_name(kind)).encode()} <{own}{kind}.{domain()}>",
        "List-Unsubscribe": f"<{stop_url}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
    }


def list_name(kind: str) -> str:
    """The name of a kind of email in a mail program."""
    return {
        Kind.TURN.value: _("Your turn at Armani"),
        Kind.BEGINS.value: _("Matches that have begun at Armani"),
        Kind.OVER.value: _("Finished matches at Armani"),
        Kind.INVITATION.value: _("Invitations to Armani"),
        Kind.OFFER.value: _("Seats offered at Armani"),
    }.get(kind) or (_("Autoplay at Armani") if kind in ABSENCE else "Armani")


def thread_headers(correspondence: Correspondence, new_id: str) -> dict[str, str]:
    """The headers that continue the match's thread; sets the thread's last Message-ID without saving it."""
    headers = {"Message-ID": new_id}
    if correspondence.last_id and correspondence.last_id != new_id:
        headers["In-Reply-To"] = correspondence.last_id
        headers["References"] = " ".join(dict.fromkeys([correspondence.first_id, correspondence.last_id]))
    correspondence.first_id = correspondence.first_id or new_id
    correspondence.last_id = new_id
    return headers
