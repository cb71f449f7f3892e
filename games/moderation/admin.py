"""The moderators' desk in the admin site: the queue, one page a report, sanctions, appeals, and the log."""

from datetime import timedelta
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.admin_kit import BY_PERSON, ReadOnlyAdmin, people
from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.audit import record
from accounts.moderation.models import Appeal, AuditEntry, NameChange, Report, Sanction
from games.matches.admin_lists import BY_MATCH_OR_PERSON, at_match_or_of
from games.moderation import pairs, reports
from games.moderation.answers import ANSWERS
from games.moderation.desk import file_of, reports_for, table_at

admin.site.site_header = admin.site.site_title = gettext_lazy("Armani: the desk")
admin.site.index_title = gettext_lazy("What is to be done")

#: How long something lasts, in hours; 0 is for good.
LENGTHS = {
    0: gettext_lazy("for good"),
    24: gettext_lazy("a day"),
    72: gettext_lazy("three days"),
    168: gettext_lazy("a week"),
    720: gettext_lazy("thirty days"),
    2160: gettext_lazy("ninety days"),
}


class SanctionForm(forms.Form):
    """A decision about the person of a report."""

    kind = forms.ChoiceField(label=gettext_lazy("Decision"), choices=Sanction.Kind.choices)
    hours = forms.TypedChoiceField(label=gettext_lazy("For how long"), coerce=int, choices=LENGTHS.items())
    reason = forms.CharField(
        label=gettext_lazy("Reason, for the person"), max_length=500, widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(self, moderator: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = [(kind, label) for kind, label in Sanction.Kind.choices if sanctions.may_impose(moderator, kind)]
        self.fields["kind"].choices = kinds  # type: ignore[attr-defined]  # a ChoiceField


class CloseForm(forms.Form):
    """The end of a report, and what its reporter is told."""

    outcome = forms.ChoiceField(label=gettext_lazy("Outcome"), choices=Report.Outcome.choices)
    ready = forms.ChoiceField(
        label=gettext_lazy("Ready-made answer"), choices=[("", "–"), *ANSWERS.items()], required=False
    )
    answer = forms.CharField(
        label=gettext_lazy("Or in your own words"),
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def text(self) -> str:
        """What the reporter is told: own words before ready-made ones."""
        ready = self.cleaned_data["ready"]
        return self.cleaned_data["answer"].strip() or (str(ANSWERS[ready]) if ready else "")


class OpenFilter(admin.SimpleListFilter):
    """Open reports unless asked otherwise."""

    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The states."""
        return [("closed", _("closed")), ("all", _("all"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        """The reports of that state."""
        if self.value() == "closed":
            return queryset.exclude(closed_at=None)
        return queryset if self.value() == "all" else queryset.filter(closed_at=None)

    def choices(self, changelist: Any) -> Any:
        """Django's own list, whose first one is not "all" here."""
        for at, choice in enumerate(super().choices(changelist)):
            yield {**choice, "display": _("open")} if at == 0 else choice


def _row_or_404(rows: QuerySet, pk: Any) -> Any:
    """The row of that key; 404 for none, and for what is no key: an address may hold anything."""
    if not str(pk).isdecimal():
        raise Http404
    return get_object_or_404(rows, pk=pk)


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    """The queue, oldest first."""

    list_display = ("subject", "rule_name", "age", "weight", "claimed", "accused_name", "reporter_name")
    list_filter = (OpenFilter, "kind", "rule")
    search_fields = ("match",)
    search_help_text = BY_MATCH_OR_PERSON
    list_prefetch = ("claimed_by",)
    ordering = ("created_at",)
    list_per_page = 50

    def find(self, term: str) -> Q:
        """By match, or by either side."""
        return at_match_or_of(term, "match", "accused", "reporter")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        """Those that the moderator's roles include."""
        return reports_for(cast(User, request.user)).order_by("created_at").prefetch_related(*self.list_prefetch)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Weights of all reporters on the page in one query."""
        changes = super().get_changelist_instance(request)
        rows = list(changes.result_list)
        self._weights = reports.weights({row.reporter_id for row in rows if row.reporter_id})
        for row in rows:
            row.shown_weight = self._weights.get(row.reporter_id, 0.5)
        changes.result_list = rows
        return changes

    @admin.display(description=gettext_lazy("report"))
    def subject(self, report: Report) -> str:
        """What it is about."""
        return f"{report.get_kind_display()}: {report.sentence[:60]}"

    @admin.display(description=gettext_lazy("rule"))
    def rule_name(self, report: Report) -> str:
        """The rule in a word."""
        return str(report.rule)

    @admin.display(description=gettext_lazy("age"), ordering="created_at")
    def age(self, report: Report) -> str:
        """How long it has waited."""
        return timesince(report.created_at, depth=1)

    @admin.display(description=gettext_lazy("weight"))
    def weight(self, report: Report) -> str:
        """How often the reporter was right."""
        return f"{100 * getattr(report, 'shown_weight', 0.5):.0f} %"

    @admin.display(description=gettext_lazy("claimed by"))
    def claimed(self, report: Report) -> str:
        """Who is at it."""
        return report.claimed_by.name if report.claimed_by else "–"

    def get_urls(self) -> list[URLPattern]:
        """The desk's deeds beside Django's own pages."""
        deeds = {"claim": self.claim, "release": self.release, "look": self.look, "sanction": self.sanction}
        own = [
            path(f"<int:pk>/{name}/", self.admin_site.admin_view(self._deed(work)), name=f"report_{name}")
            for name, work in {**deeds, "close": self.close}.items()
        ]
        return own + super().get_urls()

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The desk: one report with everything that is needed to decide."""
        report = self._find(request, object_id)
        return self._desk(request, report)

    def _find(self, request: HttpRequest, pk: Any) -> Report:
        if not self.has_view_permission(request):
            raise PermissionDenied
        with_people = self.get_queryset(request).select_related("accused", "reporter", "match", "line", "claimed_by")
        return _row_or_404(with_people, pk)

    def _deed(self, work: Any) -> Any:
        """A POST to the desk that ends on the desk, with the reason if it could not be done."""

        def view(request: HttpRequest, pk: int) -> HttpResponse:
            report = self._find(request, pk)
            if request.method != "POST":
                return redirect(self._address(report))
            try:
                answer: HttpResponse | None = work(request, cast(User, request.user), report)
            except (reports.NotPossible, sanctions.NotPossible) as problem:
                messages.error(request, str(problem))
                answer = None
            return answer or redirect(self._address(report))

        return view

    def _address(self, report: Report) -> str:
        return reverse("admin:moderation_report_change", args=[report.pk])

    def _desk(self, request: HttpRequest, report: Report, **more: Any) -> HttpResponse:
        moderator = cast(User, request.user)
        context = {
            **self.admin_site.each_context(request),
            "title": str(report),
            "opts": self.opts,
            "report": report,
            "file": file_of(report),
            "why_not": reports.why_not(moderator, report),
            "is_mine": report.claimed_by_id == moderator.pk and report.closed_at is None,
            "play": self._play_of(moderator, report),
            "may_look": report.match is not None and moderator.has_perm("moderation.see_hands"),
            "sanction_form": SanctionForm(moderator),
            "close_form": CloseForm(),
            **more,
        }
        return TemplateResponse(request, "admin/moderation/desk.html", context)

    def _play_of(self, moderator: User, report: Report) -> dict[str, Any] | None:
        """What strikes in how the people of a report play, for roles that judge play or accounts."""
        if not (moderator.has_perm("moderation.handle_results") or moderator.has_perm("moderation.handle_accounts")):
            return None
        people = reports.people_of(report)
        return {"flags": pairs.flags_of(people), "pairs": pairs.frequent_pairs(people), "often": pairs.OFTEN}

    def claim(self, _request: HttpRequest, moderator: User, report: Report) -> None:
        """Take it on."""
        reports.claim(moderator, report)

    def release(self, _request: HttpRequest, moderator: User, report: Report) -> None:
        """Give it back."""
        reports.release(moderator, report)

    def look(self, request: HttpRequest, moderator: User, report: Report) -> HttpResponse:
        """Show the table as the accused saw it: an act that is logged, since cards may be hidden from others."""
        if not moderator.has_perm("moderation.see_hands"):
            raise PermissionDenied
        reason = reports.why_not(moderator, report)
        if reason:
            raise reports.NotPossible(reason)
        seen = table_at(report)
        if seen is None or report.match is None:
            raise reports.NotPossible(_("There is no table to look at."))
        record(moderator, "look at table", report.match, after={"seat": seen.seat, "version": seen.version})
        return self._desk(request, report, seen=seen)

    def sanction(self, request: HttpRequest, moderator: User, report: Report) -> HttpResponse | None:
        """Decide about the accused."""
        self._require_claim(moderator, report)
        form = SanctionForm(moderator, request.POST)
        if not form.is_valid():
            return self._desk(request, report, sanction_form=form)
        if report.accused is None:
            raise reports.NotPossible(_("The account is gone."))
        kind, hours = form.cleaned_data["kind"], form.cleaned_data["hours"]
        lasts = kind in Sanction.LASTING and hours
        done = sanctions.impose(
            moderator,
            report.accused,
            kind,
            report.rule,
            form.cleaned_data["reason"],
            until=timezone.now() + timedelta(hours=hours) if lasts else None,
            match=report.match,
            report=report,
        )
        said = _("A second moderator has to confirm it.") if done.waits_for_second else _("It is in force.")
        messages.success(request, said)
        return None

    def close(self, request: HttpRequest, moderator: User, report: Report) -> HttpResponse | None:
        """End it, and tell the reporter."""
        form = CloseForm(request.POST)
        if not form.is_valid():
            return self._desk(request, report, close_form=form)
        reports.close(moderator, report, form.cleaned_data["outcome"], form.text())
        messages.success(request, _("Closed; the reporter is told."))
        return redirect("admin:moderation_report_changelist")

    def _require_claim(self, moderator: User, report: Report) -> None:
        reason = reports.why_not(moderator, report)
        if reason:
            raise reports.NotPossible(reason)
        if report.claimed_by_id != moderator.pk or report.closed_at is not None:
            raise reports.NotPossible(_("Claim the report first."))


@admin.register(Sanction)
class SanctionAdmin(ReadOnlyAdmin):
    """Decisions, the newest first; grave ones wait here for a second moderator."""

    list_display = ("person_name", "kind", "rule", "imposed_at", "imposed_by", "state", "until")
    list_filter = (
        "kind",
        "rule",
        ("in_force_at", admin.EmptyFieldListFilter),
        ("lifted_at", admin.EmptyFieldListFilter),
    )
    search_fields = ("person",)
    search_help_text = BY_PERSON
    list_prefetch = ("imposed_by",)
    ordering = ("-imposed_at",)
    actions = ("confirm", "lift")
    fields = (
        "person", "person_name", "kind", "rule", "reason", "report", "match", "imposed_by", "imposed_at",
        "confirmed_by", "in_force_at", "until", "lifted_at", "lifted_by", "read_at",
    )  # fmt: skip
    readonly_fields = fields

    def find(self, term: str) -> Q:
        """By the person."""
        return Q(person__in=people(term))

    @admin.display(description=gettext_lazy("state"))
    def state(self, sanction: Sanction) -> str:
        """Where it stands."""
        if sanction.lifted_at:
            return _("taken back")
        if sanction.waits_for_second:
            return _("waits for a second moderator")
        if sanction.kind not in Sanction.LASTING:
            return _("done") if sanction.read_at else _("not read yet")
        return _("in force") if sanction.is_in_force() else _("over")

    @admin.action(description=gettext_lazy("Confirm, as second moderator"), permissions=["view"])
    def confirm(self, request: HttpRequest, queryset: QuerySet[Sanction]) -> None:
        """Confirm grave decisions of others."""
        self._each(request, queryset, sanctions.confirm, _("%(name)s: in force."))

    @admin.action(description=gettext_lazy("Take back"), permissions=["view"])
    def lift(self, request: HttpRequest, queryset: QuerySet[Sanction]) -> None:
        """Take decisions back before their end."""
        self._each(request, queryset, sanctions.lift, _("%(name)s: taken back."))

    def _each(self, request: HttpRequest, queryset: QuerySet[Sanction], deed: Any, done: str) -> None:
        for sanction in queryset:
            try:
                deed(cast(User, request.user), sanction)
            except sanctions.NotPossible as problem:
                self.message_user(request, f"{sanction}: {problem}", messages.ERROR)
            else:
                self.message_user(request, done % {"name": sanction}, messages.SUCCESS)


class AnswerForm(forms.Form):
    """A message in an appeal's thread, perhaps with the decision."""

    text = forms.CharField(label=gettext_lazy("Answer"), max_length=2000, widget=forms.Textarea(attrs={"rows": 4}))
    decision = forms.ChoiceField(
        label=gettext_lazy("Decision"),
        required=False,
        choices=[("", gettext_lazy("none yet")), *Appeal.Decision.choices],
    )


@admin.register(Appeal)
class AppealAdmin(ReadOnlyAdmin):
    """Appeals, oldest first; somebody who had no part in the sanction decides."""

    list_display = ("sanction", "created_at", "decision", "decided_by")
    list_filter = ("decision",)
    search_fields = ("sanction",)
    search_help_text = BY_PERSON
    list_prefetch = ("sanction", "decided_by")
    ordering = ("created_at",)
    sortable_by = ("created_at",)

    def find(self, term: str) -> Q:
        """By the person."""
        return Q(sanction__person__in=people(term))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The thread, what it is about, and the answer."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        thread = _row_or_404(Appeal.objects.select_related("sanction", "sanction__person"), object_id)
        moderator = cast(User, request.user)
        form = AnswerForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                sanctions.answer(moderator, thread, form.cleaned_data["text"], form.cleaned_data["decision"])
            except sanctions.NotPossible as problem:
                messages.error(request, str(problem))
            else:
                messages.success(request, _("The person is told."))
                return redirect(request.path)
        context = {
            **self.admin_site.each_context(request),
            "title": str(thread),
            "opts": self.opts,
            "thread": thread,
            "sentences": sanctions.in_words(thread.sanction),
            "posts": thread.messages.select_related("author"),
            "form": form,
        }
        return TemplateResponse(request, "admin/moderation/appeal.html", context)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """The log: everything that people with powers did."""

    list_display = ("at", "actor_name", "action", "target_name", "note")
    search_fields = ("target",)
    search_help_text = gettext_lazy(
        "What it was done to (match:12, user:3), the whole name of who did it, or the deed."
    )
    fields = ("at", "actor_name", "actor_id", "action", "target", "target_name", "before", "after", "note")
    readonly_fields = fields

    def find(self, term: str) -> Q:
        """By target, actor or deed."""
        if ":" in term:
            return Q(target=term)
        return Q(actor_name=term) if AuditEntry.objects.filter(actor_name=term).exists() else Q(action=term)


@admin.register(NameChange)
class NameChangeAdmin(ReadOnlyAdmin):
    """What people were called before."""

    list_display = ("old_name", "new_name", "at", "was_forced", "person")
    search_fields = ("old_name",)
    search_help_text = gettext_lazy("A whole earlier name, an address, or the beginning of the present name.")
    list_prefetch = ("user",)

    def find(self, term: str) -> Q:
        """By the earlier name, or by the person."""
        return Q(old_name=term) | Q(user__in=people(term))

    @admin.display(description=gettext_lazy("person"))
    def person(self, change: NameChange) -> str:
        """A link to the person."""
        return format_html(
            '<a href="{}">{}</a>', reverse("admin:accounts_user_change", args=[change.user_id]), change.user
        )
