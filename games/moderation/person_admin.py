"""The page of one person at the desk."""

from collections.abc import Callable
from typing import Any, cast

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.models import Report
from games.moderation import person_file, queue
from games.moderation.answers import REASONS, written_for
from games.moderation.conflict_of_interest import Known, known_to
from games.moderation.decision_forms import PersonForm, proposed_hours

#: An action on the page, by POST. If it returns no response, the page is shown again.
Act = Callable[[HttpRequest, User, Known], HttpResponse | None]


def urls() -> list[URLPattern]:
    """The page and its actions."""
    view = admin.site.admin_view
    return [
        path("person/<int:pk>/", view(show), name="person_file"),
        path("person/<int:pk>/similar/", view(similar), name="person_similar"),
        *(path(f"person/<int:pk>/{name}/", view(_do(act)), name=f"person_{name}") for name, act in ACTS.items()),
    ]


def show(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the file of one person."""
    return _page(request, _find(request, pk))


def similar(request: HttpRequest, pk: int) -> HttpResponse:
    """Show similar accounts, to the two moderators who agreed to look."""
    known, moderator = _find(request, pk), cast(User, request.user)
    if not moderator.has_perm("moderation.handle_accounts"):
        raise PermissionDenied
    look = person_file.look_at(known.person)
    context = {
        **_context(request, known),
        "look": look,
        "similar": person_file.similar_to(moderator, look, timezone.now()) if look else [],
    }
    return TemplateResponse(request, "admin/moderation/similar.html", context)


def _find(request: HttpRequest, pk: int) -> Known:
    moderator = cast(User, request.user)
    if not any(moderator.has_perm(power) for power in queue.DESKS):
        raise PermissionDenied
    # PostgreSQL takes no longer numbers.
    for known in known_to(moderator, [pk] if pk.bit_length() < 64 else []).values():
        return known
    raise Http404


def _context(request: HttpRequest, known: Known) -> dict[str, Any]:
    return {
        **admin.site.each_context(request),
        "title": known.person.name,
        "opts": Report._meta,
        "person": known.person,
        "why_not": person_file.why_not(cast(User, request.user), known),
    }


def _page(request: HttpRequest, known: Known, **more: Any) -> HttpResponse:
    moderator = cast(User, request.user)
    file = person_file.file_of(moderator, known)
    context = {
        **_context(request, known),
        "file": file,
        "handles_accounts": moderator.has_perm("moderation.handle_accounts"),
        "form": PersonForm(moderator, file.proposed_hours),
        **more,
    }
    return TemplateResponse(request, "admin/moderation/person.html", context)


def _do(act: Act) -> Callable[[HttpRequest, int], HttpResponse]:
    """Run an action by POST and return to the page, with the reason if it failed."""

    def view(request: HttpRequest, pk: int) -> HttpResponse:
        known = _find(request, pk)
        file = redirect("admin:person_file", pk)
        if request.method != "POST":
            return file
        moderator = cast(User, request.user)
        try:
            reason = person_file.why_not(moderator, known)
            if reason:
                raise person_file.FileError(reason)
            return act(request, moderator, known) or file
        except (person_file.FileError, sanctions.SanctionError) as problem:
            messages.error(request, str(problem))
            return file

    return view


def note(request: HttpRequest, moderator: User, known: Known) -> None:
    """Add a note."""
    person_file.add_note(moderator, known.person, request.POST.get("text", ""))


def sessions(request: HttpRequest, moderator: User, known: Known) -> HttpResponse:
    """Show the person's sessions; the look is logged."""
    return _page(request, known, sessions=person_file.sessions_of(moderator, known.person))


def ask(request: HttpRequest, moderator: User, known: Known) -> HttpResponse:
    """Ask for a look at similar accounts."""
    person_file.ask_for_similar(moderator, known.person, request.POST.get("reason", ""))
    messages.success(request, _("A second moderator has to agree."))
    return redirect("admin:person_similar", known.person.pk)


def agree(_request: HttpRequest, moderator: User, known: Known) -> HttpResponse:
    """Agree to another moderator's request to look at similar accounts."""
    person_file.agree(moderator, known.person)
    return redirect("admin:person_similar", known.person.pk)


def decide(request: HttpRequest, moderator: User, known: Known) -> HttpResponse | None:
    """Impose a sanction without a report."""
    person = known.person
    form = PersonForm(moderator, proposed_hours(person), request.POST)
    if not form.is_valid():
        return _page(request, known, form=form)
    data = form.cleaned_data
    done = sanctions.impose(
        moderator,
        person,
        data["kind"],
        data["rule"],
        written_for(person, data["reason"], data["ready"], REASONS),
        until=form.until(timezone.now()),
    )
    said = (
        _("A second moderator has to confirm the decision.")
        if done.waits_for_second
        else _("The decision is in force.")
    )
    messages.success(request, said)
    return None


#: The actions by the last part of their URL.
ACTS: dict[str, Act] = {"note": note, "sessions": sessions, "ask": ask, "agree": agree, "decide": decide}
