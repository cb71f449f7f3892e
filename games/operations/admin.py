"""Switches, announcements, failures, bounced addresses and figures in the admin site, for operators."""

from datetime import timedelta
from typing import Any, ClassVar, cast

from allauth.account.models import EmailAddress
from django import forms
from django.contrib import admin, messages
from django.db import models
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.admin_kit import BY_PERSON, MOST_AT_ONCE, LongListAdmin, people
from accounts.models import User
from accounts.moderation.audit import record
from accounts.playing_times.calendars import own_zone
from games.matches.admin_lists import BY_MATCH, at_match
from games.matches.models import Match
from games.operations import charts, match_admin, repair
from games.operations.models import (
    Announcement,
    BouncedAddress,
    DayCount,
    Failure,
    Switches,
    values_of,
)
from games.site_status import state

#: The admin pages of matches are in a module of their own.
__all__ = ["match_admin"]

# A row for each member, managed by the pages of people; it must not be edited separately.
admin.site.unregister(EmailAddress)


class OperateAdmin(LongListAdmin):
    """Pages that need the permission to operate the site, and nothing else."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("moderation.operate")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("moderation.operate")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Most rows are deleted automatically."""
        return False

    def has_operate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("moderation.operate")


@admin.register(Switches)
class SwitchesAdmin(OperateAdmin):
    """A single page; changes apply at once in all processes."""

    fields = ("signup_open", "matches_open", "banner", "banner_level")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("moderation.operate")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the only row."""
        if self.has_view_permission(request):
            Switches.row()
            return redirect("admin:operations_switches_change", 1)
        return super().changelist_view(request, extra_context)

    def save_model(self, request: HttpRequest, obj: Switches, form: Any, change: bool) -> None:
        """Save, log, and notify every process."""
        before = values_of(Switches.row(), *self.fields)
        super().save_model(request, obj, form, change)
        after = values_of(obj, *self.fields)
        if after != before:
            record(cast(User, request.user), "switch", obj, before=before, after=after)
        state.changed()

    def response_change(self, request: HttpRequest, obj: Switches) -> HttpResponse:
        """Return to the same page, which is the only one."""
        self.message_user(request, _("Saved. In force everywhere."), messages.SUCCESS)
        return redirect("admin:operations_switches_change", 1)


@admin.register(Announcement)
class AnnouncementAdmin(OperateAdmin):
    """Messages shown to everyone, on every page until dismissed."""

    list_display = ("__str__", "standing", "starts_at", "ends_at")
    ordering = ("-starts_at",)
    fields = ("text", "starts_at", "ends_at")
    #: One field each, which browsers and labels can identify.
    formfield_overrides: ClassVar[Any] = {
        models.DateTimeField: {
            "form_class": forms.DateTimeField,
            "widget": forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        }
    }

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("moderation.operate")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("moderation.operate")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("moderation.operate")

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the form in the reader's time zone, because browser date fields have none."""
        with timezone.override(own_zone(cast(User, request.user))):
            answer = super().changeform_view(request, object_id, form_url, extra_context)
            return answer.render() if isinstance(answer, TemplateResponse) else answer

    @admin.display(description=gettext_lazy("state"))
    def standing(self, announcement: Announcement) -> str:
        """Whether it is shown now."""
        now = timezone.now()
        if announcement.starts_at > now:
            return _("scheduled")
        return _("over") if announcement.ends_at is not None and announcement.ends_at <= now else _("shown")

    def save_model(self, request: HttpRequest, obj: Announcement, form: Any, change: bool) -> None:
        """Save, log, and notify every process."""
        before = values_of(Announcement.objects.get(pk=obj.pk), *self.fields) if change else {}
        super().save_model(request, obj, form, change)
        record(cast(User, request.user), "announce", obj, before=before, after=values_of(obj, *self.fields))
        state.changed()

    def delete_model(self, request: HttpRequest, obj: Announcement) -> None:
        """Delete, log, and notify every process."""
        record(cast(User, request.user), "take announcement away", obj, before=values_of(obj, *self.fields))
        super().delete_model(request, obj)
        state.changed()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Announcement]) -> None:
        """Delete several."""
        for announcement in queryset:
            self.delete_model(request, announcement)


class StandingFilter(admin.SimpleListFilter):
    """Failures by whether they still block the match."""

    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("still", _("the match is stuck"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Failure]) -> QuerySet[Failure]:
        """Failures at the match's current version."""
        if self.value() == "still":
            return queryset.filter(match__status=Match.Status.RUNNING, match__version=F("version"))
        return queryset


@admin.register(Failure)
class FailureAdmin(OperateAdmin):
    """Failed AI turns and due steps, and matches that differ from a replay of their moves."""

    list_display = ("at_match", "kind", "version", "error", "times", "last_at", "has_gone_on")
    list_display_links = None
    list_filter = (StandingFilter, "kind")
    list_prefetch = ("match",)
    search_fields = ("match",)
    search_help_text = BY_MATCH
    ordering = ("-last_at",)
    actions = ("process_now",)

    def find(self, term: str) -> Q:
        return at_match(term)

    @admin.display(description=gettext_lazy("match"))
    def at_match(self, failure: Failure) -> str:
        """A link to the match, where it can be replayed."""
        url = reverse("admin:games_match_change", args=[failure.match_id])
        return format_html('<a href="{}">{}</a>', url, failure.match)

    @admin.display(description=gettext_lazy("recovered"), boolean=True)
    def has_gone_on(self, failure: Failure) -> bool:
        """Whether the match has moved on since."""
        return failure.match.version > failure.version or failure.match.status != Match.Status.RUNNING

    @admin.action(description=gettext_lazy("Restart their matches"), permissions=["operate"])
    def process_now(self, request: HttpRequest, queryset: QuerySet[Failure]) -> None:
        """Process the match again."""
        ids = list(queryset.values_list("match", flat=True)[:MOST_AT_ONCE])
        matches = Match.objects.filter(pk__in=ids, status=Match.Status.RUNNING)
        cast(Any, admin.site.get_model_admin(Match)).process_now(request, matches)


@admin.register(BouncedAddress)
class BouncedAddressAdmin(OperateAdmin):
    """People who get no emails, because emails bounced or were reported as spam."""

    list_display = ("name", "email", "undeliverable_why", "last_login")
    list_display_links = None
    fields = list_display
    list_filter = ("undeliverable_why",)
    search_fields = ("email",)
    search_help_text = BY_PERSON
    actions = ("clear",)

    def find(self, term: str) -> Q:
        return Q(pk__in=people(term))

    @admin.action(description=gettext_lazy("Send email to these addresses again"), permissions=["operate"])
    def clear(self, request: HttpRequest, queryset: QuerySet[BouncedAddress]) -> None:
        """Email the selected people again."""
        chosen = list(queryset[:MOST_AT_ONCE])
        for person in chosen:
            repair.mail_again(cast(User, request.user), person)
        done = ngettext(
            "%(count)d address gets email again.", "%(count)d addresses get email again.", len(chosen)
        )  # fmt: skip
        self.message_user(request, done % {"count": len(chosen)}, messages.SUCCESS)


@admin.register(DayCount)
class DayCountAdmin(OperateAdmin):
    """Charts of matches, moves, sign-ups and emails by day."""

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """One chart per kind, with a table of the same figures."""
        if not self.has_view_permission(request):
            return super().changelist_view(request, extra_context)
        days = {"30": 30, "90": 90}.get(request.GET.get("days", ""), 30)
        today = timezone.now().date()
        context = {
            **self.admin_site.each_context(request),
            "title": _("Figures by day"),
            "opts": self.opts,
            "days": days,
            "charts": charts.charts(today - timedelta(days=days - 1), today),
        }
        return TemplateResponse(request, "admin/operations/figures.html", context)
