"""Handle replies to turn emails: numbers or move names, sent to the turn's own address.

The token in the address decides whose move it is, not the sender, which can be forged. The player gets a receipt at
their confirmed address, so a forged or forwarded email doesn't go unnoticed, and strangers never get an email.
Automatic emails get no reply, and the number of replies is limited, so no email loop can start.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from accounts.languages import speaking_to
from games.engine import Move
from games.mail import tokens
from games.mail.decision_page import turns
from games.mail.decision_page.turns import Turn
from games.mail.inbound import plans, reply_parser
from games.mail.inbound.message import Incoming
from games.mail.inbound.reply_parser import Answer
from games.mail.moves import Numbered
from games.mail.outgoing.receipts import Outcome, Result, receipts_of, send_receipt
from games.mail.tokens import Ticket
from games.matches import service

log = logging.getLogger(__name__)

#: Maximum answers to one turn that are played or confirmed: a turn of many moves needs several.
MOST_ANSWERS = 20
#: How many times a player is told that no move could be read: this stops a machine that looks like a person.
MOST_UNREADABLE = 3
#: Maximum moves of one answer after its first.
MOST_STEPS = 12


def receive(mail: Incoming) -> Result:
    """Play an email's moves and tell its player the result. May be called again with the same email.

    Raises:
        Unavailable: the database is down; nothing was done, and the email should be delivered again later.
        OperationalError: the same.
    """
    ticket = ticket_of(mail.recipients)
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
    plan = plans.proposal(outcome.turn or turn, mail.text)
    if plan is not None:
        outcome = replace(outcome, plan=plan) if _is_answer(turn, mail) else Outcome(Result.PLANNED, plan=plan)
    unreadable = sent.count(Result.UNREADABLE)
    if outcome.result == Result.UNREADABLE and unreadable >= MOST_UNREADABLE:
        return Result.TOO_MANY
    if outcome.result == Result.REFUSED:
        turn = turns.again(turn)
    is_last = outcome.result == Result.UNREADABLE and unreadable == MOST_UNREADABLE - 1
    send_receipt(outcome.turn or turn, outcome, mail, is_last=is_last)
    log.info("match %s: reply from seat %d: %s", turn.match.key, turn.seat.number, outcome.result)
    return outcome.result


def _is_answer(turn: Turn, mail: Incoming) -> bool:
    """Whether an email names a move of its turn, rather than only a plan for later ones."""
    try:
        reply_parser.read(mail.text, turn.shown)
    except reply_parser.Unreadable:
        return False
    return True


def ticket_of(addresses: Iterable[str]) -> Ticket | None:
    """The ticket of the first address that belongs to a turn. Needs no query, so it runs before an email is read."""
    for address in addresses:
        try:
            return tokens.read_reply(address)
        except tokens.BadToken:
            continue  # not a turn's address
    return None


def _play(turn: Turn, mail: Incoming) -> Outcome:
    """Make the first legal one of the moves named, and then the moves named for afterwards."""
    shown = turn.ticket.shown_version
    before = turns.made_on(turn, shown)
    if before is not None:
        return _again(turn, mail, before)
    if not turn.is_open:
        return Outcome(Result.LATE)
    # Another player's sealed card shows this seat nothing, so the email's numbers still hold. If the table has changed
    # visibly, only an answer with an alternative says what to do.
    is_stale = turn.table.open_version > shown
    moves = turn.shown if is_stale else turn.moves
    try:
        answer = reply_parser.read(mail.text, moves)
    except reply_parser.Unreadable as unreadable:
        return Outcome(Result.UNREADABLE, reason=_why(unreadable, moves))
    if is_stale and len(answer.moves) == 1:
        changed = _("The table has changed since we emailed you. Look again, then choose.")
        return Outcome(Result.REFUSED, [answer.moves[0].label], changed)
    since = turn.table.version
    made, refusal = _first_legal(turn, answer.moves, since if is_stale else shown, 0)
    if made is None:
        return Outcome(Result.REFUSED, [answer.moves[0].label], refusal)
    return _go_on(turn, answer, [made], since)


def _again(turn: Turn, mail: Incoming, before: Move) -> Outcome:
    """Handle another answer to a list from which ``before`` was played: repeat, continue, or nothing."""
    label = turns.label(turn, before)
    try:
        answer = reply_parser.read(mail.text, turn.shown)
    except reply_parser.Unreadable:
        return Outcome(Result.ANSWERED, [label])
    if before not in [wished.move for wished in answer.moves]:
        return Outcome(Result.ANSWERED, [label])
    if not answer.later or not turn.is_open:
        return Outcome(Result.REPEATED, [label])
    return _go_on(turn, answer, [label], turn.table.version)


def _go_on(turn: Turn, answer: Answer, made: list[str], since: int) -> Outcome:
    """Make the moves named after the first, as far as possible; a step made earlier counts as made."""
    problem = ""
    turn = turns.again(turn)
    for step, words in enumerate(answer.later[:MOST_STEPS], 1):
        before = turns.made_on(turn, turn.ticket.shown_version, step)
        if before is not None:
            made.append(turns.label(turn, before))
            continue
        wished = reply_parser.wished(words, turn.moves)
        done, refusal = _first_legal(turn, wished, turn.table.version, step) if wished else (None, "")
        if done is None:
            refusal = refusal or (_("That wasn't a possible move.") if turn.is_open else "")
            problem = _("We didn't play “{words}”.").format(words=" / ".join(words)) + f" {refusal}"
            break
        made.append(done)
        turn = turns.again(turn)
    return Outcome(Result.PLAYED, made, problem.strip(), turn, since)


def _first_legal(turn: Turn, wished: Sequence[Numbered], version: int, step: int) -> tuple[str | None, str]:
    """Make the first legal one of some moves; returns it in words, or why the first was refused."""
    refusal = ""
    for move in wished:
        try:
            turns.act(turn, move.move, version, answers=turn.ticket.shown_version, step=step)
        except service.Unavailable:
            raise
        except service.Refused as refused:
            refusal = refusal or str(refused)
        else:
            return move.label, ""
    return None, refusal


def _why(unreadable: reply_parser.Unreadable, moves: Sequence[Numbered]) -> str:
    if unreadable.number is None or not moves:
        return ""
    text = _("There's no move {number}. The last one is {last}.")
    return text.format(number=unreadable.number, last=moves[-1].number)
