"""Update a player's name in running matches; elsewhere it is a column like any other."""

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
from games.matches.models import Incident, Match, Seat

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Rename(Command[None]):
    """A player has another name."""

    is_alone: ClassVar[bool] = True
    player_id: int
    name: str

    def decide(self, change: ChangeSet) -> None:
        """Have the seat say so, also while an AI player plays on from it."""
        sitters = change.table.sitters
        rows = Seat.objects.filter(match=self.match_id, player=self.player_id).exclude(player_name=self.name)
        for number, is_ai in rows.values_list("number", "ai_level"):
            sitter = sitters[number] if is_ai else replace(sitters[number], name=self.name)
            change.reseat(number, sitter, player_name=self.name)


@dataclass(slots=True)
class ForgetNames(Command[None]):
    """An account is closed: what is told of the match no longer names its owner."""

    is_alone: ClassVar[bool] = True
    called: Collection[str]

    def decide(self, change: ChangeSet) -> None:
        """Take the names out, and have what processes remember of the match read again."""
        change.also.append(partial(_forget, Incident.objects.filter(match=self.match_id), self.called))
        change.reads_anew = True


def follow_name(player: User) -> None:
    """Have all seats of a player show what they are called now; they keep it when the account goes."""
    seats = Seat.objects.filter(player=player).exclude(player_name=player.name)
    for match_id in seats.filter(match__status=Match.Status.RUNNING).values_list("match_id", flat=True):
        _tried(Rename(match_id, player.pk, player.name))
    # What does not run, or can't be read: no name depends on that.
    seats.all().update(player_name=player.name)


def forget_names(player: User, called: Collection[str]) -> None:
    """Take the names of a player whose account is closed out of what is told of their matches."""
    matches = Match.objects.filter(seats__player=player)
    for match_id in matches.filter(status=Match.Status.RUNNING).values_list("pk", flat=True):
        _tried(ForgetNames(match_id, called))
    _forget(Incident.objects.filter(match__in=list(matches.values_list("pk", flat=True))), called)
    # What processes remember of these tables has the name in it.
    over = list(matches.exclude(status=Match.Status.RUNNING).values_list("pk", flat=True))
    Match.objects.filter(pk__in=over).update(roster=F("roster") + 1)


def _tried(command: Command[None]) -> None:
    """Have ``command`` done; a match at which that fails keeps no account from its name."""
    try:
        submit(command).result()
    except Exception:  # a match that can't be read may fail in any way; it is logged, and the account goes on
        log.exception("match %s did not follow a name", command.match_id)


def _forget(incidents: "QuerySet[Incident]", called: Collection[str]) -> None:
    for column in ("name", "other"):
        incidents.filter(**{f"{column}__in": called}).update(**{column: FORMER})
