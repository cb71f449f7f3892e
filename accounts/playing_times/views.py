"""The settings page of playing times: hours, leave, and the substitute."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.playing_times import calendars
from accounts.playing_times.forms import DeputyForm, LeaveForm, PlayingTimesForm
from accounts.playing_times.models import Leave


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def playing_times(request: HttpRequest) -> HttpResponse:
    """Show and change one's playing times; each form is saved by itself."""
    user = cast(User, request.user)
    which = request.POST.get("form", "")
    times = PlayingTimesForm(user, request.POST if which == "times" else None)
    leave = LeaveForm(user, request.POST if which == "leave" else None)
    deputy = DeputyForm(user, request.POST if which == "deputy" else None)
    done = ""
    if which == "times" and times.is_valid() and times.save():
        done = _("Saved. This counts from your next turn on.")
    elif which == "leave" and leave.is_valid() and leave.save():
        done = _("Your leave is booked. Players at your tables can see it.")
    elif which == "deputy" and deputy.is_valid():
        deputy.save()
        done = _("Saved.")
    if done:
        messages.success(request, done)
        return redirect("account_settings_times")
    row = calendars.current(user)
    zone = calendars.own_zone(user)
    context = {
        "times": times,
        "leave": leave,
        "deputy": deputy,
        "is_new": row.pk is None,
        "zone": row.zone,
        "free_from": free.astimezone(zone) if (free := calendars.may_change_from(user)) else None,
        "now": timezone.now().astimezone(zone),
        "balance": calendars.balance(user),
        "most": calendars.MOST_DAYS,
        "upcoming": [
            {
                "id": booked.pk,
                "begin": booked.starts_at.astimezone(zone),
                "end": booked.ends_at.astimezone(zone),
                "days": booked.days,
                "is_automatic": booked.is_automatic,
            }
            for booked in calendars.upcoming(user)
        ],
    }
    status = 422 if times.errors or leave.errors or deputy.errors else 200
    return render(request, "account/settings_times.html", context, status=status)


@login_required
@require_POST
def give_back(request: HttpRequest, number: int) -> HttpResponse:
    """Cancel booked leave, or end it now."""
    calendars.give_back(get_object_or_404(Leave, pk=number, user=cast(User, request.user), is_automatic=False))
    messages.success(request, _("Your unused leave days have been returned."))
    return redirect("account_settings_times")
