"""Playing a slow match live for a while: once all its people have said so, for as long as they stay.

``games.matches.service`` alone calls it. The clock chosen at the start goes on deciding what an absence costs. What
changes is the pace: nobody is told of a turn who sees it anyway, forced moves come within seconds, and moves are
made as at a live table.

A spell is a lease in the match's row. Whoever serves the table renews it while all are there, so it ends by itself
if somebody goes, or if the server dies; from then on everything that was held back is told as usual.
"""

from datetime import timedelta
from functools import partial

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from games.matches.commit.changeset import Refused
from games.matches.models import Match, Seat
from games.realtime import broadcast

#: An offer counts for so long: whoever says yes later may find nobody there.
OFFER_LASTS = timedelta(minutes=3)
#: A spell ends so long after somebody has gone; who only looks away for a moment stays.
LASTS = timedelta(minutes=2)


def may_offer_live(match: Match, seat: Seat | None) -> bool:
    """Whether the player of ``seat`` may offer it: others play, too, and the match goes on for days."""
    others = [place for place in match.seats.all() if place.player_id is not None and not place.ai_level]
    return (
        seat is not None
        and seat in others
        and len(others) > 1
        and match.status == Match.Status.RUNNING
        and match.clock != Match.Clock.TABLE
    )


def has_offered_live(seat: Seat) -> bool:
    """Whether the offer of this seat's player still stands."""
    return seat.offers_live_at is not None and timezone.now() < seat.offers_live_at + OFFER_LASTS


def offer_live(match: Match, player_id: int) -> bool:
    """Offer to play on live, or agree to it; whether the match is played live now. Raises :class:`Refused`."""
    with transaction.atomic():
        people = _lock(match, player_id)
        if match.is_played_live:
            return True
        for seat in people:
            if seat.player_id == player_id:
                seat.offers_live_at = timezone.now()
                seat.save(update_fields=["offers_live_at"])
        if not all(has_offered_live(seat) for seat in people):
            transaction.on_commit(partial(broadcast.to_table, match.pk, "ending"))
            return False
        _set(match, is_live=True)
    return True


def end_live(match: Match, player_id: int) -> None:
    """Say no to playing live, take one's offer back, or go back to the slow pace. Raises :class:`Refused`."""
    with transaction.atomic():
        _lock(match, player_id)
        _set(match, is_live=False)


def stay_live(match_id: int) -> None:
    """All are there still: a spell that is on goes on."""
    now = timezone.now()
    Match.objects.filter(pk=match_id, live_until__gt=now).update(live_until=now + LASTS)


def _lock(match: Match, player_id: int) -> list[Seat]:
    """Lock the match; the seats of its people."""
    match.refresh_from_db(from_queryset=Match.objects.select_for_update())
    seats = list(Seat.objects.filter(match=match))
    mine = next((seat for seat in seats if seat.player_id == player_id), None)
    if not may_offer_live(match, mine):
        raise Refused("no_live", _("Only those who play a match over days can play on live."))
    return [seat for seat in seats if seat.player_id is not None and not seat.ai_level]


def _set(match: Match, *, is_live: bool) -> None:
    match.live_until = timezone.now() + LASTS if is_live else None
    match.roster += 1
    match.save(update_fields=["live_until", "roster"])
    Seat.objects.filter(match=match).update(offers_live_at=None)
    transaction.on_commit(partial(broadcast.reload, match.pk))
    transaction.on_commit(partial(broadcast.to_table, match.pk, "ending"))
