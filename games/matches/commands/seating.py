"""Seating before the deal, and the deal itself: open, join, leave, start.

Only ``games.matches.service`` calls it.
"""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import social
from accounts.compiled import compiled
from accounts.models import User
from accounts.playing_times import calendars
from games import engine, rules
from games.ai.people import name_for
from games.matches import events, live_match, stored
from games.matches.commands.moves import require_may_play
from games.matches.commit import planning
from games.matches.commit.changeset import Refused
from games.matches.commit.store import store_clocks, turn_of
from games.matches.live_match import LiveMatch
from games.matches.models import AiLevel, Match, Seat
from games.matches.presets import PRESETS, is_by_hours
from games.matches.turn_clock import Happened, fresh
from games.realtime import broadcast
from games.site_status import state

#: Tables that one person may have open at once.
MOST_OPEN = 10
#: How long an open table stays open without any of its seated players looking at it.
UNATTENDED = timedelta(days=1)


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
    weekends_rest: bool = False,
) -> Match:
    """Open a table; ``host`` takes the first seat that no AI player has.

    ``ai`` gives the level of each AI player's seat. With slap handicaps (``is_calibrated``) the match doesn't count.
    With ``relay`` one player of each side watches turn-based slaps; with ``starts_when_full`` the match starts without
    the host; with ``weekends_rest`` clocks that run in playing times stop on Saturday and Sunday. Raises
    :class:`Refused` for choices that don't exist, if no seat is left for the host, and for too many open tables.
    """
    require_open()
    require_may_play(host)
    seed = Match._meta.get_field("seed").get_default()
    game, ai = _require_game(slug, seat_count, options, seed), dict(ai or {})
    _require_seats(seat_count, ai)
    _require_clock(game, pace, clock, is_public=is_public, is_calibrated=is_calibrated)
    _require_few(host)
    with transaction.atomic():
        match = Match.objects.create(
            slug=slug,
            rules_version=game.version,
            seat_count=seat_count,
            options=filled(game, options),
            seed=seed,
            host=host,
            is_public=is_public,
            pace=pace,
            clock=clock,
            is_rated=clock != Match.Clock.NONE and not is_calibrated,
            is_calibrated=is_calibrated,
            relay=relay,
            starts_when_full=starts_when_full,
            weekends_rest=weekends_rest and is_by_hours(clock),
            due_at=timezone.now() + UNATTENDED,
        )
        take_seats(match, host, ai)
        transaction.on_commit(broadcast.lobby_changed)
    return match


def take_seats(match: Match, host: User, ai: Mapping[int, str]) -> None:
    """Seat the AI players, and the host on the first free seat."""
    seats = [Seat(match=match, number=number) for number in range(match.seat_count)]
    for number, level in ai.items():
        seat_ai(seats[number], level, [host.name, *(seat.ai_name for seat in seats)])
    seat_person(next(seat for seat in seats if seat.is_free), host)
    Seat.objects.bulk_create(seats)


def filled(game: engine.Rules, options: engine.Options) -> dict[str, Any]:
    """All options of a game as they are stored: the chosen ones, and defaults for the rest."""
    filled = {option.name: options.get(option.name, option.default) for option in game.options}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in filled.items()}


@compiled
def _open_tables(host_id: int) -> QuerySet[Match, int]:
    return Match.objects.filter(host=host_id, status=Match.Status.OPEN).values_list("pk", flat=True)


def _require_few(host: User) -> None:
    """Raise :class:`Refused` if the host has too many open tables."""
    if len(_open_tables(host.pk)) >= MOST_OPEN:
        raise Refused("too_many", _("You have many open tables. Start or leave one of them first."))


def _require_seats(seat_count: int, ai: Mapping[int, str]) -> None:
    """Raise :class:`Refused` for AI levels that don't exist, or that leave the host no seat."""
    if not all(seat in range(seat_count) and level in AiLevel.values for seat, level in ai.items()):
        raise Refused("bad_options", _("There's no such AI player."))
    if len(ai) == seat_count:
        raise Refused("bad_options", _("Leave a seat for yourself."))


def _require_clock(game: engine.Rules, pace: str, clock: str, *, is_public: bool, is_calibrated: bool) -> None:
    """Raise :class:`Refused` for a pace or clock that doesn't exist or doesn't fit such a table."""
    if pace not in Match.Pace.values or clock not in Match.Clock.values:
        raise Refused("bad_options", _("There's no such speed."))
    if clock == Match.Clock.NONE and is_public:
        raise Refused("bad_options", _("A table without a clock is private: share the link to invite friends."))
    if is_calibrated and (clock != Match.Clock.TABLE or not rules.presentation(game.slug).has_slaps):
        raise Refused("bad_options", _("The slap handicap works only at live tables."))


def _require_game(slug: str, seat_count: int, options: engine.Options, seed: str) -> engine.Rules:
    """The game with that name. Raises :class:`Refused` if there is none, or if it can't be dealt with these options."""
    try:
        game = rules.get(slug)
    except KeyError:
        raise Refused("bad_options", _("There's no such game.")) from None
    try:
        # A trial deal is the surest check of all options together.
        game.deal(seat_count, options, seed)
    except engine.BadOptions as error:
        raise Refused("bad_options", str(error)) from None
    return game


def join(match: Match, player: User, seat: int | None = None) -> Seat:
    """Seat ``player`` on ``seat`` or the first free one; does nothing if they already sit there."""
    require_may_play(player)
    with transaction.atomic():
        _lock_open(match)
        seats = _seats_of(match)
        mine = next((place for place in seats if place.player_id == player.pk), None)
        if mine is not None and seat in (None, mine.number):
            return mine
        _require_not_blocked(player, [place.player_id for place in seats if place.player_id] + [match.host_id])
        free = [place for place in seats if place.is_free and seat in (None, place.number)]
        if not free:
            raise Refused("taken", _("This seat is already taken.") if seat is not None else _("All seats are taken."))
        if mine is not None:
            mine.player, mine.player_name = None, ""
            mine.save()
        seat_person(free[0], player)
        free[0].save()
        _rename_namesake(seats, player)
        attend(match)
        seating_changed(match)
        if match.starts_when_full and match.host is not None and not any(place.is_free for place in seats):
            # If the site lets no match begin right now, the host can start it later.
            with contextlib.suppress(Refused):
                start(match, match.host)
    return free[0]


def leave(match: Match, player: User) -> None:
    """Stand up from an open table; if the host leaves, the next person becomes host, or the table is closed."""
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
        seating_changed(match)


def set_ai(match: Match, host: User, seat: int, level: str) -> None:
    """Put an AI player on a free seat of an open table, or remove one (``level`` empty)."""
    _require_level(level)
    with transaction.atomic():
        _lock_open(match)
        _require_host(match, host)
        place = match.seats.filter(number=seat, player__isnull=True).first()
        if place is None:
            raise Refused("taken", _("This seat is already taken."))
        place.ai_level, place.ai_name = "", ""
        if level:
            seat_ai(place, level, [seat.name for seat in match.seats.all()])
        place.save()
        seating_changed(match)


def start(match: Match, host: User, ai: str = "") -> None:
    """Deal; free seats get AI players of the level ``ai``. Every seat must be taken, and only the host may start."""
    require_open()
    _require_level(ai)
    with transaction.atomic():
        _lock_open(match)
        _require_host(match, host)
        seats = _seats_of(match)
        for seat in seats:
            if seat.is_free:
                if not ai:
                    raise Refused("seats_free", _("Some seats are still free. Wait for players, or add AI players."))
                seat_ai(seat, ai, [other.name for other in seats])
                seat.save()
        if match.is_calibrated:
            events.record(events.HandicapsWanted(seats))
            Seat.objects.bulk_update(seats, ["handicap"])
        begin(match, seats, live_match.deal(match, seats), timezone.now())


def begin(match: Match, seats: Iterable[Seat], table: LiveMatch, now: datetime) -> None:
    """Start ``match`` from ``table``: fill the banks of its seats, begin the first turn, and notify everyone else."""
    table.status = match.status = Match.Status.RUNNING
    match.started_at = match.turn_since = now
    people = [seat for seat in seats if not seat.ai_level]
    for seat in people:
        table.clocks[seat.number] = fresh(PRESETS.get(match.clock))
    asked = dict.fromkeys(table.deciders(), table.version)
    ids = [seat.player_id for seat in people if seat.player_id is not None]
    hours = calendars.of(ids, now) if is_by_hours(match.clock) else {}
    columns = planning.columns(table, Happened(asked=asked, sleeps=table.awaits_pupil), hours, now)
    table.clocks = list(columns.clocks)
    store_clocks((match.pk, seat.number, table.clocks[seat.number]) for seat in people)
    match.awaited = " ".join(str(number) for number in columns.awaited)
    match.due_at = columns.due_at
    match.save()
    turns = [turn for number in asked if (turn := turn_of(table, number, table.version, now)) is not None]
    events.turns_began(turns)
    if not table.is_live:
        told = {turn.user_id for turn in turns} | {match.host_id}
        events.record(events.MatchBegan(match, [user_id for user_id in ids if user_id not in told]))
    events.publish_on_commit(events.MatchStarted(match.pk, match.version, match.due_at))


def attend(match: Match) -> None:
    """Note that a player has looked at an open table, which keeps it open for another day."""
    now = timezone.now()
    # An hour more or less doesn't matter here; a write for every look would.
    if match.due_at is None or match.due_at < now + UNATTENDED - timedelta(hours=1):
        Match.objects.filter(pk=match.pk, status=Match.Status.OPEN).update(due_at=now + UNATTENDED)


def close_unattended() -> int:
    """Close the open tables at which no player has looked for a day; returns their number."""
    now = timezone.now()
    closed = 0
    for match in Match.objects.filter(status=Match.Status.OPEN, due_at__lt=now):
        with transaction.atomic():
            # A player may have come, or the match begun, since the row was read.
            left = Match.objects.filter(pk=match.pk, status=Match.Status.OPEN, due_at__lt=now)
            if left.update(status=Match.Status.CANCELLED, due_at=None):
                match.refresh_from_db()
                seating_changed(match)
                closed += 1
    return closed


def require_open() -> None:
    """Raise :class:`Refused` while operators let no new matches begin."""
    if not state.current().matches_open:
        raise Refused(
            "closed",
            _("No new matches can begin right now. You can finish the ones you're in. Please try again later."),
        )


def _require_not_blocked(player: User, others: Iterable[int | None]) -> None:
    """Refuse a player who has a block with someone at the table, without telling them that it is a block."""
    there = {pk for pk in others if pk is not None and pk != player.pk}
    if social.any_blocked(player, there):
        if social.blocks(player, there):
            raise Refused("blocked", _("A player you have blocked sits here."))
        raise Refused("blocked", _("You can't take a seat at this table right now."))


def _require_level(level: str) -> None:
    """Refuse a level that AI players don't have; none at all is fine."""
    if level and level not in AiLevel.values:
        raise Refused("bad_options", _("There's no such AI player."))


def _lock_open(match: Match) -> None:
    """Lock and reload the row of an open match. Raises :class:`Refused` if it has begun or ended."""
    match.refresh_from_db(from_queryset=Match.objects.select_for_update())
    if match.status != Match.Status.OPEN:
        raise Refused("begun", _("This match has already begun."))


def _seats_of(match: Match) -> list[Seat]:
    """The seats as they are now, with this very match."""
    seats = stored.seats_of(match.pk)
    for seat in seats:
        seat.match = match
    return seats


def _require_host(match: Match, player: User) -> None:
    if match.host_id != player.pk:
        raise Refused("not_host", _("Only the host can do this."))


def seat_person(seat: Seat, player: User) -> None:
    """Give a seat to ``player``; the caller saves it."""
    seat.player = player
    seat.player_name = player.name


def seat_ai(seat: Seat, level: str, taken: Iterable[str]) -> None:
    """Give a seat to an AI player of that level, under a name not in ``taken``; the caller saves it."""
    seat.ai_level = level
    seat.ai_name = name_for(seat.match.key, seat.number, taken)


def _rename_namesake(seats: Sequence[Seat], player: User) -> None:
    """Rename an AI player who has the same name as a player who sits down."""
    for seat in seats:
        if seat.ai_name.casefold() == player.name.casefold():
            seat_ai(seat, seat.ai_level, [player.name, *(other.name for other in seats)])
            seat.save()


def seating_changed(match: Match) -> None:
    """Make every process reload a table after a change that wasn't a move."""
    match.seating_epoch += 1
    match.save(update_fields=["seating_epoch"])
    transaction.on_commit(partial(broadcast.reload, match.pk))
    transaction.on_commit(broadcast.lobby_changed)
