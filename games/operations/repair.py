"""Operators' actions on matches and addresses; each is logged."""

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.moderation.audit import record
from games.matches import tasks
from games.matches.faults import fault_in_words
from games.matches.models import Match
from games.operations import failures
from games.operations.models import Failure, values_of
from games.replays.check import faults


def process_now(operator: User, match: Match) -> str:
    """Run AI players and autoplay where something is overdue; returns why it failed, or an empty text."""
    before = values_of(match, "version", "due_at")
    problem = tasks.process_due(match.pk, match.version)
    match.refresh_from_db(fields=["version", "due_at"])
    record(operator, "take up", match, before=before, after=values_of(match, "version", "due_at"), note=problem)
    return problem


def check(operator: User, match: Match) -> list[str]:
    """Replay a started match; its faults are recorded until a later check finds none."""
    found = [fault_in_words(match, fault) for fault in faults(match)]
    with transaction.atomic():
        if found:
            failures.note(Failure.Kind.REPLAY, match.pk, match.version, "; ".join(found))
        else:
            Failure.objects.filter(match=match, kind=Failure.Kind.REPLAY).delete()
        record(operator, "replay check", match, after={"version": match.version, "faults": found})
    return found


def mail_again(operator: User, person: User) -> None:
    """Send emails to ``person`` again."""
    with transaction.atomic():
        before = {"undeliverable": person.undeliverable_why}
        User.objects.filter(pk=person.pk).update(undeliverable="", undeliverable_why="")
        record(operator, "mail again", person, before=before, note=_("address allowed again"))
