"""Receipts: tell a player who answered an email whether the answer was played."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import outbox
from accounts.links import absolute
from accounts.models import OutgoingMail
from games.mail import tokens
from games.mail.decision_page import turns
from games.mail.decision_page.turns import Turn
from games.mail.inbound.message import Incoming
from games.mail.inbound.plans import Proposal
from games.mail.models import Correspondence, Discretion, Kind, Preferences
from games.mail.moves import rows
from games.mail.outgoing.email_builder import build_email, message_id
from games.mail.outgoing.turn_email import hand_of, title, waiting_elsewhere
from games.mail.times import moment, span, zone_of
from games.mail.tokens import Ticket
from games.plans import preconditions, run_plans
from games.rules.wording import card_names

#: Sentences about later events, in the receipt of a late email.
MOST_LINES = 6


class Result(StrEnum):
    """The result of an incoming email."""

    #: Its move was made.
    PLAYED = "played"
    #: The same answer arrived before, and its move had been made then.
    REPEATED = "repeated"
    #: Another answer to the same list arrived before, and its move was made.
    ANSWERED = "answered"
    #: The turn is already over.
    LATE = "late"
    #: It contains no readable move, or several.
    UNREADABLE = "unreadable"
    #: The move is illegal, or the table has changed since the email that it answers.
    REFUSED = "refused"
    #: It names only a plan for later turns. Nothing is saved: the player does that on the page.
    PLANNED = "planned"
    #: An automatic email, which is ignored.
    AUTOMATIC = "automatic"
    #: Too many emails of this kind; ignored.
    TOO_MANY = "too_many"
    #: Not the address of a turn, or forged.
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an answer, for its receipt."""

    result: Result
    #: The moves made, or the refused one, in words.
    moves: Sequence[str] = ()
    #: Why nothing, or not everything, was played.
    reason: str = ""
    #: The turn after the answer, if it was read again, and the version before.
    turn: Turn | None = None
    since: int = 0
    #: The plan named in the answer.
    plan: Proposal | None = None


def receipts_of(ticket: Ticket) -> list[str]:
    """The results the player has already been told for this turn."""
    keys = OutgoingMail.objects.filter(key__startswith=_key(ticket)).values_list("key", flat=True)
    return [str(key).split(":")[3] for key in keys]


def send_receipt(turn: Turn, outcome: Outcome, mail: Incoming, *, is_last: bool = False) -> None:
    """Tell a turn's player, at their confirmed address, the result of an email; once per email.

    Args:
        turn: the turn after the email.
        outcome: the result of the email.
        mail: the email.
        is_last: whether the next similar email gets no answer.
    """
    user = turn.seat.player
    key = f"{_key(turn.ticket)}{outcome.result}:{mail.fingerprint}"
    if user is None or not user.email or user.mail_trouble or _is_told(turn.ticket, mail):
        return
    shows_game = Preferences.of(user).discretion != Discretion.NONE
    thread = Correspondence.objects.filter(user=user, match=turn.match).first() or Correspondence()
    called = thread.subject or _("%(title)s – your turn") % {"title": _title(turn)}
    subject = f"Re: {called}" if shows_game else _("Re: Your turn at Armani")
    asked_version = turn.ticket.asked_version
    reply_to = tokens.reply_address(turn.seat, asked_version, turn.table.version) if turn.is_open else ""
    context = {
        **_context(turn, outcome),
        **_planned(turn, outcome.plan),
        "is_last": is_last,
        "reply_subject": subject,
        "reply_address": reply_to,
    }
    answered = _one_line(mail.message_id)
    headers = {
        "Message-ID": message_id("reply", turn.seat.pk, asked_version, mail.fingerprint),
        # Automatic replies to this one are not player answers.
        "Auto-Submitted": "auto-replied",
        **({"In-Reply-To": answered} if answered else {}),
        "References": " ".join(filter(None, dict.fromkeys([thread.first_id, thread.last_id, answered]))),
    }
    message = build_email(
        user, Kind.TURN, subject, "receipt", context, match_id=turn.match.pk, headers=headers, reply_to=reply_to
    )
    outbox.enqueue(message, key=key)


def _is_told(ticket: Ticket, mail: Incoming) -> bool:
    """Whether the player already has a receipt for this email."""
    told = OutgoingMail.objects.filter(key__startswith=_key(ticket), key__endswith=f":{mail.fingerprint}")
    return told.exists()


def _context(turn: Turn, outcome: Outcome) -> dict[str, Any]:
    """The context of a receipt, limited to what its player allows."""
    seat, user = turn.seat, turn.seat.player
    discretion = Preferences.of(user).discretion if user is not None else Discretion.NONE
    shows_game, shows_hand = discretion != Discretion.NONE, discretion == Discretion.FULL
    zone = zone_of(user) if user is not None else ZoneInfo("UTC")
    clock = turn.table.clocks[seat.number]
    is_played = outcome.result == Result.PLAYED
    return {
        "result": outcome.result.value,
        "move": "; ".join(outcome.moves) if shows_game else "",
        "reason": outcome.reason if shows_game else "",
        "shows_game": shows_game,
        "shows_hand": shows_hand,
        "title": _title(turn) if shows_game else "",
        "is_open": turn.is_open,
        "is_over": turn.match.status == turn.match.Status.OVER,
        "ended": None if turn.is_open else turn.how_it_ended().value,
        "name": seat.name,
        "waiting_for": [turn.table.names[seat] for seat in turn.view.to_move if seat >= 0] if shows_game else [],
        "until": moment(clock.due_at, zone) if turn.is_open and clock.due_at else "",
        "left": span(clock.due_at - timezone.now()) if turn.is_open and clock.due_at else "",
        "drawn": card_names(drawn) if shows_hand and is_played and (drawn := turn.drawn(outcome.since)) else "",
        "hand": hand_of(turn.view) if shows_hand and turn.is_open else [],
        "rows": rows(turn.match.slug, turn.moves) if shows_hand else [],
        "happened": turn.happened(MOST_LINES) if shows_game and not turn.is_open else [],
        "others": waiting_elsewhere(user, turn.match.pk, zone, shows_game=shows_game) if user is not None else [],
        "version": turn.table.version,
        "turn_url": tokens.turn_url(seat, turn.ticket.asked_version),
        "match_url": absolute(turn.match.get_absolute_url()),
    }


def _planned(turn: Turn, plan: Proposal | None) -> dict[str, Any]:
    """The plan named in the email, and its page; without a URL if nothing can be planned."""
    view = turn.table.view(turn.seat.number)
    has_some = preconditions.can_bid(view) or preconditions.candidates(view)
    is_wanted = plan is not None or not turn.is_open
    if not (is_wanted and has_some and run_plans.may_plan(turn.match, turn.seat, turn.seat.player)):
        return {"plan_url": ""}
    url = absolute(reverse("match_plan", args=[turn.match.key]))
    if plan is None or turn.seat.player is None or Preferences.of(turn.seat.player).discretion != Discretion.FULL:
        return {"plan_url": url, "has_plan": plan is not None}
    return {
        "plan_url": f"{url}?{plan.query}" if plan.query else url,
        "has_plan": True,
        "plan_moves": [turns.label(turn, move) for move in plan.moves],
        "plan_maximum": plan.maximum,
        "plan_problem": plan.problem,
    }


def _title(turn: Turn) -> str:
    return title(turn.match, turn.table.names, turn.seat.number)


def _key(ticket: Ticket) -> str:
    return f"reply:{ticket.seat_id}:{ticket.asked_version}:"


def _one_line(text: str) -> str:
    """A Message-ID from another program, made safe for a header."""
    return text if re.fullmatch(r"<[!-~]+>", text) else ""
