"""Pages to download your data or delete your account."""

import json
from typing import cast

from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.ratelimit import consume, respond_429
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import account_deletion, guests, names, personal_data, renames, retention, sessions
from accounts.models import User


class LeaveForm(forms.Form):
    """The user's name, typed, so that no account is deleted by accident."""

    name = forms.CharField(
        label=gettext_lazy("Type your name to confirm"),
        max_length=names.MAX_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: object, user: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # passed on unchanged
        self.user = user

    def clean_name(self) -> str:
        """The typed name, if it is the user's."""
        if names.key(self.cleaned_data["name"]) != self.user.name_key:
            raise ValidationError(_("Your name is %(name)s."), params={"name": self.user.name})
        return self.cleaned_data["name"]


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """The privacy page: what is kept, for how long and why, with the numbers from the code."""
    days = {
        "session": settings.SESSION_COOKIE_AGE // (24 * 3600),
        "guest": guests.IDLE.days,
        "unconfirmed": guests.UNCONFIRMED.days,
        "sent": retention.KEEP_SENT.days,
        "failed": retention.KEEP_FAILED.days,
        "reports": retention.KEEP_REPORTS.days,
        "names": renames.EVERY.days,
        "browser": sessions.COOKIE_AGE // (24 * 3600),
    }
    return render(request, "account/privacy.html", {"days": days, "contact": settings.CONTACT})


@never_cache
@login_required
@require_safe
def your_data(request: HttpRequest) -> HttpResponse:
    """The page to download your data or delete your account."""
    return render(request, "account/your_data.html")


@never_cache
@login_required
@require_POST
@reauthentication_required
def export(request: HttpRequest) -> HttpResponse:
    """Download everything that the site knows about the user: as JSON, or as a page to read."""
    user = cast(User, request.user)
    if not consume(request, action="export", user=user):
        raise ImmediateHttpResponse(respond_429(request))
    if request.POST.get("form") == "html":
        context = {"sections": personal_data.export(user), "person": user, "now": timezone.now()}
        response = render(request, "account/export.html", context)
        kind = "html"
    else:
        # The same names in every language, also for programs.
        with translation.override("en"):
            data = {section.title: section.rows for section in personal_data.export(user)}
        response = HttpResponse(json.dumps(data, cls=DjangoJSONEncoder, indent=1), content_type="application/json")
        kind = "json"
    response["Content-Disposition"] = f'attachment; filename="armani-{timezone.now():%Y-%m-%d}.{kind}"'
    return response


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required
def leave(request: HttpRequest) -> HttpResponse:
    """Delete the account for good."""
    user = User.objects.get(pk=cast(User, request.user).pk)
    form = LeaveForm(request.POST or None, user=user)
    if request.method == "POST" and form.is_valid():
        try:
            account_deletion.close_account(user)
        except account_deletion.DeletionError as problem:
            form.add_error(None, str(problem))
        else:
            logout(request)
            messages.success(request, _("Your account is deleted. Thank you for playing!"))
            return redirect("home")
    return render(request, "account/leave.html", {"form": form}, status=422 if form.errors else 200)
