"""Settings of profile, appearance and moves, and the small forms to befriend and block players."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, cast

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.ratelimit import consume, respond_429
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST
from django.views.generic import FormView

from accounts import languages, links, names, social
from accounts.compiled import compiled, first
from accounts.models import User
from accounts.people import preferences
from accounts.people.forms import AnyPreferenceForm, LookForm, MovesForm, ProfileForm
from accounts.people.models import Block, Preferences, Profile


def _save_fields(form: ModelForm) -> None:
    """Save only what the form asks for, so that two forms sent at once don't undo each other's changes."""
    row = form.instance
    fields = {name: getattr(row, name) for name in form.fields if hasattr(row, name)}
    type(row)._default_manager.update_or_create(user=row.user, defaults=fields)


@method_decorator(login_required, name="dispatch")
class OwnFormView(ABC, FormView):
    """A settings page with one form over a row of the user."""

    heading: Any = ""

    @property
    def me(self) -> User:
        return cast(User, self.request.user)

    @abstractmethod
    def instance(self) -> Any:
        """The row, stored or unsaved."""

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "instance": self.instance()}

    def form_valid(self, form: ModelForm) -> HttpResponse:
        _save_fields(form)
        messages.success(self.request, _("Saved."))
        return super().form_valid(form)

    def form_invalid(self, form: ModelForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)

    def get_success_url(self) -> str:
        return self.request.path


class ProfileSettingsView(OwnFormView):
    """The settings page of the profile."""

    form_class = ProfileForm
    template_name = "people/settings_profile.html"

    def instance(self) -> Profile:
        return Profile.objects.filter(user=self.me).first() or Profile(user=self.me)


class PreferencesView(OwnFormView):
    """A settings page for some of the preferences."""

    def instance(self) -> Preferences:
        return preferences.of_user(self.me)


class LookSettingsView(PreferencesView):
    """The settings page of theme, cards and language."""

    form_class = LookForm
    template_name = "people/settings_look.html"

    def form_valid(self, form: ModelForm) -> HttpResponse:
        """Save the preferences, and drop this browser's own choice of brightness."""
        response = super().form_valid(form)
        response.delete_cookie("theme", samesite="Lax")
        if language := form.cleaned_data["language"]:
            languages.choose(self.request, response, language)
        return response


class MovesSettingsView(PreferencesView):
    """The settings page of moves and sounds."""

    form_class = MovesForm
    template_name = "people/settings_moves.html"


@require_POST
def save_preferences(request: HttpRequest) -> HttpResponse:
    """Save preferences changed at a table; visitors' browsers keep them instead."""
    if not request.user.is_authenticated:
        return JsonResponse({"reason": _("You aren't logged in.")}, status=403)
    form = AnyPreferenceForm(request.POST, instance=preferences.of_user(request.user))
    if not form.is_valid():
        return JsonResponse({"reason": form.errors}, status=422)
    _save_fields(form)
    return HttpResponse(status=204)


@require_POST
@login_required
def switch_talk(request: HttpRequest) -> HttpResponse:
    """Switch the chat on or off at all tables."""
    me = cast(User, request.user)
    Preferences.objects.update_or_create(user=me, defaults={"talk": request.POST.get("talk") == "true"})
    social.mutes_changed.send(sender=None, user_id=me.pk)
    return redirect(links.next_page(request, reverse("friends")))


def person_or_404(name_key: str) -> User:
    """The person with that name, in any spelling; 404 if there is none, or the account is closed."""
    person = first(_by_name(names.key(name_key)))
    if person is None:
        raise Http404
    return person


@compiled
def _by_name(name_key: str) -> QuerySet[User]:
    return User.objects.filter(name_key=name_key, is_active=True)


def _befriend(me: User, other: User) -> str:
    there = social.ask(me, other)
    if there.accepted_at is not None:
        return _("You and %(name)s are friends.")
    return _("%(name)s will see your request.")


def _part(me: User, other: User) -> str:
    social.end_friendship(me, other)
    return _("%(name)s isn't on your list of friends.")


def _block(me: User, other: User) -> str:
    social.block(me, other)
    return _("You've blocked %(name)s. We don't tell them.")


def _mute(me: User, other: User) -> str:
    social.block(me, other, Block.Kind.MUTE)
    return _("You've muted %(name)s. We don't tell them.")


def _unblock(me: User, other: User) -> str:
    social.unblock(me, other)
    return _("%(name)s is no longer blocked or muted.")


_ACTIONS: dict[str, Callable[[User, User], str]] = {
    "befriend": _befriend,
    "part": _part,
    "block": _block,
    "mute": _mute,
    "unblock": _unblock,
}


@require_POST
@login_required(login_url=reverse_lazy("account_login"))
def act(request: HttpRequest, name_key: str, name: str) -> HttpResponse:
    """Befriend, unfriend, block, mute or unblock a player."""
    other = person_or_404(name_key)
    assert request.user.is_authenticated  # noqa: S101 - for the type checker
    if not consume(request, action="people", key=f"user:{request.user.pk}"):
        raise ImmediateHttpResponse(respond_429(request))
    try:
        text = _ACTIONS[name](request.user, other)
    except social.FriendshipError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, text % {"name": other.name})
    return redirect(links.next_page(request, reverse("player", args=[other.name_key])))
