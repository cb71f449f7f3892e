"""Forms for signing up, logging in and managing an account."""

import re
from typing import Any, ClassVar

from allauth.account import forms as allauth_forms
from allauth.account.models import EmailAddress
from django import forms
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.formats import date_format
from django.utils.text import format_lazy
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from . import confirmation, names, renames
from .models import User
from .playing_times.calendars import own_zone

_HOW_OFTEN = format_lazy(_("You can change it every {days} days."), days=renames.EVERY.days)
#: The requirements for a new password, in one sentence.
PASSWORD_HELP = _("At least 8 characters. Avoid common passwords.")


class PlainFields:
    """A form without placeholders: labels say what a field is for, even once it is filled in."""

    labels: ClassVar[dict[str, Any]] = {}
    helps: ClassVar[dict[str, Any]] = {}
    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.label = self.labels.get(name, field.label)
            field.help_text = self.helps.get(name, field.help_text)


class NameField(forms.CharField):
    """A display name, in its stored form."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            label=_("Name"),
            max_length=names.MAX_LENGTH,
            help_text=_("Other players see this. Use letters, digits, spaces, hyphens, underscores and full stops."),
            widget=forms.TextInput(attrs={"autocomplete": "nickname", "spellcheck": "false"}),
            **kwargs,
        )

    def clean(self, value: str) -> str:
        """The tidied name, if it is valid."""
        name = names.composed(super().clean(value))
        names.validate(name)
        names.refuse_word(name)
        return name


def refuse_taken_name(name: str, user: User | None) -> None:
    """Raise ``ValidationError`` if another user has this name or a similar-looking one, or had it recently.

    So a user can't pass for another user, nor for one who had the name until yesterday.
    """
    others = User.objects.exclude(pk=user.pk) if user and user.pk else User.objects.all()
    if others.filter(name_key=names.key(name)).exists() or renames.is_kept_for_another(name, user):
        raise ValidationError(_("This name is taken."), code="unique")
    if others.filter(name_look=names.look(name)).exists():
        raise ValidationError(_("A player already has a name that looks just like this."), code="lookalike")


class SignupForm(PlainFields, allauth_forms.SignupForm):
    """Sign-up of a new user, or of a guest, whose row is kept.

    A visitor must not learn whether the address has an account, not even from what happens to the name. So a row with
    name and password is written in both cases, but only a free address is attached to it, to be confirmed. The owner of
    a taken address gets an email about it.
    """

    name = NameField()
    field_order = ("email", "name", "password1")
    labels: ClassVar = {"email": _("Email address"), "password1": _("Password")}
    helps: ClassVar = {
        "email": _("We'll email you to confirm it. Other players don't see it."),
        "password1": PASSWORD_HELP,
    }

    def __init__(self, *args: Any, guest: User | None = None, **kwargs: Any) -> None:
        self.guest = guest
        super().__init__(*args, **kwargs)

    def clean_name(self) -> str:
        refuse_taken_name(self.cleaned_data["name"], self.guest)
        return self.cleaned_data["name"]

    def clean(self) -> dict[str, Any]:
        """The fields; the password is hashed here, before the transaction that others would have to wait for."""
        data = super().clean()
        if not self.errors:
            self.password_hash = make_password(data["password1"])
        return data

    def validate_unique_email(self, value: str) -> str:
        """Note whether the address has an account; only confirmed addresses count, so none can be occupied."""
        self.account_already_exists = User.objects.filter(email=value).exists()
        return value

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """Write the row and send the email; returns None (with the same response) if the address is taken."""
        email = self.cleaned_data["email"]
        with transaction.atomic():
            self.user = self.guest or User()
            self.user.name = self.cleaned_data["name"]
            self.user.password = self.password_hash
            self.user.language = get_language() or ""
            self.user.save()
            EmailAddress.objects.filter(user=self.user).delete()
            if not self.account_already_exists:
                EmailAddress.objects.create(user=self.user, email=email)
        if self.guest:
            update_session_auth_hash(request, self.user)
        confirmation.await_address(request, self.user.pk, email)
        return super().try_save(request)

    def save(self, request: HttpRequest) -> User:
        """The row that ``try_save`` has just written."""
        return self.user


class LoginForm(PlainFields, allauth_forms.LoginForm):
    """Login by address and password."""

    labels: ClassVar = {"login": _("Email address"), "password": _("Password")}
    helps: ClassVar = {"password": ""}


class ResetPasswordForm(PlainFields, allauth_forms.ResetPasswordForm):
    """Request for an email with which to choose a new password."""

    labels: ClassVar = {"email": _("Email address")}

    def clean_email(self) -> str:
        """The address; if it has a user, it is looked up among the confirmed ones."""
        email: str = self.cleaned_data["email"].lower()
        self.users = list(User.objects.filter(email=email, is_active=True))
        return email


class ResetPasswordKeyForm(PlainFields, allauth_forms.ResetPasswordKeyForm):
    """A new password, chosen through the link in that email."""

    labels: ClassVar = {"password1": _("New password"), "password2": _("Repeat new password")}
    helps: ClassVar = {"password1": PASSWORD_HELP}


class ChangePasswordForm(PlainFields, allauth_forms.ChangePasswordForm):
    """A new password, confirmed by the old one."""

    labels: ClassVar = {
        "oldpassword": _("Current password"),
        "password1": _("New password"),
        "password2": _("Repeat new password"),
    }
    helps: ClassVar = {"oldpassword": "", "password1": PASSWORD_HELP}


class SetPasswordForm(PlainFields, allauth_forms.SetPasswordForm):
    """A first password, for an account created without one."""

    labels: ClassVar = {"password1": _("Password"), "password2": _("Repeat password")}
    helps: ClassVar = {"password1": PASSWORD_HELP}


class AddEmailForm(PlainFields, allauth_forms.AddEmailForm):
    """A new address, which replaces the old one when it is confirmed."""

    labels: ClassVar = {"email": _("New email address")}

    def clean_email(self) -> str:
        """The address, unless the user already has it."""
        email: str = self.cleaned_data["email"].lower()
        if email == self.user.email:
            raise ValidationError(_("This is already your address."), code="duplicate_email")
        return email


class ReauthenticateForm(PlainFields, allauth_forms.ReauthenticateForm):
    """Asks for the password again before something important."""

    labels: ClassVar = {"password": _("Password")}
    helps: ClassVar = {"password": ""}


class ConfirmPasswordForm(forms.Form):
    """Asks for the sign-up password when the confirmation link is opened in another browser."""

    password = forms.CharField(
        label=_("Password"),
        help_text=_("The password of your Armani account."),
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, user: User | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        """The password, if it is right."""
        password: str = self.cleaned_data["password"]
        if self.user is None or not self.user.check_password(password):
            raise ValidationError(_("That's not the password of this account."), code="incorrect_password")
        return password


class CodeForm(forms.Form):
    """The digits of a confirmation email."""

    code = forms.CharField(
        label=_("Code"),
        max_length=20,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "one-time-code", "size": 12}),
    )

    def clean_code(self) -> str:
        """The digits alone, however they were grouped."""
        code = re.sub(r"[\s\-.]", "", self.cleaned_data["code"])
        if not re.fullmatch(rf"[0-9]{{{confirmation.DIGITS}}}", code):
            raise ValidationError(_("The code has %(digits)d digits."), params={"digits": confirmation.DIGITS})
        return code


class NameForm(forms.ModelForm):
    """The user's display name."""

    name = NameField()

    class Meta:
        model = User
        fields = ("name",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.old_name = self.instance.name
        #: When the next change is possible; None if it is now.
        self.locked_until = renames.locked_until(self.instance)
        if self.locked_until:
            self.fields["name"].disabled = True
            self.fields["name"].help_text = _("You changed it recently. You can change it again from %(day)s.") % {
                "day": date_format(localtime(self.locked_until, own_zone(self.instance)), "DATE_FORMAT")
            }
        elif not self.instance.is_guest:
            self.fields["name"].help_text = format_lazy("{} {}", self.fields["name"].help_text, _HOW_OFTEN)

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self.old_name:
            refuse_taken_name(self.cleaned_data["name"], self.instance)
        return self.cleaned_data["name"]

    def save(self, commit: bool = True) -> User:
        """Store the name, and the old one for moderators."""
        if "name" in self.changed_data:
            new, self.instance.name = self.cleaned_data["name"], self.old_name
            renames.change_name(self.instance, new)
        return self.instance
