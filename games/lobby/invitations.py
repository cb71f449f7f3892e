"""Invite people to an open table: by name, or by email to an address."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from django.conf import settings
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.mail import EmailMultiAlternatives
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.dispatch import Signal
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from accounts import names, outbox, social
from accounts.compiled import compiled
from accounts.email_style import inlined, wrapped
from accounts.links import absolute
from accounts.models import User
from games.lobby.models import Invitation, UnwantedAddress
from games.matches import service
from games.matches.models import Match
from games.realtime import broadcast
from games.table import clock_text

#: Sent in the transaction that stores the invitations: ``match`` and its ``user_ids``.
invited = Signal()
#: How long a link in an email works; an unused table is closed before.
LINK_LASTS = 14 * 24 * 3600
SALT = "games.lobby.invitation"


class NotInvited(Exception):
    """An invitation that can't be sent; the text tells the inviting user why."""


class Link(NamedTuple):
    """The content of an email's link: whose table, and the address it was sent to."""

    key: str
    email: str


def invite_by_name(match: Match, by: User, name: str) -> User:
    """Invite the person with that name. Raises :class:`NotInvited`.

    If that person has blocked ``by``, neither of them is told.
    """
    _require_open_seat(match, by)
    to = User.objects.filter(name_key=names.key(name), is_active=True).first()
    if to is None:
        raise NotInvited(_("There's no player called %(name)s.") % {"name": name})
    if to == by:
        raise NotInvited(_("You already sit here."))
    if match.seats.filter(player=to).exists():
        raise NotInvited(_("%(name)s already sits here.") % {"name": to.name})
    if social.block_of(by, to) is not None and social.is_blocked(by, to):
        raise NotInvited(_("You've blocked %(name)s. Unblock them first.") % {"name": to.name})
    invite(match, by, [to])
    return to


def invite(match: Match, by: User, people: Iterable[User]) -> None:
    """Invite each of ``people`` once to ``match``, except those with a block between them and ``by``."""
    blocked = social.blocked_ids(by)
    asked = [person for person in people if person.pk not in blocked and person != by]
    with transaction.atomic():
        there = set(Invitation.objects.filter(match=match).values_list("to_id", flat=True))
        new = [person for person in asked if person.pk not in there]
        Invitation.objects.bulk_create(
            [Invitation(match=match, by=by, to=person) for person in new], ignore_conflicts=True
        )
        invited.send(sender=Match, match=match, user_ids=[person.pk for person in new])
        for person in new:
            transaction.on_commit(partial(broadcast.to_user, person.pk, "invited"))


def invite_by_mail(match: Match, by: User, email: str) -> None:
    """Email the table's link to an address; the result doesn't reveal whether it has an account.

    Raises :class:`NotInvited` for an invalid address, and for guests.
    """
    _require_open_seat(match, by)
    if by.is_guest:
        raise NotInvited(_("Guests invite by link or name. Sign up to send emails."))
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise NotInvited(_("This isn't an email address.")) from None
    owner = User.objects.filter(email=email).first()
    if owner is not None and social.is_blocked(owner, by):
        return
    if is_unwanted(email):
        return
    outbox.enqueue(_mail(match, by, email), key=f"invite:{match.pk}:{_digest(email)[:32]}")


def _mail(match: Match, by: User, email: str) -> EmailMultiAlternatives:
    token = signing.dumps([match.key, email], salt=SALT)
    context = {
        "by": by,
        "match": match,
        "clock": clock_text.contract(match.clock)[0],
        "url": absolute(reverse("invitation", args=[token])),
        "no_more_url": absolute(reverse("invitation_no_more", args=[token])),
        "subject": _("%(name)s invites you to %(game)s") % {"name": by.name, "game": match.game_name},
    }
    text = wrapped(render_to_string("lobby/mail/invitation.txt", context))
    message = EmailMultiAlternatives(str(context["subject"]), text, settings.DEFAULT_FROM_EMAIL, [email])
    message.attach_alternative(inlined(render_to_string("lobby/mail/invitation.html", context)), "text/html")
    return message


def read_link(token: str) -> Link:
    """Read an email's link. Raises ``ValueError`` if it is forged or too old."""
    try:
        key, email = signing.loads(token, salt=SALT, max_age=LINK_LASTS)
    except signing.BadSignature as error:
        raise ValueError(str(error)) from None
    return Link(key, email)


def block_address(link: Link) -> None:
    """Store that this address wants no invitations."""
    UnwantedAddress.objects.get_or_create(digest=_digest(link.email))


def is_unwanted(email: str) -> bool:
    """Whether this address wants no invitations, stored under the current key or a former one."""
    digests = [_digest(email, key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    return UnwantedAddress.objects.filter(digest__in=digests).exists()


@compiled
def _waiting_for(user_id: int) -> QuerySet[Invitation]:
    return (
        Invitation.objects.filter(to=user_id, is_declined=False, match__status=Match.Status.OPEN)
        .exclude(match__seats__player=user_id)
        .select_related("by", "match")
        .order_by("-created_at")
    )


def waiting_for(user: User) -> Sequence[Invitation]:
    """Invitations to tables that are still open, newest first; none from people with a block in either direction."""
    found = _waiting_for(user.pk)
    blocked = social.blocked_ids(user) if found else set()
    return [each for each in found if each.by_id not in blocked]


def decline(match: Match, user: User) -> None:
    """Decline an invitation; the host isn't told."""
    Invitation.objects.filter(match=match, to=user).update(is_declined=True)


def leave_tables_of_blocker(owner_id: int, other_id: int) -> None:
    """Make a player who was just blocked leave the open tables of the player who blocked them."""
    Invitation.objects.filter(by=owner_id, to=other_id).delete()
    for match in Match.objects.filter(host=owner_id, status=Match.Status.OPEN, seats__player=other_id):
        try:
            service.leave(match, User.objects.get(pk=other_id))
        except service.Refused:
            continue  # started or left a moment ago


def _require_open_seat(match: Match, by: User) -> None:
    if match.status != Match.Status.OPEN:
        raise NotInvited(_("This match has already begun."))
    if not match.seats.filter(player=by).exists():
        raise NotInvited(_("Take a seat here to invite others."))


def _digest(email: str, key: str | None = None) -> str:
    return salted_hmac("games.lobby.unwanted", email, secret=key, algorithm="sha256").hexdigest()
