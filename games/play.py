"""The door: the only place that changes a match.

Browser, forms, AI players, the table's own steps, time-outs and the admin all come through here.
Everything that can't be done raises :class:`Refused`, whose text is for the person who tried.
"""

import contextlib
import hmac
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from games import engine, rules, tables
from games.ai.people import name_for
from games.commit import Acted, Change, Committer, Deed, News, Refused, Unavailable, finish, next_due
from games.live import publish
from games.models import AiLevel, Match, Move, Seat, SlapAttempt
from games.pace import ABANDONED, CAP_MAX, FASTEST_REACTION, TIE, VERDICT_MARGIN
from games.tables import Sitter, Table
from games.writer import Writer

__all__ = [
    "Acted",
    "Refused",
    "Unavailable",
    "act",
    "attend",
    "close_unattended",
    "join",
    "leave",
    "load",
    "open_table",
    "rematch",
    "resign",
    "set_ai",
    "start",
    "step",
    "submit",
    "time_out",
]

#: Seconds a turn by clock; 0 is no limit, for friends.
TURN_SECONDS = {"table": 180, "daily": 24 * 3600, "none": 0}
#: Tables that one person may have open at a time.
MOST_OPEN = 10
#: An open table at which nobody of those who sit there has looked for so long is closed.
UNATTENDED = timedelta(days=1)
MAX_MOVE_LENGTH = 200
#: Names with a colon are the site's own ("table:12"): no player may take one first.
_REQUEST_ID = {
    source: re.compile(r"[\w.-]{1,64}" if source == Move.Source.PLAYER else r"[\w:.-]{1,64}", re.ASCII)
    for source in Move.Source.values
}


# Tables before the deal.


def open_table(
    host: User,
    slug: str,
    seat_count: int,
    options: engine.Options,
    *,
    ai: Mapping[int, str] | None = None,
    is_public: bool = True,
    pace: str = Match.Pace.NORMAL,
    clock: str = "table",
) -> Match:
    """Open a table; ``host`` takes the first seat that no AI player has.

    ``ai`` gives the level of each AI player's seat. Raises :class:`Refused` for a game, a seat count,
    options, a pace, a clock or levels that do not exist, if no seat is left for the host, and to a host of
    too many open tables.
    """
    try:
        game = rules.get(slug)
    except KeyError:
        raise Refused("bad_options", _("There is no such game.")) from None
    seed = Match._meta.get_field("seed").get_default()
    try:
        # Dealing once is the surest check of all options together.
        game.deal(seat_count, options, seed)
    except engine.BadOptions as error:
        raise Refused("bad_options", str(error)) from None
    ai = dict(ai or {})
    if not all(seat in range(seat_count) and level in AiLevel.values for seat, level in ai.items()):
        raise Refused("bad_options", _("There is no such AI player."))
    if len(ai) == seat_count:
        raise Refused("bad_options", _("Leave a seat for yourself."))
    if pace not in Match.Pace.values or clock not in TURN_SECONDS:
        raise Refused("bad_options", _("There is no such pace."))
    if Match.objects.filter(host=host, status=Match.Status.OPEN).count() >= MOST_OPEN:
        raise Refused("too_many", _("You have many open tables: start or leave one of them first."))
    filled = {option.name: options.get(option.name, option.default) for option in game.options}
    with transaction.atomic():
        match = Match.objects.create(
            slug=slug,
            rules_version=game.version,
            seat_count=seat_count,
            options={name: list(value) if isinstance(value, tuple) else value for name, value in filled.items()},
            seed=seed,
            host=host,
            is_public=is_public,
            pace=pace,
            turn_seconds=TURN_SECONDS[clock],
            due_at=timezone.now() + UNATTENDED,
        )
        seats = [Seat(match=match, number=number) for number in range(seat_count)]
        for number, level in ai.items():
            _seat_ai(seats[number], level)
        _seat_person(next(seat for seat in seats if seat.is_free), host)
        Seat.objects.bulk_create(seats)
    return match


def join(match: Match, player: User, seat: int | None = None) -> Seat:
    """Sit ``player`` down on ``seat``, or on the first free one; sitting there already is fine."""
    with transaction.atomic():
        _lock_open(match)
        seats = list(match.seats.all())
        mine = next((place for place in seats if place.player_id == player.pk), None)
        if mine is not None and seat in (None, mine.number):
            return mine
        free = [place for place in seats if place.is_free and seat in (None, place.number)]
        if not free:
            raise Refused("taken", _("This seat is taken.") if seat is not None else _("All seats are taken."))
        if mine is not None:
            mine.player, mine.player_name = None, ""
            mine.save()
        _seat_person(free[0], player)
        free[0].save()
        attend(match)
        _roster_changed(match)
    return free[0]


def leave(match: Match, player: User) -> None:
    """Stand up from an open table; when the host leaves, the next person there is host, or the table is closed."""
    with transaction.atomic():
        _lock_open(match)
        if not match.seats.filter(player=player).update(player=None, player_name=""):
            raise Refused("not_seated", _("You have no seat here."))
        if match.host_id == player.pk:
            heir = match.seats.filter(player__isnull=False).first()
            if heir is None:
                match.status = Match.Status.CANCELLED
            match.host = heir.player if heir else None
            match.save(update_fields=["host", "status"])
        _roster_changed(match)


def set_ai(match: Match, host: User, seat: int, level: str) -> None:
    """Put an AI player on a free seat of an open table, or take one away (``level`` empty)."""
    if level and level not in AiLevel.values:
        raise Refused("bad_options", _("There is no such AI player."))
    with transaction.atomic():
        _lock_open(match)
        _require_host(match, host)
        place = match.seats.filter(number=seat, player__isnull=True).first()
        if place is None:
            raise Refused("taken", _("This seat is taken."))
        place.ai_level, place.ai_name = "", ""
        if level:
            _seat_ai(place, level)
        place.save()
        _roster_changed(match)


def start(match: Match, host: User) -> None:
    """Deal. Every seat must be taken; only the host starts."""
    with transaction.atomic():
        _lock_open(match)
        _require_host(match, host)
        if any(seat.is_free for seat in match.seats.all()):
            raise Refused("seats_free", _("There are still free seats: wait for players or seat AI players."))
        now = timezone.now()
        match.status = Match.Status.RUNNING
        match.started_at = match.turn_since = now
        table = tables.deal(match)
        match.awaited = " ".join(str(seat) for seat in table.state.to_move())
        match.due_at = next_due(table, now)
        match.save()
        transaction.on_commit(partial(publish.started, match.pk, match.due_at))


def attend(match: Match) -> None:
    """Somebody who sits at an open table has looked at it: it stays open for another while."""
    now = timezone.now()
    # An hour more or less does not matter, a write for each look would.
    if match.due_at is None or match.due_at < now + UNATTENDED - timedelta(hours=1):
        Match.objects.filter(pk=match.pk, status=Match.Status.OPEN).update(due_at=now + UNATTENDED)


def close_unattended() -> int:
    """Close the open tables to which nobody who sits there has come for a day; the number of them."""
    now = timezone.now()
    closed = 0
    for match in Match.objects.filter(status=Match.Status.OPEN, due_at__lt=now):
        with transaction.atomic():
            # Somebody may have come, or the match begun, since it was read.
            left = Match.objects.filter(pk=match.pk, status=Match.Status.OPEN, due_at__lt=now)
            if left.update(status=Match.Status.CANCELLED, due_at=None):
                match.refresh_from_db()
                _roster_changed(match)
                closed += 1
    return closed


def rematch(match: Match, player: User) -> Match:
    """A new table with the same game, options and AI players for those who played; the same one for all who ask."""
    with transaction.atomic():
        match = Match.objects.select_for_update().get(pk=match.pk)
        if not match.seats.filter(player=player).exists():
            raise Refused("not_seated", _("You did not play in this match."))
        if match.status != Match.Status.OVER:
            raise Refused("running", _("This match is not over yet."))
        if match.rematch is not None and match.rematch.status != Match.Status.CANCELLED:
            if match.rematch.status == Match.Status.OPEN:
                join(match.rematch, player)
            return match.rematch
        # A seat that an AI player took over belongs to whoever resigned from it.
        ai = {seat.number: seat.ai_level for seat in match.seats.all() if seat.ai_level and not seat.has_resigned}
        match.rematch = open_table(
            player, match.slug, match.seat_count, match.options, ai=ai, is_public=match.is_public, pace=match.pace
        )
        match.rematch.turn_seconds = match.turn_seconds
        match.rematch.save(update_fields=["turn_seconds"])
        match.save(update_fields=["rematch"])
        transaction.on_commit(partial(publish.rematch, match.pk, match.rematch.get_absolute_url()))
    return match.rematch


def _lock_open(match: Match) -> None:
    """Have the newest row of an open match, locked. Raises :class:`Refused` if it has begun or ended."""
    match.refresh_from_db(from_queryset=Match.objects.select_for_update())
    if match.status != Match.Status.OPEN:
        raise Refused("begun", _("This match has already begun."))


def _require_host(match: Match, player: User) -> None:
    if match.host_id != player.pk:
        raise Refused("not_host", _("Only the host of the table can do this."))


def _seat_person(seat: Seat, player: User) -> None:
    seat.player = player
    seat.player_name = player.name


def _seat_ai(seat: Seat, level: str) -> None:
    seat.ai_level = level
    seat.ai_name = name_for(seat.match.key, seat.number)


def _roster_changed(match: Match) -> None:
    match.roster += 1
    match.save(update_fields=["roster"])
    transaction.on_commit(partial(publish.reload, match.pk))


# The match itself.


@dataclass(slots=True)
class MoveDeed(Deed):
    """One move of a seat, by its player, an AI player or a stand-in."""

    seat: int
    move: str
    request_id: str
    source: str = Move.Source.PLAYER
    player_id: int | None = None
    #: The version on which the move was decided; None decides on whatever is there.
    seen_version: int | None = None

    def decide(self, change: Change) -> Acted:
        """Enter the move if its seat may make it and its maker has seen what matters."""
        table = change.table
        done = _done_before(table, self)
        if done is not None:
            return Acted(done, repeated=True)
        _require_running(table)
        sitter = _sitter(table, self.seat)
        if self.source == Move.Source.PLAYER and sitter.player_id != self.player_id:
            raise Refused("not_seated", _("This is not your seat."))
        if self.source == Move.Source.AI and not sitter.is_ai:
            raise Refused("not_seated", _("This seat is not an AI player's."))
        if self.seen_version is not None and not table.open_version <= self.seen_version <= table.version:
            raise Refused("stale", _("The table has changed meanwhile. Look again and decide."))
        if table.forced_step() == (self.seat, self.move):
            return self._ask_for_step(change)
        if self.move == "slap" and table.card is not None and _is_kept(change):
            return self._press(change)
        change.enter(self.seat, self.move, self.request_id, self.source)
        return Acted(table.version, is_new=True)

    def _ask_for_step(self, change: Change) -> Acted:
        """The table makes forced moves itself, so that the time between cards tells nothing.

        Only one that has waited far too long, with nobody at the table to see it, is made at once.
        """
        if _is_kept(change):
            return Acted(change.table.version)
        return StepDeed(self.match_id, change.table.version).decide(change)

    def _press(self, change: Change) -> Acted:
        """A slap from a page without scripts is judged with the others, by the time from the card's commit."""
        table = change.table
        elapsed = (change.at - (table.turn_since or change.at)) / timedelta(milliseconds=1)
        if elapsed < FASTEST_REACTION:
            raise Refused("early", _("Too early to be meant for this card. It cost you nothing."))
        return PressDeed(
            self.match_id,
            seat=self.seat,
            card=table.version,
            elapsed=elapsed,
            claimed=None,
            ping=0,
            cap=0,
            reaction=elapsed,
            verdict_after=elapsed + CAP_MAX + VERDICT_MARGIN,
            player_id=self.player_id,
        ).decide(change)


@dataclass(slots=True)
class PressDeed(Deed):
    """A slap as it was pressed: noted now, judged with all others on its card."""

    seat: int
    #: The version that showed the card.
    card: int
    elapsed: float
    claimed: float | None
    ping: float
    cap: float
    reaction: float
    #: Milliseconds from the card's showing until the verdict, if no better slap comes.
    verdict_after: float
    player_id: int | None = None

    def decide(self, change: Change) -> Acted:
        """Note the press while the card's window is open; the first press of a seat on a card counts."""
        table = change.table
        _require_running(table)
        sitter = _sitter(table, self.seat)
        if not sitter.is_ai and sitter.player_id != self.player_id:
            raise Refused("not_seated", _("This is not your seat."))
        if table.card != self.card:
            raise Refused("late", _("That card's time was over."))
        table.state.check(self.seat, "slap")
        pressed = {attempt.seat for attempt in change.attempts} | set(
            SlapAttempt.objects.filter(match=self.match_id, version=self.card).values_list("seat", flat=True)
        )
        if self.seat in pressed:
            return Acted(table.version, repeated=True)
        change.attempts.append(
            SlapAttempt(
                match_id=self.match_id,
                seat=self.seat,
                version=self.card,
                elapsed=self.elapsed,
                claimed=self.claimed,
                ping=self.ping,
                cap=self.cap,
                reaction=self.reaction,
                at=change.at,
            )
        )
        # The verdict waits for whoever could still beat the best press, so a later one never puts it off.
        due_at = change.at + timedelta(milliseconds=max(0.0, self.verdict_after - self.elapsed))
        known = change.due_at or (_due_at(self.match_id) if pressed else None)
        change.due_at = due_at if known is None else min(known, due_at)
        return Acted(table.version)


@dataclass(slots=True)
class StepDeed(Deed):
    """The table goes on: slaps on the last card are judged, else the forced move is made."""

    #: The version after which the step is due; another one has made it already.
    version: int
    largest_cap: float = 0.0

    def decide(self, change: Change) -> Acted:
        """Judge or go on."""
        table = change.table
        _require_running(table)
        if table.version != self.version or change.attempts:
            raise Refused("stale", _("The table has gone on already."))
        forced = table.forced_step()
        if forced is None:
            raise Refused("stale", _("The table waits for a player."))
        change.largest_cap = self.largest_cap
        pending = (
            list(SlapAttempt.objects.filter(match=self.match_id, version=table.card, result=SlapAttempt.Result.PENDING))
            if table.card is not None
            else []
        )
        if pending:
            _judge(change, _in_order(pending, table.seed))
        else:
            seat, move = forced
            change.enter(seat, move, f"table:{table.version}", Move.Source.TABLE)
        return Acted(table.version)


def _in_order(attempts: Sequence[SlapAttempt], seed: str) -> list[SlapAttempt]:
    """Least reaction first; those too close to tell apart from the fastest are drawn by lot from the match's seed."""
    ordered = sorted(attempts, key=lambda attempt: (attempt.reaction, attempt.seat))
    best = ordered[0].reaction

    def lot(attempt: SlapAttempt) -> bytes:
        return hmac.digest(seed.encode("ascii"), b"slap/%d/%d" % (attempt.version, attempt.seat), "sha256")

    tied = [attempt for attempt in ordered if attempt.reaction - best <= TIE]
    return sorted(tied, key=lot) + ordered[len(tied) :]


def _judge(change: Change, attempts: Sequence[SlapAttempt]) -> None:
    """Enter the slaps on one card, fastest first: a right one takes the hand, wrong ones burn."""
    table = change.table
    card = table.card
    for attempt in attempts:
        if "slap" not in table.state.legal_moves(attempt.seat):
            # The hand is taken, or this slap only became forbidden meanwhile: it costs nothing.
            change.results[attempt.pk] = SlapAttempt.Result.BEATEN
            continue
        change.enter(attempt.seat, "slap", f"slap:{card}:{attempt.seat}", Move.Source.TABLE)
        has_won = table.state.view(None).zone("pile").count == 0
        change.results[attempt.pk] = SlapAttempt.Result.WON if has_won else SlapAttempt.Result.WRONG
    change.verdict = {
        "v": card,
        "slaps": [
            {
                "seat": attempt.seat,
                "reaction": round(attempt.reaction),
                "raw": round(attempt.elapsed),
                "ping": round(attempt.ping),
                "credit": round(attempt.elapsed - attempt.reaction),
                "result": change.results[attempt.pk],
            }
            for attempt in attempts
        ],
    }


def _due_at(match_id: int) -> datetime | None:
    return Match.objects.values_list("due_at", flat=True).get(pk=match_id)


def _is_kept(change: Change) -> bool:
    """Whether some process turns the cards of this table when their time has come."""
    due_at = _due_at(change.table.match_id)
    return due_at is not None and change.at <= due_at + timedelta(milliseconds=ABANDONED)


def _done_before(table: Table, deed: MoveDeed) -> int | None:
    """The version that a move with this request id gave when it was first made."""
    if deed.request_id in table.requests:
        return table.requests[deed.request_id]
    if deed.tries:
        # Only a collision in the database tells of a name older than what this process remembers.
        return (
            Move.objects.filter(match=deed.match_id, request_id=deed.request_id)
            .values_list("number", flat=True)
            .first()
        )
    return None


def _require_running(table: Table) -> None:
    if table.status != Match.Status.RUNNING:
        raise Refused("over", _("This match is over."))


def _sitter(table: Table, seat: int) -> Sitter:
    if not 0 <= seat < len(table.sitters):
        raise Refused("not_seated", _("There is no such seat."))
    return table.sitters[seat]


_writer = Writer(Committer(publish.changed))


def start_writer() -> None:
    """Collect moves into batches from now on: for a process that serves sockets."""
    _writer.start()


def stop_writer() -> None:
    """Store what has come in; moves are committed one by one from now on."""
    _writer.stop()


def forget_all() -> None:
    """Drop cached states, for tests that put the database back."""
    _writer.forget_all()


def hear(match_id: int, first: int, entries: Sequence[Sequence[Any]], at: float) -> None:
    """Moves from version ``first`` on were stored by another process, at a timestamp."""
    _writer.hear(News(match_id, first, entries, datetime.fromtimestamp(at, UTC)))


def submit(deed: Deed) -> "Future[Acted]":
    """Have ``deed`` decided, stored and announced with whatever arrives in this moment; see :class:`Deed`."""
    _writer.submit(deed)
    return deed.answer


def move_deed(
    match_id: int,
    seat: int,
    move: Any,
    *,
    request_id: Any,
    seen_version: Any = None,
    player_id: int | None = None,
    source: str = Move.Source.PLAYER,
) -> MoveDeed:
    """A move to :func:`submit`. Raises :class:`Refused` for anything that can't be a move, whatever the game."""
    if not isinstance(move, str) or not 0 < len(move) <= MAX_MOVE_LENGTH:
        raise Refused("malformed", _("This is not a move."))
    if not isinstance(request_id, str) or not _REQUEST_ID[source].fullmatch(request_id):
        raise Refused("malformed", _("A move needs an id of up to 64 letters and digits."))
    if seen_version is not None and (type(seen_version) is not int or seen_version < 0):
        raise Refused("malformed", _("The version must be a number."))
    return MoveDeed(match_id, seat, move, request_id, source, player_id, seen_version)


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
    """Make a move and wait until it is stored. Raises :class:`Refused`; doing it twice counts once."""
    deed = move_deed(
        match_id,
        seat,
        move,
        request_id=request_id,
        seen_version=seen_version,
        player_id=player.pk if player else None,
        source=source,
    )
    return submit(deed).result()


def step(match_id: int, version: int) -> Acted:
    """Let the table go on from ``version``: judge slaps, flip, hand over. Raises :class:`Refused` if it has."""
    return submit(StepDeed(match_id, version)).result()


def time_out(match_id: int) -> list[Acted]:
    """Let a stand-in make one cautious move for each person whose time for this turn is over."""
    table = load(match_id)
    limit = timedelta(seconds=table.turn_seconds)
    if table.status != Match.Status.RUNNING or not table.turn_seconds or table.turn_since is None:
        return []
    if table.forced_step() or timezone.now() < table.turn_since + limit:
        return []
    return [
        act(
            match_id,
            seat,
            table.state.default_move(seat),
            request_id=f"stand-in:{table.version}:{seat}",
            seen_version=table.version,
            source=Move.Source.STAND_IN,
        )
        for seat in table.state.to_move()
        if not table.sitters[seat].is_ai
    ]


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
            points = tuple(float(view.points) for view in table.state.view(None).seats)
            finish(table, engine.Outcome("resignation", ranking, points), timezone.now())
        else:
            _hand_over(table, seat)
        match.refresh_from_db(fields=["roster"])
        _roster_changed(match)


def leave_everything(player: User) -> None:
    """Resign and stand up wherever ``player`` sits: for an account that is about to go."""
    for match in Match.objects.filter(seats__player=player, seats__has_resigned=False).distinct():
        with contextlib.suppress(Refused):  # over or closed a moment ago: there is nothing to leave
            if match.status == Match.Status.OPEN:
                leave(match, player)
            elif match.status == Match.Status.RUNNING:
                resign(match, player)


def _hand_over(table: Table, seat: Seat) -> None:
    """Let an AI player go on from a seat whose player has left for good; the result stays the player's."""
    _seat_ai(seat, AiLevel.EASY)
    seat.save()
    # The window of a card stays as long as it is.
    if seat.number in table.state.to_move() and table.forced_step() is None:
        now = timezone.now()
        Match.objects.filter(pk=table.match_id).update(due_at=now)
        transaction.on_commit(partial(publish.think, table.match_id, table.version, now))


def load(match_id: int) -> Table:
    """The table of a running or finished match as it is stored now. Raises ``KeyError`` if there is none."""
    return tables.load([match_id])[match_id]
