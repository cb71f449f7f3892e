"""The door: the only place that changes a match.

Browser, forms, AI players, the table's own steps, time-outs and the admin all come through here.
Everything that can't be done raises :class:`Refused`, whose text is for the person who tried.
"""

import contextlib
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import calendars, social
from accounts.models import User
from accounts.moderation.standing import standing
from games import absence, engine, rules, steps, tables
from games.absence import credit_outages, may_take, retime, set_clock, take_seat
from games.ai.people import name_for
from games.clocks import PRESETS, is_by_hours
from games.commit import (
    Acted,
    Change,
    Committer,
    Deed,
    News,
    Refused,
    Unavailable,
    begun,
    calendar_of,
    finish,
    next_due,
    turn_of,
)
from games.live import publish
from games.lobby.models import EndOffer
from games.mail import notices
from games.models import AiLevel, Match, Move, Seat
from games.operations import state
from games.pace import CAP_MAX
from games.points import door as slap_points
from games.replays.models import Continuation
from games.slaps import baselines
from games.spells import end_live, offer_live, stay_live
from games.steps import NotYet, PressDeed, ResumeDeed, StepDeed, require_running, sitter_of
from games.tables import CLOCK_COLUMNS, SeatClock, Table
from games.writer import Writer

log = logging.getLogger(__name__)

__all__ = [
    "Acted",
    "NotYet",
    "PressDeed",
    "Refused",
    "ResumeDeed",
    "StepDeed",
    "Unavailable",
    "act",
    "annul",
    "attend",
    "begin_watch",
    "close_unattended",
    "credit_outages",
    "end_live",
    "finish_watch",
    "join",
    "leave",
    "load",
    "looked",
    "lose_watch",
    "may_take",
    "offer_end",
    "offer_live",
    "open_table",
    "play_on",
    "refuse_end",
    "rematch",
    "resign",
    "rest",
    "retime",
    "set_ai",
    "settle",
    "start",
    "stay_live",
    "step",
    "submit",
    "take_seat",
    "time_out",
    "wake",
]

#: Why a match is over that its people have ended without a result.
AGREED = "agreement"
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
    is_calibrated: bool = False,
    relay: bool = True,
    starts_when_full: bool = False,
) -> Match:
    """Open a table; ``host`` takes the first seat that no AI player has.

    ``ai`` gives the level of each AI player's seat; at a calibrated table slower hands are given a little, and
    it does not count; with ``relay`` one of each side watches slaps by mail; with ``starts_when_full`` nobody has to
    start the match. Raises :class:`Refused` for a game,
    a seat count, options, a pace, a clock or levels that do not exist, if no seat is left for the host, and to a
    host of too many open tables.
    """
    _require_open()
    _require_standing(host)
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
    if pace not in Match.Pace.values or clock not in Match.Clock.values:
        raise Refused("bad_options", _("There is no such pace."))
    if clock == Match.Clock.NONE and is_public:
        raise Refused("bad_options", _("A table without a clock is for friends: only who has the link may come."))
    if is_calibrated and (clock != Match.Clock.TABLE or all(option.name != "slaps" for option in game.options)):
        raise Refused("bad_options", _("Slaps are calibrated where they are played live."))
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
            clock=clock,
            is_rated=clock != Match.Clock.NONE and not is_calibrated,
            is_calibrated=is_calibrated,
            relay=relay,
            starts_when_full=starts_when_full,
            due_at=timezone.now() + UNATTENDED,
        )
        seats = [Seat(match=match, number=number) for number in range(seat_count)]
        for number, level in ai.items():
            _seat_ai(seats[number], level, [host.name, *(seat.ai_name for seat in seats)])
        _seat_person(next(seat for seat in seats if seat.is_free), host)
        Seat.objects.bulk_create(seats)
        transaction.on_commit(publish.lobby_changed)
    return match


def join(match: Match, player: User, seat: int | None = None) -> Seat:
    """Sit ``player`` down on ``seat``, or on the first free one; sitting there already is fine."""
    _require_standing(player)
    with transaction.atomic():
        _lock_open(match)
        seats = list(match.seats.all())
        mine = next((place for place in seats if place.player_id == player.pk), None)
        if mine is not None and seat in (None, mine.number):
            return mine
        _require_welcome(player, [place.player_id for place in seats if place.player_id] + [match.host_id])
        free = [place for place in seats if place.is_free and seat in (None, place.number)]
        if not free:
            raise Refused("taken", _("This seat is taken.") if seat is not None else _("All seats are taken."))
        if mine is not None:
            mine.player, mine.player_name = None, ""
            mine.save()
        _seat_person(free[0], player)
        free[0].save()
        _make_way(seats, player)
        attend(match)
        _roster_changed(match)
        if match.starts_when_full and match.host is not None and not any(place.is_free for place in seats):
            # If the site lets nothing begin just now, the host begins it later.
            with contextlib.suppress(Refused):
                start(match, match.host)
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
            _seat_ai(place, level, [seat.name for seat in match.seats.all()])
        place.save()
        _roster_changed(match)


def start(match: Match, host: User) -> None:
    """Deal. Every seat must be taken; only the host starts."""
    _require_open()
    with transaction.atomic():
        _lock_open(match)
        _require_host(match, host)
        if any(seat.is_free for seat in match.seats.all()):
            raise Refused("seats_free", _("There are still free seats: wait for players or seat AI players."))
        now = timezone.now()
        match.status = Match.Status.RUNNING
        match.started_at = match.turn_since = now
        if match.is_calibrated:
            _calibrate(match)
        table = tables.deal(match)
        _start_clocks(match, table, now)
        match.awaited = " ".join(str(seat) for seat in table.state.to_move())
        match.due_at = next_due(table, now)
        match.save()
        transaction.on_commit(partial(publish.started, match.pk, match.due_at))


def _calibrate(match: Match) -> None:
    """Give slower hands a little, by what is known of them now; it stays so for the whole match."""
    seats = [seat for seat in match.seats.all() if seat.player_id is not None]
    given = baselines.handicaps(baselines.baselines([seat.player_id for seat in seats if seat.player_id is not None]))
    for seat in seats:
        seat.handicap = given.get(seat.player_id or 0, 0)
    Seat.objects.bulk_update(seats, ["handicap"])


def _start_clocks(match: Match, table: Table, now: datetime) -> None:
    """Fill the banks, and ask whoever is to move first."""
    preset = PRESETS.get(match.clock)
    bank = round(preset.start.total_seconds()) if preset else None
    seats = [seat for seat in match.seats.all() if not seat.ai_level]
    asked = table.deciders()
    people = [seat.player_id for seat in seats if seat.player_id is not None]
    hours = calendars.of(people, now) if is_by_hours(match.clock) else {}
    for seat in seats:
        clock = SeatClock(bank_seconds=bank)
        if seat.number in asked:
            theirs = hours.get(seat.player_id or 0)
            clock = begun(clock, now, table.version, preset, calendar_of(table, seat.number, theirs, now))
        table.clocks[seat.number] = clock
        set_clock(seat, clock)
    Seat.objects.bulk_update(seats, CLOCK_COLUMNS)
    turns = [turn for number in asked if (turn := turn_of(table, number, 0, now)) is not None]
    notices.ask(turns)
    if not table.is_live:
        told = {turn.user_id for turn in turns} | {match.host_id}
        notices.begins(match, [seat.player_id for seat in seats if seat.player_id and seat.player_id not in told])


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
            player,
            match.slug,
            match.seat_count,
            match.options,
            ai=ai,
            is_public=match.is_public,
            pace=match.pace,
            clock=match.clock,
            is_calibrated=match.is_calibrated,
            relay=match.relay,
        )
        match.save(update_fields=["rematch"])
        transaction.on_commit(partial(publish.rematch, match.pk, match.rematch.get_absolute_url()))
    return match.rematch


def play_on(match: Match, player: User, *, version: int, seat: int, level: str) -> Match:
    """A match of ``player`` alone that begins with the first ``version`` moves of a finished one.

    AI players of that level have all other seats. Raises :class:`Refused` if ``match`` is not over, or there is
    no such moment, seat or level, or nothing is left to be played.
    """
    _require_open()
    if match.status != Match.Status.OVER:
        raise Refused("running", _("This match is not over yet."))
    if level not in AiLevel.values or seat not in range(match.seat_count) or not 0 <= version <= match.version:
        raise Refused("bad_options", _("There is no such moment, seat or AI player."))
    now = timezone.now()
    with transaction.atomic():
        begun = Match.objects.create(
            slug=match.slug,
            rules_version=match.rules_version,
            seat_count=match.seat_count,
            options=match.options,
            seed=match.seed,
            host=player,
            is_public=False,
            pace=match.pace,
            clock=Match.Clock.NONE,
            is_rated=False,
        )
        seats = [Seat(match=begun, number=number) for number in range(match.seat_count)]
        for place in seats:
            if place.number == seat:
                _seat_person(place, player)
            else:
                _seat_ai(place, level, [player.name, *(other.ai_name for other in seats)])
        Seat.objects.bulk_create(seats)
        Continuation.objects.create(match=begun, parent=match, version=version)
        first = list(match.moves.filter(number__lte=version))
        for move in first:
            move.pk, move.match = None, begun
        Move.objects.bulk_create(first)
        table = tables.replay(begun, lambda _version, _event: None)
        if table.state.outcome() is not None:
            raise Refused("over", _("Nothing is left to be played after this moment."))
        begun.status = Match.Status.RUNNING
        begun.version = version
        begun.started_at = begun.turn_since = table.turn_since = now
        _start_clocks(begun, table, now)
        begun.awaited = " ".join(str(number) for number in table.state.to_move())
        begun.due_at = next_due(table, now)
        begun.save()
        transaction.on_commit(partial(publish.started, begun.pk, begun.due_at, version))
    return begun


def _require_open() -> None:
    """Raises :class:`Refused` while operators let no new matches begin."""
    if not state.current().matches_open:
        raise Refused("closed", _("No new matches begin just now. Those that run go on; please try again later."))


def _require_standing(player: User | None) -> None:
    """Raises :class:`Refused` for somebody whom a decision of the moderators keeps from playing just now."""
    if player is not None and not standing(player).may_play:
        raise Refused("barred", _("A decision of the moderators keeps you from playing. Read it on your page."))


def _require_welcome(player: User, others: Iterable[int | None]) -> None:
    """Keep people apart between whom a block stands; whoever is blocked is not told that it is so."""
    there = {pk for pk in others if pk is not None and pk != player.pk}
    if social.any_blocked(player, there):
        if social.blocks(player, there):
            raise Refused("blocked", _("Somebody sits here whom you have blocked."))
        raise Refused("blocked", _("You can't sit down at this table just now."))


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


def _seat_ai(seat: Seat, level: str, taken: Iterable[str]) -> None:
    seat.ai_level = level
    seat.ai_name = name_for(seat.match.key, seat.number, taken)


def _make_way(seats: Sequence[Seat], player: User) -> None:
    """An AI player who is called like somebody who sits down takes another name."""
    for seat in seats:
        if seat.ai_name.casefold() == player.name.casefold():
            _seat_ai(seat, seat.ai_level, [player.name, *(other.name for other in seats)])
            seat.save()


def _roster_changed(match: Match) -> None:
    match.roster += 1
    match.save(update_fields=["roster"])
    transaction.on_commit(partial(publish.reload, match.pk))
    transaction.on_commit(publish.lobby_changed)


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
    #: The most that any line at the table is credited with, in ms, as far as the mover's process knows.
    largest_cap: float = CAP_MAX

    def decide(self, change: Change) -> Acted:
        """Enter the move if its seat may make it and its maker has seen what matters."""
        table = change.table
        done = _done_before(table, self)
        if done is not None:
            return Acted(done, repeated=True)
        require_running(table)
        sitter = sitter_of(table, self.seat)
        if self.source == Move.Source.PLAYER and sitter.player_id != self.player_id:
            raise Refused("not_seated", _("This is not your seat."))
        if self.source == Move.Source.AI and not sitter.is_ai:
            raise Refused("not_seated", _("This seat is not an AI player's."))
        if table.at_slap_point:
            raise Refused("watch", _("The next cards are watched one by one, on a page of their own."))
        if self.seen_version is not None and not table.open_version <= self.seen_version <= table.version:
            raise Refused("stale", _("The table has changed meanwhile. Look again and decide."))
        if table.forced_step() == (self.seat, self.move):
            return steps.ask_for_step(change, self.largest_cap)
        if self.move == "slap" and table.card is not None and (steps.is_kept(change) or steps.is_pressed(table)):
            return steps.press_without_line(change, self.seat, self.player_id)
        change.enter(self.seat, self.move, self.request_id, self.source)
        return Acted(table.version, is_new=True)


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


def hear(match_id: int, message: Mapping[str, Any]) -> None:
    """Moves were stored by another process, which announced them by ``message``."""
    at = datetime.fromtimestamp(message["at"], UTC)
    clocks = {seat: SeatClock.from_json(told) for seat, told in message["clocks"]}
    _writer.hear(News(match_id, message["first"], message["entries"], at, clocks))


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
    largest_cap: float = CAP_MAX,
) -> MoveDeed:
    """A move to :func:`submit`. Raises :class:`Refused` for anything that can't be a move, whatever the game."""
    if not isinstance(move, str) or not 0 < len(move) <= MAX_MOVE_LENGTH:
        raise Refused("malformed", _("This is not a move."))
    if not isinstance(request_id, str) or not _REQUEST_ID[source].fullmatch(request_id):
        raise Refused("malformed", _("A move needs an id of up to 64 letters and digits."))
    if seen_version is not None and (type(seen_version) is not int or seen_version < 0):
        raise Refused("malformed", _("The version must be a number."))
    return MoveDeed(match_id, seat, move, request_id, source, player_id, seen_version, largest_cap)


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
    _require_standing(player)
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
    """Look after everybody whose time at a match is over: what is still theirs, or a stand-in for this turn."""
    table = load(match_id)
    now = timezone.now()
    if table.status != Match.Status.RUNNING:
        return []
    late = [
        (seat, clock.asked_version)
        for seat, clock in enumerate(table.clocks)
        if clock.asked_version is not None and clock.due_at is not None and clock.due_at <= now
    ]
    late = [(seat, version) for seat, version in late if not absence.extend(match_id, seat, version)]
    acted = []
    if table.at_slap_point:
        slap_points.miss(match_id)
        settle(match_id)
    else:
        for seat, version in late:
            # Somebody may have acted in this moment: then the turn is over, and so is this.
            with contextlib.suppress(Refused):
                acted.append(submit(absence.StandInDeed(match_id, seat, version)).result())
    if late or any(clock.autopilot_at for clock in table.clocks):
        absence.replace_gone(match_id)
        if table.at_slap_point:
            # Perhaps it waited for nobody but those who were replaced.
            settle(match_id)
    return acted


def rest(match_id: int, version: int) -> None:
    """Nothing was overdue after all: the match is due again when the first clock of those it waits for is."""
    with transaction.atomic():
        match = Match.objects.select_for_update().get(pk=match_id)
        table = load(match_id)
        ai_is_asked = any(table.sitters[seat].is_ai for seat in table.deciders() if seat >= 0)
        if match.version == version and match.status == Match.Status.RUNNING and not ai_is_asked:
            Match.objects.filter(pk=match_id).update(due_at=next_due(table, timezone.now()))


# Slaps by mail.


def begin_watch(match_id: int, seat: int, session: str) -> slap_points.Begun | None:
    """Let the socket called ``session`` show a player the cards of a slap point.

    None if the line was lost too often. Raises :class:`Refused` if there is nothing for this player to watch.
    """
    begun = slap_points.begin(match_id, seat, session)
    if begun is None:
        settle(match_id)
    return begun


def lose_watch(match_id: int, session: str) -> None:
    """The line of a socket that showed cards is gone."""
    slap_points.lose(match_id, session)
    settle(match_id)


def finish_watch(match_id: int, seat: int, session: str) -> None:
    """A player has seen the cards; the last of them settles the slap point."""
    slap_points.finish(match_id, seat, session)
    settle(match_id)


def wake(match_id: int, seat: int) -> None:
    """A player for whom slaps by mail were not waiting has come back."""
    slap_points.wake(match_id, seat)


def settle(match_id: int) -> None:
    """Settle the slap point of a match if everybody has watched it; open it if it is missing."""
    try:
        submit(slap_points.SettleDeed(match_id)).result()
    except Refused as refusal:
        log.debug("match %s: nothing to settle: %s", match_id, refusal)


def looked(match_id: int, user: User | None, version: int) -> None:
    """``user`` has really looked at ``version`` of a match: a page was rendered, or shown in a visible tab.

    Nothing happens for somebody who has no seat. One statement; for a table, not for each of its moves.
    """
    if user is not None and user.is_authenticated:
        seats = Seat.objects.filter(match=match_id, player=user)
        seats.update(looked_at=timezone.now(), looked_version=Greatest(Coalesce(F("looked_version"), 0), version))


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
            if table.at_slap_point:
                slap_points.drop(match, seat.number)
                transaction.on_commit(partial(settle, match.pk))
        match.refresh_from_db(fields=["roster"])
        _roster_changed(match)


def annul(match: Match, *, is_annulled: bool = True) -> None:
    """Have the result of a finished match count nowhere, or again. Raises :class:`Refused` for one that is not over."""
    with transaction.atomic():
        changed = Match.objects.filter(pk=match.pk, status=Match.Status.OVER).update(is_annulled=is_annulled)
        if not changed:
            raise Refused("running", _("This match is not over yet."))
        match.refresh_from_db(fields=["is_annulled", "roster"])
        _roster_changed(match)


def offer_end(match: Match, player: User) -> bool:
    """Offer to end a running match without a result, or agree to it; whether it has ended.

    It ends when all people at the table have said so; AI players are not asked. Nobody wins, and it doesn't count.
    """
    with transaction.atomic():
        people = _people_asked(match, player)
        if len(people) < 2:
            raise Refused("alone", _("Only people can agree to end a match. Against AI players you can resign."))
        EndOffer.objects.get_or_create(match=match, player=player)
        offered = set(EndOffer.objects.filter(match=match).values_list("player_id", flat=True))
        if not people <= offered:
            transaction.on_commit(partial(publish.to_table, match.pk, "ending"))
            return False
        table = load(match.pk)
        points = tuple(float(view.points) for view in table.state.view(None).seats)
        finish(table, engine.Outcome(AGREED, (tuple(range(match.seat_count)),), points), timezone.now())
        # No result: nobody has a place, and no statistics count it.
        match.seats.update(place=None)
        Match.objects.filter(pk=match.pk).update(is_rated=False)
        EndOffer.objects.filter(match=match).delete()
        match.refresh_from_db(fields=["roster", "status"])
        _roster_changed(match)
    return True


def refuse_end(match: Match, player: User) -> None:
    """Say no to ending the match, or take one's own offer back: the match goes on, and all offers are gone."""
    with transaction.atomic():
        _people_asked(match, player)
        EndOffer.objects.filter(match=match).delete()
        transaction.on_commit(partial(publish.to_table, match.pk, "ending"))


def _people_asked(match: Match, player: User) -> set[int]:
    """Lock a running match; the people who must agree to its end. Raises :class:`Refused` unless ``player`` is one."""
    match.refresh_from_db(from_queryset=Match.objects.select_for_update())
    if match.status != Match.Status.RUNNING:
        raise Refused("over", _("This match is not running."))
    people = match.seats.filter(player__isnull=False, ai_level="").values_list("player_id", flat=True)
    if player.pk not in people:
        raise Refused("not_seated", _("You have no seat here."))
    return {pk for pk in people if pk is not None}


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
    _seat_ai(seat, AiLevel.EASY, table.names)
    set_clock(seat, SeatClock(turns=seat.turns))
    seat.save()
    # The window of a card stays as long as it is.
    if seat.number in table.deciders():
        now = timezone.now()
        Match.objects.filter(pk=table.match_id).update(due_at=now)
        transaction.on_commit(partial(publish.think, table.match_id, table.version, now))


def load(match_id: int) -> Table:
    """The table of a running or finished match as it is stored now. Raises ``KeyError`` if there is none."""
    return tables.load([match_id])[match_id]
