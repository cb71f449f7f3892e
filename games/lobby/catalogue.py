"""The games as the home page and lobby list them: player numbers and a summary for each."""

from typing import NamedTuple

from games import rules
from games.engine import Rules
from games.table.option_text import players
from games.table.pitch import pitch


class Offer(NamedTuple):
    """A game in the list."""

    rules: Rules
    players: str
    pitch: str


def offers(last: str | None = None) -> list[Offer]:
    """All games: the one played ``last`` first, then Game: Armani, then by name."""
    games = sorted(
        rules.all(), key=lambda game: (game.slug != last, not rules.presentation(game.slug).is_namesake, game.name)
    )
    return [Offer(game, players(game.seats), pitch(game.slug)) for game in games]
