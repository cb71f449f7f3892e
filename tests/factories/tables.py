"""Tables that tests keep up to date: to read one again takes five times as long."""

from games.matches.live_match import LiveMatch
from games.matches.models import Match, Move


def keep_up(table: LiveMatch) -> LiveMatch:
    """Make the moves at ``table`` that were stored since; its clocks stay as they were."""
    stored = Move.objects.filter(match=table.match_id, number__gt=table.version).order_by("number")
    for seat, move, request_id in stored.values_list("seat", "move", "request_id"):
        table.enter(seat, move, request_id)
    if table.state.outcome() is not None:
        table.status = Match.Status.OVER
    return table
