"""Reported moves in the admin site. Cards of a running match stay hidden here, too."""

import json

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.admin_kit import ReadOnlyAdmin
from games import rules
from games.ai_reports.models import AiCase
from games.matches.admin_lists import BY_MATCH_OR_PERSON, at_match_or_of
from games.table.labels import move_label


@admin.register(AiCase)
class AiCaseAdmin(ReadOnlyAdmin):
    """Reported moves, and whether they have been looked into."""

    list_display = ("id", "game", "level", "name", "shown_move", "note", "is_settled", "created_at")
    list_filter = ("is_settled", "level")
    list_prefetch = ("match__seats",)
    search_fields = ("match",)
    search_help_text = BY_MATCH_OR_PERSON
    actions = ("settle",)
    fields = (
        "match", "number", "seat", "name", "level", "shown_move", "shown_view", "reporter", "note", "created_at",
        "is_settled", "how_to_replay",
    )  # fmt: skip
    readonly_fields = fields

    def find(self, term: str) -> Q:
        """Find reports by match or reporter."""
        return at_match_or_of(term, "match", "reporter")

    @admin.display(description=_("game"))
    def game(self, case: AiCase) -> str:
        return rules.name_of(case.slug)

    @admin.display(description=_("move"))
    def shown_move(self, case: AiCase) -> str:
        """The move, once the match is over: before, it may be a sealed one."""
        if case.is_secret:
            return str(_("shown once the match is over"))
        names = [] if case.match is None else [seat.name for seat in case.match.seats.all()]
        return move_label(case.slug, case.move, names)

    @admin.display(description=_("what it saw"))
    def shown_view(self, case: AiCase) -> str:
        """The AI player's view, once the match is over."""
        if case.is_secret:
            return str(_("shown once the match is over"))
        return format_html(
            "<details><summary>{}</summary><pre>{}</pre></details>", _("As data"), json.dumps(case.view, indent=1)
        )

    @admin.display(description=_("replay"))
    def how_to_replay(self, case: AiCase) -> str:
        """The command that shows the position and what each level plays there now."""
        return format_html("<code>manage.py ai_case {}</code>", case.pk)

    @admin.action(description=_("Mark as settled"), permissions=["view"])
    def settle(self, request: HttpRequest, cases: QuerySet[AiCase]) -> None:
        """Mark the selected reports as looked into."""
        count = cases.update(is_settled=True)
        done = ngettext("%(count)d case is settled.", "%(count)d cases are settled.", count)
        self.message_user(request, done % {"count": count}, messages.SUCCESS)
