"""Chat messages, for moderators."""

from django.contrib import admin
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.admin_kit import ReadOnlyAdmin
from games.chat.models import Line
from games.matches.admin_lists import BY_MATCH_OR_PERSON, SeatColumn, at_match_or_of


@admin.register(Line)
class LineAdmin(SeatColumn, ReadOnlyAdmin):
    """Read-only: messages are not rewritten, and reports refer to them."""

    list_display = ("said", "author_name", "at", "match", "place", "is_removed")
    list_filter = ("is_removed",)
    list_prefetch = ("match",)
    search_fields = ("match",)
    search_help_text = BY_MATCH_OR_PERSON
    fields = ("said", "author_name", "author", "place", "match", "at", "version", "is_removed")
    readonly_fields = fields

    @admin.display(description=_("words"))
    def said(self, line: Line) -> str:
        """The message; a preset phrase in the reader's language."""
        return str(line.words)

    @admin.display(description=_("seat"))
    def place(self, line: Line) -> str:
        """The seat of its author."""
        return gettext("spectator") if line.seat is None else self.place_at_table(line)

    def find(self, term: str) -> Q:
        """Find messages by match or author."""
        return at_match_or_of(term, "match", "author")
