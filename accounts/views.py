"""Pages for signing up, logging in and managing an account, where they differ from allauth's."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from allauth.account import views as allauth_views
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.ratelimit import consume, respond_429
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django.views.generic import FormView
from django.views.generic import View as BaseView

from . import confirmation, links
from .forms import CodeForm, ConfirmPasswordForm, NameForm
from .guests import ensure_player
from .models import User

View = Callable[..., HttpResponseBase]


def members_only(view: View) -> View:
    """Restrict a page about address and password to members; redirect guests to the sign-up."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and request.user.is_guest:
            return redirect("account_signup")
        return view(request, *args, **kwargs)

    return guarded


class EntranceMixin(BaseView):
    """A page to log in or sign up: logged-in members are redirected, guests may use it."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and not request.user.is_guest:
            return redirect(self.get_authenticated_redirect_url())  # type: ignore[attr-defined]  # allauth's views have it
        return super().dispatch(request, *args, **kwargs)


class LoginView(EntranceMixin, allauth_views.LoginView):
    """The login page, also for a guest who has an account."""


class SignupView(EntranceMixin, allauth_views.SignupView):
    """The sign-up page; a guest keeps their row, seats and matches."""

    def get_form_kwargs(self) -> dict[str, Any]:
        """Pass the guest to the form, if there is one."""
        user = self.request.user
        return {**super().get_form_kwargs(), "guest": user if user.is_authenticated else None}

    def get_initial(self) -> dict[str, Any]:
        """Suggest the guest's name."""
        user = self.request.user
        return {**super().get_initial(), **({"name": user.name} if user.is_authenticated else {})}

    def form_valid(self, form: Any) -> HttpResponseBase:
        """Sign up, unless the name was taken a moment ago."""
        try:
            with transaction.atomic():
                return super().form_valid(form)
        except IntegrityError:
            form.add_error("name", _("This name is taken."))
            return self.form_invalid(form)


class ConfirmEmailView(allauth_views.ConfirmEmailView):
    """The page behind a confirmation link: opening it changes nothing, its button confirms."""

    password_form: ConfirmPasswordForm | None = None

    def get(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the button, or explain why there is none."""
        try:
            self.object = self.get_object()
        except Http404:
            return self._too_late()
        return self.render_to_response(self._form_context())

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Confirm the address, and log in if this browser signed up with it; another browser needs the password."""
        try:
            self.object = self.get_object()
            if not self._is_meant():
                return self.render_to_response(self._form_context(), status=422)
            with transaction.atomic():
                response = super().post(*args, **kwargs)
        except (Http404, IntegrityError):  # used, expired, or confirmed by another user a moment ago
            return self._too_late()
        confirmation.forget_address(self.request)
        return response

    def _is_meant(self) -> bool:
        """Whether the account belongs to the reader of the email.

        A stranger can sign up with another person's address. That person must not confirm it for them by clicking a
        button.
        """
        address = self.object.email_address
        if self._is_here():
            return True
        self.password_form = ConfirmPasswordForm(self.request.POST, user=address.user)
        if not consume(self.request, action="confirm_code", key=str(address.user_id)):
            self.password_form.add_error(None, _("Too many attempts. Wait ten minutes."))
        return self.password_form.is_valid()

    def _is_here(self) -> bool:
        """Whether this browser requested the email."""
        user_id, email = self.object.email_address.user_id, self.object.email_address.email
        return self.request.user.pk == user_id or confirmation.awaited_address(self.request) == (user_id, email)

    def _form_context(self) -> dict[str, Any]:
        asked = {} if self._is_here() else {"form": self.password_form or ConfirmPasswordForm()}
        return {**self.get_context_data(), **asked}

    def _too_late(self) -> HttpResponse:
        self.object = None
        return self.render_to_response(self.get_context_data(), status=410)


class VerificationSentView(ConfirmEmailView):
    """The page after "we have sent an email": type its code here, or have it sent again."""

    template_name = "account/verification_sent.html"

    @method_decorator(never_cache)
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        self.object = None
        self.form = CodeForm(request.POST if "code" in request.POST else None)
        return super().dispatch(request, *args, **kwargs)

    def get(self, *args: Any, **kwargs: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data())

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Confirm by the code, or send another email."""
        awaited = self._awaited()
        if awaited is None:
            return redirect("account_login")
        if "again" in self.request.POST:
            return self._send_again(*awaited)
        if self.form.is_valid() and self._take_code(*awaited):
            return super().post(*args, **kwargs)
        return self.render_to_response(self.get_context_data(), status=422)

    def get_object(self, queryset: Any = None) -> EmailConfirmationHMAC:
        """The confirmation that belongs to the code."""
        if self.object is None:
            raise Http404
        return self.object

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The form, and its address if this browser knows it."""
        awaited = self._awaited()
        address = awaited[1] if awaited else None
        return {**super().get_context_data(**kwargs), "form": self.form, "email": address}

    def _awaited(self) -> tuple[int, str] | None:
        """The user and address to confirm: a member's new address, or the one just signed up with."""
        user = self.request.user
        if user.is_authenticated and not user.is_guest:
            new = EmailAddress.objects.get_new(user)
            return (user.pk, new.email) if new else None
        return confirmation.awaited_address(self.request)

    def _take_code(self, user_id: int, email: str) -> bool:
        """Check the code; if it is wrong the form says so, in the same words as for a taken address."""
        if not consume(self.request, action="confirm_code", key=str(user_id)):
            self.form.add_error("code", _("Too many attempts. Wait ten minutes, or open the link in the email."))
            return False
        address = EmailAddress.objects.filter(user_id=user_id, email=email, verified=False).first()
        is_right = confirmation.is_code_for(user_id, email, self.form.cleaned_data["code"])
        if address is None or not is_right:
            self.form.add_error("code", _("This code is wrong or has expired."))
            return False
        self.object = EmailConfirmationHMAC(address)
        return True

    def _send_again(self, user_id: int, email: str) -> HttpResponse:
        """Send the sign-up's email again, unless the last one was sent just now."""
        if consume(self.request, action="confirm_email", key=email):
            address = EmailAddress.objects.filter(user_id=user_id, email=email, verified=False).first()
            if address is None:
                get_adapter().send_account_already_exists_mail(email)
            else:
                address.send_confirmation(self.request)
            messages.success(self.request, _("We've sent it again."))
        else:
            messages.info(self.request, _("We've just emailed you. Wait a few minutes before you ask again."))
        return redirect("account_email_verification_sent")


class PasswordResetFromKeyView(allauth_views.PasswordResetFromKeyView):
    """The page of a password reset link: only choosing a password logs others out of this browser, not seeing it."""

    def logout(self) -> None:
        """Log out another user who is logged in here."""
        if self.request.method == "POST":
            super().logout()


@login_required
@require_safe
def settings_hub(request: HttpRequest) -> HttpResponse:
    """The sections of the settings; see ``accounts.settings_sections``."""
    return render(request, "account/settings_hub.html")


@method_decorator(login_required, name="dispatch")
class AccountSettingsView(FormView):
    """The account page: the display name, and links to address and password."""

    template_name = "account/settings_account.html"
    form_class = NameForm
    success_url = reverse_lazy("account_settings_account")

    def get_form_kwargs(self) -> dict[str, Any]:
        """Have the form edit a copy of the user, so that an invalid name doesn't show in the page's header."""
        user = User.objects.get(pk=cast(int, self.request.user.pk))
        return {**super().get_form_kwargs(), "instance": user}

    def form_valid(self, form: NameForm) -> HttpResponse:
        """Save the name, unless it was taken a moment ago."""
        if not form.has_changed():
            return super().form_valid(form)
        if not consume(self.request, action="rename", user=self.request.user):
            raise ImmediateHttpResponse(respond_429(self.request))
        try:
            with transaction.atomic():
                form.save()
        except IntegrityError:
            form.add_error("name", _("This name is taken."))
            return self.form_invalid(form)
        messages.success(self.request, _("Your name is now %(name)s.") % {"name": form.instance.name})
        return super().form_valid(form)


@require_POST
def try_guest(request: HttpRequest) -> HttpResponse:
    """Log a visitor in as a guest, and continue to ``next``."""
    ensure_player(request)
    return redirect(links.next_page(request, "home"))
