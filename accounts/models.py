"""Users, and the emails waiting to be sent to them."""

import secrets
from typing import Any, ClassVar

from django.apps import apps
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models, transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from . import names
from .compiled import compiled, first


def addresses() -> "models.Manager[Any]":
    """The users' addresses, as allauth stores them."""
    return apps.get_model("account", "EmailAddress")._default_manager


class UserManager(BaseUserManager["User"]):
    """Create users, and find them by address in any case."""

    def create_user(self, email: str | None = None, password: str | None = None, **fields: Any) -> "User":
        """Create and save a user. Without an address they are a guest; without a password they can't log in.

        A user without a name, as created by a command, gets a neutral one, because pages and links need it.
        """
        user = self.model(email=email, **fields)
        if not names.key(user.name):
            user.name = str(_("Player %(number)d")) % {"number": secrets.randbelow(9 * 10**7) + 10**7}
        user.set_password(password)
        with transaction.atomic(using=self._db):
            user.save(using=self._db)
            if user.email:
                addresses().create(user=user, email=user.email, verified=True, primary=True)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A saved user with all permissions."""
        return self.create_user(email, password, **{**fields, "is_staff": True, "is_superuser": True})

    def get(self, *args: Any, **lookups: Any) -> "User":
        """The matching user. A lookup by primary key, as for every page of a logged-in user, uses a compiled query."""
        pk = lookups.get("pk")
        # SQLite can't take longer integers.
        if isinstance(pk, int) and pk.bit_length() < 64 and not args and len(lookups) == 1:
            user = first(_by_pk(pk))
            if user is not None:
                return user
        return super().get(*args, **lookups)

    def get_by_natural_key(self, username: str | None) -> "User":
        """The user with this email address."""
        return self.get(email=(username or "").lower())


@compiled
def _by_pk(pk: int) -> "QuerySet[User]":
    return User.objects.filter(pk=pk)


class MailTrouble(models.TextChoices):
    """Why an address gets no more emails."""

    BOUNCED = "bounced", _("it doesn't exist, or doesn't accept email")
    COMPLAINED = "complained", _("our email was reported as spam")


class User(AbstractBaseUser, PermissionsMixin):
    """A player: a member with a confirmed email address, or a guest without one (yet).

    Signing up fills in a guest's row, so guests keep their seats and matches.
    """

    email = models.EmailField(
        _("email address"), unique=True, null=True, blank=True, help_text=_("The confirmed address; guests have none.")
    )
    name = models.CharField(
        _("name"),
        max_length=names.MAX_LENGTH,
        validators=[names.validate],
        help_text=_("What others see: letters, digits, spaces, hyphens, underscores and full stops."),
    )
    name_key = models.CharField(
        max_length=3 * names.MAX_LENGTH,
        unique=True,
        editable=False,
        error_messages={"unique": _("This name is taken.")},
    )
    #: How the name looks: see :func:`accounts.names.look`.
    name_look = models.CharField(max_length=3 * names.MAX_LENGTH, db_index=True, default="", editable=False)
    #: Follows from ``email``; a column because queries need it.
    is_guest = models.BooleanField(_("guest"), default=False, editable=False)
    is_active = models.BooleanField(
        _("active"),
        default=True,
        help_text=_("To close an account without deleting it, clear this. It can't log in any more."),
    )
    is_staff = models.BooleanField(_("staff"), default=False, help_text=_("May enter the admin site."))
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    undeliverable = models.EmailField(
        _("undeliverable address"),
        blank=True,
        editable=False,
        help_text=_("Emails to this address were refused or reported as spam. A new address starts fresh."),
    )
    undeliverable_why = models.CharField(
        _("why undeliverable"), max_length=10, blank=True, choices=MailTrouble.choices, editable=False
    )

    #: Chosen on a page, or the language of the sign-up page; empty if never chosen.
    language = models.CharField(_("language"), max_length=7, blank=True, choices=settings.LANGUAGES, editable=False)

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        indexes = [
            models.Index(fields=["-created_at"], name="user_newest"),
            # For the lists of the admin site: indexes for the rarer answers.
            models.Index(fields=["-id"], condition=models.Q(is_guest=True), name="user_list_guests"),
            models.Index(fields=["-id"], condition=models.Q(is_guest=False), name="user_list_members"),
            models.Index(fields=["-id"], condition=models.Q(is_staff=True), name="user_list_staff"),
            models.Index(fields=["-id"], condition=models.Q(is_active=False), name="user_list_inactive"),
            models.Index(fields=["-id"], condition=~models.Q(undeliverable=""), name="user_list_bounced"),
        ]
        constraints = [
            models.UniqueConstraint(Lower("email"), name="user_email_unique"),
            models.CheckConstraint(name="user_has_name", condition=models.Q(name_key__gt="")),
            models.CheckConstraint(
                name="user_guest_without_email",
                condition=models.Q(is_guest=True, email__isnull=True) | models.Q(is_guest=False, email__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Bring name and address into their stored form."""
        super().clean()
        self._compose_name()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save in stored form; the name's key and look follow the name, being a guest follows the address."""
        self._compose_name()
        fields = kwargs.get("update_fields")
        if fields is not None:
            followers = {"name": ("name_key", "name_look"), "email": ("is_guest",)}
            kwargs["update_fields"] = {*fields, *(each for field in fields for each in followers.get(field, ()))}
        super().save(*args, **kwargs)

    @property
    def mail_trouble(self) -> str:
        """Why this user's address only gets requested emails, a :class:`MailTrouble`; empty if it works."""
        return self.undeliverable_why if self.email and self.undeliverable == self.email else ""

    def keep_address(self) -> None:
        """Make ``email`` this user's only address, and confirmed, however that was confirmed."""
        addresses().filter(user=self).exclude(email=self.email or "").delete()
        if self.email:
            addresses().update_or_create(user=self, email=self.email, defaults={"verified": True, "primary": True})

    def get_full_name(self) -> str:
        """The name, for Django's own templates."""
        return self.name

    def get_short_name(self) -> str:
        """The name, for Django's own templates."""
        return self.name

    def _compose_name(self) -> None:
        self.name = names.composed(self.name)
        self.name_key = names.key(self.name)
        self.name_look = names.look(self.name)
        self.email = self.email.lower() if self.email else None
        self.is_guest = self.email is None


class OutgoingMail(models.Model):
    """An email to one address, from the moment it is written until it is sent.

    Rows are written in the transaction that gives the reason for the email, so there is an email exactly when there is
    a reason. ``accounts.outbox`` sends them.
    """

    class Status(models.TextChoices):
        """The progress of an email."""

        WAITING = "waiting", _("waiting")
        SENDING = "sending", _("sending")
        SENT = "sent", _("sent")
        FAILED = "failed", _("failed")
        DROPPED = "dropped", _("no longer needed")

    key = models.CharField(
        max_length=100,
        unique=True,
        null=True,
        blank=True,
        help_text=_("Says why we write. We never write a second email with the same key."),
    )
    to = models.EmailField(pgettext_lazy("email", "to"), max_length=320)
    sender = models.CharField(_("from"), max_length=320)
    subject = models.CharField(_("subject"), max_length=998)
    text = models.TextField(_("text part"))
    html = models.TextField(_("HTML part"), blank=True)
    headers = models.JSONField(_("further headers"), default=dict, blank=True)
    status = models.CharField(_("status"), max_length=7, choices=Status.choices, default=Status.WAITING)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    next_try_at = models.DateTimeField(
        _("next try"),
        default=timezone.now,
        null=True,
        blank=True,
        help_text=_(
            "While sending: when this attempt counts as lost and we send the email again. Empty: we won't try again."
        ),
    )
    last_error = models.TextField(_("last error"), blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    sent_at = models.DateTimeField(_("sent"), null=True, blank=True)

    class Meta:
        verbose_name = _("outgoing email")
        verbose_name_plural = _("outgoing emails")
        ordering = ["-id"]
        indexes = [
            # A condition that every database recognizes in the query for due emails.
            models.Index("next_try_at", name="mail_due", condition=models.Q(next_try_at__isnull=False)),
            models.Index("sent_at", name="mail_sent", condition=models.Q(status="sent")),
            models.Index(fields=["status", "-id"], name="mail_list_status"),
            models.Index(fields=["to"], name="mail_list_to"),
        ]
        constraints = [
            models.CheckConstraint(
                name="mail_status_known",
                condition=models.Q(status__in=["waiting", "sending", "sent", "failed", "dropped"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject} → {self.to}"
