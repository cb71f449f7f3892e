"""Flags and pauses in the admin site, read-only."""

from django.contrib import admin
from django.db.models import Q
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.admin_kit import BY_PERSON, ReadOnlyAdmin, people
from games.matches.models import Match
from games.slaps.models import Flag


@admin.register(Flag)
class FlagAdmin(ReadOnlyAdmin):
    """Anomalies in players' slaps, for moderators to check. A flag alone sanctions no one."""

    list_display = ("player", "kind", "in_words", "cards", "first_at", "found_at")
    list_filter = ("kind", "found_at")
    list_prefetch = ("player",)
    search_fields = ("player",)
    search_help_text = BY_PERSON
    ordering = ("-found_at",)
    fields = ("player", "kind", "in_words", "cards", "first_at", "found_at", "where")
    readonly_fields = fields

    def find(self, term: str) -> Q:
        return Q(player__in=people(term))

    @admin.display(description=_("figure"))
    def in_words(self, flag: Flag) -> str:
        """The figure with its unit, and the normal limit."""
        return flag.in_words

    @admin.display(description=_("matches"))
    def where(self, flag: Flag) -> SafeString:
        """Links to the tables, newest last."""
        matches = Match.objects.filter(key__in=flag.matches).order_by("finished_at")
        return format_html_join(
            " ", '<a href="{}">{}</a>', ((match.get_absolute_url(), match.key) for match in matches)
        )
