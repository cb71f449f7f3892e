"""The email settings of each match on one page, and the link to the next waiting match."""

from collections.abc import Collection
from typing import Any, NamedTuple, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.compiled import compiled
from accounts.models import User
from games.mail.models import Correspondence, Preferences, Timing
from games.mail.outgoing.turn_email import title, turns_of
from games.mail.preferences import timings
from games.matches.models import Match, Seat
from games.matches.presets import LIVE, is_live

#: Maximum matches on the page.
MOST_ROWS = 50


class Row(NamedTuple):
    """A running match, its clock in words, and its email timing; empty: as in the preferences."""

    match: Match
    title: str
    pace: str
    timing: str


def rows_of(user: User) -> list[Row]:
    """The running matches of ``user`` that send emails, newest first."""
    seats = {seat.match_id: seat for seat in _places_of(user.pk)}
    if not seats:
        return []
    names: dict[int, list[str]] = {pk: [] for pk in seats}
    people = dict.fromkeys(seats, 0)
    for place in _all_places(list(seats)):
        names[place.match_id].append(place.name)
        people[place.match_id] += place.player_id is not None and not place.ai_level
    chosen = dict(_timings_of(user.pk, list(seats)))
    return [
        Row(
            seat.match,
            title(seat.match, names[pk], seat.number),
            Match.Clock(seat.match.clock).label.split(":")[0],
            chosen.get(pk, ""),
        )
        for pk, seat in seats.items()
        # Matches without a clock against AI players alone send no emails.
        if not is_live(seat.match.clock, people[pk])
    ]


@compiled
def _places_of(user_id: int) -> QuerySet[Seat]:
    slow = Seat.objects.filter(player=user_id, ai_level="", match__status=Match.Status.RUNNING)
    mine = slow.exclude(match__clock__in=LIVE).select_related("match").defer("match__snapshot")
    return mine.order_by("-match_id")[:MOST_ROWS]


@compiled
def _all_places(match_ids: Collection[int]) -> QuerySet[Seat]:
    return Seat.objects.filter(match__in=match_ids).order_by("number")


@compiled
def _timings_of(user_id: int, match_ids: Collection[int]) -> QuerySet[Correspondence, tuple[int, str]]:
    return Correspondence.objects.filter(user=user_id, match__in=match_ids).values_list("match_id", "timing")


@login_required
@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Save when matches send emails: one field ``timing-KEY`` each; or reset all to the preferences."""
    user = cast(User, request.user)
    if "on" in request.POST:
        Preferences.objects.filter(user=user, timing=Timing.NEVER).update(timing=Timing.AFTER)
        messages.success(request, _("Turn emails are on again."))
        return redirect("my_matches")
    possible = dict(timings(Preferences.of(user)))
    for row in rows_of(user):
        timing = request.POST.get(f"timing-{row.match.key}", row.timing)
        if timing != row.timing and timing not in possible:
            return HttpResponseBadRequest(_("You can't choose this."))
        if timing != row.timing:
            Correspondence.objects.update_or_create(user=user, match=row.match, defaults={"timing": timing})
    messages.success(request, _("Saved."))
    return redirect("my_matches")


@never_cache
@login_required
@require_safe
def next_turn(request: HttpRequest) -> HttpResponse:
    """The most urgent waiting match other than the one just played; None if there is none."""
    after = request.GET.get("after", "")
    waiting: list[Any] = [seat.match for seat in turns_of(cast(User, request.user)) if seat.match.key != after]
    return redirect(waiting[0] if waiting else "my_matches")
