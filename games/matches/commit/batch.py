"""Group commit: commands that arrive in the same moment, for all matches, are decided and stored in one transaction.

Every process may write to every match. Moves carry ``(match, number)`` and ``(match, request id)``, both unique, and a
match's version moves from n to n + 1 only for a process that has seen n; a loser of that race reads again and decides
again. So no process owns a match, no lock is held between requests, and everything that players have been told is in
the database.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import DatabaseError, IntegrityError, NotSupportedError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from prometheus_client import Counter, Histogram

from games import engine
from games.matches import events, handed_over, loading, sql
from games.matches.commit import planning, slap_store, store
from games.matches.commit.changeset import DATABASE_AWAY, ChangeSet, Command, Refused, RemoteCommit, Unavailable
from games.matches.commit.slap_store import Windows
from games.matches.live_match import LiveMatch
from games.matches.models import Match
from games.realtime.languages import in_language

log = logging.getLogger(__name__)

AnyCommand = Command[Any]

#: How often a command is decided again when other processes keep changing its match first.
MAX_TRIES = 8
#: States that one process keeps in memory.
CACHED_TABLES = 2000
#: Most commands in one transaction.
MAX_BATCH = 256

_WRITTEN = Histogram(
    "armani_command_written_seconds",
    "From a move, slap or step being asked for to its being stored",
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
)
_BATCH = Histogram("armani_batch_commands", "Commands in one transaction", buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256))
_RETRIES = Counter("armani_commit_retries", "Commands decided anew because another process was first")
_VERDICT = Histogram(
    "armani_verdict_late_seconds",
    "From the moment by which no press could be better any more to the verdict being stored",
    buckets=(0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5, 1, 5),
)


class BatchCommitter:
    """Decides and stores batches of commands, with a cache of states that it alone touches.

    ``announce(change)`` is called after each commit, never before.
    """

    def __init__(self, announce: Callable[[ChangeSet], None]) -> None:
        self.tables: OrderedDict[int, LiveMatch] = OrderedDict()
        self.announce = announce

    def forget(self, match_ids: Collection[int]) -> None:
        """Drop cached states that are ahead of the database or behind it."""
        handed_over.take(match_ids)
        for match_id in match_ids:
            self.tables.pop(match_id, None)

    def forget_all(self) -> None:
        """Drop every cached state."""
        handed_over.forget_all()
        self.tables.clear()

    def apply_remote_commit(self, news: RemoteCommit) -> None:
        """Apply another process's committed moves to a cached state, which is cheaper than reloading it."""
        table = self.tables.get(news.match_id)
        if table is None or news.first + len(news.entries) <= table.version + 1:
            return
        if news.first > table.version + 1:
            self.forget([news.match_id])
            return
        before = table.version
        try:
            for seat, move, request_id, _source in news.entries[before + 1 - news.first :]:
                table.enter(seat, move, request_id)
            if table.open_version > before:
                table.turn_since = news.at
            for number, clock in news.clocks.items():
                table.clocks[number] = clock
            if table.state.outcome() is not None:
                table.status = Match.Status.OVER
        except Exception:  # the table is read again when it is next needed
            log.exception("match %s: could not apply the moves after version %s", table.key, before)
            self.forget([news.match_id])

    def commit(self, commands: Sequence[AnyCommand]) -> None:
        """Decide, store and announce ``commands``; each is answered exactly once."""
        # From here on a command can't be withdrawn; skip those that were withdrawn before.
        self._commit([command for command in commands if command.answer.set_running_or_notify_cancel()])

    def _commit(self, waiting: list[AnyCommand]) -> None:
        while waiting:
            try:
                waiting = self._round(waiting)
            except Exception as error:
                waiting = [command for command in waiting if not command.answer.done()]
                match_ids = {command.match_id for command in waiting}
                self.forget(match_ids)
                if isinstance(error, NotSupportedError) and not connection.in_atomic_block:
                    # A migration has changed a column, and what this connection has prepared is for the old one.
                    connection.close()
                if len(match_ids) > 1 and not isinstance(error, DATABASE_AWAY):
                    # The fault belongs to one match: the others must not suffer for it.
                    log.warning("storing a batch of %d commands match by match: %r", len(waiting), error)
                    for match_id in sorted(match_ids):
                        self._commit([command for command in waiting if command.match_id == match_id])
                else:
                    log.exception("a batch of %d commands could not be stored", len(waiting))
                    fail(waiting, error)
                return

    def _round(self, commands: list[AnyCommand]) -> list[AnyCommand]:
        """Run one transaction. Returns the commands to decide again, in order, because another process was first."""
        match_ids = {command.match_id for command in commands}
        current = self.load(match_ids)
        found = _Decided(timezone.now(), Windows(match_ids))
        for command in commands:
            self._decide(command, found)
        # Refusals based on a state that another process has since moved on are decided again. They leave no notes: a
        # slap that is noted as too late can't count any more.
        lost = _outdated({pk: found.changes[pk] for pk in found.refusing() if pk in found.changes}, current)
        busy = {pk: change for pk, change in sorted(found.changes.items()) if not change.is_empty and pk not in lost}
        if busy:
            _BATCH.observe(len(commands))
            lost |= self._store(busy)
        lost |= found.broken
        self.forget(lost | {pk for pk, change in busy.items() if change.needs_reload})
        found.refuse(lost)
        found.take_out(lost)
        for pk, change in busy.items():
            if pk not in lost:
                self._announce(change)
        found.answer()
        if found.again:
            _RETRIES.inc(len(found.again))
        again = {id(command) for command in found.again}
        return [command for command in commands if id(command) in again]

    def _decide(self, command: AnyCommand, found: "_Decided") -> None:
        """Decide one command on the state that the commands before it have left."""
        table = self.tables.get(command.match_id)
        change = found.changes.get(command.match_id)
        has_company = command.is_alone and change is not None and not change.is_empty
        if command.match_id in found.broken or command.match_id in found.closed or has_company:
            found.again.append(command)
            # Later commands for the match wait as well, so that all are done in order.
            found.closed.add(command.match_id)
            return
        if table is None:
            found.refused.append((command, Refused("over", _("There's no such match, or it hasn't begun."))))
            return
        if change is None:
            change = found.changes[command.match_id] = ChangeSet(table, found.at, table.version, found.windows)
        try:
            result = in_language(command.language, command.decide, change)
        except (Refused, engine.IllegalMove) as error:
            refusal = error if isinstance(error, Refused) else Refused("illegal", str(error))
            refusal.version = table.version
            found.refused.append((command, refusal))
        except DatabaseError:
            raise
        except Exception as error:
            # A fault in one game must not affect other matches of this batch, nor the other commands at its own table:
            # those are decided again.
            about = {"match": table.key, "version": table.version, "request_id": getattr(command, "request_id", "")}
            log.exception("%s failed", type(command).__name__, extra=about)
            command.answer.set_exception(error)
            found.broken.add(command.match_id)
            del found.changes[command.match_id]
            self.forget(found.broken)
        else:
            found.decided.setdefault(command.match_id, []).append((command, result))
            if command.is_alone:
                found.closed.add(command.match_id)

    def _announce(self, change: ChangeSet) -> None:
        """Announce what was stored; a process that misses the message finds the change in the database."""
        if change.verdict is not None and (bounds := [bound for each in change.judged if (bound := each.bound)]):
            _VERDICT.observe(max(0.0, time.time() - min(bounds).timestamp()))
        try:
            self.announce(change)
        except Exception:  # it is stored; processes that miss the message find it in the database
            log.exception("match %s: version %s could not be announced", change.table.key, change.table.version)

    def load(self, match_ids: set[int]) -> set[int]:
        """Load the tables of these matches into the cache, most recently used last; returns those just read."""
        missing = {pk for pk in match_ids if pk not in self.tables}
        if missing:
            handed = handed_over.take_current(missing)
            self.tables.update(handed)
            if handed.keys() != missing:
                self.tables.update(loading.load(missing - handed.keys()))
        for pk in match_ids & self.tables.keys():
            self.tables.move_to_end(pk)
        while len(self.tables) > max(CACHED_TABLES, len(match_ids)):
            self.tables.popitem(last=False)
        return missing

    def _store(self, changes: dict[int, ChangeSet]) -> set[int]:
        """Write all changes in one transaction; returns the ids of matches that another process moved first."""
        for change in changes.values():
            if (change.entries or change.opens_point) and change.table.at_slap_point and change.outcome is None:
                planning.open_point(change)
        hours = planning.hours_of(changes.values())
        for change in changes.values():
            planning.plan(change, hours)
        try:
            with transaction.atomic():
                moving = {pk: change for pk, change in changes.items() if change.moves_on}
                # Another player's slap may have been stored since this verdict, or this card, was decided on.
                pressed = store.pressed_meanwhile(moving)
                lost = moving.keys() - store.advance(moving, but=pressed)
                kept = [change for pk, change in changes.items() if pk not in lost]
                with sql.together():
                    store.insert_moves(kept)
                    store.store_clocks(
                        (change.table.match_id, seat, clock) for change in kept for seat, clock in change.clocks.items()
                    )
                    events.turns_began(turn for change in kept for turn in store.turns_begun(change))
                    store.insert_attempts(kept)
                    slap_store.store_verdicts(attempt for change in kept for attempt in change.judged)
                store.insert_notes(kept)
                for change in kept:
                    store.store_optional_rows(change)
        except IntegrityError:
            if len(changes) > 1:
                raise
            # A move or slap with this name exists already: decide the command again, and it finds that one.
            return set(changes)
        return lost


@dataclass(slots=True)
class _Decided:
    """What one round has decided, until it is stored."""

    at: datetime
    windows: Windows
    changes: dict[int, ChangeSet] = field(default_factory=dict)
    decided: dict[int, list[tuple[AnyCommand, Any]]] = field(default_factory=dict)
    refused: list[tuple[AnyCommand, Refused]] = field(default_factory=list)
    #: Commands to decide in another round.
    again: list[AnyCommand] = field(default_factory=list)
    #: Matches with a failed command, and matches with a command that has to be stored alone.
    broken: set[int] = field(default_factory=set)
    closed: set[int] = field(default_factory=set)

    def refusing(self) -> set[int]:
        """The matches with a refused command."""
        return {command.match_id for command, _refusal in self.refused}

    def refuse(self, lost: Collection[int]) -> None:
        """Answer refused commands, or decide them again if they saw an outdated state."""
        for command, refusal in self.refused:
            if command.match_id in lost and _may_try_again(command):
                self.again.append(command)
            else:
                command.answer.set_exception(refusal)

    def take_out(self, lost: Collection[int]) -> None:
        """Decide the commands again whose changes could not be stored."""
        for match_id in lost:
            for command, _result in self.decided.pop(match_id, []):
                if _may_try_again(command):
                    self.again.append(command)
                else:
                    fail([command])

    def answer(self) -> None:
        """Answer the commands that are stored."""
        now = time.monotonic()
        for pairs in self.decided.values():
            for command, result in pairs:
                _WRITTEN.observe(now - command.asked_at)
                command.answer.set_result(result)


def _outdated(changes: dict[int, ChangeSet], current: set[int]) -> set[int]:
    """The matches whose cached state was outdated. Changes that move a match on are left to the check in storing."""
    doubtful = {pk for pk, change in changes.items() if not change.moves_on} - current
    if not doubtful:
        return set()
    newest = Match.objects.filter(pk__in=doubtful).values_list("pk", "version", "seating_epoch")
    known = {(pk, changes[pk].from_version, changes[pk].table.seating_epoch) for pk in doubtful}
    return {pk for pk, version, seating_epoch in newest if (pk, version, seating_epoch) not in known}


def _may_try_again(command: AnyCommand) -> bool:
    command.tries += 1
    return command.tries < MAX_TRIES


def fail(commands: Iterable[AnyCommand], cause: Exception | None = None) -> None:
    """Answer commands that could not be stored."""
    for command in commands:
        command.answer.set_exception(Unavailable(cause))
