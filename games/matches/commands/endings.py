"""End a match early (resignation, agreement, a deleted account), or annul a finished one.

Only ``games.matches.service`` calls it.
"""

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from django.utils.translation import gettext as _

from accounts.models import User
from games import engine
from games.ai.people import name_for
from games.matches import events
from games.matches.commands.moves import submit
from games.matches.commands.seating import leave
from games.matches.commit.changeset import ChangeSet, Command, Refused, Unavailable, require_unchanged
from games.matches.end_offers import EndOffer
from games.matches.live_match import LiveMatch, Sitter
from games.matches.models import AiLevel, Match, Seat
from games.matches.slap_points import commands as slap_points
from games.matches.turn_clock import handed_over
from games.realtime import broadcast

log = logging.getLogger(__name__)

#: Why a match ended without a result by agreement of its players.
AGREED = "agreement"


@dataclass(slots=True)
class Resign(Command[None]):
    """Resign: with two seats the other player wins at once; with more, an AI player takes over the seat.

    When the last person resigns, the match ends and all others are placed before them, because no person is left to see
    it.
    """

    is_alone: ClassVar[bool] = True
    player_id: int

    def decide(self, change: ChangeSet) -> None:
        """End the match, or have an AI player go on."""
        table = change.table
        seat = Seat.objects.filter(match=self.match_id, player=self.player_id).first()
        if seat is None:
            raise Refused("not_seated", _("You have no seat here."))
        _require_running(table)
        if seat.has_resigned:
            return
        others = [sitter for sitter in table.sitters if sitter.seat != seat.number]
        if len(others) == 1 or all(sitter.is_ai for sitter in others):
            change.seats[seat.number] = {"has_resigned": True}
            change.needs_reload = True
            ranking = (tuple(sitter.seat for sitter in others), (seat.number,))
            change.outcome = engine.Outcome("resignation", ranking, _points(table))
        else:
            hand_over(change, seat.number, keeps_missed=False)
            slap_points.go_on(change)


def hand_over(change: ChangeSet, number: int, *, keeps_missed: bool) -> str:
    """Give the seat of a player who has left for good to an AI player; returns that player's name.

    The result stays the player's.
    """
    table = change.table
    level, name = AiLevel.EASY.value, name_for(table.key, number, table.names)
    slap_points.drop(change, number)
    change.set_clock(number, handed_over(table.clocks[number], keeps_missed=keeps_missed))
    sitter = Sitter(number, name, None, level, has_resigned=True, handicap=table.sitters[number].handicap)
    change.reseat(number, sitter, has_resigned=True, ai_level=level, ai_name=name)
    # The window of the current card keeps its length.
    if number in table.deciders() and not change.entries:
        change.step_at = change.at
        taken = events.SeatTakenOver(table.match_id, table.version, change.at)
        change.afterwards.append(partial(events.publish, taken))
    return name


@dataclass(slots=True)
class Annul(Command[None]):
    """Annul the result of a finished match, or let it count again."""

    is_alone: ClassVar[bool] = True
    is_annulled: bool

    def decide(self, change: ChangeSet) -> None:
        """Raise :class:`Refused` for a match that isn't over."""
        if change.table.status != Match.Status.OVER:
            raise Refused("running", _("This match isn't over yet."))
        change.columns["is_annulled"] = self.is_annulled
        change.needs_reload = True


@dataclass(slots=True)
class OfferEnd(Command[bool]):
    """Offer or agree to end a running match without a result; returns whether it has ended.

    The match ends when all people at the table have agreed; AI players are not asked. It has no winner and no result.
    """

    is_alone: ClassVar[bool] = True
    player_id: int

    def decide(self, change: ChangeSet) -> bool:
        """Record the offer, and end the match when it was the last one missing."""
        table = change.table
        people = _people_asked(table, self.player_id)
        if len(people) < 2:
            raise Refused("alone", _("Only people can agree to end a match. Against AI players you can resign."))
        offered = self._offered()
        change.holds = True
        change.also.append(partial(require_unchanged, self._offered, offered))
        change.afterwards.append(partial(broadcast.to_table, self.match_id, "ending"))
        if not people <= offered | {self.player_id}:
            change.also.append(self._store)
            return False
        change.outcome = engine.Outcome(AGREED, (tuple(range(len(table.sitters))),), _points(table))
        # No result: the seats get no places, and statistics leave the match out.
        change.columns["is_rated"] = False
        change.seats |= {sitter.seat: {"place": None} for sitter in table.sitters}
        change.needs_reload = True
        change.also.append(partial(_forget_offers, self.match_id))
        return True

    def _offered(self) -> set[int]:
        return set(EndOffer.objects.filter(match=self.match_id).values_list("player_id", flat=True))

    def _store(self) -> None:
        EndOffer.objects.get_or_create(match_id=self.match_id, player_id=self.player_id)


@dataclass(slots=True)
class RefuseEnd(Command[None]):
    """Refuse to end the match, or withdraw an offer: the match continues without any offers."""

    is_alone: ClassVar[bool] = True
    player_id: int

    def decide(self, change: ChangeSet) -> None:
        """Forget all offers."""
        _people_asked(change.table, self.player_id)
        change.holds = True
        change.also.append(partial(_forget_offers, self.match_id))
        change.afterwards.append(partial(broadcast.to_table, self.match_id, "ending"))


def resign(match: Match, player: User) -> None:
    """Resign from a match: see :class:`Resign`."""
    _done(match, Resign(match.pk, player.pk))


def annul(match: Match, *, is_annulled: bool = True) -> None:
    """Annul a finished match, or let it count again. Raises :class:`Refused` if it isn't over."""
    _done(match, Annul(match.pk, is_annulled))


def offer_end(match: Match, player: User) -> bool:
    """Offer or agree to end a match without a result: see :class:`OfferEnd`."""
    return bool(_done(match, OfferEnd(match.pk, player.pk)))


def refuse_end(match: Match, player: User) -> None:
    """Delete all offers to end the match: see :class:`RefuseEnd`."""
    _done(match, RefuseEnd(match.pk, player.pk))


def leave_everything(player: User) -> None:
    """Resign from every match and leave every table of ``player``, who is about to be deleted or suspended.

    A match that can't be read is left out: no one can play there. Raises :class:`Unavailable` if a match couldn't be
    left just now.
    """
    active = Match.objects.filter(status__in=[Match.Status.OPEN, Match.Status.RUNNING])
    for match in active.filter(seats__player=player, seats__has_resigned=False).defer("snapshot").distinct():
        try:
            _stand_up(match, player)
        except Unavailable as failure:
            if failure.is_passing:
                raise
            log.exception("match %s: a player who goes could not leave it", match.key)
        except Refused:
            pass  # it ended or closed a moment ago, so there is nothing to leave


def _stand_up(match: Match, player: User) -> None:
    """Leave an open table, or resign from a match, also if it begins just now."""
    if match.status == Match.Status.OPEN:
        try:
            return leave(match, player)
        except Refused:
            match.refresh_from_db(fields=["status"])
            if match.status != Match.Status.RUNNING:
                raise
    return resign(match, player)


def _done(match: Match, command: Command[Any]) -> Any:
    """Run ``command`` and refresh the caller's row of the match."""
    result = submit(command).result()
    match.refresh_from_db()
    return result


def _people_asked(table: LiveMatch, player_id: int) -> set[int]:
    """The people who must agree to the end of a running match. Raises :class:`Refused` unless the player is one."""
    _require_running(table)
    people = {sitter.player_id for sitter in table.sitters if sitter.player_id is not None}
    if player_id not in people:
        raise Refused("not_seated", _("You have no seat here."))
    return people


def _require_running(table: LiveMatch) -> None:
    if table.status != Match.Status.RUNNING:
        raise Refused("over", _("This match isn't in progress."))


def _forget_offers(match_id: int) -> None:
    EndOffer.objects.filter(match=match_id).delete()


def _points(table: LiveMatch) -> tuple[float, ...]:
    """The points of the seats, as everyone may know them."""
    return tuple(float(seat.points) for seat in table.state.view(None).seats)
