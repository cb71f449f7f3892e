"""The practice room's page, and the table it leads to."""

from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.guests import ensure_player
from games.matches import service
from games.matches.models import AiLevel
from games.slaps import practice
from games.table.labels import script_words
from games.table.opening import limit_tables, single_submit


class Opponent(NamedTuple):
    """An AI player on the practice page: its level, and the share of piles its opponent would win."""

    level: str
    name: str
    share: str
    is_closest: bool


@never_cache
@require_safe
def practice_page(request: HttpRequest) -> HttpResponse:
    """Practise slaps, see your figures, choose an opponent."""
    runs = practice.history(request.user.pk) if request.user.is_authenticated else []
    hand = practice.hand_of(runs[: practice.JUDGED])
    shares = practice.shares(hand)
    closest = practice.closest(shares)
    context = {
        "runs": runs,
        "now": hand if hand.reactions else None,
        "words": script_words(practice.slapped().slug),
        "rules": practice.slapped(),
        "cards": practice.CARDS_A_RUN,
        "opponents": [
            Opponent(
                level,
                str(AiLevel(level).label),
                "" if level not in shares else _("you win {share:.0%} of the piles").format(share=shares[level]),
                level == closest,
            )
            for level in AiLevel.values
        ],
    }
    return render(request, "slaps/practice.html", context)


@require_POST
def practice_join(request: HttpRequest) -> HttpResponse:
    """Become a guest, so that runs are stored."""
    ensure_player(request)
    return redirect("practice_slaps")


@require_POST
@single_submit
def practice_match(request: HttpRequest) -> HttpResponse:
    """Start a match against one AI player at once."""
    level = request.POST.get("level", "")
    if level not in AiLevel.values:
        return redirect("practice_slaps")
    limit_tables(request)
    player = ensure_player(request)
    try:
        match = service.open_table(player, practice.slapped().slug, 2, {}, ai={1: level}, is_public=False, clock="none")
        service.start(match, player)
    except service.Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("practice_slaps")
    return redirect(match)
