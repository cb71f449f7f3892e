"""Slap points in the admin site: which players a match waits for, but no card that they have not seen."""

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.admin_kit import ReadOnlyAdmin, name_columns
from games.matches.admin_lists import BY_MATCH, at_match
from games.matches.slap_points.models import SlapPoint, Watch


class WatchInline(admin.TabularInline):
    """The players who watch, and how far they have come."""

    model = Watch
    extra = 0
    can_delete = False
    fields = ("player", "state", "shown_at", "losses")
    readonly_fields = fields

    def __init__(self, parent_model: type[SlapPoint], admin_site: admin.AdminSite) -> None:
        super().__init__(parent_model, admin_site)
        name_columns(Watch)

    @admin.display(description=_("player"))
    def player(self, watch: Watch) -> str:
        return next((seat.name for seat in watch.point.match.seats.all() if seat.number == watch.seat), "–")

    def has_view_permission(self, request: HttpRequest, obj: SlapPoint | None = None) -> bool:
        """Visible to everyone who may see the slap point."""
        return request.user.has_perm("points.view_slappoint")

    def has_add_permission(self, request: HttpRequest, obj: SlapPoint | None = None) -> bool:
        """Never: the rows are created with the slap point."""
        return False


@admin.register(SlapPoint)
class SlapPointAdmin(ReadOnlyAdmin):
    """Slap points, the newest first."""

    list_display = ("match", "version", "opened_at", "settled_at")
    list_prefetch = ("match", "match__seats")
    search_fields = ("match",)
    search_help_text = BY_MATCH
    fields = ("match", "version", "opened_at", "settled_at", "verdict")
    readonly_fields = fields
    inlines = (WatchInline,)

    def find(self, term: str) -> Q:
        return at_match(term)
