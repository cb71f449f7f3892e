"""What a player is told after answering a mail: what was played, or what could have been."""

from enum import StrEnum

from django.utils.translation import gettext as _

from accounts import outbox
from accounts.links import absolute
from accounts.models import OutgoingMail
from games.mail import tokens
from games.mail.decision_page.turns import Turn
from games.mail.inbound.message import Incoming
from games.mail.models import Correspondence, Discretion, Kind, Preferences
from games.mail.outgoing.email_builder import letter, message_id
from games.mail.outgoing.turn_email import title
from games.mail.tokens import Ticket

#: Sentences on what happened since, in a mail that came too late.
MOST_LINES = 6


class Result(StrEnum):
    """What became of a mail that came in."""

    #: Its move is made.
    PLAYED = "played"
    #: The same answer came before; its move had been made then.
    REPEATED = "repeated"
    #: The turn is over, by whatever way.
    LATE = "late"
    #: No move, or several, can be read in it.
    UNREADABLE = "unreadable"
    #: The move can't be made: it is not legal, or the table has changed since the mail that is answered.
    REFUSED = "refused"
    #: A machine sent it: nothing is done, nobody is told.
    AUTOMATIC = "automatic"
    #: Too much of the same: nothing is done, nobody is told.
    TOO_MANY = "too_many"
    #: No turn's address, or not one of this site's making.
    UNKNOWN = "unknown"


def receipts_of(ticket: Ticket) -> list[str]:
    """The results that its player has been told of for this turn."""
    keys = OutgoingMail.objects.filter(key__startswith=_key(ticket)).values_list("key", flat=True)
    return [str(key).split(":")[3] for key in keys]


def send_receipt(turn: Turn, result: Result, mail: Incoming, *, move: str = "", reason: str = "") -> None:
    """Tell the player of a turn, at their own address, what became of a mail; of the same mail only once.

    Args:
        turn: as it stands after the mail.
        result: what became of it.
        mail: the mail.
        move: the move made or refused, in words.
        reason: why it was refused.
    """
    user = turn.seat.player
    if user is None or not user.email or user.mail_trouble:
        return
    prefix = _key(turn.ticket)
    if OutgoingMail.objects.filter(key__startswith=prefix, key__endswith=f":{mail.fingerprint}").exists():
        return
    discretion = Preferences.of(user).discretion
    thread = Correspondence.objects.filter(user=user, match=turn.match).first() or Correspondence()
    names, own = turn.table.names, turn.seat.number
    shows_game, shows_hand = discretion != Discretion.NONE, discretion == Discretion.FULL
    view = turn.view
    asked_version = turn.ticket.asked_version
    reply_to = tokens.reply_address(turn.seat, asked_version, turn.table.version) if turn.is_open else ""
    called = _("%(title)s – your turn") % {"title": title(turn.match, names, own)}
    new_id = message_id("reply", turn.seat.pk, asked_version, mail.fingerprint)
    context = {
        "result": result.value,
        "move": move if shows_game else "",
        "reason": reason if shows_game else "",
        "shows_game": shows_game,
        "title": title(turn.match, names, own) if shows_game else "",
        "is_open": turn.is_open,
        "is_over": turn.match.status == turn.match.Status.OVER,
        "ended": None if turn.is_open else turn.how_it_ended().value,
        "name": turn.seat.name,
        "waiting_for": [names[seat] for seat in view.to_move if seat >= 0] if shows_game else [],
        "hand": _hand(turn) if shows_hand else [],
        "moves": turn.moves if shows_hand else [],
        "happened": turn.happened(MOST_LINES) if shows_game and not turn.is_open else [],
        "turn_url": tokens.turn_url(turn.seat, asked_version),
        "match_url": absolute(turn.match.get_absolute_url()),
    }
    answered = _one_line(mail.message_id)
    message = letter(
        user,
        Kind.TURN,
        f"Re: {thread.subject or called}" if shows_game else _("Re: Your turn at Armani"),
        "receipt",
        context,
        match_id=turn.match.pk,
        headers={
            "Message-ID": new_id,
            # Answers of machines to this one are none of a player's.
            "Auto-Submitted": "auto-replied",
            **({"In-Reply-To": answered} if answered else {}),
            "References": " ".join(filter(None, dict.fromkeys([thread.first_id, thread.last_id, answered]))),
        },
        reply_to=reply_to,
    )
    outbox.enqueue(message, key=f"{prefix}{result}:{mail.fingerprint}")


def _key(ticket: Ticket) -> str:
    return f"reply:{ticket.seat_id}:{ticket.asked_version}:"


def _hand(turn: Turn) -> list[str]:
    zones = [zone for zone in turn.view.zones if turn.is_open and zone.id == f"hand:{turn.seat.number}"]
    return [code for zone in zones for code in zone.cards or () if code is not None]


def _one_line(text: str) -> str:
    """A Message-ID that somebody else made, safe in a header."""
    return text if text.isascii() and text.isprintable() and text.startswith("<") and text.endswith(">") else ""
