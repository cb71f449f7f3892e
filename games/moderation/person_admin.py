"""The page of one person at the desk."""

from collections.abc import Callable
from typing import Any, cast

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.admin_kit import row_or_404
from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.models import Report
from games.moderation import person_file, queue
from games.moderation.answers import REASONS, written_for
from games.moderation.decision_forms import PersonForm

#: Something done on the page, by POST. Without an answer the page is shown again.
Act = Callable[[HttpRequest, User, User], HttpResponse | None]


def urls() -> list[URLPattern]:
    """The page and what is done there."""
    view = admin.site.admin_view
    return [
        path("person/<int:pk>/", view(show), name="person_file"),
        *(path(f"person/<int:pk>/{name}/", view(_do(act)), name=f"person_{name}") for name, act in ACTS.items()),
    ]


def show(request: HttpRequest, pk: int) -> HttpResponse:
    """The file of one person."""
    return _page(request, _find(request, pk))


def _find(request: HttpRequest, pk: int) -> User:
    if not any(request.user.has_perm(power) for power in queue.DESKS):
        raise PermissionDenied
    return cast(User, row_or_404(User.objects.all(), pk))


def _page(request: HttpRequest, person: User, **more: Any) -> HttpResponse:
    moderator = cast(User, request.user)
    file = person_file.file_of(moderator, person)
    why_not = person_file.why_not(moderator, person)
    context = {
        **admin.site.each_context(request),
        "title": person.name,
        "opts": Report._meta,
        "person": person,
        "file": file,
        "why_not": why_not,
        "handles_accounts": moderator.has_perm("moderation.handle_accounts"),
        "similar": person_file.similar_to(moderator, file.look, timezone.now()) if file.look else [],
        "form": PersonForm(moderator, person),
        **more,
    }
    return TemplateResponse(request, "admin/moderation/person.html", context)


def _do(act: Act) -> Callable[[HttpRequest, int], HttpResponse]:
    """A POST that ends on the page, with the reason if it could not be done."""

    def view(request: HttpRequest, pk: int) -> HttpResponse:
        person = _find(request, pk)
        file = redirect("admin:person_file", pk)
        if request.method != "POST":
            return file
        moderator = cast(User, request.user)
        try:
            reason = person_file.why_not(moderator, person)
            if reason:
                raise person_file.FileError(reason)
            return act(request, moderator, person) or file
        except (person_file.FileError, sanctions.SanctionError) as problem:
            messages.error(request, str(problem))
            return file

    return view


def note(request: HttpRequest, moderator: User, person: User) -> None:
    """Write something down."""
    person_file.add_note(moderator, person, request.POST.get("text", ""))


def sessions(request: HttpRequest, moderator: User, person: User) -> HttpResponse:
    """Show where the person is logged in, which is logged."""
    return _page(request, person, sessions=person_file.sessions_of(moderator, person))


def ask(request: HttpRequest, moderator: User, person: User) -> None:
    """Ask for a look at similar accounts."""
    person_file.ask_for_similar(moderator, person, request.POST.get("reason", ""))
    messages.success(request, _("A second moderator has to agree."))


def agree(_request: HttpRequest, moderator: User, person: User) -> None:
    """Agree to that look."""
    person_file.agree(moderator, person)


def decide(request: HttpRequest, moderator: User, person: User) -> HttpResponse | None:
    """A sanction without a report."""
    form = PersonForm(moderator, person, request.POST)
    if not form.is_valid():
        return _page(request, person, form=form)
    data = form.cleaned_data
    done = sanctions.impose(
        moderator,
        person,
        data["kind"],
        data["rule"],
        written_for(person, data["reason"], data["ready"], REASONS),
        until=form.until(timezone.now()),
    )
    said = _("A second moderator has to confirm it.") if done.waits_for_second else _("It is in force.")
    messages.success(request, said)
    return None


#: Every act by the last part of its address.
ACTS: dict[str, Act] = {"note": note, "sessions": sessions, "ask": ask, "agree": agree, "decide": decide}
