"""The digest: one email about all waiting matches, at hours chosen by the player."""

import logging
from datetime import datetime

from django.core.mail import EmailMultiAlternatives
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from games.mail import tokens
from games.mail.decision_page.prompts import what_is_asked
from games.mail.models import Discretion, Kind
from games.mail.outgoing.email_builder import build_email, message_id
from games.mail.outgoing.turn_email import read_turn, titles_apart, turns_of
from games.mail.times import moment, span, zone_of
from games.matches.models import Seat

log = logging.getLogger(__name__)

#: Matches with details (what happened, what is asked), since each has to be replayed.
MOST_TOLD = 10


def digest_mail(user: User, discretion: str, *, at: datetime) -> EmailMultiAlternatives:
    """The email about every match waiting for ``user``, showing no more than ``discretion`` allows."""
    show_game = discretion != Discretion.NONE
    seats = turns_of(user)
    zone = zone_of(user)
    titles = titles_apart(seats, zone, shows_game=show_game)
    waiting = [
        {
            "title": titles[seat.match_id],
            "until": moment(seat.due_at, zone) if seat.due_at else "",
            "left": span(seat.due_at - at) if seat.due_at else "",
            "url": tokens.turn_url(seat, seat.asked_version or 0),
            **(_told(seat, discretion) if show_game and number < MOST_TOLD else {}),
        }
        for number, seat in enumerate(seats)
    ]
    count = ngettext("%(n)d match is waiting for you", "%(n)d matches are waiting for you", len(seats)) % {
        "n": len(seats)
    }
    headers = {"Message-ID": message_id("digest", user.pk, int(at.timestamp()))}
    context = {"waiting": waiting, "count": count, "shows_game": show_game}
    return build_email(user, Kind.TURN, _("Your turns at Armani"), "digest", context, headers=headers)


def _told(seat: Seat, discretion: str) -> dict[str, str]:
    """The latest events since the player's last turn, and what they are asked to do; nothing if it can't be read."""
    try:
        turn = read_turn(seat, discretion)
        asked = what_is_asked(turn.view, at_slap_point=turn.news.table.at_slap_point)
    except Exception:  # a fault in one match must not stop the email about all the others
        log.exception("a digest can't tell about match %d", seat.match_id)
        return {}
    return {"news": turn.news.headline, "asked": asked}
