"""What one viewer of a slap point has been shown, and the messages that show it.

A scene holds the whole segment in memory, including cards ahead of its cursor. Only :meth:`Scene.step` moves the
cursor, and only the scene's messages leave the process.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from games.engine import Seat, SlapState, View
from games.judging import verdicts
from games.matches.live_match import FLIP
from games.matches.models import Match, Move, SlapAttempt
from games.matches.slap_points import segments
from games.matches.slap_points.models import MOST_RETURNS, SlapPoint, Watch
from games.matches.slap_points.segments import Press, Segment
from games.table import messages, projection
from games.table.projection import LogEntry, MatchProjection

#: How often a scene is read again if it was settled in the meantime.
READINGS = 5
NOTHING = Segment((), is_slappable=False)


@dataclass(slots=True)
class Scene:
    """One viewer of a turn-based match: the table as far as this viewer may see it."""

    projected: MatchProjection
    #: None for a spectator.
    seat: Seat | None
    #: The slap point the match waits at; None while it waits for something else or is over.
    point: SlapPoint | None = None
    #: This viewer's watch, if they take part in the slap point.
    watch: Watch | None = None
    segment: Segment = NOTHING
    #: The state at which the segment begins.
    start: SlapState | None = None
    #: Number of the segment's moves that this viewer has been shown.
    cursor: int = 0
    #: By seat, the first card on which it may slap again, as far as this viewer may know.
    locks: list[int] = field(default_factory=list)
    #: This viewer's presses on cards that were not slappable.
    wrong: list[Press] = field(default_factory=list)

    @property
    def version(self) -> int:
        """The version that this viewer sees."""
        return self.projected.table.version

    @property
    def begin_version(self) -> int:
        """The version that the segment begins at."""
        return self.version - self.cursor

    @property
    def is_all_shown(self) -> bool:
        """Whether the whole segment has been shown."""
        return self.cursor >= len(self.segment.moves)

    @property
    def last(self) -> int:
        """The last version of the segment."""
        return self.begin_version + len(self.segment.moves)

    def is_right(self, version: int) -> bool:
        """Whether the card of ``version`` is the slappable one that ends the segment."""
        return self.segment.is_slappable and version == self.last

    def may_slap(self) -> bool:
        """Whether this viewer is not locked out on the card that lies open."""
        state, seat = self.projected.table.state, self.seat
        if seat is None or "slap" not in state.legal_moves(seat):
            return False
        return self.locks[seat] <= cast(SlapState, state).flips

    def note_wrong(self, versions: Iterable[int]) -> None:
        """Record that the viewer slapped the cards of ``versions`` wrongly and is locked out."""
        if self.seat is None or self.start is None:
            raise ValueError("only who watches can slap")
        self.wrong += [Press(version - self.begin_version, self.seat) for version in versions]
        self.locks = segments.locks_after(self.locks, segments.debts(self.start, self.segment, self.wrong))

    def view(self) -> View:
        """What this viewer sees: no card can be requested, and the lock-outs of turn-based slaps apply."""
        view = self.projected.table.state.view(self.seat)
        flips = view.facts["flips"]
        told = zip(view.facts["lockout"], self.locks, strict=True)
        view.facts = {**view.facts, "lockout": [max(left, until - flips) for left, until in told]}
        view.moves = ["slap"] if self.may_slap() else []
        return view

    def snapshot(self) -> messages.Snapshot:
        """Everything this viewer has been shown so far. An open card in it can't be slapped."""
        message = projection.snapshot_message(self.projected, self.seat, () if self.seat is None else (self.seat,))
        if self.point is not None and self.cursor:
            message["view"] = self.view().to_json()
        return message

    def step(self) -> messages.Moved:
        """Show the next move of the segment. Raises ``IndexError`` if there is none."""
        seat, move = self.segment.moves[self.cursor]
        lines = self._enter(seat, move)
        entry: messages.Entry = {"seat": seat, "move": move, "source": Move.Source.TABLE, "id": None}
        card = self.version if move == FLIP else None
        return projection.moved_message(self.projected, self.seat, entry, lines, self.view(), card)

    def _enter(self, seat: Seat, move: str) -> list[LogEntry]:
        self.cursor += 1
        return self.projected.enter(seat, move, f"shown:{self.cursor}")

    def follow(self, entries: Sequence[Sequence[Any]]) -> Iterable[messages.Moved]:
        """The messages for moves stored after those shown, once all is settled."""
        projected, table = self.projected, self.projected.table
        for seat, move, request_id, source in entries:
            public = table.state.public_move(seat, move)
            lines = projected.enter(seat, move, request_id)
            entry: messages.Entry = {"seat": seat, "move": public, "source": source, "id": None}
            yield projection.moved_message(projected, self.seat, entry, lines, table.view(self.seat), None)


@dataclass(frozen=True, slots=True)
class SlapPageState:
    """The state of a slap point for one viewer."""

    #: ready, again, running, seen, others or table: see :func:`standing`.
    state: str
    #: Seats that have still to watch.
    waits: list[Seat]
    #: How often this viewer may still come back after a lost connection.
    returns: int = 0
    #: The recorded slaps on the last card, for viewers who have seen it.
    hands: list[verdicts.Hand] = field(default_factory=list)

    def to_json(self) -> messages.WatchStanding:
        """The JSON form for browsers."""
        return {
            "t": "watch",
            "state": self.state,
            "waits": self.waits,
            "returns": self.returns,
            "hands": self.hands,
        }


def load(match_id: int, user_id: int | None) -> Scene:
    """Load what a player may see now of a match with turn-based slaps. Raises ``KeyError`` if it has not begun."""
    for _again in range(READINGS):
        projected = projection.read(match_id)
        table = projected.table
        scene = Scene(projected, table.seat_of(user_id))
        if not table.at_slap_point or table.status != Match.Status.RUNNING:
            return scene
        point = SlapPoint.objects.filter(match=match_id, version=table.version, settled_at=None).first()
        if point is not None:
            _open(scene, point)
            return scene
        # The point was settled after the moves were read.
    raise KeyError(match_id)


def _open(scene: Scene, point: SlapPoint) -> None:
    """Move ``scene`` from the point's beginning to what its viewer has been shown."""
    scene.point, scene.locks = point, list(point.locks)
    watch = point.watches.filter(seat=scene.seat).first() if scene.seat is not None else None
    if watch is None or scene.seat is None:
        return
    state = cast(SlapState, scene.projected.table.state)
    scene.watch, scene.start, scene.segment = watch, state.copy(), segments.ahead(state)
    for seat, move in scene.segment.moves[: watch.cursor]:
        scene._enter(seat, move)
    pressed = SlapAttempt.objects.filter(match=point.match_id, seat=scene.seat, version__gt=point.version)
    scene.note_wrong(pressed.filter(result=SlapAttempt.Result.WRONG).values_list("version", flat=True))


def standing(scene: Scene, session: str) -> SlapPageState:
    """The stored state of the slap point for the viewer of ``scene``, whose socket is ``session``.

    ``ready``: not watched yet; ``again``: begun, and the connection was lost or another device shows it; ``running``:
    this socket shows it; ``seen``: watched or missed, others are still to watch; ``others``: this viewer doesn't take
    part; ``table``: the match waits for something else.
    """
    point = scene.point
    if point is None:
        return SlapPageState("table", list(scene.projected.table.awaited()))
    rows = list(point.watches.order_by("seat"))
    waits = [row.seat for row in rows if row.is_unfinished]
    mine = next((row for row in rows if row.seat == scene.seat), None)
    if mine is None:
        return SlapPageState("others", waits)
    if not mine.is_unfinished:
        return SlapPageState("seen", waits, hands=_hands(scene, {row.seat for row in rows} - set(waits)))
    left = max(0, MOST_RETURNS - mine.losses)
    if mine.state == Watch.State.WAITING:
        return SlapPageState("ready", waits, left)
    return SlapPageState("running" if session and mine.session == session else "again", waits, left)


def _hands(scene: Scene, finished: Iterable[Seat]) -> list[verdicts.Hand]:
    """The slaps on the last card, only for viewers who have seen it, too."""
    point = scene.point
    if point is None or not scene.segment.is_slappable or not scene.is_all_shown:
        return []
    pressed = SlapAttempt.objects.filter(match=point.match_id, version=scene.last, seat__in=list(finished))
    found = verdicts.in_order(pressed.filter(result=SlapAttempt.Result.PENDING), scene.projected.match.seed)
    return [verdicts.row(each, "pending") for each in found]
