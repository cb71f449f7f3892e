"""The engine: protocol, cards, seeded chance, replay. Pure Python; knows no game, no web and no clock."""

from .chance import Chance
from .match import Match, find_rules, replay
from .options import BadOptions, Option, Options, Subset
from .protocol import TABLE, Event, IllegalMove, Move, Outcome, Rules, Seat, State, places, returns_from
from .snapshot import freeze, thaw
from .view import SeatView, View, Zone

__all__ = [
    "TABLE",
    "BadOptions",
    "Chance",
    "Event",
    "IllegalMove",
    "Match",
    "Move",
    "Option",
    "Options",
    "Outcome",
    "Rules",
    "Seat",
    "SeatView",
    "State",
    "Subset",
    "View",
    "Zone",
    "find_rules",
    "freeze",
    "places",
    "replay",
    "returns_from",
    "thaw",
]
