"""Flags for moderators, made each night from stored presses; they have no automatic consequence."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from django.db.models import Max, Subquery
from django.utils import timezone

from accounts.models import User
from games import rules
from games.engine.cards import decode
from games.judging.timing import CAP_MARGIN
from games.matches import history, live_match
from games.matches.models import Departure, Match, Move, Seat, SlapAttempt
from games.slaps.fairness import Seen, findings
from games.slaps.models import Flag

log = logging.getLogger(__name__)

#: How many days back, and the maximum matches per player.
DAYS = 60
MATCHES = 60
#: A card that another player took faster than this doesn't count as missed: there was no time, in ms.
NO_TIME = 600
#: How much less than a ping a slap may take, in ms, because latency varies.
SPREAD = 50
Result = SlapAttempt.Result


class Timed(Protocol):
    """A press as measured."""

    elapsed: float
    claimed: float | None
    ping: float
    cap: float


@dataclass(slots=True)
class Shown:
    """The cards of one match: those that made a pattern, and the seats that could slap each."""

    patterns: dict[int, frozenset[int]] = field(default_factory=dict)


def flag_slaps(since: datetime | None = None) -> int:
    """Check everyone who has slapped since then (default: the last day); returns the flags added or changed.

    Running it twice gives the same result.
    """
    since = since or timezone.now() - timedelta(days=1)
    recent = Match.objects.filter(status=Match.Status.OVER, finished_at__gte=since, slaps__isnull=False).distinct()
    players = User.objects.filter(seats__match__in=recent, seats__has_resigned=False).distinct()
    shown: dict[int, Shown] = {}
    return sum(_flag(player, shown) for player in players.iterator())


def _flag(player: User, shown: dict[int, Shown]) -> int:
    """Check one player's latest matches, oldest first."""
    oldest = timezone.now() - timedelta(days=DAYS)
    # After a resignation an AI player slaps for the seat.
    seats = Seat.objects.filter(
        player=player, has_resigned=False, match__status=Match.Status.OVER, match__finished_at__gte=oldest
    )
    newest = seats.select_related("match").order_by("-match__finished_at")[:MATCHES]
    mine = sorted(newest, key=lambda seat: (seat.match.finished_at, seat.match_id))
    attempts: dict[int, list[SlapAttempt]] = defaultdict(list)
    for attempt in SlapAttempt.objects.filter(match__in=[seat.match_id for seat in mine]).order_by("version"):
        attempts[attempt.match_id].append(attempt)
    history: list[Seen] = []
    where: list[tuple[str, int]] = []
    for seat in mine:
        match = seat.match
        if not attempts[match.pk]:
            continue
        if match.pk not in shown:
            shown[match.pk] = _shown(match)
        since = _taken_over_at(seat)
        for version, seen in _seen(shown[match.pk], seat.number, attempts[match.pk]):
            if version <= since:
                continue
            history.append(seen)
            where.append((match.key, version))
    count = 0
    for finding in findings(history):
        key, version = where[finding.last]
        keys = list(dict.fromkeys(key for key, _version in where[: finding.last + 1]))[-10:]
        flag, is_new = Flag.objects.get_or_create(
            player=player,
            kind=finding.kind,
            defaults={"figure": finding.figure, "cards": finding.count, "matches": keys, "last": f"{key} {version}"},
        )
        if is_new:
            log.info("flagged for moderators: %s of player %s", finding.kind, player.pk)
        elif (flag.figure, flag.last) != (finding.figure, f"{key} {version}"):
            flag.figure, flag.cards, flag.matches = finding.figure, finding.count, keys
            flag.last, flag.found_at = f"{key} {version}", timezone.now()
            flag.save()
            is_new = True
        count += is_new
    return count


def _taken_over_at(seat: Seat) -> int:
    """The version at which the player took over the seat from another; 0 if they had it from the beginning."""
    left = Departure.objects.filter(match=seat.match_id, seat=seat.number).order_by("-at").values("at")
    moves = Move.objects.filter(match=seat.match_id, at__lte=Subquery(left[:1]))
    return moves.aggregate(last=Max("number"))["last"] or 0


def _shown(match: Match) -> Shown:
    """Replay a match for its pattern cards."""
    shown = Shown()
    try:
        for table, made, _events in history.replay(match):
            if made is not None and made.move == live_match.FLIP and is_slappable(table):
                seats = range(match.seat_count)
                able = frozenset(other for other in seats if "slap" in table.state.legal_moves(other))
                shown.patterns[table.version] = able
    except Exception:  # a match with a fault in its rules must not end the check of all others
        log.exception("match %s can't be replayed: its slaps are not judged", match.key)
    return shown


def is_slappable(table: live_match.LiveMatch) -> bool:
    """Whether the cards on the pile make one of the match's patterns."""
    view = table.state.view(None)
    played = decode([code for code in (view.zone("pile").cards or ())[view.facts["burned"] :] if code is not None])
    patterns = rules.presentation(table.slug).patterns
    return any(patterns[name](played) for name in view.facts["options"]["slaps"])


def _seen(shown: Shown, seat: int, attempts: Sequence[SlapAttempt]) -> Iterable[tuple[int, Seen]]:
    """The cards of one match as ``seat`` saw them, in order, with versions."""
    own = {one.version: one for one in attempts if one.seat == seat and one.result not in (Result.EARLY, Result.LATE)}
    late = {one.version for one in attempts if one.seat == seat and one.result == Result.LATE}
    taken = {one.version: one.reaction for one in attempts if one.seat != seat and one.result == Result.WON}
    for version in sorted(shown.patterns.keys() | own.keys()):
        press = own.get(version)
        if press is not None:
            reaction = press.reaction + press.handicap
            yield (
                version,
                Seen(
                    version in shown.patterns,
                    reaction=reaction,
                    is_at_cap=is_at_cap(press),
                    is_line_odd=is_line_odd(press),
                ),
            )
        elif seat in shown.patterns[version] and version not in late and taken.get(version, NO_TIME) >= NO_TIME:
            yield version, Seen(is_pattern=True)


def is_at_cap(press: Timed) -> bool | None:
    """Whether the claimed latency reached the cap; None without a claim, or for a lower cap."""
    if press.claimed is None or press.cap < press.ping + CAP_MARGIN:
        return None
    return press.elapsed - press.claimed >= press.cap


def is_line_odd(press: Timed) -> bool:
    """Whether the connection answers pings later than it delivers slaps, or later than is ever credited."""
    if press.cap < press.ping + CAP_MARGIN:
        return True
    return press.claimed is not None and press.elapsed - press.claimed < press.ping - SPREAD
