"""How fast a live table goes, in milliseconds; the reasons stand in docs/decisions/slaps.md."""

import random

#: How long a card stays open to slaps before the table goes on, by the match's pace.
WINDOW = {"fast": 900, "normal": 1200, "relaxed": 1600}
#: The most that a slow line is credited with.
CAP_MAX = 350
#: Added to a line's usual delay: the 75th percentile of its pings.
CAP_MARGIN = 8
#: A random part of the wait for the next card, so that nobody can count it out.
JITTER = 400
#: Time to see a verdict before the table goes on.
VERDICT_PAUSE = 1500
#: Added to the time in which a faster slap could still arrive.
VERDICT_MARGIN = 40
#: Faster than anybody sees: a press meant for the card before.
FASTEST_REACTION = 100
#: Reactions closer than this are drawn by lot.
TIE = 5
#: How long an AI player seems to think, from and to.
AI_PAUSE = (600, 2000)
#: A step of the table that is overdue by this much has no keeper any more: a player's own move may make it.
ABANDONED = 3000


def pause_before_step(pace: str, largest_cap: float, *, after_verdict: bool) -> float:
    """Milliseconds until the table's next step: the same after every card, slappable or not."""
    pause = VERDICT_PAUSE if after_verdict else WINDOW[pace] + largest_cap
    return pause + random.uniform(0, JITTER)  # noqa: S311 - the table's rhythm is no secret
