"""Tables that tests keep up to date, which is five times as fast as loading them again."""

from games.matches.live_match import LiveMatch
from games.matches.models import Match
from games.matches.stored import moves_since


def keep_up(table: LiveMatch) -> LiveMatch:
    """Apply the moves stored since to ``table``; its clocks stay the same."""
    for made in moves_since(table.match_id, table.version):
        table.enter(made.seat, made.move, made.request_id)
    if table.state.outcome() is not None:
        table.status = Match.Status.OVER
    return table
