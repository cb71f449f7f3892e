"""Plans on pages: a stored plan in words, and the panel at the table."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.models import User
from games.matches.models import Match
from games.matches.presets import LIVE
from games.plans import run_plans
from games.plans.models import Plan
from games.table.labels import move_label

register = template.Library()


@register.simple_tag
def plan_moves(match: Match, moves: Sequence[str], names: Sequence[str]) -> str:
    """Moves in one line: ``Play the king of hearts, Play the 7 of clubs``."""
    return ", ".join(move_label(match.slug, move, names) for move in moves)


@register.simple_tag
def plan_in_words(match: Match, plan: Plan, names: Sequence[str]) -> SafeString:
    """A plan in words: its list of moves, or its maximum."""
    if plan.maximum is not None:
        return format_html("<p>{}</p>", _("Bets for you up to {n}.").format(n=plan.maximum))
    items = format_html_join("", "<li>{}</li>", ((move_label(match.slug, move, names),) for move in plan.left))
    return format_html('<ol class="plan-moves">{}</ol>', items)


@register.inclusion_tag("plans/panel.html")
def plan_panel(match: Match, user: Any, players: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The plan panel for players who may plan; empty for others, and at live tables."""
    if not isinstance(user, User) or match.clock in LIVE or match.status != Match.Status.RUNNING:
        return {"may_plan": False}
    seat = match.seats.filter(player=user).first()
    if seat is None or not run_plans.may_plan(match, seat, user):
        return {"may_plan": False}
    names = [player["name"] for player in players]
    return {"may_plan": True, "match": match, "names": names, "plan": run_plans.plan_of(seat, user)}
