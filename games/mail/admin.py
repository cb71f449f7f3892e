"""Admin pages of notices: pending and failed ones, but never the text of an email."""

from typing import Any, cast

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts.admin_kit import MOST_AT_ONCE, ReadOnlyAdmin
from accounts.models import User
from accounts.moderation.audit import record
from games.matches.admin_lists import BY_MATCH_OR_PERSON, SeatColumn, at_match_or_of

from .models import Notice


class FailedFilter(admin.SimpleListFilter):
    """Notices whose last attempt failed."""

    title = _("problem")
    parameter_name = "failed"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", gettext("something went wrong"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Notice]) -> QuerySet[Notice]:
        return queryset.filter(failures__gt=0) if self.value() else queryset


@admin.register(Notice)
class NoticeAdmin(SeatColumn, ReadOnlyAdmin):
    """Pending and failed notices, with an action to retry them."""

    list_display = ("kind", "match", "user", "version", "created_at", "next_at", "mails", "failures", "short_error")
    list_filter = (FailedFilter, "kind")
    list_prefetch = ("match", "user")
    search_fields = ("match",)
    search_help_text = BY_MATCH_OR_PERSON
    fields = (
        "kind",
        "match",
        "user",
        "place_at_table",
        "version",
        "created_at",
        "next_at",
        "stages",
        "mails",
        "mailed_at",
        "failures",
        "error",
    )
    readonly_fields = fields
    actions = ("try_again",)

    def has_try_permission(self, request: HttpRequest) -> bool:
        """Let people who may change notices retry them; the text can't be edited."""
        return request.user.has_perm("mail.change_notice")

    def find(self, term: str) -> Q:
        """Find notices by match or recipient."""
        return at_match_or_of(term, "match", "user")

    @admin.display(description=_("error"))
    def short_error(self, notice: Notice) -> str:
        """The beginning of the error."""
        return notice.error[:80]

    @admin.action(description=_("Try again now"), permissions=["try"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[Notice]) -> None:
        """Retry failed notices in the next sweep; what was sent isn't sent again."""
        failed = list(queryset.filter(failures__gt=0)[:MOST_AT_ONCE])
        with transaction.atomic():
            for notice in failed:
                record(cast(User, request.user), "tell again", notice, before={"failures": notice.failures})
            Notice.objects.filter(pk__in=[notice.pk for notice in failed]).update(next_at=timezone.now(), failures=0)
        count = len(failed)
        text = ngettext("%(count)d notice will be tried again.", "%(count)d notices will be tried again.", count)
        self.message_user(request, text % {"count": count}, messages.SUCCESS)
