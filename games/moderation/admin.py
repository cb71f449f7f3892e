"""The moderators' part of the admin site: reports, sanctions, appeals, and the log."""

from functools import partial
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.admin_kit import BY_PERSON, ReadOnlyAdmin, people, row_or_404
from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.models import Appeal, AuditEntry, NameChange, Report, Sanction
from games.moderation import log_entries, queue
from games.moderation.answers import rule_word
from games.moderation.log_words import action_in_words, action_of
from games.moderation.report_admin import ReportAdmin

admin.site.site_header = admin.site.site_title = gettext_lazy("Armani: staff pages")
admin.site.index_title = gettext_lazy("To do")

admin.site.register(Report, ReportAdmin)


def link_to(person: int | None, name: str) -> str:
    """The person's name, linked to their page at the desk if there is one."""
    return format_html('<a href="{}">{}</a>', reverse("admin:person_file", args=[person]), name) if person else name


class SanctionState(admin.SimpleListFilter):
    """The states of a decision, as a filter of the list."""

    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("waits", _("waiting for a second moderator")), ("force", _("in force")), ("back", _("taken back"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Sanction]) -> QuerySet[Sanction]:
        if self.value() == "waits":
            return queryset.filter(in_force_at=None, lifted_at=None)
        if self.value() == "force":
            ahead = Q(until=None) | Q(until__gt=timezone.now())
            return queryset.filter(ahead, in_force_at__isnull=False, lifted_at=None, kind__in=Sanction.LASTING)
        return queryset.exclude(lifted_at=None) if self.value() == "back" else queryset


class ReasonForm(ActionForm):
    """The actions of a list, with a field for the reason."""

    note = forms.CharField(label=gettext_lazy("Reason"), required=False, max_length=500)


@admin.register(Sanction)
class SanctionAdmin(ReadOnlyAdmin):
    """Decisions, newest first; grave ones wait here for a second moderator."""

    list_display = ("person_name", "kind", "rule_name", "imposed_at", "imposed_by", "state", "until")
    list_filter = (SanctionState, "kind", "rule")
    search_fields = ("person",)
    search_help_text = BY_PERSON
    list_prefetch = ("imposed_by",)
    ordering = ("-imposed_at",)
    actions = ("confirm", "lift")
    action_form = ReasonForm
    fields = (
        "about", "kind", "rule", "reason", "match", "imposed_by", "imposed_at",
        "confirmed_by", "in_force_at", "until", "lifted_at", "lifted_by", "read_at",
    )  # fmt: skip
    readonly_fields = fields

    def find(self, term: str) -> Q:
        return Q(person__in=people(term))

    @admin.display(description=gettext_lazy("rule"))
    def rule_name(self, sanction: Sanction) -> str:
        return rule_word(sanction.rule)

    @admin.display(description=gettext_lazy("about"))
    def about(self, sanction: Sanction) -> str:
        """The person, with a link while the account exists."""
        return link_to(sanction.person_id, sanction.person_name)

    @admin.display(description=gettext_lazy("state"))
    def state(self, sanction: Sanction) -> str:
        """The state of the decision."""
        if sanction.lifted_at:
            return _("taken back")
        if sanction.waits_for_second:
            return _("waiting for a second moderator")
        if sanction.kind not in Sanction.LASTING:
            return _("done") if sanction.read_at else _("not read yet")
        return _("in force") if sanction.is_in_force() else _("over")

    @admin.action(description=gettext_lazy("Confirm as second moderator"), permissions=["view"])
    def confirm(self, request: HttpRequest, queryset: QuerySet[Sanction]) -> None:
        """Confirm other moderators' grave decisions."""
        self._each(request, queryset, sanctions.confirm, _("%(name)s: in force."))

    @admin.action(description=gettext_lazy("Take back or refuse, with a reason"), permissions=["view"])
    def lift(self, request: HttpRequest, queryset: QuerySet[Sanction]) -> None:
        """Lift decisions before their end, or refuse one that waits for a second moderator."""
        note = " ".join(request.POST.get("note", "").split())[:500]
        if not note:
            self.message_user(request, _("Give a reason for taking a decision back."), messages.ERROR)
            return
        self._each(request, queryset, partial(sanctions.lift, note=note, says_why=True), _("%(name)s: taken back."))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a decision, with buttons to confirm or lift it for roles that may."""
        decision = Sanction.objects.filter(pk=object_id).first() if object_id.isdecimal() else None
        moderator = cast(User, request.user)
        more = {
            "may_decide": decision is not None and sanctions.may_impose(moderator, decision.kind),
            "report": queue.report_of(moderator, decision),
        }
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **more})

    def get_urls(self) -> list[URLPattern]:
        """Add the actions on the page of one decision."""
        acts = {"confirm": self.confirm, "lift": self.lift}
        return [
            *(
                path(f"<int:pk>/{name}/", self.admin_site.admin_view(partial(self._do, act)), name=f"sanction_{name}")
                for name, act in acts.items()
            ),
            *super().get_urls(),
        ]

    def _do(self, act: Any, request: HttpRequest, pk: int) -> HttpResponse:
        """Run one of the list's actions on this decision alone."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method == "POST":
            act(request, Sanction.objects.filter(pk=row_or_404(self.get_queryset(request), pk).pk))
        return redirect("admin:moderation_sanction_change", pk)

    def _each(self, request: HttpRequest, queryset: QuerySet[Sanction], action: Any, done: str) -> None:
        for sanction in queryset:
            try:
                action(cast(User, request.user), sanction)
            except sanctions.SanctionError as problem:
                self.message_user(request, f"{sanction}: {problem}", messages.ERROR)
            else:
                self.message_user(request, done % {"name": sanction}, messages.SUCCESS)


class AnswerForm(forms.Form):
    """A message in an appeal's thread, with or without the decision."""

    text = forms.CharField(label=gettext_lazy("Answer"), max_length=2000, widget=forms.Textarea(attrs={"rows": 4}))
    #: By the button that sends the form.
    decision = forms.ChoiceField(required=False, choices=Appeal.Decision.choices, widget=forms.HiddenInput)


@admin.register(Appeal)
class AppealAdmin(ReadOnlyAdmin):
    """Appeals, oldest first; a moderator who had no part in the sanction decides."""

    list_display = ("sanction", "created_at", "decision", "decided_by")
    list_filter = ("decision",)
    search_fields = ("sanction",)
    search_help_text = BY_PERSON
    list_prefetch = ("sanction", "decided_by")
    ordering = ("created_at",)
    sortable_by = ("created_at",)

    def find(self, term: str) -> Q:
        return Q(sanction__person__in=people(term))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the thread, the decision that it is about, and the form for an answer."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        thread = row_or_404(Appeal.objects.select_related("sanction", "sanction__person"), object_id)
        moderator = cast(User, request.user)
        form = AnswerForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                sanctions.answer(moderator, thread, form.cleaned_data["text"], form.cleaned_data["decision"])
            except sanctions.SanctionError as problem:
                messages.error(request, str(problem))
            else:
                messages.success(request, _("We have told the person."))
                return redirect(request.path)
        context = {
            **self.admin_site.each_context(request),
            "title": capfirst(str(thread)),
            "opts": self.opts,
            "thread": thread,
            "sentences": sanctions.in_words(thread.sanction),
            "posts": thread.messages.select_related("author"),
            "form": form["text"],
            "report": queue.report_of(moderator, thread.sanction),
            "had_no_part": not sanctions.has_part(moderator, thread.sanction),
        }
        return TemplateResponse(request, "admin/moderation/appeal.html", context)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """The log of everything that people with powers did."""

    list_display = ("at", "actor", "done", "called", "note")
    search_fields = ("target",)
    search_help_text = gettext_lazy(
        "Search by what was changed (match:12, user:3), by the full name of the person who did it, or by the action."
    )
    fields = ("at", "actor_link", "done", "target_link", "before_in_words", "after_in_words", "note")
    readonly_fields = fields

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Load the names of the targets of this page's entries in the reader's language."""
        changes = super().get_changelist_instance(request)
        changes.result_list = list(changes.result_list)
        log_entries.name_targets(changes.result_list)
        return changes

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the entry with its target named in the reader's language."""
        entry: Any = super().get_object(request, object_id, from_field)
        if entry is not None:
            entry.shown = log_entries.shown_to(request, entry)
        return entry

    def find(self, term: str) -> Q:
        """Search by target, actor or action."""
        if ":" in term:
            return Q(target=term)
        is_name = AuditEntry.objects.filter(actor_name=term).exists()
        return Q(actor_name=term) if is_name else Q(action=action_of(term))

    @admin.display(description=gettext_lazy("who"))
    def actor(self, entry: AuditEntry) -> str:
        return entry.actor_name or _("The site")

    @admin.display(description=gettext_lazy("what"))
    def done(self, entry: AuditEntry) -> str:
        """The action in words."""
        return action_in_words(entry.action)

    @admin.display(description=gettext_lazy("target"))
    def called(self, entry: AuditEntry) -> str:
        return entry.called or entry.target_name

    @admin.display(description=gettext_lazy("who"))
    def actor_link(self, entry: Any) -> str:
        """The actor, with a link."""
        return entry.shown.actor

    @admin.display(description=gettext_lazy("target"))
    def target_link(self, entry: Any) -> str:
        """The target, with a link."""
        return entry.shown.target

    @admin.display(description=gettext_lazy("before"))
    def before_in_words(self, entry: Any) -> str:
        return entry.shown.before

    @admin.display(description=gettext_lazy("after"))
    def after_in_words(self, entry: Any) -> str:
        return entry.shown.after


@admin.register(NameChange)
class NameChangeAdmin(ReadOnlyAdmin):
    """Former names of people."""

    list_display = ("old_name", "new_name", "at", "was_forced", "person")
    search_fields = ("old_name",)
    search_help_text = gettext_lazy("Search by a full earlier name, a full address, or the start of the current name.")
    list_prefetch = ("user",)

    def find(self, term: str) -> Q:
        """Search by the former name, or by the person."""
        return Q(old_name=term) | Q(user__in=people(term))

    @admin.display(description=gettext_lazy("person"))
    def person(self, change: NameChange) -> str:
        return link_to(change.user_id, str(change.user))
