"""The match service: the only place that changes a match.

Browsers, forms, AI players, the table's own steps, time-outs and the admin site all use it. A change that isn't
possible raises :class:`Refused`, whose text is for the person who tried.
"""

import contextlib
from collections.abc import Sequence

from django.utils import timezone

from accounts.models import User
from games.matches.commands.absence import credit_outages, retime, take_seat, takeable, time_out
from games.matches.commands.beginnings import begin_lesson, play_on
from games.matches.commands.endings import AGREED, annul, leave_everything, offer_end, refuse_end, resign
from games.matches.commands.live_sessions import end_live, has_offered_live, may_offer_live, offer_live, stay_live
from games.matches.commands.moves import (
    MakeMove,
    act,
    apply_remote_commit,
    forget_all,
    load,
    move_command,
    settle,
    start_writer,
    step,
    stop_writer,
    submit,
)
from games.matches.commands.names import follow_name, forget_names
from games.matches.commands.rematch import REMATCH_LASTS, is_forgotten, rematch
from games.matches.commands.seating import (
    MOST_OPEN,
    attend,
    close_unattended,
    join,
    leave,
    open_table,
    set_ai,
    start,
)
from games.matches.commands.table_steps import AdvanceTable, NotYet, RecordPress, ResumeTable
from games.matches.commit import store
from games.matches.commit.changeset import Acted, Refused, Unavailable
from games.matches.slap_points import commands as slap_points

__all__ = [
    "AGREED",
    "MOST_OPEN",
    "REMATCH_LASTS",
    "Acted",
    "AdvanceTable",
    "MakeMove",
    "NotYet",
    "RecordPress",
    "Refused",
    "ResumeTable",
    "Unavailable",
    "act",
    "annul",
    "apply_remote_commit",
    "attend",
    "begin_lesson",
    "begin_watch",
    "close_unattended",
    "credit_outages",
    "end_live",
    "finish_watch",
    "follow_name",
    "forget_all",
    "forget_names",
    "has_offered_live",
    "have_looked",
    "is_at_slap_point",
    "is_forgotten",
    "join",
    "leave",
    "leave_everything",
    "load",
    "looked",
    "lose_watch",
    "may_offer_live",
    "move_command",
    "offer_end",
    "offer_live",
    "open_table",
    "play_on",
    "refuse_end",
    "rematch",
    "resign",
    "retime",
    "set_ai",
    "settle",
    "show_move",
    "start",
    "start_writer",
    "stay_live",
    "step",
    "stop_writer",
    "submit",
    "take_seat",
    "takeable",
    "time_out",
    "wake",
]


# Turn-based slaps.


def begin_watch(match_id: int, seat: int, session: str) -> slap_points.Begun | None:
    """Let the socket called ``session`` show a player the cards of a slap point.

    None if the connection was lost too often. Raises :class:`Refused` if there is nothing for this player to watch.
    """
    return submit(slap_points.BeginSlapPoint(match_id, seat, session)).result()


def show_move(point_id: int, session: str, cursor: int) -> bool:
    """Note that the socket called ``session`` is about to show move ``cursor`` of a slap point; False if it may not."""
    return slap_points.advance(point_id, session, cursor)


def lose_watch(match_id: int, session: str) -> None:
    """Note that the socket which showed a player the cards has closed."""
    with contextlib.suppress(Refused):  # the point is settled, so nothing is lost
        submit(slap_points.LoseSlapPoint(match_id, session)).result()


def finish_watch(match_id: int, seat: int, session: str) -> None:
    """Note that a player has seen all the cards; the last player settles the slap point."""
    with contextlib.suppress(Refused):  # it is settled already
        submit(slap_points.FinishSlapPoint(match_id, seat, session)).result()


def is_at_slap_point(match_id: int) -> bool:
    """Whether a match waits for players who watch a slap point."""
    return slap_points.is_open(match_id)


def wake(match_id: int, seat: int) -> None:
    """Wait for a player again whom slap points no longer waited for."""
    submit(slap_points.WakeSlapPoint(match_id, seat)).result()


def looked(match_id: int, user: User | None, version: int) -> None:
    """Note that ``user`` has seen ``version`` of a match: on a rendered page, or in a visible tab.

    Nothing happens for a user without a seat.
    """
    if user is not None and user.is_authenticated:
        have_looked([(match_id, user.pk, version)])


def have_looked(looks: Sequence[tuple[int, int, int]]) -> None:
    """Note that players have just looked at matches: the match, player and version of each look."""
    store.store_looks(looks, timezone.now())
