"""The messages that a match page receives, one class per message; the scripts' types are generated from them.

``manage.py script_types`` writes them into ``types/messages.d.ts``, with the views of ``games.engine`` and the intents
of ``games.realtime.intents``; it replaces each ``Any`` that has a name beside it by that type.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from games import engine
from games.judging.verdicts import Hand

#: A view, or its JSON form.
AnyView = Annotated[Any, engine.View]
#: The data of an event: each kind has some of these fields.
EventData = Annotated[Mapping[str, Any], "EventData"]


class GameEvent(TypedDict):
    """Something that happened, with its sentence."""

    kind: str
    seat: int | None
    data: EventData
    text: str


class LogLine(GameEvent):
    """An event of the log, with the version that it led to."""

    v: int


class Player(TypedDict):
    """The holder of a seat."""

    seat: int
    name: str
    kind: Literal["ai", "person"]
    level: str | None
    resigned: bool
    handicap: NotRequired[int]
    online: bool


class ClockRules(TypedDict):
    """What a browser must know of a match's clock."""

    by_hours: bool
    cap: float


class SeatClock(TypedDict):
    """The clock of a person's seat; moments are timestamps."""

    seat: int
    bank: float | None
    due: float | None
    missed: int
    autopilot: bool
    offered: bool


class Outcome(TypedDict):
    """How a match ended."""

    reason: str
    ranking: list[list[int]]
    points: list[float]


class Waiting(TypedDict):
    """The player a table waits for, and for how many seconds at most."""

    seat: int
    seconds: int


class LessonNow(TypedDict):
    """The current step of a lesson with its texts; ``lit`` are cards, ``move`` is the move it waits for."""

    step: int
    steps: int
    say: str
    is_over: bool
    lit: Sequence[str]
    move: str


class Rematch(TypedDict):
    """A requested rematch: the seats of this match that agreed, and those yet to answer."""

    url: str
    status: str
    agreed: list[int]
    asked: list[int]
    #: Seconds for which it is still offered; None without a limit.
    seconds: int | None


class Snapshot(TypedDict):
    """The whole table as one viewer may see it."""

    t: Literal["snapshot"]
    v: int
    card: int | None
    you: int | None
    seating_epoch: int
    key: str
    status: str
    slug: str
    name: str
    pace: str
    slow: bool
    live: bool
    clock: ClockRules | None
    clocks: Sequence[SeatClock]
    now: float
    seed_hash: str
    seed: str | None
    players: list[Player]
    view: AnyView
    log: list[LogLine]
    scores: list[LogLine]
    outcome: Outcome | None
    reasons: Sequence[str] | None
    feat: LogLine | None
    rematch: Rematch | None
    waiting: Waiting | None
    by_mail: bool
    asleep: list[int]
    lesson: LessonNow | None


class Entry(TypedDict):
    """A move as one viewer may know it; the viewer's own moves include the request id."""

    seat: int
    move: str
    source: str
    id: str | None


class Moved(TypedDict):
    """One move, which led to version ``v``."""

    t: Literal["moved"]
    v: int
    card: int | None
    entry: Entry
    events: list[GameEvent]
    view: AnyView
    status: str
    clocks: Sequence[SeatClock]
    now: float
    outcome: NotRequired[Outcome | None]
    reasons: NotRequired[Sequence[str] | None]
    feat: NotRequired[LogLine | None]
    lesson: NotRequired[LessonNow | None]


class Verdict(TypedDict):
    """The players who slapped, how fast, and with what effect. ``by_mail`` if it belongs to a settled slap point."""

    t: Literal["verdict"]
    v: int
    slaps: list[Hand]
    by_mail: NotRequired[bool | Literal["burns"]]


class Presence(TypedDict):
    """The seats whose players are at the table."""

    t: Literal["presence"]
    online: list[int]


class WaitingNow(TypedDict):
    """The table starts or stops waiting for an absent player."""

    t: Literal["waiting"]
    waiting: Waiting | None


class Slapped(TypedDict):
    """The viewer's own slap on the card of version ``v`` was received."""

    t: Literal["slapped"]
    v: int
    seats: list[int]


class Rejected(TypedDict):
    """The command with request id ``id`` was refused."""

    t: Literal["rejected"]
    id: str | None
    code: str
    reason: str
    v: int


class Accepted(TypedDict):
    """The command with request id ``id`` is done, perhaps since an earlier request."""

    t: Literal["ok"]
    id: str
    v: int


class Why(TypedDict):
    """The rule that forbids the move asked about under ``id``."""

    t: Literal["why"]
    id: str
    reason: str | None


class WatchStanding(TypedDict):
    """The state of a slap point for one viewer."""

    t: Literal["watch"]
    state: str
    waits: list[int]
    returns: int
    hands: list[Hand]


class TalkLine(TypedDict):
    """A chat message as one person may read it."""

    id: int
    seat: int | None
    name: str
    name_key: str
    phrase: str
    at: float
    words: str
    is_own: bool


class Talk(TypedDict):
    """A new chat message."""

    t: Literal["talk"]
    line: TalkLine


class TalkRemoved(TypedDict):
    """A chat message was deleted by a moderator."""

    t: Literal["talk_removed"]
    id: int


class Ping(TypedDict):
    """A latency measurement, to be answered at once."""

    t: Literal["ping"]
    n: int


class Signal(TypedDict):
    """The page must read something again, or the process ends; ``alive`` only ends a silence."""

    t: Literal["reload", "restart", "ending", "news", "talk_again", "changed", "alive"]


Message = (
    Snapshot
    | Moved
    | Verdict
    | Presence
    | WaitingNow
    | Slapped
    | Rejected
    | Accepted
    | Why
    | WatchStanding
    | Talk
    | TalkRemoved
    | Ping
    | Signal
)
