"""How long a match will probably take, told before one sits down. Rough, and rounded so that it shows.

The decisions of a match come from matches of AI players with standard options; a match of people is as long, since
its length follows from the cards and the target far more than from who plays well.
"""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.matches.models import Match

#: Decisions in a whole match by number of players, standard options; numbers between are taken from the next lower.
DECISIONS: dict[str, dict[int, int]] = {
    "amagande": {2: 45, 5: 80},
    "armed": {2: 490},
    "avalanche": {2: 130},
    "basic-rummy": {2: 800, 3: 400},
    "normal-cards": {2: 36},
    "rummy-500": {2: 216, 3: 370, 5: 610, 7: 860},
    "ten-skip": {2: 270, 5: 320, 6: 450},
}
#: Seconds that people take for a decision at a live table.
SECONDS = {"amagande": 6, "armed": 4, "basic-rummy": 4, "normal-cards": 7}
SECONDS_ELSE = 5
#: Games whose length is not one of decisions: minutes of a live match, and turns of one over days.
MINUTES = {"armani": 12}
TURNS = {"armani": 30}
#: The option that makes a match longer in proportion.
SCALE = {"basic-rummy": "target", "rummy-500": "target", "ten-skip": "limit", "normal-cards": "deals"}
#: Decisions that one turn holds: drawing, melding and discarding are one.
PER_TURN = {"basic-rummy": 3, "rummy-500": 3, "ten-skip": 2, "armed": 2}
#: Turns that a match over days makes in a day.
A_DAY = {Match.Clock.LUNCH: 24.0, Match.Clock.DAILY: 3.0, Match.Clock.RELAXED: 1.2}


def expected(match: Match) -> str:
    """ "about 20 min", "about 2 weeks"; empty for a game of which nothing is known."""
    if match.clock in A_DAY:
        turns = _turns(match)
        return _days(turns / A_DAY[Match.Clock(match.clock)]) if turns else ""
    minutes = MINUTES.get(match.slug) or _decisions(match) * SECONDS.get(match.slug, SECONDS_ELSE) / 60
    return _minutes(minutes * _scale(match) if match.slug in MINUTES else minutes) if minutes else ""


def _decisions(match: Match) -> float:
    by_seats = DECISIONS.get(match.slug, {})
    known = [count for count in by_seats if count <= match.seat_count]
    return by_seats[max(known)] * _scale(match) if known else 0


def _turns(match: Match) -> float:
    return TURNS.get(match.slug) or _decisions(match) / PER_TURN.get(match.slug, 1)


def _scale(match: Match) -> float:
    """How much longer than standard its options make this match."""
    option = next((each for each in match.rules.options if each.name == SCALE.get(match.slug)), None)
    if option is None or not option.default:
        return 1
    return float(match.options.get(option.name, option.default)) / float(option.default)


def _minutes(minutes: float) -> str:
    if minutes < 75:
        rounded = max(5, 5 * round(minutes / 5))
        return ngettext("about %(count)d min", "about %(count)d min", rounded) % {"count": rounded}
    hours = max(1.5, round(minutes / 30) / 2)
    return _("about %(count)s h") % {"count": f"{hours:g}"}


def _days(days: float) -> str:
    if days < 1.5:
        return _("about a day")
    if days < 12:
        return _("about %(count)d days") % {"count": round(days)}
    if days < 60:
        weeks = round(days / 7)
        return ngettext("about %(count)d week", "about %(count)d weeks", weeks) % {"count": weeks}
    months = round(days / 30)
    return ngettext("about %(count)d month", "about %(count)d months", months) % {"count": months}
