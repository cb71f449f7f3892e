"""The form of a new table as sent by a browser, and results of matches without playing them."""

from typing import Any

from django.utils import timezone

from games import rules
from games.engine import Rules
from games.lobby.forms import TableForm
from games.matches.models import Match

GAMES = {game.slug: game for game in rules.all()}


def defaults(game: Rules, **changes: Any) -> dict[str, Any]:
    """The unchanged form as sent by a browser."""
    form = TableForm(game)
    sent: dict[str, Any] = {"game": game.slug}
    for name, field in form.fields.items():
        value = form.get_initial_for_field(field, name)
        if value is not False:
            sent[name] = "on" if value is True else value
    return sent | changes


def finish(match: Match, places: list[int]) -> None:
    """Give a match its result without playing it."""
    now = timezone.now()
    outcome = {"reason": "target", "ranking": [[0], [1]], "points": [1, 0]}
    Match.objects.filter(pk=match.pk).update(status="over", awaited="", finished_at=now, outcome=outcome)
    for number, place in enumerate(places):
        match.seats.filter(number=number).update(place=place)
