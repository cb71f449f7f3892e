"""Turns that are answered by mail: a number, two of them, or a move's own words, sent to the turn's own address.

The token in the address decides whose move it is, not the sender, whom anybody can forge. What comes of it is told
to the player at their own confirmed address and to nobody else, so a forged or forwarded mail is heard of, and no
stranger is ever written to. Machines are never answered, and nobody is answered without end: no mail loop.
"""

import logging
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.languages import speaking_to
from games.mail import tokens
from games.mail.decision_page import turns
from games.mail.decision_page.turns import Turn
from games.mail.inbound import reply_parser
from games.mail.inbound.message import Incoming
from games.mail.outgoing.receipts import Result, receipts_of, send_receipt
from games.mail.tokens import Ticket
from games.matches import service

log = logging.getLogger(__name__)

#: Answers to one turn that are played or told of: a turn of many moves needs some.
MOST_ANSWERS = 20
#: How often somebody is told of one turn that no move could be read: here a machine that seems a person stops.
MOST_UNREADABLE = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an answer, for its receipt."""

    result: Result
    #: The move made, or refused, in words.
    move: str = ""
    #: Why it was refused.
    reason: str = ""


def receive(mail: Incoming) -> Result:
    """Play what a mail says, and tell its player what came of it. May be called again with the same mail.

    Raises:
        Unavailable: the database is away; nothing was done, and the mail should come again later.
        OperationalError: the same.
    """
    ticket = _ticket(mail)
    if ticket is None:
        return Result.UNKNOWN
    if mail.is_automatic:
        return Result.AUTOMATIC
    try:
        turn = turns.find(ticket)
    except tokens.BadToken:
        return Result.UNKNOWN
    if turn.seat.player_id != ticket.user_id:
        return Result.UNKNOWN
    with speaking_to(turn.seat.player):
        return _answer(ticket, turn, mail)


def _answer(ticket: Ticket, turn: Turn, mail: Incoming) -> Result:
    sent = receipts_of(ticket)
    if len(sent) >= MOST_ANSWERS:
        return Result.TOO_MANY
    outcome = _play(turn, mail)
    if outcome.result == Result.UNREADABLE and sent.count(Result.UNREADABLE) >= MOST_UNREADABLE:
        return Result.TOO_MANY
    if outcome.result in (Result.PLAYED, Result.REFUSED):
        turn = turns.again(turn)
    send_receipt(turn, outcome.result, mail, move=outcome.move, reason=outcome.reason)
    log.info("match %s: a reply of seat %d: %s", turn.match.key, turn.seat.number, outcome.result)
    return outcome.result


def _ticket(mail: Incoming) -> Ticket | None:
    """The ticket of the first address that is a turn's."""
    for address in mail.recipients:
        try:
            return tokens.read_reply(address)
        except tokens.BadToken:
            continue  # an address of somebody else
    return None


def _play(turn: Turn, mail: Incoming) -> Outcome:
    """Make the first legal one of the moves that the mail names."""
    ticket = turn.ticket
    before = turns.made_on(turn, ticket.shown_version)
    if before is not None:
        return Outcome(Result.REPEATED, before)
    if not turn.is_open:
        return Outcome(Result.LATE)
    # A sealed card of somebody else shows this seat nothing: its numbers are those of the mail. If the table has
    # changed in sight of all, only who named a second move has said what to do then.
    is_stale = turn.table.open_version > ticket.shown_version
    try:
        answer = reply_parser.read(mail.text, turns.moves_at(turn, ticket.shown_version) if is_stale else turn.moves)
    except reply_parser.Unreadable:
        return Outcome(Result.UNREADABLE)
    if is_stale and len(answer.moves) == 1:
        changed = _("The table has changed since the mail that you answered. Look again and decide.")
        return Outcome(Result.REFUSED, answer.moves[0].label, changed)
    refusal = ""
    for wished in answer.moves:
        try:
            turns.act(turn, wished.move, turn.table.version if is_stale else ticket.shown_version)
        except service.Unavailable:
            raise
        except service.Refused as refused:
            refusal = refusal or str(refused)
        else:
            return Outcome(Result.PLAYED, wished.label)
    return Outcome(Result.REFUSED, answer.moves[0].label, refusal)
