"""The messages a match's page receives: one shape per message. The scripts' types are written from these.

``manage.py script_types`` writes them into ``types/messages.d.ts``, with the views of ``games.engine`` and the intents
of ``games.realtime.intents``; what is in an ``Any`` here and has a name beside it is named there.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from games import engine
from games.judging.verdicts import Hand

#: A view, or its JSON form.
AnyView = Annotated[Any, engine.View]
#: What an event tells: each kind has some of these.
EventData = Annotated[Mapping[str, Any], "EventData"]


class GameEvent(TypedDict):
    """Something that happened, with its sentence."""

    kind: str
    seat: int | None
    data: EventData
    text: str


class Line(GameEvent):
    """An event of the log, with the version that it led to."""

    v: int


class Player(TypedDict):
    """Who sits on a seat."""

    seat: int
    name: str
    kind: Literal["ai", "person"]
    level: str | None
    resigned: bool
    handicap: NotRequired[int]
    online: bool


class ClockRules(TypedDict):
    """What a browser must know of a match's clock itself."""

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
    """For whom a table waits, and for how many seconds at the most."""

    seat: int
    seconds: int


class LessonNow(TypedDict):
    """Where a lesson is, and what it says there; ``lit`` are cards, ``move`` is what it waits for."""

    step: int
    steps: int
    say: str
    is_over: bool
    lit: Sequence[str]
    move: str


class Rematch(TypedDict):
    """A rematch that was asked for: which seats of this match want it, and which still have to say."""

    url: str
    status: str
    agreed: list[int]
    asked: list[int]
    #: For how many more seconds it is offered; None without a limit.
    seconds: int | None


class Snapshot(TypedDict):
    """The whole table as one viewer may see it."""

    t: Literal["snapshot"]
    v: int
    card: int | None
    you: int | None
    roster: int
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
    log: list[Line]
    scores: list[Line]
    outcome: Outcome | None
    reasons: Sequence[str] | None
    feat: Line | None
    rematch: Rematch | None
    waiting: Waiting | None
    by_mail: bool
    asleep: list[int]
    lesson: LessonNow | None


class Entry(TypedDict):
    """A move as one viewer may know it, with the name of the request if it was theirs."""

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
    feat: NotRequired[Line | None]
    lesson: NotRequired[LessonNow | None]


class Verdict(TypedDict):
    """Who slapped, how fast, and what it was worth. ``by_mail`` if it came when all had watched."""

    t: Literal["verdict"]
    v: int
    slaps: list[Hand]
    by_mail: NotRequired[bool | Literal["burns"]]


class Presence(TypedDict):
    """The seats whose players are at the table."""

    t: Literal["presence"]
    online: list[int]


class WaitingNow(TypedDict):
    """The table begins to wait for a player who is gone, or no longer does."""

    t: Literal["waiting"]
    waiting: Waiting | None


class Slapped(TypedDict):
    """The own hand lies on the card of version ``v``."""

    t: Literal["slapped"]
    v: int
    seats: list[int]


class Rejected(TypedDict):
    """What was asked for under ``id`` is not done."""

    t: Literal["rejected"]
    id: str | None
    code: str
    reason: str
    v: int


class Accepted(TypedDict):
    """What was asked for under ``id`` is done, or had been done already."""

    t: Literal["ok"]
    id: str
    v: int


class Why(TypedDict):
    """Which rule forbids the move that was asked about under ``id``."""

    t: Literal["why"]
    id: str
    reason: str | None


class WatchStanding(TypedDict):
    """How a slap point stands for one viewer."""

    t: Literal["watch"]
    state: str
    waits: list[int]
    returns: int
    hands: list[Hand]


class TalkLine(TypedDict):
    """A chat message as one person gets to read it."""

    id: int
    seat: int | None
    name: str
    name_key: str
    phrase: str
    at: float
    words: str
    is_own: bool


class Talk(TypedDict):
    """A chat message has come."""

    t: Literal["talk"]
    line: TalkLine


class TalkRemoved(TypedDict):
    """A moderator has taken a line away."""

    t: Literal["talk_removed"]
    id: int


class Ping(TypedDict):
    """A measurement of the line: answered at once."""

    t: Literal["ping"]
    n: int


class Signal(TypedDict):
    """Something has changed that the page reads for itself, or the process ends."""

    t: Literal["reload", "restart", "ending", "news", "talk_again", "changed"]


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
