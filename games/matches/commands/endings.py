"""How a match ends before its end: given up, ended by agreement, left by an account that goes; and annulled after it.

A part of the door: ``games.matches.service`` alone opens it.
"""

import contextlib
from functools import partial

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from games import engine
from games.matches import events
from games.matches.commands.moves import load, settle
from games.matches.commands.seating import leave, roster_changed, seat_ai
from games.matches.commit.changeset import Refused
from games.matches.commit.store import finish
from games.matches.end_offers import EndOffer
from games.matches.live_match import SeatClock, Table
from games.matches.models import AiLevel, Match, Seat
from games.matches.slap_points import commands as slap_points
from games.realtime import broadcast

#: Why a match is over that its people have ended without a result.
AGREED = "agreement"


def resign(match: Match, player: User) -> None:
    """Give up. With two seats the other one wins at once; with more an AI player takes over the seat.

    When the last person leaves the match ends, with all others before them: nobody is left to see it.
    """
    with transaction.atomic():
        match.refresh_from_db(from_queryset=Match.objects.select_for_update())
        seat = match.seats.filter(player=player).first()
        if seat is None:
            raise Refused("not_seated", _("You have no seat here."))
        if match.status != Match.Status.RUNNING:
            raise Refused("over", _("This match is not running."))
        if seat.has_resigned:
            return
        table = load(match.pk)
        seat.has_resigned = True
        seat.save(update_fields=["has_resigned"])
        others = [sitter for sitter in table.sitters if sitter.seat != seat.number]
        if len(others) == 1 or all(sitter.is_ai for sitter in others):
            ranking = (tuple(sitter.seat for sitter in others), (seat.number,))
            finish(table, engine.Outcome("resignation", ranking, _points(table)), timezone.now())
        else:
            _hand_over(table, seat)
            if table.at_slap_point:
                slap_points.drop(match, seat.number)
                transaction.on_commit(partial(settle, match.pk))
        match.refresh_from_db(fields=["roster"])
        roster_changed(match)


def _hand_over(table: Table, seat: Seat) -> None:
    """Let an AI player go on from a seat whose player has left for good; the result stays the player's."""
    seat_ai(seat, AiLevel.EASY, table.names)
    SeatClock(turns=seat.turns).put(seat)
    seat.save()
    # The window of a card stays as long as it is.
    if seat.number in table.deciders():
        now = timezone.now()
        Match.objects.filter(pk=table.match_id).update(due_at=now)
        events.tell_on_commit(events.SeatTakenOver(table.match_id, table.version, now))


def annul(match: Match, *, is_annulled: bool = True) -> None:
    """Have the result of a finished match count nowhere, or again. Raises :class:`Refused` for one that is not over."""
    with transaction.atomic():
        changed = Match.objects.filter(pk=match.pk, status=Match.Status.OVER).update(is_annulled=is_annulled)
        if not changed:
            raise Refused("running", _("This match is not over yet."))
        match.refresh_from_db(fields=["is_annulled", "roster"])
        roster_changed(match)


def offer_end(match: Match, player: User) -> bool:
    """Offer to end a running match without a result, or agree to it; whether it has ended.

    It ends when all people at the table have said so; AI players are not asked. Nobody wins, and it doesn't count.
    """
    with transaction.atomic():
        people = _people_asked(match, player)
        if len(people) < 2:
            raise Refused("alone", _("Only people can agree to end a match. Against AI players you can resign."))
        EndOffer.objects.get_or_create(match=match, player=player)
        offered = set(EndOffer.objects.filter(match=match).values_list("player_id", flat=True))
        if not people <= offered:
            transaction.on_commit(partial(broadcast.to_table, match.pk, "ending"))
            return False
        table = load(match.pk)
        finish(table, engine.Outcome(AGREED, (tuple(range(match.seat_count)),), _points(table)), timezone.now())
        # No result: nobody has a place, and no statistics count it.
        match.seats.update(place=None)
        Match.objects.filter(pk=match.pk).update(is_rated=False)
        EndOffer.objects.filter(match=match).delete()
        match.refresh_from_db(fields=["roster", "status"])
        roster_changed(match)
    return True


def refuse_end(match: Match, player: User) -> None:
    """Say no to ending the match, or take one's own offer back: the match goes on, and all offers are gone."""
    with transaction.atomic():
        _people_asked(match, player)
        EndOffer.objects.filter(match=match).delete()
        transaction.on_commit(partial(broadcast.to_table, match.pk, "ending"))


def _people_asked(match: Match, player: User) -> set[int]:
    """Lock a running match; the people who must agree to its end. Raises :class:`Refused` unless ``player`` is one."""
    match.refresh_from_db(from_queryset=Match.objects.select_for_update())
    if match.status != Match.Status.RUNNING:
        raise Refused("over", _("This match is not running."))
    people = match.seats.filter(player__isnull=False, ai_level="").values_list("player_id", flat=True)
    if player.pk not in people:
        raise Refused("not_seated", _("You have no seat here."))
    return {pk for pk in people if pk is not None}


def leave_everything(player: User) -> None:
    """Resign and stand up wherever ``player`` sits: for an account that is about to go."""
    for match in Match.objects.filter(seats__player=player, seats__has_resigned=False).distinct():
        with contextlib.suppress(Refused):  # over or closed a moment ago: there is nothing to leave
            if match.status == Match.Status.OPEN:
                leave(match, player)
            elif match.status == Match.Status.RUNNING:
                resign(match, player)


def _points(table: Table) -> tuple[float, ...]:
    """How the seats stand, as everybody may know."""
    return tuple(float(seat.points) for seat in table.state.view(None).seats)
