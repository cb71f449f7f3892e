"""Quick decisions by one click: what they do, the minute to undo them, and carrying them out.

Nothing takes effect before the minute is over: the person may still write, and neither side is told.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.models import Report, Rule, Sanction
from accounts.moderation.sanctions import SanctionError
from games.matches.faults import place_of
from games.moderation import reports
from games.moderation.answers import REASONS, written_for
from games.moderation.decision_forms import LENGTHS, proposed_hours
from games.moderation.models import UNDO, QuickDecision

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Preset:
    """The effect of one click: a sanction or none, the outcome, and the answer to the reporter."""

    label: object
    outcome: str
    answer: str
    kind: str = ""


PRESETS = {
    "silence": Preset(gettext_lazy("Silence and tell both"), Report.Outcome.UPHELD, "done", Sanction.Kind.SILENCE),
    "warn": Preset(gettext_lazy("Warn and tell both"), Report.Outcome.UPHELD, "warned", Sanction.Kind.WARNING),
    "nothing": Preset(gettext_lazy("Nothing against the rules: tell the reporter"), "dismissed", "nothing"),
}
#: The proposed reason for each rule that has a usual one.
USUAL = {Rule.RESPECT: "insult", Rule.SPAM: "spam", Rule.STALL: "stall", Rule.NAME: "profile"}


@dataclass(frozen=True, slots=True)
class Offer:
    """A button on a report's page."""

    preset: str
    label: str


def offers(moderator: User, report: Report, proposed: int) -> list[Offer]:
    """The quick decisions that this moderator may make on this report; lasting ones with the proposed hours."""
    found = []
    for key, preset in PRESETS.items():
        if preset.kind and (report.accused is None or not sanctions.may_impose(moderator, preset.kind)):
            continue
        if preset.kind == Sanction.Kind.SILENCE and report.rule not in (Rule.RESPECT, Rule.SPAM):
            continue
        label = str(preset.label)
        if preset.kind in Sanction.LASTING:
            label = _("Silence for %(length)s and tell both") % {"length": LENGTHS[proposed]}
        found.append(Offer(key, label))
    return found


def usual_reason(report: Report) -> str:
    """The key of the usual reason for a report's rule; empty if a moderator has to choose."""
    return next((reason for rule, reason in USUAL.items() if rule == report.rule), "")


def press(moderator: User, report: Report, preset: str, reason: str) -> QuickDecision:
    """Claim a report and decide it, effective in a minute; a repeated click counts once.

    Raises :class:`reports.ReportError`.
    """
    proposed = proposed_hours(report.accused)
    if preset not in {offer.preset for offer in offers(moderator, report, proposed)}:
        raise reports.ReportError(_("You can't make this decision with one click here."))
    does = PRESETS[preset]
    if does.kind and reason not in REASONS:
        raise reports.ReportError(_("Choose a reason."))
    reason = reason if does.kind else ""
    with transaction.atomic():
        reports.claim(moderator, report)
        same = QuickDecision.objects.filter(report=report, preset=preset, reason=reason, problem="").first()
        if same is not None:
            return same
        reports.require_no_press(report)
        decision, _is_new = QuickDecision.objects.update_or_create(
            report=report,
            defaults={
                "moderator": moderator,
                "preset": preset,
                "reason": reason,
                "hours": proposed if does.kind in Sanction.LASTING else None,
                "pressed_at": timezone.now(),
                "problem": "",
            },
        )
    return decision


def undo(moderator: User, report: Report) -> None:
    """Undo a quick decision before its minute is over. Raises :class:`reports.ReportError` if it is too late."""
    if not QuickDecision.objects.filter(report=report, moderator=moderator).delete()[0]:
        raise reports.ReportError(_("It's too late to undo this. You can take the decision back instead."))


def carry_out_due(now: datetime) -> int:
    """Carry out quick decisions older than a minute; returns how many."""
    due = QuickDecision.objects.filter(pressed_at__lte=now - UNDO, problem="").order_by("pk")
    return sum(_carry_out(pk) for pk in due.values_list("pk", flat=True)[:100])


def _carry_out(pk: int) -> bool:
    """Carry out one decision, unless it was undone or another process does it; a failure is stored with it."""
    try:
        with transaction.atomic():
            due = QuickDecision.objects.filter(pk=pk, problem="")
            decision = due.select_related("report", "moderator").first()
            if decision is None:
                return False
            # Everything locks the report first, so two transactions never wait for each other.
            Report.objects.select_for_update().get(pk=decision.report_id)
            if not due.delete()[0]:
                return False
            _decide(decision)
    except (SanctionError, reports.ReportError) as problem:
        _note(pk, str(problem))
        log.warning("quick decision %s was not carried out: %s", pk, problem)
        return False
    except (OperationalError, InterfaceError) as error:
        log.warning("quick decision %s has to wait: %r", pk, error)
        return False
    except Exception as error:
        _note(pk, place_of(error))
        log.exception("quick decision %s failed", pk)
        return False
    return True


def _note(pk: int, problem: str) -> None:
    """Store why a decision was not carried out, so that it isn't tried again."""
    QuickDecision.objects.filter(pk=pk).update(problem=problem)


def _decide(decision: QuickDecision) -> None:
    report, moderator, does = decision.report, decision.moderator, PRESETS[decision.preset]
    if does.kind:
        if report.accused is None:
            raise reports.ReportError(_("The account is gone."))
        sanctions.impose(
            moderator,
            report.accused,
            does.kind,
            report.rule,
            written_for(report.accused, "", decision.reason, REASONS),
            until=timezone.now() + timedelta(hours=decision.hours) if decision.hours else None,
            match=report.match,
            report=report,
        )
    reports.close(moderator, report, does.outcome, ready=does.answer)
