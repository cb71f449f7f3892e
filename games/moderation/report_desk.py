"""The page to decide one report, and a moderator's actions on it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.admin_kit import row_or_404
from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.audit import record
from accounts.moderation.models import Report
from games.engine.numbers import number_in
from games.moderation import collusion, deferral, queue, quick, reports, second_looks
from games.moderation.answers import REASONS, written_for
from games.moderation.case_view import file_of, table_at, with_details
from games.moderation.conflict_of_interest import Known, known_to
from games.moderation.decision_forms import CloseForm, SanctionForm, proposed_hours

#: An action on the page, by POST. If it returns no response, the page is shown again.
Act = Callable[[HttpRequest, User, Report], HttpResponse | None]


def page(request: HttpRequest, report: Report, **more: Any) -> HttpResponse:
    """Show one report with everything that is needed to decide it; ``more`` replaces parts of the context."""
    moderator = cast(User, request.user)
    file = file_of(moderator, report)
    everybody = _known_to(moderator, report, file.alike)
    people = _sides(report, everybody) if report.accused_id else list(everybody.values())
    why_not = reports.why_not_with(moderator, people)
    look = getattr(report, "second_look", None)
    is_open = report.closed_at is None and report.merged_into_id is None
    context = {
        **admin.site.each_context(request),
        "title": capfirst(str(report)),
        "opts": Report._meta,
        "report": report,
        "file": file,
        "names": everybody[report.accused_id].names if report.accused_id else [],
        "why_not": why_not,
        "is_open": is_open,
        "is_aside": is_open and queue.is_aside(report, timezone.now()),
        "is_mine": report.claimed_by_id == moderator.pk and is_open,
        "play": _play_of(moderator, [known.person.pk for known in people]),
        "may_look": report.match is not None and moderator.has_perm("moderation.see_hands"),
        "sanction_form": SanctionForm(moderator, file.proposed_hours),
        "close_form": CloseForm(),
        "quick": getattr(report, "quick", None),
        "offers": quick.offers(moderator, report, file.proposed_hours) if is_open and not why_not else [],
        "reasons": REASONS.items(),
        "usual_reason": quick.usual_reason(report),
        "alike": _fair(moderator, file.alike, everybody) if is_open and not why_not else [],
        "desks": queue.desks_beside(report).items(),
        "snoozes": queue.SNOOZES.items(),
        "second_look": look,
        "may_look_again": second_looks.is_open_to(moderator, look) and not why_not,
        "questions": report.questions.select_related("asked", "moderator"),
        **more,
    }
    return TemplateResponse(request, "admin/moderation/desk.html", context)


def _page_after_action(request: HttpRequest, report: Report, **more: Any) -> HttpResponse:
    """Show the report of an action on its page; actions have loaded less of it."""
    rows = with_details(Report.objects.select_related("accused", "reporter"))
    return page(request, row_or_404(rows, report.pk), **more)


def _play_of(moderator: User, people: list[int]) -> dict[str, Any] | None:
    """Unusual playing patterns of the people in a report, for roles that judge play or accounts."""
    if not (moderator.has_perm("moderation.handle_results") or moderator.has_perm("moderation.handle_accounts")):
        return None
    return {"flags": collusion.flags_of(people), "pairs": collusion.frequent_pairs(people), "often": collusion.OFTEN}


def _known_to(moderator: User, report: Report, alike: Iterable[Report]) -> dict[int, Known]:
    """The people of a report, and the reporters of those like it."""
    sides, match_id = reports.people_of(report)
    reporters = [each.reporter_id for each in alike if each.reporter_id is not None]
    return known_to(moderator, [*sides, *reporters], match_id)


def _sides(report: Report, known: Mapping[int, Known]) -> list[Known]:
    """Both sides of a report that names the accused, if their accounts exist."""
    return [known[pk] for pk in (report.accused_id, report.reporter_id) if pk is not None]


def _fair(moderator: User, rows: Iterable[Report], known: Mapping[int, Known]) -> list[Report]:
    """The reports that this moderator may handle."""
    return [each for each in rows if not reports.why_not_with(moderator, _sides(each, known))]


def claim(_request: HttpRequest, moderator: User, report: Report) -> None:
    """Claim the report."""
    reports.claim(moderator, report)


def release(_request: HttpRequest, moderator: User, report: Report) -> None:
    """Release the report."""
    reports.release(moderator, report)


def look(request: HttpRequest, moderator: User, report: Report) -> HttpResponse:
    """Show the table after a move; this is logged, since the cards may be hidden from others."""
    if not moderator.has_perm("moderation.see_hands"):
        raise PermissionDenied
    _require_distance(moderator, report)
    seen = table_at(report, number_in(request.POST.get("version")), is_open=request.POST.get("hands") == "all")
    if seen is None or report.match is None:
        raise reports.ReportError(_("There's no table to look at."))
    eyes = "all" if seen.is_open else seen.seat
    record(moderator, "look at table", report.match, after={"seat": eyes, "version": seen.version})
    return _page_after_action(request, report, seen=seen)


def sanction(request: HttpRequest, moderator: User, report: Report) -> HttpResponse | None:
    """Impose a sanction on the accused."""
    _require_claim(moderator, report)
    form = SanctionForm(moderator, proposed_hours(report.accused), request.POST)
    if not form.is_valid():
        return _page_after_action(request, report, sanction_form=form)
    if report.accused is None:
        raise reports.ReportError(_("The account is gone."))
    data = form.cleaned_data
    with transaction.atomic():
        reports.lock_claimed(moderator, report)
        done = sanctions.impose(
            moderator,
            report.accused,
            data["kind"],
            report.rule,
            written_for(report.accused, data["reason"], data["ready"], REASONS),
            until=form.until(timezone.now()),
            match=report.match,
            report=report,
        )
    said = (
        _("A second moderator has to confirm the decision.")
        if done.waits_for_second
        else _("The decision is in force.")
    )
    messages.success(request, said)
    return None


def close(request: HttpRequest, moderator: User, report: Report) -> HttpResponse | None:
    """Close the report, and tell the reporter."""
    form = CloseForm(request.POST)
    if not form.is_valid():
        return _page_after_action(request, report, close_form=form)
    data = form.cleaned_data
    reports.close(moderator, report, data["outcome"], data["answer"], ready=data["ready"])
    messages.success(request, _("Closed. We have told the reporter."))
    return redirect("admin:moderation_report_changelist")


def quick_decision(request: HttpRequest, moderator: User, report: Report) -> None:
    """Decide by one click."""
    quick.press(moderator, report, request.POST.get("preset", ""), request.POST.get("ready", ""))
    messages.success(request, _("We'll carry this out in a minute. Until then you can undo it."))


def undo(request: HttpRequest, moderator: User, report: Report) -> None:
    """Undo a quick decision."""
    quick.undo(moderator, report)
    messages.success(request, _("Undone. No one was told."))


def merge(request: HttpRequest, moderator: User, report: Report) -> None:
    """Decide the other open reports about the same person together with this one."""
    reports.claim(moderator, report)
    alike = list(queue.alike(moderator, report))
    known = _known_to(moderator, report, alike)
    chosen = [each.pk for each in _fair(moderator, alike, known)]
    n = len(deferral.merge(moderator, report, chosen))
    done = ngettext("%(n)d report is decided with this one.", "%(n)d reports are decided with this one.", n)
    messages.success(request, done % {"n": n})


def hand_over(request: HttpRequest, moderator: User, report: Report) -> HttpResponse:
    """Hand the report to another role."""
    _require_distance(moderator, report)
    desk, note = request.POST.get("desk", ""), " ".join(request.POST.get("note", "").split())[:500]
    if desk not in queue.DESKS or not note:
        raise reports.ReportError(_("Choose a desk, and leave a note for its moderators."))
    deferral.hand_over(moderator, report, desk, note)
    messages.success(request, _("The report is in their queue now."))
    return redirect("admin:moderation_report_changelist")


def snooze(request: HttpRequest, moderator: User, report: Report) -> HttpResponse:
    """Put the report aside for some hours."""
    _require_distance(moderator, report)
    hours = request.POST.get("hours", "")
    if hours not in {str(each) for each in queue.SNOOZES}:
        raise reports.ReportError(_("Choose for how long."))
    deferral.snooze(moderator, report, int(hours))
    messages.success(request, _("Put aside. It comes back to the queue by itself."))
    return redirect("admin:moderation_report_changelist")


def ask(request: HttpRequest, moderator: User, report: Report) -> None:
    """Ask one side a question before deciding."""
    _require_claim(moderator, report)
    person = report.accused if request.POST.get("side") == "accused" else report.reporter
    if person is None:
        raise reports.ReportError(_("The account is gone."))
    reports.ask(moderator, report, person, request.POST.get("text", ""))
    messages.success(request, _("We've asked %(name)s, by email and on their page of reports.") % {"name": person.name})


def second_look(request: HttpRequest, moderator: User, report: Report) -> None:
    """Record whether a closed report was decided rightly."""
    agrees = request.POST.get("answer") == "agree"
    second_looks.take(moderator, report, agrees=agrees, note=request.POST.get("note", ""))
    messages.success(request, _("Thank you. Your second look is in the log."))


def _require_distance(moderator: User, report: Report) -> None:
    reason = reports.why_not(moderator, report)
    if reason:
        raise reports.ReportError(reason)


def _require_claim(moderator: User, report: Report) -> None:
    _require_distance(moderator, report)
    with transaction.atomic():
        reports.lock_claimed(moderator, report)


#: The actions by the last part of their URL.
ACTS: dict[str, Act] = {
    "claim": claim,
    "release": release,
    "look": look,
    "sanction": sanction,
    "close": close,
    "quick": quick_decision,
    "undo": undo,
    "merge": merge,
    "hand_over": hand_over,
    "snooze": snooze,
    "ask": ask,
    "second_look": second_look,
}
