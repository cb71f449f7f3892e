"""The queue of reports in the admin site."""

from collections.abc import Callable
from typing import Any, cast

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.timesince import timesince, timeuntil
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.admin_kit import ReadOnlyAdmin, row_or_404
from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.models import Report
from games.matches.admin_lists import BY_MATCH_OR_PERSON, at_match_or_of
from games.moderation import case_view, figures, person_admin, queue, report_desk, reports, second_looks
from games.moderation.answers import rule_word


class OpenFilter(admin.SimpleListFilter):
    """Shows open reports unless another state is chosen."""

    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("mine", _("claimed by me")),
            ("aside", _("put aside")),
            ("closed", _("closed")),
            ("second", _("for a second look")),
            ("all", _("all")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        if self.value() == "closed":
            return queryset.exclude(closed_at=None)
        if self.value() == "mine":
            return queryset.filter(closed_at=None, claimed_by=cast(User, request.user))
        if self.value() == "aside":
            return queryset.filter(closed_at=None, merged_into=None, snoozed_until__gt=timezone.now())
        if self.value() == "second":
            looks = second_looks.waiting_for(cast(User, request.user), timezone.now())
            return queryset.filter(pk__in=looks.order_by().values("report"))
        return queryset if self.value() == "all" else queue.waiting(queryset)

    def choices(self, changelist: Any) -> Any:
        """Django's own choices, without its first one: "all" isn't the default here."""
        for at, choice in enumerate(super().choices(changelist)):
            yield {**choice, "display": _("open")} if at == 0 else choice


class ReportAdmin(ReadOnlyAdmin):
    """The queue, most urgent first."""

    list_display = ("subject", "rule_name", "age", "due", "weight", "claimed", "accused_name", "reporter_name")
    list_filter = (OpenFilter, "kind", "rule")
    search_fields = ("match",)
    search_help_text = BY_MATCH_OR_PERSON
    list_prefetch = ("claimed_by",)
    list_per_page = 50

    def find(self, term: str) -> Q:
        """Search by match, or by either side."""
        return at_match_or_of(term, "match", "accused", "reporter")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        """The reports that the moderator's roles include."""
        mine = queue.reports_for(cast(User, request.user))
        return mine.order_by(*self.get_ordering(request)).prefetch_related(*self.list_prefetch)

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Waiting reports by urgency, all others by age: each order has its index."""
        return ("created_at",) if request.GET.get("state") else ("due_at",)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Load the weights of all reporters on the page in one query."""
        changes = super().get_changelist_instance(request)
        rows = list(changes.result_list)
        self._weights = reports.weights({row.reporter_id for row in rows if row.reporter_id})
        for row in rows:
            row.shown_weight = self._weights.get(row.reporter_id, 0.5)
        changes.result_list = rows
        return changes

    @admin.display(description=gettext_lazy("report"))
    def subject(self, report: Report) -> str:
        return f"{capfirst(report.get_kind_display())}: {report.sentence[:60]}"

    @admin.display(description=gettext_lazy("rule"))
    def rule_name(self, report: Report) -> str:
        return rule_word(report.rule)

    @admin.display(description=gettext_lazy("age"), ordering="created_at")
    def age(self, report: Report) -> str:
        """How long the report has waited."""
        return timesince(report.created_at, depth=1)

    @admin.display(description=gettext_lazy("due"), ordering="due_at")
    def due(self, report: Report) -> str:
        """The time left to answer it."""
        if report.due_at is None or report.closed_at is not None:
            return "–"
        left = report.due_at - timezone.now()
        if left.total_seconds() > 0:
            return _("%(time)s left") % {"time": timeuntil(report.due_at, depth=1)}
        return _("%(time)s late") % {"time": timesince(report.due_at, depth=1)}

    @admin.display(description=gettext_lazy("weight"))
    def weight(self, report: Report) -> str:
        """How often the reporter was right."""
        return f"{100 * getattr(report, 'shown_weight', 0.5):.0f} %"

    @admin.display(description=gettext_lazy("claimed by"))
    def claimed(self, report: Report) -> str:
        """The moderator who has claimed the report."""
        return report.claimed_by.name if report.claimed_by else "–"

    def get_urls(self) -> list[URLPattern]:
        """Add the desk's actions to Django's own pages."""
        own = [
            path(f"<int:pk>/{name}/", self.admin_site.admin_view(self._act(act)), name=f"report_{name}")
            for name, act in report_desk.ACTS.items()
        ]
        about = path("figures/", self.admin_site.admin_view(self.figures), name="moderation_figures")
        return [about, *own, *person_admin.urls(), *super().get_urls()]

    def figures(self, request: HttpRequest) -> HttpResponse:
        """Show the moderation statistics."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "title": _("Figures of moderation"),
            "opts": self.opts,
            "days": figures.DAYS,
            "figures": figures.figures(timezone.now()),
        }
        return TemplateResponse(request, "admin/moderation/figures.html", context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the desk: one report with everything that is needed to decide it."""
        return report_desk.page(request, row_or_404(case_view.with_details(self._rows(request)), object_id))

    def _rows(self, request: HttpRequest) -> QuerySet[Report]:
        """The reports that the moderator's roles include, with both sides."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return queue.reports_for(cast(User, request.user)).select_related("accused", "reporter")

    def _act(self, act: report_desk.Act) -> Callable[[HttpRequest, int], HttpResponse]:
        """Run an action by POST and return to the desk, with the reason if it failed."""

        def view(request: HttpRequest, pk: int) -> HttpResponse:
            try:
                report = row_or_404(self._rows(request), pk)
            except Http404:
                if not queue.handed_away(cast(User, request.user)).filter(pk=pk).exists():
                    raise
                messages.error(request, _("This report was handed to another desk. It isn't in your queue any more."))
                return redirect("admin:moderation_report_changelist")
            desk = redirect("admin:moderation_report_change", report.pk)
            if request.method != "POST":
                return desk
            try:
                return act(request, cast(User, request.user), report) or desk
            except (reports.ReportError, sanctions.SanctionError) as problem:
                messages.error(request, str(problem))
                return desk

        return view
