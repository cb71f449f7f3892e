"""Events of the kernel, so that other packages can follow a match without the kernel importing them.

Recorders run inside the transaction that stores what happened: what they write is stored with it or not at all, and if
one fails, nothing is stored. Listeners run after the commit, in no transaction: one that fails is logged, and the
others still run. Both are registered in ``AppConfig.ready()``::

    events.recorders[MatchEnded].append(count_it)

The event of a commit of moves is its ``games.matches.commit.changeset.ChangeSet``.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction

from games.matches.models import Match, Seat

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a person that began at ``at``, with ``version``."""

    match_id: int
    user_id: int
    seat: int
    version: int
    at: datetime
    is_live: bool


@dataclass(frozen=True, slots=True)
class TurnsBegan:
    """The turns of people that begin with one batch of moves, of all its matches."""

    turns: Sequence[Turn]


@dataclass(frozen=True, slots=True)
class HandicapsWanted:
    """A match with slap handicaps begins; a listener that knows the players' speed sets ``handicap`` on their seats."""

    seats: Sequence[Seat]


@dataclass(frozen=True, slots=True)
class MatchContinued:
    """``match`` was created from the first ``version`` moves of ``parent``, which is over."""

    match: Match
    parent: Match
    version: int


@dataclass(frozen=True, slots=True)
class MatchBegan:
    """A slow match has begun; ``user_ids`` are its people, without its host and those whose turn it is."""

    match: Match
    user_ids: Sequence[int]


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """A match goes on from ``version``, usually from its deal; at ``due_at`` something happens by itself."""

    match_id: int
    version: int
    due_at: datetime | None


@dataclass(frozen=True, slots=True)
class SeatTakenOver:
    """An AI player has taken over a person's seat, whose turn may have begun at ``version``."""

    match_id: int
    version: int
    due_at: datetime | None


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A match ended after ``version`` moves; these people were in it."""

    match_id: int
    version: int
    user_ids: Sequence[int]
    is_live: bool


@dataclass(frozen=True, slots=True)
class PlayerAbsent:
    """An entry about a person's absence in the log of a slow match; ``kind`` is the incident's."""

    match_id: int
    version: int
    user_id: int
    kind: str


@dataclass(frozen=True, slots=True)
class SeatOffered:
    """A seat in a running match whose player is gone will be offered to these people after ``wait``."""

    match: Match
    user_ids: Sequence[int]
    wait: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True)
class Failed:
    """An automatic step of a match failed; ``kind`` is one of the constants below."""

    kind: str
    match_id: int
    version: int
    error: Exception | str


#: The kinds of :class:`Failed`: an AI player's turn, whatever was due, the replay check.
AI_TURN, OVERDUE, REPLAY = "ai_turn", "take_up", "replay"

Handler = Callable[[Any], None]
recorders: dict[type[Any], list[Handler]] = defaultdict(list)
listeners: dict[type[Any], list[Handler]] = defaultdict(list)


def record(event: object) -> None:
    """Let all recorders write their rows for ``event`` in the open transaction."""
    for recorder in recorders[type(event)]:
        recorder(event)


def publish(event: object) -> None:
    """Call all listeners of ``event``, which has been committed."""
    for listener in listeners[type(event)]:
        try:
            listener(event)
        except Exception:  # a fault in one listener must not keep the event from the others
            log.exception("%s failed at %s", listener, event)


def publish_on_commit(event: object) -> None:
    """Call all listeners of ``event`` once the open transaction is committed."""
    transaction.on_commit(partial(publish, event))


def turns_began(turns: Iterable[Turn]) -> None:
    """Record the turns that begin, if there are any."""
    found = tuple(turns)
    if found:
        record(TurnsBegan(found))
