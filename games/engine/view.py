"""A seat's or spectator's view, in a common form for all games.

Views are rebuilt for each seat and move; they aren't frozen, because freezing takes three times as long.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class SeatView:
    """The public state of a seat."""

    seat: int
    team: int | None = None
    place: int | None = None
    points: float = 0
    out: bool = False

    def to_json(self) -> dict[str, Any]:
        """The JSON form of the contract."""
        return {"seat": self.seat, "team": self.team, "place": self.place, "points": self.points, "out": self.out}


@dataclass(slots=True)
class Zone:
    """A group of cards on the table or in a hand.

    ``cards`` lists codes, ``None`` for a card that is hidden from the viewer; ``cards=None`` means that only the count
    is known.
    """

    id: str
    owner: int | None
    count: int
    cards: Sequence[str | None] | None
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The JSON form of the contract."""
        return {
            "id": self.id,
            "owner": self.owner,
            "count": self.count,
            "cards": None if self.cards is None else list(self.cards),
            "note": self.note,
        }


@dataclass(slots=True)
class View:
    """The view of one moment of a match by ``seat`` (``None``: a spectator).

    ``facts`` are the public facts of the game and, under ``own_…`` names, private ones of the viewer; ``moves`` are
    this seat's legal moves, none for a spectator.
    """

    game: str
    seat: int | None
    phase: str
    to_move: Sequence[int]
    seats: Sequence[SeatView]
    zones: Sequence[Zone]
    facts: Mapping[str, Any]
    moves: Sequence[str]

    def zone(self, zone_id: str) -> Zone:
        """The zone with that id. Raises ``KeyError`` if there is none."""
        for zone in self.zones:
            if zone.id == zone_id:
                return zone
        raise KeyError(zone_id)

    def for_seat(
        self,
        seat: int,
        moves: Sequence[str],
        *,
        hand: Zone | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> "View":
        """This view of everyone, as ``seat`` sees it: with its own moves, and perhaps hand and facts.

        The rest is shared. The first zones must be the hands in the order of their seats.
        """
        zones = self.zones if hand is None else [*self.zones[:seat], hand, *self.zones[seat + 1 :]]
        return View(self.game, seat, self.phase, self.to_move, self.seats, zones, facts or self.facts, moves)

    def to_json(self) -> dict[str, Any]:
        """The JSON form of the contract, made of plain lists and dicts."""
        return {
            "game": self.game,
            "seat": self.seat,
            "phase": self.phase,
            "to_move": list(self.to_move),
            "seats": [seat.to_json() for seat in self.seats],
            "zones": [zone.to_json() for zone in self.zones],
            "facts": dict(self.facts),
            "moves": list(self.moves),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "View":
        """Restore a view from :meth:`to_json`."""
        return cls(
            game=data["game"],
            seat=data["seat"],
            phase=data["phase"],
            to_move=data["to_move"],
            seats=[SeatView(**seat) for seat in data["seats"]],
            zones=[Zone(**zone) for zone in data["zones"]],
            facts=data["facts"],
            moves=data["moves"],
        )
