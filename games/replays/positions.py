"""The positions of a finished match, as each seat, a spectator or a viewer of all hands sees them.

A moment is the match after so many moves. All of it is made from the seed and the moves, view by view, as the
players got it; nothing here may be asked of a match that is still running.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from games import engine
from games.matches import history
from games.matches.live_match import LiveMatch
from games.matches.models import Match
from games.table.projection import event_to_json

#: Moments sent at a time.
CHUNK = 40


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """Whose eyes a replay looks through: a seat's, a spectator's (neither) or with all hands open."""

    seat: int | None = None
    is_open: bool = False

    @classmethod
    def of(cls, text: str, seat_count: int) -> "Viewpoint":
        """The viewpoint of that name: a seat's number, ``"all"``, or ``"none"``. Raises ``ValueError`` for others."""
        if text == "all":
            return cls(is_open=True)
        if text == "none":
            return cls()
        if text.isascii() and text.isdigit() and int(text) < seat_count:
            return cls(seat=int(text))
        raise ValueError("there is no such viewpoint")

    @property
    def name(self) -> str:
        """How addresses and forms call it."""
        return "all" if self.is_open else "none" if self.seat is None else str(self.seat)

    def hears(self, event: engine.Event) -> bool:
        """Whether ``event`` is told to it."""
        return self.is_open or event.is_for(self.seat)

    def view(self, state: engine.State, seat_count: int) -> dict[str, Any]:
        """What it sees of ``state``, in the one shape of all views, without moves: this is no page to play on."""
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
    """A match after ``version`` moves, and what the last of them brought about."""

    version: int
    table: LiveMatch
    events: Sequence[engine.Event]

    def to_json(self, eyes: Viewpoint) -> dict[str, Any]:
        """As the table's scripts take it."""
        return {
            "t": "moved",
            "v": self.version,
            "card": self.table.card,
            "view": eyes.view(self.table.state, len(self.table.sitters)),
            "events": [event_to_json(event, self._say(event)) for event in self.events if eyes.hears(event)],
        }

    def sentences(self, eyes: Viewpoint) -> list[str]:
        """What happened, in words."""
        return [text for event in self.events if eyes.hears(event) and (text := self._say(event))]

    def _say(self, event: engine.Event) -> str:
        return self.table.rules.say(event, self.table.names)


def moments(match: Match, first: int = 0) -> Iterator[Moment]:
    """The moments of ``match`` from version ``first`` on; each is good until the next one is asked for."""
    for position in history.replay(match, events_from=first):
        number = position.table.version
        if number >= first:
            yield Moment(number, position.table, position.events)


def story(match: Match, eyes: Viewpoint) -> list[dict[str, Any]]:
    """Every sentence of the match, with the version it belongs to."""
    return [
        {"v": moment.version, **event_to_json(event, text)}
        for moment in moments(match)
        for event in moment.events
        if eyes.hears(event) and (text := moment.table.rules.say(event, moment.table.names))
    ]
