"""Update a player's name in running matches, whose processes keep a copy; elsewhere it is an ordinary column."""

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from django.db.models import F, QuerySet

from accounts.models import User
from accounts.personal_data import FORMER
from games.matches.commands.moves import submit
from games.matches.commit.changeset import ChangeSet, Command
from games.matches.models import Departure, Incident, Match, Seat

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Rename(Command[None]):
    """Write a player's new name on a seat."""

    is_alone: ClassVar[bool] = True
    player_id: int
    name: str

    def decide(self, change: ChangeSet) -> None:
        """Rename the seat, also while an AI player plays on from it."""
        sitters = change.table.sitters
        rows = Seat.objects.filter(match=self.match_id, player=self.player_id).exclude(player_name=self.name)
        for number, is_ai in rows.values_list("number", "ai_level"):
            sitter = sitters[number] if is_ai else replace(sitters[number], name=self.name)
            change.reseat(number, sitter, player_name=self.name)


@dataclass(slots=True)
class ForgetNames(Command[None]):
    """Remove a deleted account's name from the events of a match."""

    is_alone: ClassVar[bool] = True
    called: Collection[str]

    def decide(self, change: ChangeSet) -> None:
        """Remove the names, and make every process reload the match."""
        change.also.append(partial(_forget, Incident.objects.filter(match=self.match_id), self.called))
        change.needs_reload = True


def follow_name(player: User) -> None:
    """Write a player's current name on all their seats; the seats keep it when the account is deleted."""
    seats = Seat.objects.filter(player=player).exclude(player_name=player.name)
    for match_id in seats.filter(match__status=Match.Status.RUNNING).values_list("match_id", flat=True):
        _tried(Rename(match_id, player.pk, player.name))
    # Matches that aren't running or can't be read: no cached copy of the name matters there.
    seats.all().update(player_name=player.name)


def forget_names(player: User, called: Collection[str]) -> None:
    """Remove the name of a player whose account is closed from the events of their matches."""
    # Including the matches in which another person plays on from the seat.
    held = Seat.objects.filter(player=player).values_list("match_id", flat=True)
    left = Departure.objects.filter(player=player).values_list("match_id", flat=True)
    matches = Match.objects.filter(pk__in={*held, *left})
    for match_id in matches.filter(status=Match.Status.RUNNING).values_list("pk", flat=True):
        _tried(ForgetNames(match_id, called))
    _forget(Incident.objects.filter(match__in=list(matches.values_list("pk", flat=True))), called)
    # Cached copies of these tables still contain the name.
    over = list(matches.exclude(status=Match.Status.RUNNING).values_list("pk", flat=True))
    Match.objects.filter(pk__in=over).update(seating_epoch=F("seating_epoch") + 1)


def _tried(command: Command[None]) -> None:
    """Run ``command``; a match that fails must not block the account's change."""
    try:
        submit(command).result()
    except Exception:  # a match that can't be read may fail in any way; log it and continue with the account
        log.exception("match %s: could not update a player's name", command.match_id)


def _forget(incidents: "QuerySet[Incident]", called: Collection[str]) -> None:
    for column in ("name", "other"):
        incidents.filter(**{f"{column}__in": called}).update(**{column: FORMER})
