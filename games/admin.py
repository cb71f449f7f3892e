"""Matches and slaps in the admin site: to be looked at, never changed past the door.

Nothing here shows a hidden card: while a match runs its seed, its snapshot and its moves stay out.
"""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from games import tasks
from games.models import Match, Seat, SlapAttempt


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that only the site itself writes."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody adds one by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes one by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes one by hand."""
        return False


class SeatInline(admin.TabularInline):
    """Who sits at the table."""

    model = Seat
    extra = 0
    can_delete = False
    fields = ("number", "player", "player_name", "ai_level", "ai_name", "has_resigned", "place", "points")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Seats belong to their match from the start."""
        return False


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin):
    """Matches: what waits for whom, and since when."""

    list_display = ("key", "slug", "status", "version", "awaited", "turn_since", "due_at", "created_at", "at_the_table")
    list_filter = ("status", "slug", "is_public", "pace")
    search_fields = ("=key", "=seats__player_name", "=seats__player__email")
    date_hierarchy = None
    ordering = ("-pk",)
    inlines = (SeatInline,)
    actions = ("take_up",)

    fields = (
        "key", "slug", "rules_version", "seat_count", "options", "status", "version", "host", "is_public", "pace",
        "turn_seconds", "created_at", "started_at", "finished_at", "awaited", "turn_since", "due_at", "outcome",
        "seed_hash", "revealed_seed", "rematch", "at_the_table",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description=_("seed"))
    def revealed_seed(self, match: Match) -> str:
        """The seed once the match is over."""
        return match.seed if match.status == Match.Status.OVER else str(_("shown after the match"))

    @admin.display(description=_("table"))
    def at_the_table(self, match: Match) -> str:
        """A link to the table as spectators see it."""
        return format_html('<a href="{}">{}</a>', match.get_absolute_url(), _("look"))

    @admin.action(description=_("Take up again what is due at these matches"), permissions=["view"])
    def take_up(self, request: HttpRequest, matches: QuerySet[Match]) -> None:
        """Have AI players think and stand-ins move wherever something is overdue."""
        running = list(matches.filter(status=Match.Status.RUNNING))
        for match in running:
            tasks.take_up(match.pk, match.version)
        done = ngettext(
            "%(count)d running match was taken up.", "%(count)d running matches were taken up.", len(running)
        )
        self.message_user(request, done % {"count": len(running)}, messages.SUCCESS)


@admin.register(SlapAttempt)
class SlapAttemptAdmin(ReadOnlyAdmin):
    """Slaps with all that they were judged by (ms)."""

    list_display = ("match", "version", "seat", "reaction", "elapsed", "claimed", "ping", "cap", "result", "at")
    list_filter = ("result",)
    list_select_related = ("match",)
    search_fields = ("=match__key",)
    ordering = ("-pk",)
