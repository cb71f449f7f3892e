"""The pace of a live table, in milliseconds; docs/decisions/slaps.md has the reasons."""

#: How long a card stays open to slaps before the table continues, by the match's pace.
WINDOW = {"fast": 900, "normal": 1200, "relaxed": 1600}
#: The maximum latency credit, in friendly and in rated matches.
CAP_MAX = 350
CAP_MAX_RATED = 150
#: Added to a connection's usual delay: the 75th percentile of its pings.
CAP_MARGIN = 8
#: A random part of the wait for the next card, so that it can't be predicted.
JITTER = 400
#: Time to see a verdict before the table continues.
VERDICT_PAUSE = 1500
#: Delay, minimum and maximum, after a player asks for the next card; never before the window has closed.
ASKED_PAUSE = (150, 650)
#: A table for two waits for a player who has been away this long, up to a limit for each player and match.
GONE_AFTER = 8_000
PAUSE_BUDGET = 60_000
#: Added to the time in which a faster slap could still arrive.
VERDICT_MARGIN = 40
#: Faster than people can see: a press meant for the previous card.
FASTEST_REACTION = 100
#: Reactions closer than this are decided at random.
TIE = 5
#: If a table's step is overdue by this much, no process is running the table, so a player's own move may make it.
ABANDONED = 3000


def span_before_step(pace: str, largest_cap: float, *, after_verdict: bool) -> tuple[float, float]:
    """The minimum and maximum ms before the table's next step: the same after every card, slappable or not."""
    pause = VERDICT_PAUSE if after_verdict else WINDOW[pace] + largest_cap
    return pause, pause + JITTER
