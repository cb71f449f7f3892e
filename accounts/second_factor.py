"""Second factors: passkeys, authenticator apps and recovery codes from allauth, and who needs one."""

import base64
import hashlib
from collections.abc import Callable, Collection
from typing import Any, ClassVar

from allauth.account.authentication import get_authentication_records
from allauth.mfa.adapter import DefaultMFAAdapter, get_adapter
from allauth.mfa.base.forms import AuthenticateForm as AllauthAuthenticateForm
from allauth.mfa.base.forms import ReauthenticateForm as AllauthReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm as AllauthActivateTOTPForm
from allauth.mfa.utils import is_mfa_enabled
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    EditWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from cryptography.fernet import Fernet, MultiFernet
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.compiled import compiled
from accounts.forms import PlainFields
from accounts.models import User
from accounts.security_log import note

#: What counts as a second factor; recovery codes only replace one.
FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
#: The most passkeys of one user, and the longest name of one.
MOST_KEYS, KEY_NAME_LENGTH = 12, 40


class MFAAdapter(DefaultMFAAdapter):
    """allauth's hooks: store secrets encrypted, and use our names."""

    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": gettext_lazy("This code is wrong or has expired."),
        "incorrect_passkey": gettext_lazy("This passkey doesn't work here."),
        "unverified_email": gettext_lazy("First confirm your new email address, or cancel the change."),
    }

    def encrypt(self, text: str) -> str:
        """Encrypt a secret for storage, so that a copy of the database alone opens no account."""
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt a secret."""
        return _cipher().decrypt(encrypted_text.encode()).decode()

    def is_mfa_enabled(self, user: User | AnonymousUser, types: Collection[str] | None = None) -> bool:
        """Whether this user has set up one of these factors, or any; asked at each login and desk page."""
        if user.is_anonymous:
            return False
        kinds = _kinds_of(user.pk)
        return bool(kinds) if types is None else any(kind in types for kind in kinds)

    def get_totp_issuer(self) -> str:
        """The name of this site in an authenticator app."""
        return "Armani"

    def generate_authenticator_name(self, user: User, type: str) -> str:  # noqa: A002 - allauth's name
        """A default name for a passkey."""
        count = Authenticator.objects.filter(user=user, type=type).count()
        return _("Passkey") if not count else _("Passkey %(number)d") % {"number": count + 1}

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """The site, as a browser names it when it asks for a passkey."""
        return {**super().get_public_key_credential_rp_entity(), "name": "Armani"}

    def get_public_key_credential_user_entity(self, user: User) -> dict[str, Any]:
        """The account, as a browser lists it: by name and address."""
        return {**super().get_public_key_credential_user_entity(user), "display_name": user.name}


@compiled
def _kinds_of(user_id: int) -> QuerySet[Authenticator, str]:
    return Authenticator.objects.filter(user=user_id).values_list("type", flat=True)


def _cipher() -> MultiFernet:
    """Encrypts with the site's current key, and also decrypts with former ones."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    digests = (hashlib.sha256(b"accounts.second_factor" + key.encode()).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])


class _CodeFields(PlainFields):
    labels: ClassVar = {"code": gettext_lazy("Code")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].widget.attrs.update({"autocapitalize": "off", "spellcheck": "false", "size": 12})


class AuthenticateForm(_CodeFields, AllauthAuthenticateForm):
    """The form for a code at login."""

    helps: ClassVar = {"code": gettext_lazy("Six digits from your authenticator app, or one of your recovery codes.")}


class ReauthenticateForm(_CodeFields, AllauthReauthenticateForm):
    """The form for a code before something important."""

    helps = AuthenticateForm.helps


class ActivateTOTPForm(_CodeFields, AllauthActivateTOTPForm):
    """The form for an authenticator app's first code, which proves that it has the secret."""

    helps: ClassVar = {"code": gettext_lazy("The six digits that your app shows now.")}


class _ReadsCredential(forms.Form):
    """Refuses malformed input; allauth's forms expect every part of a device's answer to be there."""

    def full_clean(self) -> None:
        try:
            super().full_clean()
        except (AttributeError, KeyError, TypeError, ValueError):
            self.errors["credential"] = self.error_class([get_adapter().error_messages["incorrect_passkey"]])
        if self.has_error("credential", "incorrect_code"):
            self.errors["credential"] = self.error_class([get_adapter().error_messages["incorrect_passkey"]])


class PasskeyForm(_ReadsCredential, AuthenticateWebAuthnForm):
    """The form for a passkey after the password."""


class PasskeyLoginForm(_ReadsCredential, LoginWebAuthnForm):
    """The form for a passkey instead of the password."""


class PasskeyReauthenticateForm(_ReadsCredential, ReauthenticateWebAuthnForm):
    """The form for a passkey before something important."""


class AddPasskeyForm(_ReadsCredential, PlainFields, AddWebAuthnForm):
    """The form for a new passkey."""

    name = forms.CharField(required=False, max_length=KEY_NAME_LENGTH)
    labels: ClassVar = {
        "name": gettext_lazy("Name"),
        "passwordless": gettext_lazy("Log in with this passkey alone, without a password"),
    }
    helps: ClassVar = {
        "name": gettext_lazy("To tell it from your others, such as “phone” or “laptop”."),
        "passwordless": gettext_lazy(
            "Your device then asks for your finger, face or PIN. Clear this for a simple security key."
        ),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["passwordless"].initial = True

    def clean(self) -> dict[str, Any] | None:
        """The passkey, unless there are already too many."""
        if Authenticator.objects.filter(user=self.user, type=Authenticator.Type.WEBAUTHN).count() >= MOST_KEYS:
            raise ValidationError(_("You already have many passkeys. Remove one first."), code="too_many")
        return super().clean()


class RenamePasskeyForm(PlainFields, EditWebAuthnForm):
    """Another name for a passkey."""

    name = forms.CharField(max_length=KEY_NAME_LENGTH)
    labels: ClassVar = {"name": gettext_lazy("Name")}


def has_second_factor(user: User) -> bool:
    """Whether logging in takes more than a password."""
    return is_mfa_enabled(user, FACTORS)


def showed_second_factor(request: HttpRequest) -> bool:
    """Whether the logged-in user has shown a second factor in this session."""
    return any(record.get("method") == "mfa" for record in get_authentication_records(request, request.user))


class AdminMiddleware:
    """Require a second factor in this session for the admin site, from users who have one or must have one.

    A user who sets one up may have another session that used only the password; that session is kept out.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, _view: object, _args: object, _kwargs: object) -> HttpResponse | None:
        """Show the page to give or set up a second factor first, if it is needed."""
        match = request.resolver_match
        if match is None or "admin" not in match.app_names or match.url_name in ("login", "logout", "jsi18n"):
            return None
        if request.user.is_authenticated and not request.user.is_staff:
            note("refused", request, request.user.pk, path=request.path)
        if not request.user.is_authenticated or not request.user.is_staff or showed_second_factor(request):
            return None
        if has_second_factor(request.user):
            types = Authenticator.objects.filter(user=request.user).values_list("type", flat=True)
            by_code = Authenticator.Type.TOTP in types
            page = reverse("mfa_reauthenticate" if by_code else "mfa_reauthenticate_webauthn")
            return redirect(f"{page}?{urlencode({REDIRECT_FIELD_NAME: request.get_full_path()})}")
        if settings.ADMIN_SECOND_FACTOR:
            messages.warning(request, _("Staff pages need a second login step. Set up a passkey or an app first."))
            return redirect("mfa_index")
        return None
