"""The probable length of a match, shown before players sit down: a rough, rounded estimate.

The number of decisions comes from matches of AI players with standard options. It also fits matches of people, since
length depends far more on the cards and the target than on skill.
"""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games import rules
from games.engine import Length
from games.matches.models import Match

#: Turns per day in a turn-based match.
A_DAY = {Match.Clock.LUNCH: 24.0, Match.Clock.DAILY: 3.0, Match.Clock.RELAXED: 1.2}


def expected(match: Match) -> str:
    """The length in words, such as "about 20 min" or "about 2 weeks"; empty for a game without data."""
    if match.clock in A_DAY:
        turns = _turns(match)
        return _days(turns / A_DAY[Match.Clock(match.clock)]) if turns else ""
    length = rules.presentation(match.slug).length
    minutes = length.minutes * _scale(match, length) or _decisions(match, length) * length.seconds / 60
    return _minutes(minutes) if minutes else ""


def _decisions(match: Match, length: Length) -> float:
    known = [count for count in length.decisions if count <= match.seat_count]
    return length.decisions[max(known)] * _scale(match, length) if known else 0


def _turns(match: Match) -> float:
    length = rules.presentation(match.slug).length
    return length.turns or _decisions(match, length) / length.per_turn


def _scale(match: Match, length: Length) -> float:
    """How much the options lengthen the match, as a factor."""
    option = next((each for each in match.rules.options if each.name == length.scale), None)
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
