"""How fast a live table goes, in milliseconds; docs/decisions/slaps.md has the reasons."""

#: How long a card stays open to slaps before the table goes on, by the match's pace.
WINDOW = {"fast": 900, "normal": 1200, "relaxed": 1600}
#: The most that a slow line is credited with, in friendly and in rated matches.
CAP_MAX = 350
CAP_MAX_RATED = 150
#: Added to a line's usual delay: the 75th percentile of its pings.
CAP_MARGIN = 8
#: A random part of the wait for the next card, so that it can't be counted out.
JITTER = 400
#: Time to see a verdict before the table goes on.
VERDICT_PAUSE = 1500
#: A player's wish to see the next card is answered after so long, from and to, never before the window is over.
ASKED_PAUSE = (150, 650)
#: A table for two waits for a player who has been gone for this long, up to the budget of each player and match.
GONE_AFTER = 8_000
PAUSE_BUDGET = 60_000
#: Added to the time in which a faster slap could still arrive.
VERDICT_MARGIN = 40
#: Faster than people can see: a press meant for the card before.
FASTEST_REACTION = 100
#: Reactions closer than this are drawn by lot.
TIE = 5
#: A step of the table that is overdue by this much has no keeper any more: a player's own move may make it.
ABANDONED = 3000


def span_before_step(pace: str, largest_cap: float, *, after_verdict: bool) -> tuple[float, float]:
    """Between how many milliseconds the table's next step comes: the same after every card, slappable or not."""
    pause = VERDICT_PAUSE if after_verdict else WINDOW[pace] + largest_cap
    return pause, pause + JITTER
