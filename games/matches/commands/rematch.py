"""Rematches: a table for the same people, which begins as soon as all of them have asked for it.

Only ``games.matches.service`` calls it.
"""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from games.matches.commands.seating import join, open_table, seating_changed, start
from games.matches.commit.changeset import Refused
from games.matches.models import Match, Seat
from games.matches.presets import is_by_hours

#: How long a rematch is offered after a match without slow clocks, whose players are still there.
REMATCH_LASTS = timedelta(seconds=60)


def rematch(match: Match, player: User) -> Match:
    """Open a table with the game, options and AI players of ``match``, or find the one that is already open.

    It begins when all of them have asked. After a live match the offer lasts :data:`REMATCH_LASTS`, or as long as
    a player waits in its waiting room.
    """
    with transaction.atomic():
        match = Match.objects.select_for_update().get(pk=match.pk)
        if not match.seats.filter(player=player).exists():
            raise Refused("not_seated", _("You didn't play in this match."))
        if match.status != Match.Status.OVER:
            raise Refused("running", _("This match isn't over yet."))
        again = match.rematch
        if again is not None and again.status == Match.Status.OPEN and is_forgotten(again):
            again.status, again.due_at = Match.Status.CANCELLED, None
            again.save(update_fields=["status", "due_at"])
        if again is None or again.status == Match.Status.CANCELLED:
            again = match.rematch = _open_rematch(match, player)
            match.save(update_fields=["rematch"])
        elif again.status == Match.Status.OPEN:
            join(again, player)
        seating_changed(match)
    return again


def is_forgotten(match: Match) -> bool:
    """Whether no one has looked at an open table lately, so that the next clean-up closes it."""
    return match.due_at is not None and match.due_at < timezone.now()


def _open_rematch(match: Match, player: User) -> Match:
    """Open the table of a rematch with a seat for each person of ``match``; start it if ``player`` is the only one."""
    # A seat that an AI player took over still belongs to the player who resigned from it.
    ai = {seat.number: seat for seat in match.seats.all() if seat.ai_level and not seat.has_resigned}
    again = open_table(
        player,
        match.slug,
        match.seat_count,
        match.options,
        ai={number: seat.ai_level for number, seat in ai.items()},
        is_public=False,
        pace=match.pace,
        clock=match.clock,
        is_calibrated=match.is_calibrated,
        relay=match.relay,
        starts_when_full=True,
        weekends_rest=match.weekends_rest,
    )
    seats = list(again.seats.filter(number__in=ai))
    for seat in seats:
        seat.ai_name = ai[seat.number].ai_name
    Seat.objects.bulk_update(seats, ["ai_name"])
    if not any(seat.is_free for seat in again.seats.all()):
        start(again, player)
    elif not is_by_hours(match.clock):
        again.due_at = timezone.now() + REMATCH_LASTS
        again.save(update_fields=["due_at"])
    return again
