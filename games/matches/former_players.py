"""What becomes of matches when an account is closed: its seats are given up, and its name goes."""

from typing import Any

from django.db.models import F

from accounts.models import User
from accounts.personal_data import FORMER
from games.matches import service
from games.matches.models import Incident, Match


def leave_tables(*, user: User, **_signal: Any) -> None:
    """Resign by the door that everybody uses, so nobody waits for the seat."""
    service.leave_everything(user)


def take_names_out(*, user: User, called: set[str], **_signal: Any) -> None:
    """Take the names out of what is told of the matches, and have what is remembered of them read anew."""
    matches = list(Match.objects.filter(seats__player=user).values_list("pk", flat=True))
    for column in ("name", "other"):
        Incident.objects.filter(match__in=matches, **{f"{column}__in": called}).update(**{column: FORMER})
    # What processes remember of these tables has the name in it.
    Match.objects.filter(pk__in=matches).update(roster=F("roster") + 1)
