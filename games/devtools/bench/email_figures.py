"""Figures about the emails of a simulated week: speed, number, and whether they report absences."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from accounts.models import OutgoingMail, User
from games.mail.models import Kind, Notice, Preferences, Timing
from games.matches.models import Incident, Move, Seat
from games.table import clock_text

#: The maximum delay of an immediate email: ten minutes between two, plus a sweep.
AT_ONCE = timedelta(minutes=15)
_GONE = (Incident.Kind.REPLACED, Incident.Kind.TAKEN)


def lines(players: int, days: int) -> Iterator[tuple[str, Any]]:
    """Name and value of each figure."""
    at_once = Preferences.objects.filter(timing=Timing.AT_ONCE).values("user")
    mailed = Notice.objects.filter(kind=Kind.TURN, user__in=at_once, mailed_at__isnull=False, mails=1)
    waits = [mailed_at - created for created, mailed_at in mailed.values_list("created_at", "mailed_at") if mailed_at]
    yield "immediate turn emails sent within 15 minutes", _share(sum(wait <= AT_ONCE for wait in waits), len(waits))
    told = list(_incidents_told())
    yield "incidents told in the next email of each player", _share(sum(told), len(told))
    gone = list(Incident.objects.filter(kind__in=_GONE))
    heard = [OutgoingMail.objects.filter(key__startswith=f"replaced:{each.match_id}:").exists() for each in gone]
    yield "players told that their seat is gone", _share(sum(heard), len(heard))
    a_day = Counter((to, at.date()) for to, at in OutgoingMail.objects.values_list("to", "created_at"))
    counts = sorted([*a_day.values(), *[0] * max(0, players * days - len(a_day))])
    yield "emails per person and day, 95th percentile", counts[int(len(counts) * 0.95)] if counts else 0
    yield "emails per person and day, most", counts[-1] if counts else 0


def _incidents_told() -> Iterator[bool]:
    """For each incident and other player with an email before their next move: whether that email reports it."""
    users = dict(User.objects.values_list("pk", "email"))
    for incident in Incident.objects.all():
        sentence = clock_text.say(incident.kind, incident.name, incident.other)
        others = Seat.objects.filter(match=incident.match_id, player__isnull=False, ai_level="")
        for seat in others.exclude(number=incident.seat):
            keys = [f"{kind}:{incident.match_id}:{seat.player_id}:" for kind in (Kind.TURN, Kind.OVER)]
            mails = OutgoingMail.objects.filter(to=users[seat.player_id or 0], created_at__gt=incident.at)
            found = [mail for mail in mails.order_by("pk") if mail.key and mail.key.startswith(tuple(keys))]
            moved = Move.objects.filter(match=incident.match_id, seat=seat.number, number__gt=incident.version)
            if found and not moved.filter(at__lt=found[0].created_at, source=Move.Source.PLAYER).exists():
                yield sentence in " ".join(found[0].text.split())


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}"
