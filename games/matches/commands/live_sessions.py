"""Play a turn-based match live for a while: once all its people have agreed, for as long as they stay.

Only ``games.matches.service`` calls it. The clock chosen at the start still decides what an absence costs; only the
pace changes: players aren't notified of a turn that they see anyway, forced moves come within seconds, and moves are
made as at a live table.

Live play is a lease in the match's row. The serving process renews it while everyone is there, so it ends by itself if
a player goes or the server dies. From then on players are notified as usual, also of what was held back.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar

from django.utils import timezone
from django.utils.translation import gettext as _

from games.matches.commands.moves import submit
from games.matches.commit.changeset import ChangeSet, Command, Refused, require_unchanged
from games.matches.models import Match, Seat
from games.matches.presets import LIVE
from games.realtime import broadcast

#: How long an offer counts: later, its maker may have gone.
OFFER_LASTS = timedelta(minutes=3)
#: How long after a player has gone live play ends; a player who only looks away for a moment stays.
LASTS = timedelta(minutes=2)


def may_offer_live(match: Match, seat: Seat | None) -> bool:
    """Whether the player of ``seat`` may offer live play: the match is turn-based and has other people in it."""
    others = [place for place in match.seats.all() if place.player_id is not None and not place.ai_level]
    return (
        seat is not None
        and seat in others
        and len(others) > 1
        and match.status == Match.Status.RUNNING
        and match.clock not in LIVE
    )


def has_offered_live(seat: Seat) -> bool:
    """Whether this player's offer still stands."""
    return seat.offers_live_at is not None and timezone.now() < seat.offers_live_at + OFFER_LASTS


@dataclass(slots=True)
class OfferLive(Command[bool]):
    """Offer live play, or agree to it; returns whether the match is played live now."""

    is_alone: ClassVar[bool] = True
    player_id: int

    def decide(self, change: ChangeSet) -> bool:
        """Record the offer, and begin live play when it was the last one missing."""
        match, seats = _read(self.match_id, self.player_id)
        if match.is_played_live:
            return True
        change.holds = True
        change.also.append(
            partial(require_unchanged, self._offers, [seat.offers_live_at for seat in match.seats.all()])
        )
        change.afterwards.append(partial(broadcast.to_table, self.match_id, "ending"))
        if all(has_offered_live(seat) for seat in seats if seat.player_id != self.player_id):
            _set(change, is_live=True)
            return True
        number = next(seat.number for seat in seats if seat.player_id == self.player_id)
        change.seats[number] = {"offers_live_at": change.at}
        return False

    def _offers(self) -> list[datetime | None]:
        return list(Seat.objects.filter(match=self.match_id).values_list("offers_live_at", flat=True))


@dataclass(slots=True)
class EndLive(Command[None]):
    """Refuse live play, withdraw one's offer, or go back to turn-based play."""

    is_alone: ClassVar[bool] = True
    player_id: int

    def decide(self, change: ChangeSet) -> None:
        """End live play and delete all offers."""
        _read(self.match_id, self.player_id)
        change.afterwards.append(partial(broadcast.to_table, self.match_id, "ending"))
        _set(change, is_live=False)


@dataclass(slots=True)
class StayLive(Command[None]):
    """Prolong live play while everyone is still there."""

    def decide(self, change: ChangeSet) -> None:
        """Renew the lease, in one statement."""
        change.also.append(self._store)

    def _store(self) -> None:
        now = timezone.now()
        Match.objects.filter(pk=self.match_id, live_until__gt=now).update(live_until=now + LASTS)


def offer_live(match: Match, player_id: int) -> bool:
    """Offer live play, or agree to it; returns whether the match is played live now. Raises :class:`Refused`."""
    is_live = submit(OfferLive(match.pk, player_id)).result()
    match.refresh_from_db()
    return is_live


def end_live(match: Match, player_id: int) -> None:
    """Refuse live play, withdraw one's offer, or go back to turn-based play. Raises :class:`Refused`."""
    submit(EndLive(match.pk, player_id)).result()
    match.refresh_from_db()


def stay_live(match_id: int) -> datetime | None:
    """Prolong live play while everyone is still there; returns until when it lasts."""
    submit(StayLive(match_id)).result()
    return Match.objects.values_list("live_until", flat=True).get(pk=match_id)


def _read(match_id: int, player_id: int) -> tuple[Match, list[Seat]]:
    """The match and the seats of its people. Raises :class:`Refused` if the player may not ask for live play."""
    match = Match.objects.defer("snapshot").prefetch_related("seats").get(pk=match_id)
    mine = next((seat for seat in match.seats.all() if seat.player_id == player_id), None)
    if not may_offer_live(match, mine):
        raise Refused("no_live", _("Only players in a turn-based match can play on live."))
    return match, [seat for seat in match.seats.all() if seat.player_id is not None and not seat.ai_level]


def _set(change: ChangeSet, *, is_live: bool) -> None:
    change.columns["live_until"] = change.at + LASTS if is_live else None
    change.seats |= {sitter.seat: {"offers_live_at": None} for sitter in change.table.sitters}
    change.needs_reload = True
