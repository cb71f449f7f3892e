"""Admin pages: people, and the outbox. Bodies of mails are never shown: they hold links that open accounts."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from . import outbox
from .forms import refuse_taken_name
from .models import OutgoingMail, User


class UserCreationForm(AdminUserCreationForm):
    """A new user, whose address the administrator vouches for."""

    class Meta:
        model = User
        fields = ("email", "name")

    def clean_email(self) -> str:
        """The address; only guests have none."""
        if not self.cleaned_data["email"]:
            raise forms.ValidationError(_("Somebody who is made here needs an address."))
        return self.cleaned_data["email"]

    def clean_name(self) -> str:
        """The name, if nobody has it."""
        name: str = self.cleaned_data["name"]
        refuse_taken_name(name, None)
        return name


class UserForm(UserChangeForm):
    """A user as administrators change them."""

    class Meta:
        model = User
        fields = "__all__"

    def clean_name(self) -> str:
        """The name, if nobody else has it."""
        name: str = self.cleaned_data["name"]
        refuse_taken_name(name, self.instance)
        return name


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """People."""

    form = UserForm
    add_form = UserCreationForm
    list_display = ("name", "email", "is_guest", "is_active", "is_staff", "created_at", "last_login")
    list_filter = ("is_guest", "is_active", "is_staff", "created_at")
    search_fields = ("name", "email")
    ordering = ("-created_at",)
    date_hierarchy = "created_at"
    readonly_fields = ("is_guest", "created_at", "last_login")
    fieldsets = (
        (None, {"fields": ("name", "email", "is_guest", "password")}),
        (_("Rights"), {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        (_("Dates"), {"fields": ("created_at", "last_login")}),
    )
    add_fieldsets = (
        (None, {"classes": ("wide",), "fields": ("email", "name", "usable_password", "password1", "password2")}),
    )

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save; an address given here counts as confirmed."""
        super().save_model(request, obj, form, change)
        if "email" in form.changed_data:
            obj.keep_address()


@admin.register(OutgoingMail)
class OutgoingMailAdmin(admin.ModelAdmin):
    """The outbox, to see what is stuck and to send it again."""

    list_display = ("subject", "to", "status", "attempts", "created_at", "next_try_at", "sent_at")
    list_filter = ("status", "created_at")
    search_fields = ("to", "subject", "key")
    date_hierarchy = "created_at"
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

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Mails are written by what they are about."""
        return False

    @admin.action(description=_("Send again"), permissions=["change"])
    def send_again(self, request: HttpRequest, queryset: QuerySet[OutgoingMail]) -> None:
        """Let the chosen mails that failed or were sent wait for sending once more."""
        status = OutgoingMail.Status
        with transaction.atomic():
            count = queryset.filter(status__in=[status.FAILED, status.SENT]).update(
                status=status.WAITING, attempts=0, next_try_at=timezone.now(), last_error="", sent_at=None
            )
            outbox.send_soon()
        text = ngettext("%(count)d mail will be sent again.", "%(count)d mails will be sent again.", count)
        self.message_user(request, text % {"count": count}, messages.SUCCESS)
