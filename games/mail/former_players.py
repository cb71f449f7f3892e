"""Remove a closed account's name from the subjects of unsent emails."""

import re
from typing import Any

from accounts.models import User
from accounts.personal_data import FORMER
from games.mail.models import Correspondence
from games.matches.models import Match


def take_names_out(*, user: User, called: set[str], **_signal: Any) -> None:
    """Remove the player's names from subjects of emails to others about matches with ``user``."""
    whole = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(called, key=len, reverse=True)))
    matches = Match.objects.filter(seats__player=user).values("pk")
    for thread in Correspondence.objects.filter(match__in=matches).exclude(user=user).iterator():
        subject = whole.sub(FORMER, thread.subject)
        if subject != thread.subject:
            Correspondence.objects.filter(pk=thread.pk).update(subject=subject)
