"""Admin pages of users and the outbox. They never show an email's text: it has links that open accounts."""

from collections.abc import Iterable
from typing import Any, cast

from allauth.account.adapter import get_adapter
from allauth.mfa import admin as mfa_admin  # registers pages that show stored secrets
from allauth.mfa.models import Authenticator
from allauth.usersessions import admin as sessions_admin  # noqa: F401 - registers a page, which is taken back below
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import BaseUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.account_deletion import close_account
from accounts.admin_kit import BY_PERSON, MOST_AT_ONCE, LongListAdmin, ReadOnlyAdmin, people, row_or_404
from accounts.moderation.audit import record
from accounts.personal_data import FORMER

from . import outbox
from .forms import refuse_taken_name
from .models import OutgoingMail, User
from .second_factor import has_second_factor


class UserCreationForm(BaseUserCreationForm):
    """A new user, whose address the administrator vouches for."""

    class Meta:
        model = User
        fields = ("email", "name")

    def clean_email(self) -> str:
        """Require an address; only guests have none."""
        if not self.cleaned_data["email"]:
            raise forms.ValidationError(_("An account created here needs an email address."))
        return self.cleaned_data["email"]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        refuse_taken_name(name, None)
        return name


#: The names that pages show for the groups made by migrations.
ROLES = {
    "Moderators: accounts": _("Moderators: accounts"),
    "Moderators: results": _("Moderators: results"),
    "Moderators: talk": _("Moderators: chat"),
    "Operations": _("Operations"),
}


class RolesField(forms.ModelMultipleChoiceField):
    """Roles as checkboxes: a list that needs a modifier key to choose several doesn't work on a phone."""

    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, obj: Any) -> str:
        """The role's name on pages."""
        return str(ROLES.get(obj.name, obj.name))


class UserForm(UserChangeForm):
    """A user, as administrators edit them."""

    groups = RolesField(Group.objects.order_by("name"), label=_("Roles"), required=False)

    class Meta:
        model = User
        fields = "__all__"

    def clean_name(self) -> str:
        """The name, unless another user has it."""
        name: str = self.cleaned_data["name"]
        refuse_taken_name(name, self.instance)
        return name


@admin.register(User)
class UserAdmin(LongListAdmin, DjangoUserAdmin):
    """The list and pages of users."""

    form = UserForm
    add_form = UserCreationForm
    add_form_template = None
    filter_horizontal = ()
    list_display = ("name", "email", "is_guest", "is_active", "is_staff", "created_at", "last_login")
    list_filter = ("is_guest", "is_active", "is_staff")
    search_fields = ("name_key",)
    search_help_text = BY_PERSON
    ordering = ("-pk",)
    readonly_fields = ("is_guest", "created_at", "last_login")
    fieldsets = (
        (None, {"fields": ("name", "email", "is_guest")}),
        (_("Rights"), {"fields": ("is_active", "is_staff", "is_superuser", "groups")}),
        (_("Dates"), {"fields": ("created_at", "last_login")}),
    )
    add_fieldsets = ((None, {"classes": ("wide",), "fields": ("email", "name", "password1", "password2")}),)

    def find(self, term: str) -> Q:
        return Q(pk__in=people(term))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the account's row to those who may change it; redirect moderators to the person's page at the desk."""
        is_reader = self.has_view_permission(request) and not self.has_change_permission(request)
        if is_reader and request.method in ("GET", "HEAD"):
            return redirect("admin:person_file", row_or_404(User.objects.all(), object_id).pk)
        return super().change_view(request, object_id, form_url, extra_context)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse people with a role: it has to be taken away before the account can be closed."""
        if obj is not None and (obj.is_staff or obj.is_superuser):
            return False
        return super().has_delete_permission(request, obj)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """No actions: each account is closed from its own page."""
        return {}

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Close the account as its owner would. In Django's transaction its matches could not be resigned."""
        if request.method != "POST":
            return super().delete_view(request, object_id, extra_context)
        person = row_or_404(User.objects.all(), object_id)
        if not self.has_delete_permission(request, person):
            raise PermissionDenied
        close_account(person)
        record(cast(User, request.user), "delete account", User(pk=int(object_id)), name=FORMER)
        self.message_user(request, _("The account is deleted."), messages.SUCCESS)
        return redirect("admin:accounts_user_changelist")

    def get_deleted_objects(self, objs: Iterable[User], request: HttpRequest) -> tuple[list[str], Any, set[str], list]:
        """Only the people: Django would read everything deleted with them, from more than thirty tables."""
        people = [str(person) for person in objs]
        return people, {self.opts.verbose_name_plural: len(people)}, set(), []

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save the user; an address given here counts as confirmed."""
        super().save_model(request, obj, form, change)
        if "email" in form.changed_data:
            obj.keep_address()


# Roles are made by migrations, and the tests have a table of their powers.
admin.site.unregister([Authenticator, Group, UserSession])

#: allauth's kinds of second factors, in the words of the site's own pages.
FACTORS = {
    Authenticator.Type.TOTP: _("Authenticator app"),
    Authenticator.Type.WEBAUTHN: _("Passkey"),
    Authenticator.Type.RECOVERY_CODES: _("Recovery codes"),
}


class FactorFilter(admin.SimpleListFilter):
    """Filters second factors by kind."""

    title = _("type")
    parameter_name = "type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(kind.value, words) for kind, words in FACTORS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Authenticator]) -> QuerySet[Authenticator]:
        return queryset.filter(type=self.value()) if self.value() else queryset


@admin.register(Authenticator)
class AuthenticatorAdmin(LongListAdmin, mfa_admin.AuthenticatorAdmin):
    """Second factors, to remove one for a user who has lost it and all recovery codes; never shows their contents."""

    list_display = ("user", "factor", "created_at", "last_used_at")
    fields = list_display
    readonly_fields = fields
    list_filter = (FactorFilter,)
    search_fields = ("user",)
    search_help_text = BY_PERSON
    list_prefetch = ("user",)

    def find(self, term: str) -> Q:
        return Q(user__in=people(term))

    @admin.display(description=_("type"))
    def factor(self, factor: Authenticator) -> str:
        return str(FACTORS.get(Authenticator.Type(factor.type), factor.type))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a second factor, titled by its kind and owner."""
        called = self._called(object_id)
        return super().change_view(
            request, object_id, form_url, {**(extra_context or {}), "called": called, "subtitle": called}
        )

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Ask before deleting a second factor, with the same title."""
        return super().delete_view(request, object_id, {**(extra_context or {}), "called": self._called(object_id)})

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a second factor's history, with the same title."""
        return super().history_view(request, object_id, {**(extra_context or {}), "called": self._called(object_id)})

    def _called(self, object_id: str) -> str:
        found = Authenticator.objects.filter(pk=object_id).first() if object_id.isdecimal() else None
        return f"{self.factor(found)}: {found.user.name}" if found else ""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Users set up second factors themselves."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Authenticator | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Authenticator | None = None) -> bool:
        """Second factors of people with a role need a superuser: without them one could take over such an account."""
        if obj is not None and obj.user.is_staff and not request.user.is_superuser:
            return False
        return super().has_delete_permission(request, obj)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """No actions: each second factor is removed from its own page."""
        return {}

    def delete_model(self, request: HttpRequest, obj: Authenticator) -> None:
        """Remove the second factor, and recovery codes that are left without one; the owner is told."""
        with transaction.atomic():
            before = {"type": obj.type, "last_used_at": obj.last_used_at and obj.last_used_at.isoformat()}
            record(cast(User, request.user), "take second factor away", obj.user, before=before)
            obj.delete()
            if not has_second_factor(obj.user):
                Authenticator.objects.filter(user=obj.user, type=Authenticator.Type.RECOVERY_CODES).delete()
            get_adapter(request).send_notification_mail("account/email/second_factor_taken", obj.user)


@admin.register(OutgoingMail)
class OutgoingMailAdmin(ReadOnlyAdmin):
    """The outbox: find emails that are stuck, and send them again."""

    list_display = ("subject", "to", "status", "attempts", "short_error", "created_at", "next_try_at", "sent_at")
    list_filter = ("status",)
    search_fields = ("to",)
    search_help_text = _("Search by a full address, or by the key.")
    fields = (
        "to",
        "sender",
        "subject",
        "status",
        "attempts",
        "next_try_at",
        "last_error",
        "key",
        "created_at",
        "sent_at",
    )
    readonly_fields = fields
    actions = ("send_again",)

    def has_send_permission(self, request: HttpRequest) -> bool:
        """Administrators who may change emails can send them again."""
        return request.user.has_perm("accounts.change_outgoingmail")

    def find(self, term: str) -> Q:
        return Q(to=term.lower()) if "@" in term else Q(key=term)

    @admin.display(description=_("error"))
    def short_error(self, mail: OutgoingMail) -> str:
        """The beginning of the last error message."""
        return mail.last_error[:80]

    def get_urls(self) -> list[URLPattern]:
        """Add a URL for sending all failed emails again."""
        again = self.admin_site.admin_view(self.send_failed_again)
        return [path("send-failed-again/", again, name="send_failed_again"), *super().get_urls()]

    def send_failed_again(self, request: HttpRequest) -> HttpResponse:
        """Queue all failed emails again."""
        if not self.has_send_permission(request):
            raise PermissionDenied
        if request.method == "POST":
            self.send_again(request, OutgoingMail.objects.filter(status=OutgoingMail.Status.FAILED))
        return redirect("admin:index")

    @admin.action(description=_("Send again"), permissions=["send"])
    def send_again(self, request: HttpRequest, queryset: QuerySet[OutgoingMail]) -> None:
        """Queue the chosen emails again that failed or were sent."""
        status = OutgoingMail.Status
        with transaction.atomic():
            # A second click at the same time waits here, and then finds the emails queued already.
            ended = list(queryset.select_for_update().filter(status__in=[status.FAILED, status.SENT])[:MOST_AT_ONCE])
            for mail in ended:
                before = {"status": mail.status, "attempts": mail.attempts}
                record(cast(User, request.user), "send again", mail, before=before, name=mail.subject)
            count = OutgoingMail.objects.filter(pk__in=[mail.pk for mail in ended]).update(
                status=status.WAITING, attempts=0, next_try_at=timezone.now(), last_error="", sent_at=None
            )
            outbox.send_soon()
        text = ngettext("%(count)d email will be sent again.", "%(count)d emails will be sent again.", count)
        self.message_user(request, text % {"count": count}, messages.SUCCESS)
