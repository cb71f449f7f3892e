"""Moves: each is one command, which this process's writer stores together with whatever arrives in the same moment.

Only ``games.matches.service`` calls it.
"""

import logging
import re
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.moderation.restrictions import restrictions_of
from games.judging.timing import CAP_MAX
from games.matches import events, loading
from games.matches.commands import table_steps
from games.matches.commands.table_steps import AdvanceTable, require_running, sitter_of
from games.matches.commit.batch import BatchCommitter
from games.matches.commit.changeset import Acted, ChangeSet, Command, R, Refused, RemoteCommit
from games.matches.commit.writer import Writer
from games.matches.live_match import LiveMatch
from games.matches.models import Move
from games.matches.slap_points import commands as slap_points
from games.matches.turn_clock import SeatClock

log = logging.getLogger(__name__)

MAX_MOVE_LENGTH = 200
#: Request ids with a colon are the site's own ("table:12"): a player must not be able to use one up first.
_REQUEST_ID = {
    source: re.compile(r"[\w.-]{1,64}" if source == Move.Source.PLAYER else r"[\w:.-]{1,64}", re.ASCII)
    for source in Move.Source.values
}


@dataclass(slots=True)
class MakeMove(Command[Acted]):
    """One move of a seat, by its player, an AI player or a stand-in."""

    seat: int
    #: Kept out of the log line that names a failed command: it may be a sealed choice.
    move: str = field(repr=False)
    request_id: str
    source: str = Move.Source.PLAYER
    player_id: int | None = None
    #: The version on which the move was decided; None accepts any.
    seen_version: int | None = None
    #: The most latency credit of any connection at the table, in ms, as far as the mover's process knows.
    largest_cap: float = CAP_MAX

    def decide(self, change: ChangeSet) -> Acted:
        """Make the move if it is this seat's turn and the mover has seen everything that matters for it."""
        table = change.table
        done = _done_before(table, self)
        if done is not None:
            return Acted(done, repeated=True)
        require_running(table)
        sitter = sitter_of(table, self.seat)
        if self.source == Move.Source.PLAYER and sitter.player_id != self.player_id:
            raise Refused("not_seated", _("This isn't your seat."))
        if self.source == Move.Source.AI and not sitter.is_ai:
            raise Refused("not_seated", _("There's no AI player in this seat."))
        if table.at_slap_point:
            raise Refused("watch", _("Watch the next cards one by one, on their own page."))
        if self.seen_version is not None and not table.open_version <= self.seen_version <= table.version:
            raise Refused("stale", _("The table has changed. Look again, then choose."))
        if table.lesson is not None and self.source == Move.Source.PLAYER:
            table.state.check(self.seat, self.move)
            table.require_meant(self.move)
        if table.forced_step() == (self.seat, self.move):
            return table_steps.ask_for_step(change, self.largest_cap)
        if (
            self.move == "slap"
            and table.card is not None
            and (table_steps.has_timer(change) or table_steps.is_pressed(change))
        ):
            return table_steps.press_without_socket(change, self.seat, self.player_id)
        change.enter(self.seat, self.move, self.request_id, self.source)
        return Acted(table.version, is_new=True)


def _done_before(table: LiveMatch, command: MakeMove) -> int | None:
    """The version that the move with this request id produced when it was first made."""
    if command.request_id in table.requests:
        return table.requests[command.request_id]
    if command.tries:
        # Request ids older than this process remembers are only noticed as a collision in the database.
        return (
            Move.objects.filter(match=command.match_id, request_id=command.request_id)
            .values_list("number", flat=True)
            .first()
        )
    return None


def _announce(change: ChangeSet) -> None:
    """Announce a stored change; inside a longer transaction, after that commits."""
    events.publish(change)
    for call in change.afterwards:
        transaction.on_commit(call)


writer = Writer(BatchCommitter(_announce))


def start_writer() -> None:
    """Collect moves into batches from now on: for processes that serve sockets."""
    writer.start()


def stop_writer() -> None:
    """Store what has come in; from now on moves are committed one by one."""
    writer.stop()


def forget_all() -> None:
    """Drop cached states, for tests that reset the database."""
    writer.forget_all()


def apply_remote_commit(match_id: int, message: Mapping[str, Any]) -> None:
    """Apply moves that another process stored and announced by ``message``."""
    at = datetime.fromtimestamp(message["at"], UTC)
    clocks = {seat: SeatClock.from_json(told) for seat, told in message["clocks"]}
    writer.apply_remote_commit(RemoteCommit(match_id, message["first"], message["entries"], at, clocks))


def submit(command: Command[R]) -> "Future[R]":
    """Decide, store and announce ``command`` with whatever arrives in the same moment; see :class:`Command`."""
    writer.submit(command)
    return command.answer


def move_command(
    match_id: int,
    seat: int,
    move: Any,
    *,
    request_id: Any,
    seen_version: Any = None,
    player_id: int | None = None,
    source: str = Move.Source.PLAYER,
    largest_cap: float = CAP_MAX,
    language: str | None = None,
) -> MakeMove:
    """Build the command for a move. Raises :class:`Refused` for anything that can't be a move in any game.

    A refusal is in the active language, which a caller may know (``language``).
    """
    if not isinstance(move, str) or not 0 < len(move) <= MAX_MOVE_LENGTH:
        raise Refused("malformed", _("That's not a move."))
    if not isinstance(request_id, str) or not _REQUEST_ID[source].fullmatch(request_id):
        raise Refused("malformed", _("A move needs an id of up to 64 letters and digits."))
    if seen_version is not None and (type(seen_version) is not int or seen_version < 0):
        raise Refused("malformed", _("The version must be a number."))
    language = language or get_language()
    return MakeMove(match_id, seat, move, request_id, source, player_id, seen_version, largest_cap, language=language)


def act(
    match_id: int,
    seat: int,
    move: str,
    *,
    request_id: str,
    seen_version: int | None = None,
    player: User | None = None,
    source: str = Move.Source.PLAYER,
) -> Acted:
    """Make a move and wait until it is stored. Raises :class:`Refused`; a repeated request id counts once."""
    require_may_play(player)
    command = move_command(
        match_id,
        seat,
        move,
        request_id=request_id,
        seen_version=seen_version,
        player_id=player.pk if player else None,
        source=source,
    )
    return submit(command).result()


def step(match_id: int, version: int) -> Acted:
    """Advance the table from ``version``: judge slaps, flip, hand over. Raises :class:`Refused` if it has moved on."""
    return submit(AdvanceTable(match_id, version)).result()


def settle(match_id: int) -> None:
    """Settle the slap point of a match if everyone has watched it; open it if it is missing."""
    try:
        submit(slap_points.SettleSlapPoints(match_id)).result()
    except Refused as refusal:
        log.debug("match %s: nothing to settle: %s", match_id, refusal)


def require_may_play(player: User | None) -> None:
    """Raise :class:`Refused` for a player whom a sanction forbids to play right now."""
    if player is not None and not restrictions_of(player).may_play:
        raise Refused("barred", _("The moderators have paused your play. Your account status page tells you why."))


def load(match_id: int) -> LiveMatch:
    """The stored table of a running or finished match. Raises ``KeyError`` if there is none."""
    return loading.load([match_id])[match_id]
