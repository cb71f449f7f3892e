"""The table's own steps, and slaps: slaps are noted at once and judged together, then the next card is turned.

``games.live`` knows who may send what, and when a step is due. Here each command is decided on the newest state, and
only the database says whether a card has been judged.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from games.judging import verdicts
from games.judging.timing import ABANDONED, ASKED_PAUSE, CAP_MAX, FASTEST_REACTION, WINDOW, span_before_step
from games.matches import pauses
from games.matches.commit import planning
from games.matches.commit.changeset import Acted, ChangeSet, Command, Refused
from games.matches.live_match import LiveMatch, Sitter
from games.matches.models import Match, Move, SlapAttempt
from games.matches.slap_points import commands as slap_points

#: Seconds by which the row's due time may be later than the caller's and still mean the same moment.
SAME_MOMENT = 0.002
_MS = timedelta(milliseconds=1)


class NotYet(Refused):
    """The step is due later than its timer thought: ``due`` is the timestamp."""

    def __init__(self, due: float) -> None:
        super().__init__("stale", _("It isn't time yet."))
        self.due = due


@dataclass(slots=True)
class RecordPress(Command[Acted]):
    """Note a slap at once; it is judged later with all others on its card. Times in ms."""

    seat: int
    #: The version that showed the card.
    card: int
    elapsed: float
    claimed: float | None
    ping: float
    cap: float
    #: The highest latency credit of any player who can still slap; None if there is none.
    rival_cap: float | None = None
    player_id: int | None = None
    #: When it arrived, by its process's clock: the verdict is timed from here, however long this command waits.
    came_at: datetime = field(default_factory=timezone.now)
    #: Whether a verdict that this slap makes due is given with it, instead of as the table's next step.
    at_once: bool = False
    #: In turn-based matches, the socket that showed the card: its answer can be timed like a live slap.
    session: str = ""
    #: The slap as it was noted, for callers that announce it.
    attempt: SlapAttempt | None = field(default=None, init=False)

    def decide(self, change: ChangeSet) -> Acted:
        """Note the slap while the card's window is open; only a seat's first slap on a card counts.

        A slap that is too early or too late is noted, too, and costs nothing.
        """
        table = change.table
        require_running(table)
        sitter = sitter_of(table, self.seat)
        if not sitter.is_ai and sitter.player_id != self.player_id:
            raise Refused("not_seated", _("This isn't your seat."))
        attempt = self.attempt = self._attempt(sitter)
        if self.session:
            slap_points.require_shown(change, attempt, self.session)
        elif table.card != self.card:
            attempt.result = SlapAttempt.Result.LATE
            if not sitter.is_ai:
                change.notes.append(attempt)
            raise Refused("late", _("Too late for that card. It cost you nothing."))
        else:
            table.state.check(self.seat, "slap")
            if not sitter.is_ai:
                table.require_meant("slap")
        if attempt.reaction + attempt.handicap < FASTEST_REACTION:
            attempt.result = SlapAttempt.Result.EARLY
            change.notes.append(attempt)
            raise Refused("early", _("Too early for this card. It cost you nothing."))
        if self.session:
            return Acted(self.card, repeated=not slap_points.press(change, attempt))
        return self._collect(change, attempt)

    def _collect(self, change: ChangeSet, attempt: SlapAttempt) -> Acted:
        """Make a slap on the top card wait for those that could still beat it."""
        table = change.table
        pressed = {stored.seat: stored.reaction for stored in _pending(change)}
        reactions = pressed | {other.seat: other.reaction for other in change.attempts}
        if self.seat in reactions:
            return Acted(table.version, repeated=True)
        if len(table.sitters) == 2 and table.turn_since and pauses.has_closed(self.match_id, table.turn_since):
            raise Refused("late", _("The table was paused, so this card's time is over. It cost you nothing."))
        # The verdict waits for slaps that could beat the best one so far, so a later slap never puts it off.
        best = min([attempt.reaction, *reactions.values()])
        attempt.verdict_after = verdicts.verdict_after(best, self.rival_cap)
        due_at = self.came_at + max(0.0, attempt.verdict_after - self.elapsed) * _MS
        known = change.step_at if change.attempts else _due_at(change) if pressed else None
        change.step_at = due_at if known is None else min(known, due_at)
        change.attempts.append(attempt)
        # Due when it arrived and not only now: others may have arrived in time and be queued behind this one.
        if self.at_once and change.step_at <= self.came_at:
            _judge(change, [*_pending(change), *change.attempts])
        return Acted(self.card)

    def _attempt(self, sitter: Sitter) -> SlapAttempt:
        reaction = verdicts.compensated(self.elapsed, self.claimed, self.ping, self.cap, sitter.handicap)
        return SlapAttempt(
            match_id=self.match_id,
            seat=self.seat,
            version=self.card,
            elapsed=self.elapsed,
            claimed=self.claimed,
            ping=self.ping,
            cap=self.cap,
            handicap=sitter.handicap,
            reaction=reaction,
            at=self.came_at,
        )


@dataclass(slots=True)
class AdvanceTable(Command[Acted]):
    """Advance the table: judge the slaps on the last card, or else make the forced move."""

    #: The version after which the step is due; if the match has moved on, the step was already made.
    version: int
    largest_cap: float = 0.0
    #: When the timer thinks the step is due, as a timestamp; None trusts the row.
    due: float | None = None
    #: The player for whom a table for two is waiting now.
    absent: int | None = None
    #: Whether the timer knows of a pause that may have to be ended.
    is_paused: bool = False

    def decide(self, change: ChangeSet) -> Acted:
        """Judge, wait for a missing player, or go on."""
        table = change.table
        require_running(table)
        if table.version != self.version or change.attempts:
            raise Refused("stale", _("The table has already moved on."))
        forced = table.forced_step()
        if forced is None:
            raise Refused("stale", _("The table is waiting for a player."))
        if self.due is not None:
            # A slap that this timer doesn't know yet has frozen the card, or a pause has frozen the table.
            due_at = _due_at(change)
            if due_at is not None and due_at.timestamp() > self.due + SAME_MOMENT:
                raise NotYet(due_at.timestamp())
        change.largest_cap = self.largest_cap
        pending = _pending(change)
        if pending:
            _judge(change, pending)
        elif table.awaits_pupil:
            raise Refused("stale", _("The lesson is waiting for you."))
        elif not self._waits(change):
            seat, move = table.scripted_slap() or forced
            change.enter(seat, move, f"table:{table.version}", Move.Source.TABLE)
        return Acted(table.version)

    def _waits(self, change: ChangeSet) -> bool:
        """Whether the table waits for a missing player."""
        if self.absent is not None:
            pause = pauses.hold(self.match_id, self.absent, change.at)
            change.also.append(pause.save)
            if pause.since is not None:
                change.waiting = pauses.waiting(pause)
                change.step_at = change.waiting.until
                return True
        elif self.is_paused:
            ended = pauses.open_at(self.match_id)
            if ended is not None:
                pauses.end(ended, change.at)
                change.also.append(ended.save)
        return False


@dataclass(slots=True)
class ResumeTable(Command[Acted]):
    """End the table's pause: its missing player is back, and the next card comes after a window."""

    version: int
    largest_cap: float = 0.0

    def decide(self, change: ChangeSet) -> Acted:
        """End the pause unless another process already has."""
        table = change.table
        require_running(table)
        pause = pauses.open_at(self.match_id)
        if table.version != self.version or pause is None:
            raise Refused("stale", _("The table has already moved on."))
        pauses.end(pause, change.at)
        change.also.append(pause.save)
        wait = planning.drawn(*span_before_step(table.card_pace, self.largest_cap, after_verdict=False))
        change.step_at = change.at + wait * _MS
        return Acted(table.version)


def ask_for_step(change: ChangeSet, largest_cap: float) -> Acted:
    """Answer a player's request for the next card: it may come a little earlier, but never before the window is over.

    Only a table whose timer no process runs, such as one on pages without scripts, moves on at once.
    """
    table = change.table
    due_at = _due_at(change)
    if due_at is None or change.at > due_at + ABANDONED * _MS:
        return AdvanceTable(table.match_id, table.version).decide(change)
    shown_at = table.turn_since if table.card is not None else None
    if shown_at is None or change.attempts or _pending(change) or pauses.open_at(table.match_id) is not None:
        return Acted(table.version)
    over_at = shown_at + (WINDOW[table.card_pace] + largest_cap) * _MS
    # The same due time for this card, however often a player asks.
    digest = hmac.digest(table.seed.encode("ascii"), b"ask/%d" % table.version, "sha256")
    low, high = ASKED_PAUSE
    wait = low + (high - low) * int.from_bytes(digest[:4], "big") / 2**32
    answer_at = max(change.at, over_at) + wait * _MS
    if answer_at < due_at:
        change.step_at = answer_at
    return Acted(table.version)


def press_without_socket(change: ChangeSet, seat: int, player_id: int | None) -> Acted:
    """Note a slap from a page without scripts: judged with the others, timed from the card's commit."""
    table = change.table
    elapsed = (change.at - (table.turn_since or change.at)) / _MS
    return RecordPress(
        table.match_id,
        seat=seat,
        card=table.version,
        elapsed=elapsed,
        claimed=None,
        ping=0,
        cap=0,
        rival_cap=CAP_MAX,
        player_id=player_id,
        came_at=change.at,
    ).decide(change)


def has_timer(change: ChangeSet) -> bool:
    """Whether some process runs the timer of this table."""
    due_at = _due_at(change)
    return due_at is not None and change.at <= due_at + ABANDONED * _MS


def is_pressed(change: ChangeSet) -> bool:
    """Whether slaps on the top card are waiting for their verdict."""
    return bool(_pending(change))


def require_running(table: LiveMatch) -> None:
    """Raise :class:`Refused` unless the match is running."""
    if table.status != Match.Status.RUNNING:
        raise Refused("over", _("This match is over."))


def sitter_of(table: LiveMatch, seat: int) -> Sitter:
    """The holder of a seat. Raises :class:`Refused` if there is no such seat."""
    if not 0 <= seat < len(table.sitters):
        raise Refused("not_seated", _("There's no such seat."))
    return table.sitters[seat]


def _pending(change: ChangeSet) -> list[SlapAttempt]:
    """Stored slaps on the top card that wait for their verdict."""
    card = change.table.card
    return [press for press in change.windows.of(change.table.match_id).pending if press.version == card]


def _judge(change: ChangeSet, pressed: Sequence[SlapAttempt]) -> None:
    """Apply the slaps on one card, fastest first: a right one wins the hand, wrong ones burn cards."""
    table = change.table
    card = table.card

    def slap(attempt: SlapAttempt) -> bool:
        change.enter(attempt.seat, "slap", f"slap:{card}:{attempt.seat}", Move.Source.TABLE)
        return table.state.view(None).zone("pile").count == 0

    def may_slap(seat: int) -> bool:
        return "slap" in table.state.legal_moves(seat)

    judged = verdicts.judge(pressed, table.seed, may_slap=may_slap, slap=slap)
    for attempt, result, by_lot in judged:
        attempt.result, attempt.by_lot = result, by_lot
    change.judged = [attempt for attempt, _result, _by_lot in judged]
    change.verdict = {"v": card, "slaps": [verdicts.row(attempt, attempt.result) for attempt in change.judged]}


def _due_at(change: ChangeSet) -> datetime | None:
    """The row's due time for the table's next step."""
    return change.windows.of(change.table.match_id).due_at
