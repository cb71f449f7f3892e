"""Players' pages about moderation: reporting, their reports, account status, appeals."""

from typing import cast

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.ratelimit import consume, respond_429
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.models import Report, Rule
from accounts.playing_times.calendars import own_zone
from games.moderation import reports
from games.moderation.forms import AppealForm, ReportForm

#: How many reports and decisions a page shows.
SHOWN = 50


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, kind: str, ref: str) -> HttpResponse:
    """Report a player, a chat message, a match or a move to the moderators."""
    me = cast(User, request.user)
    try:
        thing = reports.find(me, kind, ref)
    except reports.ReportError as problem:
        raise Http404(str(problem)) from None
    form = ReportForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if not consume(request, action="report", user=me):
            raise ImmediateHttpResponse(respond_429(request))
        try:
            reports.file(me, thing, form.cleaned_data["rule"], form.cleaned_data["sentence"])
        except reports.ReportError as problem:
            form.add_error(None, str(problem))
        else:
            messages.success(request, _("Thank you. A moderator will look into it, and we'll tell you the outcome."))
            return redirect(thing.match) if thing.match else redirect("my_reports")
    return render(request, "moderation/report.html", {"thing": thing, "form": form}, status=422 if form.errors else 200)


@never_cache
@login_required
@require_safe
def my_reports(request: HttpRequest) -> HttpResponse:
    """The page of the user's reports and their outcomes."""
    me = cast(User, request.user)
    mine = Report.objects.filter(reporter=me).order_by("-created_at")
    asked = me.moderator_questions.select_related("report").order_by("-pk")
    with timezone.override(own_zone(me)):
        return render(request, "moderation/my_reports.html", {"reports": mine[:SHOWN], "questions": asked[:SHOWN]})


@login_required
@require_POST
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer a question of the moderators."""
    me = cast(User, request.user)
    if not consume(request, action="report", user=me):
        raise ImmediateHttpResponse(respond_429(request))
    try:
        reports.answer_question(me, pk, request.POST.get("text", ""))
    except reports.ReportError as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, _("Your answer is with the moderators."))
    return redirect("my_reports")


@never_cache
@login_required
@require_safe
def my_standing(request: HttpRequest) -> HttpResponse:
    """The account status page: decisions about the user, what each means, and how to appeal."""
    me = cast(User, request.user)
    about_me = sanctions.visible_to(me).select_related("match", "appeal").defer("match__snapshot")
    rows = list(about_me.prefetch_related("appeal__messages")[:SHOWN])
    with timezone.override(own_zone(me)):
        context = {
            "sanctions": [(each, sanctions.in_words(each)) for each in rows],
            "form": AppealForm(),
            "rules": Rule.labels,
        }
        return render(request, "moderation/my_standing.html", context)


@login_required
@require_POST
def read(request: HttpRequest, pk: int) -> HttpResponse:
    """Mark a decision as read."""
    sanctions.read(cast(User, request.user), pk)
    return redirect("my_standing")


@login_required
@require_POST
def appeal(request: HttpRequest, pk: int) -> HttpResponse:
    """Appeal against a decision, or add a message to the appeal."""
    me = cast(User, request.user)
    if not consume(request, action="report", user=me):
        raise ImmediateHttpResponse(respond_429(request))
    try:
        sanctions.appeal(me, get_object_or_404(sanctions.visible_to(me), pk=pk), request.POST.get("text", ""))
    except sanctions.SanctionError as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, _("Your message is with the moderators."))
    return redirect("my_standing")
