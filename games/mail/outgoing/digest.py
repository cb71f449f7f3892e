"""The digest: one mail, at hours that somebody has chosen, about all matches that wait for them."""

from datetime import datetime

from django.core.mail import EmailMultiAlternatives
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from games.mail import tokens
from games.mail.models import Kind
from games.mail.outgoing.email_builder import letter, message_id
from games.mail.outgoing.turn_email import titles_apart, turns_of
from games.mail.times import moment, span, zone_of


def digest_mail(user: User, *, show_game: bool, at: datetime) -> EmailMultiAlternatives:
    """The mail about every match that waits for ``user``; without ``show_game`` it says how many, no names."""
    seats = turns_of(user)
    titles = titles_apart(seats, shows_game=show_game)
    zone = zone_of(user)
    waiting = [
        {
            "title": titles[seat.match_id],
            "until": moment(seat.due_at, zone) if seat.due_at else "",
            "left": span(seat.due_at - at) if seat.due_at else "",
            "url": tokens.turn_url(seat, seat.asked_version or 0),
        }
        for seat in seats
    ]
    count = ngettext("%(n)d match is waiting for you", "%(n)d matches are waiting for you", len(seats)) % {
        "n": len(seats)
    }
    headers = {"Message-ID": message_id("digest", user.pk, int(at.timestamp()))}
    context = {"waiting": waiting, "count": count, "shows_game": show_game}
    return letter(user, Kind.TURN, _("Your turns at Armani"), "digest", context, headers=headers)
