"""Matches and slaps in the admin site: read-only, since changes go through the match service.

No hidden card is shown: while a match runs, its seed, snapshot and moves are left out.
"""

from typing import Any, cast

from django.contrib import admin, messages
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import floatformat
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts.admin_kit import MOST_AT_ONCE, ReadOnlyAdmin, people
from accounts.models import User
from games import rules
from games.matches.admin_lists import BY_MATCH, BY_MATCH_OR_PERSON, SeatColumn, at_match, match_of
from games.matches.models import Match, Outage, Seat, SlapAttempt
from games.operations import health, repair
from games.table.option_text import in_words, value_in_words


class GameFilter(admin.SimpleListFilter):
    """By game; the list doesn't query matches."""

    title = _("game")
    parameter_name = "game"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(game.slug, game.name) for game in rules.all()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        return queryset.filter(slug=self.value()) if self.value() else queryset


class DueFilter(admin.SimpleListFilter):
    """Running matches that are overdue."""

    title = _("due")
    parameter_name = "due"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Overdue, and so overdue that retries don't seem to help."""
        return [
            ("overdue", gettext("overdue by a minute")),
            ("stuck", gettext("stuck: overdue by more than five minutes")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        """Overdue or stuck matches. A failed try gives a match a new due time, so its seats show how late it is."""
        now = timezone.now()
        running = queryset.filter(status=Match.Status.RUNNING)
        if self.value() == "overdue":
            return running.filter(due_at__lt=now - health.LATEST)
        if self.value() == "stuck":
            late = Seat.objects.filter(
                match__status=Match.Status.RUNNING,
                match__due_at__lt=now + health.OVERDUE,
                due_at__lt=now - health.OVERDUE,
            )
            return running.filter(
                Q(due_at__lt=now - health.OVERDUE) | Q(pk__in=list(late.values_list("match", flat=True)[:1000]))
            )
        return queryset


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin):
    """Matches: what they wait for, and since when."""

    list_display = (
        "key", "game", "players", "status", "waits_for", "turn_since", "due_at", "created_at", "at_the_table",
    )  # fmt: skip
    list_prefetch = ("seats",)
    list_filter = (DueFilter, "status", GameFilter)
    search_fields = ("key",)
    search_help_text = BY_MATCH_OR_PERSON
    actions = ("process_now", "replay")

    fields = (
        "key", "game", "rules_version", "at_seats", "options_in_words", "status", "version", "host", "is_public",
        "pace", "clock", "is_rated", "created_at", "started_at", "finished_at", "waits_for", "turn_since", "due_at",
        "seed_hash", "revealed_seed", "rematch", "at_the_table",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description=_("game"))
    def game(self, match: Match) -> str:
        return rules.name_of(match.slug)

    @admin.display(description=_("players"))
    def players(self, match: Match) -> str:
        """All people who sit at the table."""
        return ", ".join(seat.name for seat in match.seats.all() if seat.name)

    @admin.display(description=_("waiting for"))
    def waits_for(self, match: Match) -> str:
        """Players whose turn it is."""
        awaited = match.awaited_seats
        return ", ".join(seat.name for seat in match.seats.all() if seat.number in awaited) or "–"

    @admin.display(description=_("seats"))
    def at_seats(self, match: Match) -> str:
        """Players by seat, counted from one, and their results."""
        places: list[tuple[int, str, str]] = []
        for seat in match.seats.all():
            said = gettext("place %(place)s, %(points)s points") % {
                "place": seat.place, "points": floatformat(seat.points),
            }  # fmt: skip
            places.append((seat.number + 1, seat.name or "–", f" ({said})" if seat.place else ""))
        return format_html_join(SafeString("<br>"), "{}: {}{}", places)

    @admin.display(description=_("options"))
    def options_in_words(self, match: Match) -> str:
        """The options, in the words of the rules page."""
        slug, given = match.slug, match.options
        chosen = [
            (in_words(slug, option).label, value_in_words(slug, given[option.name], option.name))
            for option in match.rules.options
            if option.name in given
        ]
        return format_html_join(SafeString("<br>"), "{}: {}", chosen) or "–"

    @admin.display(description=_("seed"))
    def revealed_seed(self, match: Match) -> str:
        """The seed, once the match is over."""
        return match.seed if match.status == Match.Status.OVER else str(_("shown once the match is over"))

    @admin.display(description=_("table"))
    def at_the_table(self, match: Match) -> str:
        """A link to the table as spectators see it."""
        return format_html('<a href="{}">{}</a>', match.get_absolute_url(), _("view"))

    def find(self, term: str) -> Q:
        """Find matches by key or player."""
        if match_of(term) is not None:
            return Q(key=term)
        return Q(pk__in=Seat.objects.filter(player__in=people(term)).values("match"))

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Whether this is an operator."""
        return request.user.has_perm("moderation.operate")

    @admin.action(description=_("Restart these matches"), permissions=["operate"])
    def process_now(self, request: HttpRequest, matches: QuerySet[Match]) -> None:
        """Run AI players and autoplay wherever something is overdue."""
        running = list(matches.filter(status=Match.Status.RUNNING)[:MOST_AT_ONCE])
        failed = 0
        for match in running:
            problem = repair.process_now(cast(User, request.user), match)
            if problem:
                failed += 1
                self.message_user(request, f"{match}: {problem}", messages.ERROR)
        count = len(running) - failed
        done = ngettext("%(count)d running match was restarted.", "%(count)d running matches were restarted.", count)
        self.message_user(request, done % {"count": count}, messages.SUCCESS if count else messages.WARNING)

    @admin.action(description=_("Replay and compare with the stored match"), permissions=["operate"])
    def replay(self, request: HttpRequest, matches: QuerySet[Match]) -> None:
        """Replay the moves from the seed, and report differences."""
        begun = list(matches.filter(started_at__isnull=False).prefetch_related("seats")[:MOST_AT_ONCE])
        good = 0
        for match in begun:
            found = repair.check(cast(User, request.user), match)
            good += not found
            for fault in found:
                self.message_user(request, f"{match}: {fault}", messages.ERROR)
        done = ngettext(
            "%(count)d match was replayed and is correct.", "%(count)d matches were replayed and are correct.", good
        )
        self.message_user(request, done % {"count": good}, messages.SUCCESS if good else messages.WARNING)


@admin.register(Outage)
class OutageAdmin(ReadOnlyAdmin):
    """Outages, and whether all clocks have been credited."""

    list_display = ("since", "until", "is_credited")


@admin.register(SlapAttempt)
class SlapAttemptAdmin(SeatColumn, ReadOnlyAdmin):
    """Slaps with all measurements (ms)."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[SlapAttempt]:
        """Leave out turn-based slaps on cards that not all players have seen."""
        return super().get_queryset(request).filter(version__lte=F("match__version"))

    list_display = (
        "match",
        "version",
        "place_at_table",
        "reaction",
        "elapsed",
        "claimed",
        "ping",
        "cap",
        "result",
        "at",
    )
    list_filter = ("result",)
    list_prefetch = ("match",)
    search_fields = ("match",)
    search_help_text = BY_MATCH
    fields = (
        "match",
        "version",
        "place_at_table",
        "at",
        "elapsed",
        "claimed",
        "ping",
        "cap",
        "handicap",
        "reaction",
        "verdict_after",
        "by_lot",
        "result",
    )
    readonly_fields = fields

    def find(self, term: str) -> Q:
        return at_match(term)
