"""Parts of the lobby on the pages of a table."""

from typing import Any

import segno
from django import template
from django.utils.safestring import SafeString, mark_safe

from accounts import presence, social
from accounts.models import User
from games.lobby import end_offers as ending
from games.lobby.lengths import expected
from games.matches.models import Match

register = template.Library()
register.filter("expected_length", expected)


@register.filter
def qr_code(text: str) -> SafeString:
    """A text as a QR code, drawn in the page."""
    code = segno.make(text, micro=False, error="m")
    return mark_safe(code.svg_inline(omitsize=True, border=2, svgclass="qr-code", lineclass=None))  # noqa: S308 - paths only


@register.inclusion_tag("lobby/ending.html", takes_context=True)
def end_offers(context: dict[str, Any], match: Match) -> dict[str, Any]:
    """Offers to end this match, with the buttons."""
    request = context["request"]
    user = request.user if request.user.is_authenticated else None
    return {**ending.context_of(match, user), "csrf_token": context.get("csrf_token")}


@register.simple_tag(takes_context=True)
def friends_to_invite(context: dict[str, Any], match: Match) -> list[User]:
    """Friends who are online and don't sit at this table yet."""
    user = context["request"].user
    if not user.is_authenticated or user.is_guest:
        return []
    here = presence.here(social.friend_ids(user))
    seated = {seat.player_id for seat in match.seats.all()}
    return list(User.objects.filter(pk__in=here - seated).order_by("name_key")) if here - seated else []


@register.simple_tag(takes_context=True)
def can_offer_end(context: dict[str, Any], match: Match) -> bool:
    """Whether the visitor may offer to end this match: other people must be playing."""
    user = context["request"].user
    people = [seat.player_id for seat in match.seats.all() if seat.player_id is not None and not seat.ai_level]
    return match.status == Match.Status.RUNNING and len(people) > 1 and user.pk in people
