"""Our adapter for allauth: its texts, and its emails with a text and an HTML part."""

from typing import Any, ClassVar
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

from . import confirmation, outbox
from .email_style import inlined, wrapped
from .links import absolute, is_page
from .models import User
from .sessions import known_to
from .signals import guest_logged_in, is_signup_open


class AccountAdapter(DefaultAccountAdapter):
    """allauth's hooks; see its documentation for when each is called."""

    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": _(
            "Wrong email or password, or the address isn't confirmed yet. If you've just signed up, open "
            "the link in our email first."
        ),
        "too_many_login_attempts": _("Too many failed attempts. Please try again in a few minutes."),
        "duplicate_email": _("This is already your address."),
        "enter_current_password": _("That's not your current password."),
        "incorrect_password": _("That's not your password."),
    }
    #: What an email says about the second factor, by the name of allauth's template.
    news: ClassVar[dict[str, Any]] = {
        "mfa/email/totp_activated": _("An authenticator app was set up"),
        "mfa/email/totp_deactivated": _("The authenticator app was turned off"),
        "mfa/email/webauthn_added": _("A passkey was added"),
        "mfa/email/webauthn_removed": _("A passkey was removed"),
        "mfa/email/recovery_codes_generated": _("You have new recovery codes"),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether sign-up is open."""
        return is_signup_open()

    def login(self, request: HttpRequest, user: Any) -> None:
        """Log in, and signal which guest the browser was until now, so that receivers can keep the guest's data."""
        guest = request.user if request.user.is_authenticated and request.user.is_guest else None
        super().login(request, user)
        if guest is not None and guest.pk != user.pk:
            guest_logged_in.send(None, guest=guest, user=user)

    def is_safe_url(self, url: str) -> bool:
        """Whether login and similar pages may redirect to ``url``."""
        return is_page(url)

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """The table of an email invitation opened before logging in, or the usual page after login."""
        return request.session.get("land_at") or super().get_login_redirect_url(request)

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        """The page after a confirmed sign-up: the same as after login."""
        return request.session.get("land_at") or super().get_signup_redirect_url(request)

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMultiAlternatives:
        """The email of the templates ``…_subject.txt``, ``…_message.txt`` and, with its style inlined, ``.html``."""
        to = [email] if isinstance(email, str) else email
        # allauth takes the host and scheme of links from the request, which isn't always sent by the email's reader.
        links = {name: absolute(urlsplit(url).path) for name, url in context.items() if name.endswith("_url")}
        context = {**context, **links}
        subject = " ".join(render_to_string(f"{template_prefix}_subject.txt", context).split())
        text = wrapped(render_to_string(f"{template_prefix}_message.txt", context))
        html = inlined(render_to_string(f"{template_prefix}_message.html", {**context, "subject": subject}))
        message = EmailMultiAlternatives(subject, text, settings.DEFAULT_FROM_EMAIL, to, headers=headers)
        message.attach_alternative(html, "text/html")
        return message

    def send_notification_mail(self, template_prefix: str, user: User, *args: Any, **kwargs: Any) -> None:
        """Email the account's owner about a change; cancelling an unconfirmed address doesn't count as one."""
        if template_prefix == "account/email/email_deleted" or not outbox.wants(user, "security"):
            return
        if template_prefix in self.news:
            kwargs["context"] = {**(kwargs.get("context") or {}), "news": self.news[template_prefix]}
            template_prefix = "account/email/second_factor"
        super().send_notification_mail(template_prefix, user, *args, **kwargs)

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """The ways to confirm one's identity, in our words."""
        words = {
            "reauthenticate": _("Use the password"),
            "mfa_reauthenticate": _("Use a code"),
            "mfa_reauthenticate:webauthn": _("Use a passkey"),
        }
        methods = super().get_reauthentication_methods(user)
        return [{**method, "description": words.get(method["id"], method["description"])} for method in methods]

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """The key under which failed logins are counted; browsers that have logged in before have their own.

        Otherwise a stranger could lock the owner out by trying wrong passwords.
        """
        key: str = super()._get_login_attempts_cache_key(request, **credentials)
        owner = (
            User.objects.filter(email=str(credentials.get("email", "")).lower()).values_list("pk", flat=True).first()
        )
        return f"{key}:known" if owner is not None and owner in known_to(request) else key

    def send_confirmation_mail(self, request: HttpRequest, emailconfirmation: Any, signup: bool) -> None:
        """Send link and code; if the address already has an account, tell only its owner."""
        address = emailconfirmation.email_address
        if not address.can_set_verified():
            self.send_account_already_exists_mail(address.email)
            return
        context = {
            "user": address.user,
            "is_signup": address.user.is_guest,
            "activate_url": self.get_email_confirmation_url(request, emailconfirmation),
            "code": confirmation.spaced(confirmation.code_for(address.user_id, address.email)),
            "code_minutes": int(confirmation.LIFETIME.total_seconds() // 60),
        }
        self.send_mail("account/email/email_confirmation", address.email, context)
