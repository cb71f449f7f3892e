"""The door: the only place that changes a match.

Browser, forms, AI players, the table's own steps, time-outs and the admin all come through here.
Everything that can't be done raises :class:`Refused`, whose text is for the person who tried.
"""

import contextlib

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from accounts.models import User
from games.matches.commands import absence
from games.matches.commands.absence import credit_outages, retime, take_seat, takeable
from games.matches.commands.endings import AGREED, annul, leave_everything, offer_end, refuse_end, resign
from games.matches.commands.live_sessions import end_live, has_offered_live, may_offer_live, offer_live, stay_live
from games.matches.commands.moves import (
    act,
    forget_all,
    hear,
    load,
    move_deed,
    settle,
    start_writer,
    step,
    stop_writer,
    submit,
)
from games.matches.commands.seating import (
    MOST_OPEN,
    attend,
    close_unattended,
    join,
    leave,
    open_table,
    play_on,
    rematch,
    set_ai,
    start,
)
from games.matches.commands.table_steps import NotYet, PressDeed, ResumeDeed, StepDeed
from games.matches.commit.changeset import Acted, Refused, Unavailable
from games.matches.models import Match, Seat
from games.matches.slap_points import commands as slap_points
from games.matches.turn_clock import next_due

__all__ = [
    "AGREED",
    "MOST_OPEN",
    "Acted",
    "NotYet",
    "PressDeed",
    "Refused",
    "ResumeDeed",
    "StepDeed",
    "Unavailable",
    "act",
    "annul",
    "attend",
    "begin_watch",
    "close_unattended",
    "credit_outages",
    "end_live",
    "finish_watch",
    "forget_all",
    "has_offered_live",
    "hear",
    "join",
    "leave",
    "leave_everything",
    "load",
    "looked",
    "lose_watch",
    "may_offer_live",
    "move_deed",
    "offer_end",
    "offer_live",
    "open_table",
    "play_on",
    "refuse_end",
    "rematch",
    "resign",
    "rest",
    "retime",
    "set_ai",
    "settle",
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


def time_out(match_id: int) -> list[Acted]:
    """Look after everybody whose time at a match is over: what is still theirs, or a stand-in for this turn."""
    table = load(match_id)
    now = timezone.now()
    if table.status != Match.Status.RUNNING:
        return []
    late = [
        (seat, clock.asked_version)
        for seat, clock in enumerate(table.clocks)
        if clock.asked_version is not None and clock.due_at is not None and clock.due_at <= now
    ]
    late = [(seat, version) for seat, version in late if not absence.extend(match_id, seat, version)]
    acted = []
    if table.at_slap_point:
        slap_points.miss(match_id)
        settle(match_id)
    else:
        for seat, version in late:
            # Somebody may have acted in this moment: then the turn is over, and so is this.
            with contextlib.suppress(Refused):
                acted.append(submit(absence.StandInDeed(match_id, seat, version)).result())
    if late or any(clock.autopilot_at for clock in table.clocks):
        absence.replace_gone(match_id)
        if table.at_slap_point:
            # Perhaps it waited for nobody but those who were replaced.
            settle(match_id)
    return acted


def rest(match_id: int, version: int) -> None:
    """Nothing was overdue after all: the match is due again when the first clock of those it waits for is."""
    with transaction.atomic():
        match = Match.objects.select_for_update().get(pk=match_id)
        table = load(match_id)
        ai_is_asked = any(table.sitters[seat].is_ai for seat in table.deciders() if seat >= 0)
        if match.version == version and match.status == Match.Status.RUNNING and not ai_is_asked:
            Match.objects.filter(pk=match_id).update(due_at=next_due(table, timezone.now()))


# Slaps by mail.


def begin_watch(match_id: int, seat: int, session: str) -> slap_points.Begun | None:
    """Let the socket called ``session`` show a player the cards of a slap point.

    None if the line was lost too often. Raises :class:`Refused` if there is nothing for this player to watch.
    """
    begun = slap_points.begin(match_id, seat, session)
    if begun is None:
        settle(match_id)
    return begun


def lose_watch(match_id: int, session: str) -> None:
    """The line of a socket that showed cards is gone."""
    slap_points.lose(match_id, session)
    settle(match_id)


def finish_watch(match_id: int, seat: int, session: str) -> None:
    """A player has seen the cards; the last of them settles the slap point."""
    slap_points.finish(match_id, seat, session)
    settle(match_id)


def wake(match_id: int, seat: int) -> None:
    """A player for whom slaps by mail were not waiting has come back."""
    slap_points.wake(match_id, seat)


def looked(match_id: int, user: User | None, version: int) -> None:
    """``user`` has really looked at ``version`` of a match: a page was rendered, or shown in a visible tab.

    Nothing happens for somebody who has no seat. One statement; for a table, not for each of its moves.
    """
    if user is not None and user.is_authenticated:
        seats = Seat.objects.filter(match=match_id, player=user)
        seats.update(looked_at=timezone.now(), looked_version=Greatest(Coalesce(F("looked_version"), 0), version))
