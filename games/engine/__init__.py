"""The engine: protocol, cards, seeded chance, replay. Pure Python; knows no game, no web and no clock."""

from .chance import Chance
from .lesson import SEED, BadLesson, Lesson, Step, Watch
from .match import Match, find_rules, replay
from .options import BadOptions, Option, Options, Subset
from .presentation import HELD, Bidding, Fact, Length, Presentation
from .protocol import (
    TABLE,
    Event,
    IllegalMove,
    Move,
    Outcome,
    Rules,
    Seat,
    SlapState,
    State,
    places,
    returns_from,
    views,
)
from .snapshot import freeze, thaw
from .view import SeatView, View, Zone

__all__ = [
    "HELD",
    "SEED",
    "TABLE",
    "BadLesson",
    "BadOptions",
    "Bidding",
    "Chance",
    "Event",
    "Fact",
    "IllegalMove",
    "Length",
    "Lesson",
    "Match",
    "Move",
    "Option",
    "Options",
    "Outcome",
    "Presentation",
    "Rules",
    "Seat",
    "SeatView",
    "SlapState",
    "State",
    "Step",
    "Subset",
    "View",
    "Watch",
    "Zone",
    "find_rules",
    "freeze",
    "places",
    "replay",
    "returns_from",
    "thaw",
    "views",
]
