"""Remove a closed account's name from the subjects of unsent emails."""

import re
from typing import Any

from accounts.models import User
from accounts.personal_data import FORMER
from games.mail.models import Correspondence
from games.matches.models import Departure, Seat


def take_names_out(*, user: User, called: set[str], **_signal: Any) -> None:
    """Remove the player's names from subjects of emails to others about matches in which ``user`` has or had a seat."""
    whole = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(called, key=len, reverse=True)))
    held = Seat.objects.filter(player=user).values_list("match_id", flat=True)
    left = Departure.objects.filter(player=user).values_list("match_id", flat=True)
    for thread in Correspondence.objects.filter(match__in={*held, *left}).exclude(user=user).iterator():
        subject = whole.sub(FORMER, thread.subject)
        if subject != thread.subject:
            Correspondence.objects.filter(pk=thread.pk).update(subject=subject)
