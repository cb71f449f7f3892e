"""The page of a plan, and the settings for automatic moves."""

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django.views.generic import FormView

from accounts.models import User
from games import rules
from games.engine import View
from games.matches import service
from games.matches.models import Match
from games.matches.tasks import queue
from games.plans import run_plans, tasks
from games.plans.forms import HabitForm, PlanForm
from games.plans.models import Habit, Plan
from games.plans.preconditions import MOST_STEPS, can_bid, candidates, highest_bid
from games.table.page import plain_zones


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def plan(request: HttpRequest, key: str) -> HttpResponse:
    """Show, change or delete the user's plan in a match."""
    match = get_object_or_404(Match, key=key)
    user = cast(User, request.user)
    seat = match.seats.filter(player=user).first()
    if seat is None or not run_plans.may_plan(match, seat, user):
        raise Http404(_("You can plan moves only in your own turn-based matches."))
    if "drop" in request.POST:
        run_plans.drop(match, user)
        messages.success(request, _("You've deleted the plan."))
        return redirect("match_plan", key)
    table = service.load(match.pk)
    view = table.view(seat.number)
    laid = run_plans.plan_of(seat, user)
    proposed = _proposed(request.GET, view)
    form = PlanForm(view, table.names, proposed or laid, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            run_plans.lay(match, user, moves=form.moves, maximum=form.maximum)
        except service.Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("You've saved the plan."))
            # At once if it's this player's turn; the sweep does it if the broker is down.
            queue(tasks.run, match.pk)
            return redirect("match_plan", key)
    context = {
        "match": match,
        "laid": laid,
        "names": table.names,
        "is_my_turn": seat.number in table.deciders(),
        "form": form,
        "is_proposed": proposed is not None,
        "reply_address": settings.REPLY_ADDRESS,
        "note": _(note) if (note := rules.presentation(match.slug).plan_note) else "",
        "hand": [
            zone for zone in plain_zones(view.to_json(), table.names) if zone.is_hand and zone.owner == seat.number
        ],
    }
    return render(request, "plans/plan.html", context, status=422 if form.errors else 200)


def _proposed(asked: QueryDict, view: View) -> Plan | None:
    """The unsaved plan from an email's link; None if there is none, or nothing of it can be planned now."""
    possible = candidates(view)
    moves = [move for move in asked.getlist("step")[:MOST_STEPS] if move in possible]
    maximum = asked.get("maximum", "")
    if can_bid(view) and maximum.isdecimal() and 1 <= int(maximum[:4]) <= highest_bid(view):
        return Plan(maximum=int(maximum[:4]))
    return Plan(moves=moves) if moves else None


@method_decorator(login_required, name="dispatch")
class HabitView(FormView):
    """The settings of automatic moves."""

    form_class = HabitForm
    template_name = "plans/settings.html"

    def get_form_kwargs(self) -> dict[str, Any]:
        user = cast(User, self.request.user)
        return {**super().get_form_kwargs(), "instance": Habit.objects.filter(user=user).first() or Habit(user=user)}

    def form_valid(self, form: HabitForm) -> HttpResponse:
        form.save()
        messages.success(self.request, _("Saved."))
        return redirect(self.request.path)


urlpatterns = [
    path("match/<slug:key>/plan/", plan, name="match_plan"),
    path("accounts/settings/plans/", HabitView.as_view(), name="account_settings_plans"),
]
