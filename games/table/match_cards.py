"""Matches as lists show them, read in a fixed number of queries."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.compiled import compiled
from accounts.models import User
from games.matches.models import Match, Seat
from games.table import clock_text, reliability
from games.table.option_text import in_words, value_in_words

#: How long before an open table closes its host is warned.
CLOSES_SOON = timedelta(hours=6)
#: A match that has waited for less doesn't say for how long.
LONG_ENOUGH = timedelta(minutes=1)
#: Open tables on the lobby and home pages.
OPEN_SHOWN = 50
#: Unfinished matches that a page lists at most; no one plays more at once.
RUNNING_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Listed:
    """A match in a list, as one person sees it."""

    match: Match
    seats: Sequence[Seat]
    mine: Seat | None

    @property
    def free(self) -> int:
        """How many seats are free."""
        return sum(seat.is_free for seat in self.seats)

    @property
    def closes_soon(self) -> bool:
        """Whether this is the visitor's own open table, soon to be closed because no one has come."""
        match = self.match
        is_open = self.mine is not None and match.status == Match.Status.OPEN
        return is_open and match.due_at is not None and match.due_at < timezone.now() + CLOSES_SOON

    @property
    def is_my_turn(self) -> bool:
        return self.mine is not None and self.mine.number in self.match.awaited_seats

    @property
    def waits_for(self) -> str:
        """Names of the players the match waits for."""
        awaited = self.match.awaited_seats
        return ", ".join(seat.name for seat in self.seats if seat.number in awaited)

    @property
    def waiting_since(self) -> datetime | None:
        """Since when the match has waited for them; None if it hasn't waited long enough to mention it."""
        since = self.match.turn_since
        return since if since is not None and since <= timezone.now() - LONG_ENOUGH else None

    @property
    def others(self) -> str:
        """Names of the other players."""
        return ", ".join(seat.name for seat in self.seats if seat != self.mine and seat.name)

    @property
    def clock(self) -> str:
        """The clock in a word or two."""
        return self.match.get_clock_display()

    @property
    def contract(self) -> Sequence[str]:
        """The terms of the clock for anyone who joins."""
        return clock_text.contract(self.match.clock, weekends_rest=self.match.weekends_rest)

    @property
    def special_options(self) -> list[str]:
        """Options that differ from the game's standard, in words."""
        slug = self.match.slug
        texts = [
            f"{in_words(slug, option).label}: {value_in_words(slug, self.match.options[option.name], option.name)}"
            for option in self.match.rules.options
            if self.match.options.get(option.name, option.default) != option.default
        ]
        rules = {_("Slap handicap"): self.match.is_calibrated, _("Weekends off"): self.match.weekends_rest}
        return [*texts, *(text for text, holds in rules.items() if holds)]


def say_reliability(items: Sequence[Listed]) -> None:
    """Set ``reliability`` of each person's seat, for all lists in two queries."""
    seats = [seat for item in items for seat in item.seats if seat.player_id is not None and not seat.ai_level]
    words = reliability.of({seat.player_id for seat in seats if seat.player_id is not None}) if seats else {}
    for seat in seats:
        seat.reliability = reliability.WORDS[words[seat.player_id or 0]]  # type: ignore[attr-defined]  # for the page


def listed(matches: Iterable[Match], user: User | None) -> list[Listed]:
    """Wrap matches for a list, as ``user`` sees them, with their seats, which are read in one query."""
    found = list(matches)
    seats: dict[int, list[Seat]] = {match.pk: [] for match in found}
    for seat in _seats_of(list(seats)) if found else ():
        seats[seat.match_id].append(seat)
    for match in found:
        match.keep_seats(seats[match.pk])
    return [seen_by(match, user) for match in found]


@compiled
def _seats_of(match_ids: Collection[int]) -> QuerySet[Seat]:
    return Seat.objects.select_related("player").filter(match__in=match_ids).order_by("number")


def seen_by(match: Match, user: User | None) -> Listed:
    """Wrap a match whose seats have been read."""
    seats = list(match.seats.all())
    mine = next((seat for seat in seats if user is not None and seat.player_id == user.pk), None)
    return Listed(match, seats, mine)


def short(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Fetch ``matches`` with their hosts, without the long column that lists don't show."""
    return matches.select_related("host").defer("snapshot")


def open_tables() -> QuerySet[Match]:
    """Public tables that wait for players, newest first."""
    return short(Match.objects.filter(status=Match.Status.OPEN, is_public=True).order_by("-created_at"))


def matches_of(user_id: int, *statuses: str) -> QuerySet[Match]:
    """The matches in which this person has or had a seat, without lessons."""
    return short(Match.objects.filter(seats__player=user_id, status__in=statuses, lesson__isnull=True))


def unfinished(user: User) -> list[Listed]:
    """The open and running matches of ``user``, the latest turns first."""
    return listed(_unfinished(user.pk), user)


@compiled
def _unfinished(user_id: int) -> QuerySet[Match]:
    mine = matches_of(user_id, Match.Status.OPEN, Match.Status.RUNNING)
    return mine.order_by("-turn_since", "-created_at")[:RUNNING_SHOWN]


def newest(user: User) -> list[Listed]:
    """The open and running matches of ``user``, the newest first."""
    return listed(_newest(user.pk), user)


@compiled
def _newest(user_id: int) -> QuerySet[Match]:
    return matches_of(user_id, Match.Status.OPEN, Match.Status.RUNNING).order_by("-created_at")[:OPEN_SHOWN]
