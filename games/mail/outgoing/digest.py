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
from games.matches.models import Seat


def digest_mail(user: User, *, show_game: bool, at: datetime) -> EmailMultiAlternatives:
    """The mail about every match that waits for ``user``; without ``show_game`` it says how many, no names."""
    seats = turns_of(user)
    names: dict[int, list[str]] = {}
    for place in Seat.objects.filter(match_id__in=[seat.match_id for seat in seats]).order_by("number"):
        names.setdefault(place.match_id, []).append(place.name)
    titles = titles_apart(seats, names)
    zone = zone_of(user)
    waiting = [
        {
            "title": titles[seat.match_id] if show_game else _("A match"),
            "until": moment(seat.due_at, zone) if seat.due_at else "",
            "left": span(seat.due_at - at) if seat.due_at else "",
            "url": tokens.turn_url(seat, seat.asked_version or 0),
        }
        for seat in seats
    ]
    count = ngettext("%(n)d match waits for you", "%(n)d matches wait for you", len(seats)) % {"n": len(seats)}
    headers = {"Message-ID": message_id("digest", user.pk, int(at.timestamp()))}
    context = {"waiting": waiting, "count": count, "shows_game": show_game}
    return letter(user, Kind.TURN, _("Your turns at Armani"), "digest", context, headers=headers)
