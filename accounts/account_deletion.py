"""Delete an account; the other players keep their matches."""

from functools import partial
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts import personal_data
from accounts.models import OutgoingMail, User, addresses
from accounts.moderation.models import Report
from accounts.personal_data import FORMER
from accounts.signals import account_closing, leaving_for_good, session_ended


class DeletionError(Exception):
    """The owner can't close the account; the text tells them why."""


def close_account(user: User) -> None:
    """Delete an account, at once and for good. Raises :class:`DeletionError`.

    Running matches are resigned through the match service first, so that no match waits for the seat. If the process
    dies after that, the account still exists and can be closed again.
    """
    if user.is_staff or user.is_superuser:
        raise DeletionError(_("You have a staff role. Ask the site's operators to remove it first."))
    leaving_for_good.send(sender=User, user=user)
    pk, keys = user.pk, list(UserSession.objects.filter(user=user).values_list("session_key", flat=True))
    with transaction.atomic():
        called = {user.name, *user.name_changes.values_list("old_name", flat=True)}
        reports = _reports_with_name_of(user)  # looks at chat messages, which the next line deletes
        personal_data.blank(user)
        account_closing.send(sender=User, user=user, called=called)
        _take_names_out(user, called, reports)
        Session.objects.filter(session_key__in=keys).delete()
        email, name = user.email, user.name
        for address in _addresses_of(user):
            OutgoingMail.objects.filter(to__iexact=address).delete()
        user.delete()
        transaction.on_commit(partial(session_ended.send, None, user_id=pk, session_key=None))
        if email:
            get_adapter().render_mail("account/email/farewell", email, {"name": name}).send()


def _addresses_of(user: User) -> set[str]:
    """The user's address, and those not confirmed yet, unless another user has given them too."""
    given = addresses().filter(user=user).values_list("email", flat=True)
    own = {each for each in given if not addresses().exclude(user=user).filter(email__iexact=each).exists()}
    return own | {user.email} if user.email else own


def _reports_with_name_of(user: User) -> list[int]:
    """The reports that may contain the user's name: by them, about them, or about a match they played or talked in."""
    played = Q(match__seats__player=user) | Q(match__departures__player=user) | Q(match__talk__author=user)
    about = played | Q(reporter=user) | Q(accused=user)
    return list(Report.objects.filter(about).values_list("pk", flat=True).distinct())


def _take_names_out(user: User, called: set[str], reports: list[int]) -> None:
    """Remove the names from reports and the admin log, which have no reference to their owner."""
    for report in Report.objects.filter(pk__in=reports).iterator():
        context = _renamed(report.context, called)
        if "profile" in context and report.accused_id == user.pk:
            context["profile"]["about"] = ""
        Report.objects.filter(pk=report.pk).update(context=context)
    people = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=people, object_id=str(user.pk)).update(object_repr=FORMER)


def _renamed(value: Any, called: set[str]) -> Any:
    """The JSON value with these names replaced wherever one is a whole value."""
    if isinstance(value, dict):
        return {key: _renamed(each, called) for key, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each, called) for each in value]
    return FORMER if isinstance(value, str) and value in called else value
