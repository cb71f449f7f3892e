"""The positions of a finished match, as each seat, a spectator or a viewer of all hands sees them.

A position is the match after some number of moves. It is computed from seed and moves, view by view, as the players saw
it; it must not be requested for a running match.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from games import engine
from games.engine.text import names_for
from games.matches import history
from games.matches.live_match import LiveMatch
from games.matches.models import Match
from games.table.projection import event_to_json

#: Positions sent at a time.
CHUNK = 40


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """The viewpoint of a replay: a seat's, a spectator's (neither), or with all hands open."""

    seat: int | None = None
    is_open: bool = False

    @classmethod
    def of(cls, text: str, seat_count: int) -> "Viewpoint":
        """Parse a viewpoint: a seat's number, ``"all"``, or ``"none"``. Raises ``ValueError`` for others."""
        if text == "all":
            return cls(is_open=True)
        if text == "none":
            return cls()
        if text.isascii() and text.isdigit() and int(text) < seat_count:
            return cls(seat=int(text))
        raise ValueError("there is no such viewpoint")

    @property
    def name(self) -> str:
        """Its name in URLs and forms."""
        return "all" if self.is_open else "none" if self.seat is None else str(self.seat)

    def may_know(self, event: engine.Event) -> bool:
        """Whether this viewpoint may know ``event``."""
        return self.is_open or event.is_for(self.seat)

    def view(self, state: engine.State, seat_count: int) -> dict[str, Any]:
        """The view of ``state``, in the common form, without moves: a replay can't be played on."""
        view = state.view(self.seat).to_json()
        view["moves"] = []
        if self.is_open:
            others = [state.view(seat).zones for seat in range(seat_count)]
            for at, zone in enumerate(view["zones"]):
                seen = [zones[at] for zones in others]
                zone["cards"] = max((each.cards for each in seen), key=_known)
        return view


def _known(cards: Any) -> int:
    """How many of a zone's cards a view shows; -1 if it shows only their count."""
    return -1 if cards is None else sum(code is not None for code in cards)


@dataclass(frozen=True, slots=True)
class Moment:
    """A match after ``version`` moves, with the events of the last one."""

    version: int
    table: LiveMatch
    events: Sequence[engine.Event]

    def to_json(self, eyes: Viewpoint) -> dict[str, Any]:
        """The position as JSON for the table's scripts."""
        return {
            "t": "moved",
            "v": self.version,
            "card": self.table.card,
            "view": eyes.view(self.table.state, len(self.table.sitters)),
            "events": [event_to_json(event, self.said(event, eyes)) for event in self.events if eyes.may_know(event)],
        }

    def sentences(self, eyes: Viewpoint) -> list[str]:
        """The events, in words."""
        return [text for event in self.events if eyes.may_know(event) and (text := self.said(event, eyes))]

    def said(self, event: engine.Event, eyes: Viewpoint) -> str:
        """The sentence about an event, as the player of the viewpoint's seat reads it."""
        return self.table.rules.say(event, names_for(self.table.names, eyes.seat))


def moments(match: Match, first: int = 0) -> Iterator[Moment]:
    """The positions of ``match`` from version ``first`` on; each is valid until the next is requested."""
    for position in history.replay(match, events_from=first):
        number = position.table.version
        if number >= first:
            yield Moment(number, position.table, position.events)


def story(match: Match, eyes: Viewpoint) -> list[dict[str, Any]]:
    """Every sentence of the match, with its version."""
    return [
        {"v": moment.version, **event_to_json(event, text)}
        for moment in moments(match)
        for event in moment.events
        if eyes.may_know(event) and (text := moment.said(event, eyes))
    ]
