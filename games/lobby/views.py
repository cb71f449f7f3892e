"""The lobby page and its forms, and the forms to invite players."""

from urllib.parse import urlencode

from allauth.core.ratelimit import consume
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import social
from accounts.guests import ensure_player
from accounts.models import User
from games import rules
from games.lobby import finding, invitations
from games.lobby.finding import FilterForm
from games.matches import service
from games.matches.models import Match
from games.table import match_cards
from games.table.opening import limit_tables, single_submit


@never_cache
@require_safe
def lobby(request: HttpRequest) -> HttpResponse:
    """The lobby: invitations, your matches, and open tables, filtered."""
    user = request.user if request.user.is_authenticated else None
    if request.GET.get("game", "") not in ("", *(game.slug for game in rules.all())):
        raise Http404(_("There's no such game."))
    form = FilterForm(request.GET)
    wish = form.wish()
    invited = invitations.waiting_for(user) if user else []
    mark = finding.mark_of(user, invited)
    tables = match_cards.listed(finding.open_tables(user, wish), user)
    match_cards.say_reliability(tables)
    context = {
        "form": form,
        "mark": mark,
        "wish": wish,
        "tables": tables,
        "mine": match_cards.newest(user) if user else [],
        "offered": finding.offered_seats(user),
        "invitations": invited,
        "company": finding.company(user),
        "games": rules.all(),
        "ai_after": finding.AI_AFTER,
        "has_filters": len(tables) > finding.FEW_TABLES or bool(wish),
    }
    return render(request, "lobby/lobby.html", context)


@require_POST
@single_submit
def any_table(request: HttpRequest) -> HttpResponse:
    """Join the best fitting table, or open a new one."""
    wish = FilterForm(request.POST).wish()
    limit_tables(request)
    player = ensure_player(request)
    try:
        match = finding.any_table(player, wish)
    except service.Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("lobby")
    if match.host_id == player.pk:
        messages.info(request, _("No match yet, so we opened a table for you."))
        if request.POST.get("ai"):
            return redirect(f"{match.get_absolute_url()}?ai=1")
    return redirect(match)


@require_POST
@single_submit
def play_with(request: HttpRequest, name_key: str) -> HttpResponse:
    """Open a table for two, or as few players as the game allows, and invite that person."""
    other = get_object_or_404(User, name_key=name_key, is_active=True, is_guest=False)
    if not request.user.is_authenticated:
        return redirect("account_login")
    by = request.user
    limit_tables(request)
    slug = finding.played_together(by, other)
    try:
        if not consume(request, action="invite", key=f"user:{by.pk}"):
            raise invitations.NotInvited(_("You've just invited many people. Wait a while."))
        if other == by or social.is_blocked(by, other):
            raise invitations.NotInvited(_("You can't invite this player."))
        match = service.open_table(by, slug, min(rules.get(slug).seats), {}, is_public=False, starts_when_full=True)
        invitations.invite(match, by, [other])
    except (service.Refused, invitations.NotInvited) as reason:
        messages.error(request, str(reason))
        return redirect("lobby")
    messages.success(request, _("You've invited %(name)s.") % {"name": other.name})
    return redirect(match)


@require_POST
def invite(request: HttpRequest, key: str) -> HttpResponse:
    """Invite a person by name or by email address."""
    match = get_object_or_404(Match, key=key)
    who = request.POST.get("who", "").strip()
    if not request.user.is_authenticated:
        messages.error(request, _("Log in, or play as a guest."))
        return redirect(match)
    by = request.user
    is_mail = "@" in who
    try:
        if not who:
            raise invitations.NotInvited(_("Enter a name or an email address."))
        if not consume(request, action="invite_mail" if is_mail else "invite", key=f"user:{by.pk}"):
            raise invitations.NotInvited(_("You've just invited many people. Wait a while."))
        if is_mail:
            if not consume(request, action="invite_address", key=who.lower()):
                raise invitations.NotInvited(_("This address got many invitations today. Send the link yourself."))
            invitations.invite_by_mail(match, by, who)
            name = who
        else:
            name = invitations.invite_by_name(match, by, who).name
    except invitations.NotInvited as reason:
        if not _may_invite(match, by):
            messages.error(request, str(reason))
            return redirect(match)
        # Shown beside the field, which keeps the text that was entered.
        messages.error(request, str(reason), extra_tags="beside")
        return redirect(f"{match.get_absolute_url()}?{urlencode({'who': who})}#who")
    messages.success(request, _("You've invited %(name)s.") % {"name": name})
    return redirect(match)


def _may_invite(match: Match, by: User) -> bool:
    """Whether the table's page shows ``by`` the invitation form: players at a table with a free seat see it."""
    seats = list(match.seats.all())
    return (
        match.status == Match.Status.OPEN
        and any(seat.player_id == by.pk for seat in seats)
        and any(seat.is_free for seat in seats)
    )


@require_POST
def decline(request: HttpRequest, key: str) -> HttpResponse:
    """Decline an invitation."""
    if request.user.is_authenticated:
        invitations.decline(get_object_or_404(Match, key=key), request.user)
    return redirect("lobby")


@never_cache
@require_safe
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Open the link of an invitation email: lead to the table, also after a sign-up or login now."""
    try:
        link = invitations.read_link(token)
    except ValueError:
        raise Http404(_("This invitation has expired.")) from None
    match = get_object_or_404(Match.objects.select_related("host"), key=link.key)
    if not request.user.is_authenticated or request.user.is_guest:
        request.session["land_at"] = match.get_absolute_url()
    return redirect(match)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop_invitations(request: HttpRequest, token: str) -> HttpResponse:
    """Confirm that this address wants no more invitations; only the button stores it."""
    try:
        link = invitations.read_link(token)
    except ValueError:
        return HttpResponseBadRequest(render(request, "400.html").content)
    is_done = request.method == "POST"
    if is_done:
        invitations.block_address(link)
    return render(request, "lobby/no_more.html", {"email": link.email, "is_done": is_done})
