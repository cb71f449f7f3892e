"""The open tables that one person sees: filtered, without blocked people, best match first."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django import forms
from django.db.models import Count, Max, QuerySet, Sum, prefetch_related_objects
from django.utils.translation import gettext_lazy as _

from accounts import presence, social
from accounts.compiled import compiled, first
from accounts.models import User
from games import rules
from games.lobby.models import Invitation
from games.matches import service
from games.matches.models import Match, Seat
from games.matches.presets import LIVE
from games.realtime import marks
from games.table import match_cards

#: Tables to try before opening a new one: another player may take the last seat first.
TRIES = 5
#: Offered seats that the lobby checks.
OFFERED_SHOWN = 12
#: From how many tables filters are shown.
FEW_TABLES = 8
#: Seconds until AI players take the free seats of a quick match, if its host wants them to.
AI_AFTER = 20
#: Finished matches searched for people to play with again, and how many people are shown.
RECENT_MATCHES = 20
PEOPLE_SHOWN = 6


class FilterForm(forms.Form):
    """The lobby's filters; a value that doesn't exist counts as no filter."""

    game = forms.ChoiceField(label=_("Game"), required=False)
    clock = forms.ChoiceField(label=_("Clock"), required=False)
    seats = forms.TypedChoiceField(label=_("Players"), required=False, coerce=int, empty_value=None)

    def __init__(self, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data or {}, auto_id="filter-%s", **kwargs)
        games = rules.all()
        counts = range(min(min(game.seats) for game in games), max(max(game.seats) for game in games) + 1)
        choices: dict[str, list[tuple[Any, Any]]] = {
            "game": [("", _("Any game")), *((game.slug, game.name) for game in games)],
            "clock": [
                ("", _("any clock")),
                *(each for each in Match.Clock.choices if each[0] != "none"),
            ],
            "seats": [("", _("any number")), *((count, str(count)) for count in counts)],
        }
        for name, options in choices.items():
            self.fields[name].choices = options  # type: ignore[attr-defined]  # choice fields

    def wish(self) -> dict[str, Any]:
        """The filters that are set, as arguments for a query."""
        self.is_valid()
        names = {"game": "slug", "clock": "clock", "seats": "seat_count"}
        return {names[name]: value for name, value in self.cleaned_data.items() if value}


def open_tables(user: User | None, wish: dict[str, Any], most: int = match_cards.OPEN_SHOWN) -> list[Match]:
    """Public tables with free seats that ``user`` may join, newest first; without the user's own tables."""
    me, blocked = (0, set()) if user is None else (user.pk, social.blocked_ids(user))
    return list(_joinable(me, blocked).filter(**wish)[:most]) if wish else _newest(most)(me, blocked)


def _joinable(user_id: int, blocked: Collection[int]) -> QuerySet[Match]:
    seats = Seat.objects.filter(match__status=Match.Status.OPEN)
    tables = match_cards.open_tables().exclude(pk__in=seats.filter(player=user_id).values("match_id"))
    return tables.exclude(pk__in=seats.filter(player__in=blocked).values("match_id")).exclude(host__in=blocked)


@cache
def _newest(most: int) -> Callable[[int, Collection[int]], list[Match]]:
    """The query of the newest tables that someone may join, whatever they are."""

    def newest(user_id: int, blocked: Collection[int]) -> QuerySet[Match]:
        return _joinable(user_id, blocked)[:most]

    return compiled(newest)


def mark_of(user: User | None, invited: Iterable[Invitation]) -> str:
    """The mark of what the lobby shows ``user``: open tables with their seats, invitations, and hidden people.

    Computed before the tables themselves are read: a page may be newer than its mark, never older.
    """
    unheard = [] if user is None else sorted(social.muted_or_blocked_ids(user))
    return marks.of(_figures_of_tables(), [each.pk for each in invited], unheard)


@compiled
def _figures_of_tables() -> QuerySet[Match, tuple[int, int, int]]:
    """One row, or none if no table is open; other tables always have other figures.

    While neither their number nor the newest one changes, seating epochs only grow.
    """
    tables = Match.objects.filter(status=Match.Status.OPEN).order_by().values("status")
    figures = tables.annotate(count=Count("pk"), newest=Max("pk"), epochs=Sum("seating_epoch"))
    return figures.values_list("count", "newest", "epochs")


def offered_seats(user: User | None) -> list[Seat]:
    """Seats of absent players in public matches that ``user`` may take over, longest wait first."""
    if user is None:
        return []
    offered = _offered_to(user.pk)
    prefetch_related_objects(offered, "match__seats")
    return service.takeable(offered, user)


@compiled
def _offered_to(user_id: int) -> QuerySet[Seat]:
    return (
        Seat.objects.filter(offered_at__isnull=False, match__status=Match.Status.RUNNING, match__is_public=True)
        .exclude(match__seats__player=user_id)
        .select_related("match")
        .defer("match__snapshot")
        .order_by("offered_at")[:OFFERED_SHOWN]
    )


@dataclass(frozen=True, slots=True)
class Company:
    """A person to play with: a friend who is online, or a player from a recent match."""

    user: User
    is_friend: bool
    is_here: bool


def company(user: User | None) -> list[Company]:
    """Friends who are online, then players from recent matches; with an account, and without blocks."""
    if user is None:
        return []
    friends = social.friend_ids(user)
    met = list(dict.fromkeys(_players_of(_last_matches(user.pk))))
    here = presence.here({*friends, *met})
    shown = [*sorted(friends & here), *(pk for pk in met if pk not in friends & here and pk != user.pk)]
    blocked = social.blocked_ids(user) if shown else set()
    people = User.objects.filter(is_active=True, is_guest=False).in_bulk([pk for pk in shown if pk not in blocked])
    return [Company(people[pk], pk in friends, pk in here) for pk in shown if pk in people][:PEOPLE_SHOWN]


@compiled
def _last_matches(user_id: int) -> QuerySet[Seat, int]:
    last = Seat.objects.filter(player=user_id, match__status=Match.Status.OVER).order_by("-match__finished_at")
    return last.values_list("match_id", flat=True)[:RECENT_MATCHES]


@compiled
def _players_of(match_ids: Collection[int]) -> QuerySet[Seat, int]:
    seats = Seat.objects.filter(match__in=match_ids, player__isnull=False).order_by("-match__finished_at", "number")
    return seats.values_list("player_id", flat=True)


def played_together(user: User, other: User) -> str:
    """The game that both played together last, else the last one of ``user``."""
    together = Seat.objects.filter(player=other, match__seats__player=user, match__status=Match.Status.OVER)
    slug = together.order_by("-match__finished_at").values_list("match__slug", flat=True).first()
    return slug or _game_for(user, None)


def best(items: Sequence[match_cards.Listed], *, is_live: bool) -> list[match_cards.Listed]:
    """The tables worth trying: those that can start soonest first, then the longest waiting.

    At a live table, the host must be present.
    """
    here = presence.here([item.match.host_id for item in items if item.match.host_id is not None])
    fit = [item for item in items if item.free and (not is_live or item.match.host_id in here)]
    return sorted(fit, key=lambda item: (item.free, item.match.created_at))


def any_table(user: User, wish: dict[str, Any]) -> Match:
    """Seat ``user`` at the table that fits ``wish`` best, or at a new one. Raises ``Refused``.

    Without a wish for a clock, the table is live.
    """
    wish = {"clock": Match.Clock.TABLE.value} | wish
    is_live = wish["clock"] in LIVE
    found = match_cards.listed(open_tables(user, wish), user)
    for item in best(found, is_live=is_live)[:TRIES]:
        try:
            service.join(item.match, user)
        except service.Refused:
            continue  # its seats were taken meanwhile
        return item.match
    waiting = Match.objects.filter(host=user, status=Match.Status.OPEN, is_public=True, **wish).first()
    if waiting is not None:
        return waiting
    slug = wish.get("slug") or _game_for(user, wish.get("seat_count"))
    seat_count = wish.get("seat_count") or min(rules.get(slug).seats)
    return service.open_table(user, slug, seat_count, {}, clock=wish["clock"], starts_when_full=True)


def _game_for(user: User, seat_count: int | None) -> str:
    """The last game of ``user`` that this many can play, else the first in the list."""
    games = [game.slug for game in rules.all() if seat_count is None or seat_count in game.seats]
    return last_game(user, games) or games[0]


def last_game(user: User | None, games: Sequence[str] | None = None) -> str | None:
    """The one of ``games``, or of all games, that ``user`` played last."""
    if user is None:
        return None
    among = [game.slug for game in rules.all()] if games is None else games
    return first(_last_game(user.pk, among))


@compiled
def _last_game(user_id: int, games: Collection[str]) -> QuerySet[Seat, str]:
    played = Seat.objects.filter(player=user_id, match__slug__in=games).order_by("-match_id")
    return played.values_list("match__slug", flat=True)[:1]
