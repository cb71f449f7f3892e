"""Notification settings: the page, and the links in email footers."""

import json
import re
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.mail import EmailMultiAlternatives
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from accounts import outbox
from accounts.email_style import inlined, wrapped
from accounts.models import User
from games.mail import push
from games.mail.models import ABSENCE, DELAYS, Correspondence, Kind, Preferences, PushSubscription, Timing
from games.mail.outgoing.email_builder import BadLink, Link
from games.mail.outgoing.turn_email import title
from games.matches.models import Match
from games.rules.wording import listing

#: The column of each kind of email that can be switched off; turns have their timing instead.
_SWITCHES = {
    Kind.INVITATION.value: "wants_invitation",
    Kind.BEGINS.value: "wants_begins",
    Kind.OVER.value: "wants_over",
    Kind.OFFER.value: "wants_offer",
    **dict.fromkeys([kind.value for kind in ABSENCE], "wants_away"),
    "moderation": "wants_moderation",
    "security": "wants_security",
}
_SESSION_KEY = "push_subscription"
#: A key of a push subscription, as browsers write it.
_KEY = re.compile(r"[\w=-]+", re.ASCII)


def timings(preferences: Preferences) -> list[tuple[str, Any]]:
    """The timing options of one match: as in the preferences, or its own. Digest hours are shared."""
    hours = listing([f"{hour}:00" for hour in preferences.hours]) if preferences.hours else ""
    own = [(Timing.DIGEST.value, _("in my digest, at %(hours)s") % {"hours": hours})] if hours else []
    others = [choice for choice in Timing.choices if choice[0] != Timing.DIGEST]
    return [("", _("same as my other matches")), *others[:-1], *own, others[-1]]


def wants(user: User, kind: str) -> bool:
    """Whether ``user`` wants emails of ``kind``; kinds without a switch are always on."""
    column = _SWITCHES.get(kind)
    if column is None:
        return True
    found = Preferences.objects.filter(user=user).values_list(column, flat=True).first()
    return found is not False


class NoticesForm(forms.ModelForm):
    """When a player is emailed, and about what."""

    hours = forms.TypedMultipleChoiceField(
        label=gettext_lazy("At these times"),
        choices=[(hour, f"{hour:02}") for hour in range(24)],
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    class Meta:
        model = Preferences
        fields = ("timing", "delay", "discretion", *dict.fromkeys(_SWITCHES.values()))
        widgets: ClassVar = {
            "timing": forms.RadioSelect,
            "delay": forms.Select,
            "discretion": forms.RadioSelect,
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        delays = sorted({*DELAYS, self.instance.delay})
        self.fields["delay"] = forms.TypedChoiceField(
            label=_("How long to wait"),
            choices=[(n, ngettext("%(n)d minute", "%(n)d minutes", n) % {"n": n}) for n in delays],
            coerce=int,
        )
        self.initial["hours"] = self.instance.hours

    @property
    def switches(self) -> list[forms.BoundField]:
        """The fields of the other kinds of emails."""
        return [self[name] for name in dict.fromkeys(_SWITCHES.values())]

    def clean(self) -> dict[str, Any] | None:
        """Require an hour for the digest."""
        data = super().clean()
        if data and data.get("timing") == Timing.DIGEST and not data.get("hours"):
            raise ValidationError({"hours": _("Choose at least one time for the digest.")})
        return data

    def save(self, commit: bool = True) -> Any:
        """Store the choices alone: an email may have noted its time in the same row meanwhile."""
        chosen = {name: self.cleaned_data[name] for name in self.Meta.fields}
        chosen["digest_hours"] = " ".join(str(hour) for hour in sorted(self.cleaned_data["hours"]))
        return Preferences.objects.update_or_create(user=self.instance.user, defaults=chosen)[0]


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def notices(request: HttpRequest) -> HttpResponse:
    """The settings page."""
    user = _user(request)
    stored = Preferences.objects.filter(user=user).first() or Preferences(user=user)
    form = NoticesForm(request.POST or None, instance=stored)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Notification settings saved."))
        return redirect("account_settings_notices")
    context = {
        "form": form,
        "push_key": push.public_key(),
        "browsers": PushSubscription.objects.filter(user=user).count(),
    }
    return render(request, "games/mail/notices.html", context, status=422 if form.errors else 200)


def trial_email(user: User) -> EmailMultiAlternatives:
    """The email that tests whether a bounced address works again."""
    context = {"user": user, "subject": _("Your email works again")}
    text = wrapped(render_to_string("mail/works.txt", context))
    message = EmailMultiAlternatives(str(context["subject"]), text, None, [user.email or ""])
    message.attach_alternative(inlined(render_to_string("mail/works.html", context)), "text/html")
    return message


@login_required
@require_POST
def try_address(request: HttpRequest) -> HttpResponse:
    """Give an address that bounced another chance, with a test email."""
    user = _user(request)
    if user.mail_trouble and user.email:
        User.objects.filter(pk=user.pk).update(undeliverable="", undeliverable_why="")
        outbox.enqueue(trial_email(user))
        messages.success(request, _("Your emails are on again. We've sent one to see if it arrives."))
    return redirect("account_settings_notices")


# The link alone gives access: a mail program that unsubscribes has neither cookies nor a CSRF token.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, token: str) -> HttpResponse:
    """The footer link of an email: viewing it changes nothing; a button or one-click unsubscribe does."""
    try:
        link = Link.read(token)
    except BadLink:
        return _plain(request, "games/mail/stop_unknown.html", {}, 404)
    user = get_object_or_404(User, pk=link.user_id)
    done = ""
    if request.method == "POST":
        done = _stop(user, link, request.POST)
        if not done:
            return HttpResponseBadRequest(_("You can't choose this."))
    match = Match.objects.filter(pk=link.match_id).first() if link.match_id else None
    own = match.seats.filter(player=user).first() if match else None
    current = Correspondence.objects.filter(user=user, match=match).first() if match else None
    names = [seat.name for seat in match.seats.order_by("number")] if match else []
    context = {
        "done": done,
        "is_turn": link.kind == Kind.TURN,
        "title": title(match, names, own.number) if match and own else "",
        "timings": timings(Preferences.of(user)),
        "current": current.timing if current else "",
        "what": NoticesForm.base_fields[_SWITCHES[link.kind]].label if link.kind in _SWITCHES else "",
    }
    return _plain(request, "games/mail/stop.html", context, 200)


def _stop(user: User, link: Link, data: Any) -> str:
    """Carry out a footer form or one-click unsubscribe; returns the new state in words, or nothing if invalid."""
    timing = data.get("timing")
    if timing is not None and link.match_id is not None and link.kind == Kind.TURN:
        if timing not in dict(timings(Preferences.of(user))):
            return ""
        Correspondence.objects.update_or_create(user=user, match_id=link.match_id, defaults={"timing": timing})
        return _("Saved for this match.")
    if data.get("List-Unsubscribe") != "One-Click" and "all" not in data:
        return ""
    stored, _new = Preferences.objects.get_or_create(user=user)
    if link.kind == Kind.TURN and link.match_id is not None and "all" not in data:
        # Each match is a list of its own: one click in its email ends that list.
        Correspondence.objects.update_or_create(user=user, match_id=link.match_id, defaults={"timing": Timing.NEVER})
        return _("You won't receive emails about this match any more.")
    if link.kind == Kind.TURN:
        stored.timing = Timing.NEVER
        stored.save(update_fields=["timing"])
        # A match with its own timing is switched off with the others.
        Correspondence.objects.filter(user=user).exclude(timing="").update(timing="")
    elif link.kind in _SWITCHES:
        setattr(stored, _SWITCHES[link.kind], False)
        stored.save(update_fields=[_SWITCHES[link.kind]])
    return _("You won't receive these emails any more.")


def _plain(request: HttpRequest, template: str, context: dict[str, Any], status: int) -> HttpResponse:
    response = render(request, template, context, status=status)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response


@login_required
@require_POST
def push_subscribe(request: HttpRequest) -> HttpResponse:
    """Store a browser's push subscription, given as the JSON of its own API."""
    try:
        given = json.loads(request.body)
        endpoint, keys = given["endpoint"], given["keys"]
        p256dh, auth = keys["p256dh"], keys["auth"]
        is_well_formed = (
            bool(endpoint) and isinstance(endpoint, str) and _KEY.fullmatch(p256dh) and _KEY.fullmatch(auth)
        )
    except (ValueError, KeyError, TypeError):
        is_well_formed = False
    if not is_well_formed or len(endpoint) > 1000 or len(p256dh) > 120 or len(auth) > 40:
        return JsonResponse({"reason": _("We couldn't turn on notifications.")}, status=400)
    if not push.public_key() or not push.is_push_service(endpoint):
        return JsonResponse({"reason": _("Notifications don't work in this browser.")}, status=400)
    subscription = push.subscribe(_user(request), endpoint, p256dh, auth)
    request.session[_SESSION_KEY] = subscription.pk
    return JsonResponse({"browsers": PushSubscription.objects.filter(user=_user(request)).count()})


@login_required
@require_POST
def push_forget(request: HttpRequest) -> HttpResponse:
    """Delete the push subscription with this endpoint, or all without one."""
    found = PushSubscription.objects.filter(user=_user(request))
    endpoint = request.POST.get("endpoint")
    (found.filter(endpoint=endpoint) if endpoint else found).delete()
    if not endpoint:
        messages.success(request, _("Notifications are off in all your browsers."))
        return redirect("account_settings_notices")
    return JsonResponse({"browsers": PushSubscription.objects.filter(user=_user(request)).count()})


def forget_browser(*, request: HttpRequest | None, user: Any, **_kwargs: Any) -> None:
    """End pushes to a browser at logout, so that its next user gets none."""
    if user is not None and request is not None and (pk := request.session.get(_SESSION_KEY)):
        PushSubscription.objects.filter(pk=pk, user=user).delete()


def _user(request: HttpRequest) -> User:
    """The logged-in user, behind ``login_required``."""
    return cast(User, request.user)
