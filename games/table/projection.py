"""What one viewer sees of a match: the table, the log, and each announced move.

Pages, sockets, emails and replays all use this projection.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import get_language, gettext

from accounts.compiled import compiled, first
from games import engine, rules
from games.engine.text import Reader, names_for, names_in_text
from games.matches import handed_over, pauses, presets, service
from games.matches.live_match import LiveMatch
from games.matches.loading import read_consistently
from games.matches.models import Incident, Match
from games.matches.pauses import Waiting
from games.matches.slap_points.models import Attendance
from games.matches.stored import begun, seats_of
from games.table import clock_text, messages, past_events, result

#: Log sentences in a whole view.
LOG_LENGTH = 60
#: Log sentences kept per match for all viewers: enough to find as many for each of them.
KEPT_LINES = 10 * LOG_LENGTH
#: Kinds of events that sum up a deal or a round; a match has few of them, and all are kept.
SCORING = frozenset({"deal_over", "round_over", "lose"})

Viewer = int | None


@dataclass(slots=True)
class LogEntry:
    """One sentence of the log."""

    version: int
    event: engine.Event
    #: Writes it to a viewer, in the active language.
    say: Callable[[Viewer], str]
    #: The names by seat. A sentence without the name of a seat is the same to that seat as to everyone.
    names: Sequence[str] = ()
    _texts: dict[tuple[Viewer, str], str] = field(default_factory=dict)

    def text(self, viewer: Viewer, language: str | None = None) -> str:
        """The sentence in the reader's language, written when it is first read; "You" are the viewer.

        The language is the active one, which a caller with many sentences looks up once.
        """
        language = language or get_language() or ""
        plain = self._text(None, language)
        if viewer is None or (self.names and self.names[viewer] not in plain):
            return plain
        return self._text(viewer, language)

    def _text(self, viewer: Viewer, language: str) -> str:
        text = self._texts.get((viewer, language))
        if text is None:
            text = self._texts[viewer, language] = self.say(viewer)
        return text

    def to_json(self, viewer: Viewer, language: str | None = None) -> messages.LogLine:
        """The JSON form for browsers."""
        return {"v": self.version, **event_to_json(self.event, self.text(viewer, language))}


def event_to_json(event: engine.Event, text: str) -> messages.GameEvent:
    """An event with its sentence."""
    return {"kind": event.kind, "seat": event.seat, "data": event.data, "text": text}


@dataclass(slots=True)
class MatchProjection:
    """A replayed match: its table, its log, the result of each deal, and the current pause."""

    match: Match
    table: LiveMatch
    lines: deque[LogEntry]
    scores: list[LogEntry]
    waiting: Waiting | None = None
    #: Players for whom turn-based slaps do not wait.
    asleep: list[int] = field(default_factory=list)
    #: The best single moment of each seat so far, as far as it is public.
    feats: dict[Viewer, LogEntry] = field(default_factory=dict)

    def enter(self, seat: int, move: str, request_id: str) -> list[LogEntry]:
        """Make a move and log its events."""
        table = self.table
        events: list[engine.Event] = []
        table.enter(seat, move, request_id, events.append)
        names = names_in_text(table.names)
        lines = [LogEntry(table.version, event, partial(_say, table.rules, event, names), names) for event in events]
        self.note(lines)
        outcome = table.state.outcome()
        if outcome is not None:
            self.match.status = table.status = Match.Status.OVER
            self.match.outcome = {
                "reason": outcome.reason,
                "ranking": [list(group) for group in outcome.ranking],
                "points": list(outcome.points),
            }
        return lines

    def note(self, lines: Sequence[LogEntry]) -> None:
        """Record events for the log, the scores by deal, and the best moment; one that brought nothing is none."""
        self.lines.extend(lines)
        kind = rules.presentation(self.match.slug).feat
        for line in lines:
            if line.event.kind == kind and line.event.is_for(None) and _worth(line):
                best = self.feats.setdefault(line.event.seat, line)
                self.feats[line.event.seat] = max(best, line, key=_worth)
        self.scores.extend(line for line in lines if line.event.kind in SCORING)


def _say(game: engine.Rules, event: engine.Event, names: Sequence[str], viewer: Viewer) -> str:
    return game.say(event, names_for(names, viewer))


def _worth(line: LogEntry) -> float:
    data = line.event.data
    cards = data["cards"]
    return float(data.get("points", cards if isinstance(cards, int) else len(cards)))


def read(match_id: int) -> MatchProjection:
    """Replay a match with its log, for a page or a room, never for a move. Raises ``KeyError``.

    The writer gets a copy of a running table, since the next thing is often a move.
    """
    projected = read_consistently(partial(_read, match_id))
    if projected.table.status == Match.Status.RUNNING:
        handed_over.leave(projected.table)
    return projected


@compiled
def _incidents(match_id: int, version: int) -> QuerySet[Incident, tuple[int, int, str, str, str]]:
    incidents = Incident.objects.filter(match=match_id, version__lte=version)
    return incidents.values_list("version", "seat", "kind", "name", "other")


def _read(match_id: int) -> tuple[int, int, MatchProjection]:
    match = first(begun(match_id))
    if match is None:
        raise KeyError(match_id)
    match.keep_seats(seats_of(match_id))
    if match.rematch_id is not None:
        # Rare, and a join costs every table more than this costs those few.
        match.rematch = Match.objects.defer("snapshot").prefetch_related("seats").filter(pk=match.rematch_id).first()
    names = names_in_text([seat.name for seat in match.seats.all()])
    table, events = past_events.read(match, last=KEPT_LINES, always=SCORING | {rules.presentation(match.slug).feat})
    lines = [LogEntry(version, event, partial(_say, match.rules, event, names), names) for version, event in events]
    lines += [incident_line(*row) for row in _incidents(match_id, table.version)]
    lines.sort(key=lambda line: line.version)
    waiting = pauses.waiting_at(match_id) if len(table.sitters) == 2 and table.forced_step() else None
    asleep = Attendance.asleep(match_id) if table.at_slap_point else []
    projected = MatchProjection(match, table, deque(maxlen=KEPT_LINES), [], waiting, asleep)
    projected.note(lines)
    return match.version, table.version, projected


def incident_line(version: int, seat: int, kind: str, name: str, other: str) -> LogEntry:
    """The log sentence for something other than a move."""

    def say(viewer: Viewer) -> str:
        return clock_text.say(kind, Reader(name) if viewer == seat else name, other)

    return LogEntry(version, clock_text.event_of(seat), say)


def snapshot_message(projected: MatchProjection, viewer: Viewer, online: Iterable[int] = ()) -> messages.Snapshot:
    """The whole table as ``viewer`` may see it, for a new page or a socket that missed messages."""
    match, table = projected.match, projected.table
    here = set(online)
    language = get_language()
    # Moves made before a lesson opens belong to other lessons.
    begun = table.lesson.opens_at if table.lesson is not None else -1
    lines = [line for line in projected.lines if line.version > begun and line.event.is_for(viewer)]
    return {
        "t": "snapshot",
        "v": table.version,
        "card": table.card,
        "you": viewer,
        "seating_epoch": table.seating_epoch,
        "key": match.key,
        "status": match.status,
        "slug": match.slug,
        "name": match.game_name,
        "pace": match.pace,
        "slow": presets.is_by_hours(match.clock) and not match.is_played_live,
        "live": match.is_played_live,
        "clock": clock_text.clock_to_json(presets.PRESETS.get(match.clock)),
        "clocks": clock_text.clocks_to_json(table),
        "now": time.time(),
        "seed_hash": match.seed_hash,
        "seed": match.seed if match.status == Match.Status.OVER else None,
        "players": [
            {
                "seat": sitter.seat,
                "name": sitter.name,
                "kind": "ai" if sitter.is_ai else "person",
                "level": sitter.ai_level or None,
                "resigned": sitter.has_resigned,
                "handicap": sitter.handicap,
                "online": sitter.is_ai or sitter.seat in here,
            }
            for sitter in table.sitters
        ],
        "view": table.view(viewer).to_json(),
        "log": [line.to_json(viewer, language) for line in lines[-LOG_LENGTH:]],
        "scores": [line.to_json(viewer, language) for line in projected.scores if line.event.is_for(viewer)],
        "outcome": match.outcome,
        "reasons": reasons_of(projected),
        "feat": feat_of(projected, viewer),
        "rematch": rematch_to_json(match),
        "waiting": waiting_to_json(projected.waiting),
        "by_mail": table.by_mail,
        "asleep": projected.asleep,
        "lesson": lesson_now(table),
    }


def moved_message(
    projected: MatchProjection,
    viewer: Viewer,
    entry: messages.Entry,
    lines: Iterable[LogEntry],
    view: engine.View,
    card: int | None,
    language: str | None = None,
    clocks: list[messages.SeatClock] | None = None,
) -> messages.Moved:
    """The message about the move that led to ``projected``'s version, for ``viewer``, with the sentences ``lines``.

    ``clocks``, the same for all viewers, can be given by a caller that has several.
    """
    table = projected.table
    message: messages.Moved = {
        "t": "moved",
        "v": table.version,
        "card": card,
        "entry": entry,
        "events": [
            event_to_json(line.event, line.text(viewer, language)) for line in lines if line.event.is_for(viewer)
        ],
        # Written out field by field, in the form of `to_json`.
        "view": view,
        "status": table.status,
        "clocks": clock_text.clocks_to_json(table) if clocks is None else clocks,
        "now": time.time(),
    }
    if table.status == Match.Status.OVER:
        message["outcome"], message["reasons"] = projected.match.outcome, reasons_of(projected)
        message["feat"] = feat_of(projected, viewer)
    if table.lesson is not None:
        message["lesson"] = lesson_now(table)
    return message


def lesson_now(table: LiveMatch) -> messages.LessonNow | None:
    """The current step of this table's lesson with its texts; None at any other table."""
    lesson = table.lesson
    if lesson is None:
        return None
    entry = lesson.at(table.version)
    step = entry if isinstance(entry, engine.Step) else None
    say = lesson.said_at(table.version)
    return {
        "step": lesson.step_number(table.version),
        "steps": len(lesson.steps),
        "say": gettext(say) if say else "",
        "is_over": entry is None,
        "lit": step.lit.split() if step else [],
        "move": step.move if step else "",
    }


def reasons_of(projected: MatchProjection) -> Sequence[str] | None:
    """Why each seat of a finished match has its place; None while it runs."""
    match, table = projected.match, projected.table
    if match.status != Match.Status.OVER or not match.outcome:
        return None
    last = [line.event for line in projected.lines if line.version == table.version and line.event.is_for(None)]
    resigned = [sitter.seat for sitter in table.sitters if sitter.has_resigned]
    return result.reasons(match.outcome["reason"], table.view(None), table.names, last, resigned)


def feat_of(projected: MatchProjection, viewer: Viewer) -> messages.LogLine | None:
    """The best moment of a finished match, the viewer's own if there is one.

    None while the match runs, and in games without such moments.
    """
    if projected.match.status != Match.Status.OVER or not projected.feats:
        return None
    best = projected.feats.get(viewer) if viewer is not None else None
    return (best or max(projected.feats.values(), key=_worth)).to_json(viewer)


def waiting_to_json(waiting: Waiting | None) -> messages.Waiting | None:
    """The JSON form of a pause: for whom, and for how many more seconds at most."""
    if waiting is None:
        return None
    left = (waiting.until - timezone.now()).total_seconds()
    return {"seat": waiting.seat, "seconds": max(0, math.ceil(left))}


def rematch_to_json(match: Match) -> messages.Rematch | None:
    """The JSON form of a requested rematch of ``match``; None once it is closed."""
    again = match.rematch
    if again is None or again.status == Match.Status.CANCELLED:
        return None
    is_open = again.status == Match.Status.OPEN
    if is_open and service.is_forgotten(again):
        return None
    there = {seat.player_id for seat in again.seats.all()}
    people = [seat for seat in match.seats.all() if seat.player_id is not None]
    left = math.ceil((again.due_at - timezone.now()).total_seconds()) if is_open and again.due_at else None
    return {
        "url": again.get_absolute_url(),
        "status": again.status,
        "agreed": [seat.number for seat in people if seat.player_id in there],
        "asked": [seat.number for seat in people if seat.player_id not in there],
        "seconds": left if left is not None and left <= service.REMATCH_LASTS.total_seconds() else None,
    }
