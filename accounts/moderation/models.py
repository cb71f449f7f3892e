"""Models of reports, of moderators' decisions, and of the log of their actions."""

from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

SENTENCE_LENGTH = 500


def _person(related_name: str, **more: Any) -> models.ForeignKey:
    """A reference to a person whose account may be deleted while the row stays."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name=related_name, **more
    )


class Rule(models.TextChoices):
    """The rules of the site that can be broken; sanctions name one."""

    RESPECT = "respect", _("Be respectful: no insults, hatred or harassment.")
    FAIR = "fair", _("Play fair: no help from programs or other players, and no second account at a table.")
    STALL = "stall", _("Don't hold others up on purpose.")
    NAME = "name", _("Choose a name and profile text that don't hurt anyone.")
    SPAM = "spam", _("No advertising.")
    OTHER = "other", _("Don't spoil other players' games.")


class Report(models.Model):
    """A player's report to the moderators about a player, a chat message, a match or a move."""

    class Kind(models.TextChoices):
        """The kind of thing that is reported."""

        PLAYER = "player", _("player")
        LINE = "line", _("chat message")
        MATCH = "match", _("match")
        MOVE = "move", _("move")

    class Outcome(models.TextChoices):
        """The outcome of a report."""

        UPHELD = "upheld", _("upheld")
        DISMISSED = "dismissed", _("dismissed")

    kind = models.CharField(_("kind"), max_length=6, choices=Kind.choices)
    rule = models.CharField(_("rule"), max_length=8, choices=Rule.choices)
    #: Identifies the reported thing, ``"line:12"``: one open report per thing and reporter.
    thing = models.CharField(max_length=60, editable=False)
    reporter = _person("reports_made")
    accused = _person("reports_about")
    reporter_name = models.CharField(_("reported by"), max_length=40)
    accused_name = models.CharField(_("about"), max_length=40, blank=True)
    match = models.ForeignKey("games.Match", null=True, blank=True, on_delete=models.SET_NULL, related_name="reports")
    #: The reported version of the match.
    move_number = models.PositiveIntegerField(null=True, blank=True)
    line = models.ForeignKey("talk.Line", null=True, blank=True, on_delete=models.SET_NULL, related_name="reports")
    sentence = models.TextField(_("what happened"), max_length=SENTENCE_LENGTH)
    #: What was there when it was reported, since it may be gone later: the message and those around it.
    context = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(_("reported"), default=timezone.now)
    #: The queue's order: a grave rule or a reporter who is often right makes it earlier.
    due_at = models.DateTimeField(_("answer until"), null=True, blank=True)
    #: Put aside until then.
    snoozed_until = models.DateTimeField(null=True, blank=True)
    #: The power that handles it; empty for the one that belongs to its rule.
    desk = models.CharField(max_length=40, blank=True, default="", db_default="")
    #: Another open report about the same person, with which this one is decided.
    merged_into = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="merged")
    claimed_by = _person("reports_claimed")
    claimed_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = _person("reports_closed")
    outcome = models.CharField(_("outcome"), max_length=9, choices=Outcome.choices, blank=True)
    #: The answer to the reporter.
    answer = models.TextField(_("answer"), blank=True)

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        permissions: ClassVar = [
            ("handle_talk", "Can handle reports about talk and profiles"),
            ("handle_results", "Can handle reports about play and annul results"),
            ("handle_accounts", "Can rename, suspend and close accounts"),
            ("see_hands", "Can look at hidden cards of running matches, which is logged"),
            ("operate", "Can operate the site: overdue matches, mails, switches, announcements"),
        ]
        ordering: ClassVar = ["created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["reporter", "thing"], condition=Q(closed_at=None), name="report_once_while_open"
            ),
            models.CheckConstraint(
                name="report_closed_with_outcome", condition=Q(closed_at=None, outcome="") | ~Q(outcome="")
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["created_at"], condition=Q(closed_at=None), name="report_queue"),
            models.Index(fields=["due_at"], condition=Q(closed_at=None), name="report_due"),
            models.Index(fields=["kind", "due_at"], condition=Q(closed_at=None), name="report_due_kind"),
            models.Index(fields=["rule", "due_at"], condition=Q(closed_at=None), name="report_due_rule"),
            models.Index(fields=["accused", "-created_at"], name="report_about"),
            models.Index(fields=["reporter", "-created_at"], name="report_by"),
            models.Index(fields=["-closed_at"], name="report_closed"),
            models.Index(fields=["created_at"], name="report_list"),
            models.Index(fields=["kind", "created_at"], name="report_list_kind"),
            models.Index(fields=["rule", "created_at"], name="report_list_rule"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.accused_name or self.thing.partition(':')[2]}"


class Sanction(models.Model):
    """A decision about a person: what, why, by which moderator and for how long."""

    class Kind(models.TextChoices):
        """The kinds, from a warning to the annulment of a match."""

        WARNING = "warning", _("warning")
        PHRASES = "phrases", _("ready-made phrases only")
        SILENCE = "silence", _("no chat")
        HIDDEN = "hidden", _("profile text hidden")
        RENAME = "rename", _("name removed")
        REMOVED = "removed", _("removed from a table")
        ANNULLED = "annulled", _("result annulled")
        SUSPENDED = "suspended", _("suspended")
        CLOSED = "closed", _("account closed")

    #: Kinds that last, for a time or for good; all others are done once.
    LASTING = (Kind.PHRASES, Kind.SILENCE, Kind.HIDDEN, Kind.SUSPENDED, Kind.CLOSED)
    #: Kinds that are hard or impossible to undo, so a second moderator has to confirm them.
    GRAVE = (Kind.ANNULLED, Kind.CLOSED)

    person = _person("sanctions")
    person_name = models.CharField(_("about"), max_length=40)
    kind = models.CharField(_("kind"), max_length=9, choices=Kind.choices)
    rule = models.CharField(_("rule"), max_length=8, choices=Rule.choices)
    reason = models.TextField(_("reason"), max_length=SENTENCE_LENGTH, help_text=_("The person reads this."))
    report = models.ForeignKey(Report, null=True, blank=True, on_delete=models.SET_NULL, related_name="sanctions")
    match = models.ForeignKey("games.Match", null=True, blank=True, on_delete=models.SET_NULL, related_name="sanctions")
    imposed_by = _person("sanctions_imposed")
    imposed_at = models.DateTimeField(_("imposed"), default=timezone.now)
    #: For grave decisions, the second moderator; nothing takes effect before they confirm.
    confirmed_by = _person("sanctions_confirmed")
    in_force_at = models.DateTimeField(_("in force since"), null=True, blank=True)
    until = models.DateTimeField(_("until"), null=True, blank=True)
    lifted_at = models.DateTimeField(_("lifted"), null=True, blank=True)
    lifted_by = _person("sanctions_lifted")
    #: When the person confirmed that they have read it.
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("sanction")
        verbose_name_plural = _("sanctions")
        ordering: ClassVar = ["-imposed_at"]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="sanction_confirmed_by_another",
                condition=Q(confirmed_by=None) | Q(imposed_by=None) | ~Q(confirmed_by=F("imposed_by")),
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["person", "kind"], condition=Q(lifted_at=None), name="sanction_of_person"),
            models.Index(fields=["-imposed_at"], name="sanction_newest"),
            models.Index(fields=["kind", "-imposed_at"], name="sanction_list_kind"),
            models.Index(fields=["rule", "-imposed_at"], name="sanction_list_rule"),
            models.Index(fields=["-imposed_at"], condition=Q(in_force_at=None), name="sanction_list_waiting"),
            models.Index(fields=["-imposed_at"], condition=Q(lifted_at__isnull=False), name="sanction_list_lifted"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.person_name}"

    @property
    def is_lasting(self) -> bool:
        """Whether it goes on for a time or for good, instead of being done once."""
        return self.kind in self.LASTING

    @property
    def waits_for_second(self) -> bool:
        """Whether a second moderator still has to confirm it."""
        return self.in_force_at is None and self.lifted_at is None

    def is_in_force(self) -> bool:
        """Whether it is in force now."""
        now = timezone.now()
        return self.in_force_at is not None and self.lifted_at is None and (self.until is None or self.until > now)


class Appeal(models.Model):
    """An appeal against a decision: a thread between the person and the moderators."""

    class Decision(models.TextChoices):
        """The decision on an appeal, by a moderator who did not impose the sanction."""

        GRANTED = "granted", _("granted")
        DENIED = "denied", _("denied")

    sanction = models.OneToOneField(Sanction, on_delete=models.CASCADE, related_name="appeal")
    created_at = models.DateTimeField(_("submitted"), default=timezone.now)
    decision = models.CharField(_("decision"), max_length=7, choices=Decision.choices, blank=True)
    decided_by = _person("appeals_decided")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("appeal")
        verbose_name_plural = _("appeals")
        ordering: ClassVar = ["created_at"]
        indexes: ClassVar = [
            models.Index(fields=["created_at"], condition=Q(decision=""), name="appeal_open"),
            models.Index(fields=["decision", "created_at"], name="appeal_list"),
        ]

    def __str__(self) -> str:
        return gettext("appeal by %(name)s: %(decision)s") % {
            "name": self.sanction.person_name,
            "decision": self.sanction.get_kind_display(),
        }


class AppealMessage(models.Model):
    """One message of an appeal's thread."""

    appeal = models.ForeignKey(Appeal, on_delete=models.CASCADE, related_name="messages")
    author = _person("appeal_messages")
    is_moderators = models.BooleanField(default=False)
    text = models.TextField(max_length=2000)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("appeal message")
        verbose_name_plural = _("appeal messages")
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"message {self.pk}"


class NameChange(models.Model):
    """A former name of a member; for moderators only."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="name_changes")
    old_name = models.CharField(_("old name"), max_length=40)
    new_name = models.CharField(_("new name"), max_length=40)
    at = models.DateTimeField(default=timezone.now)
    #: Made or required by a moderator: it doesn't count as the person's one change in 60 days.
    was_forced = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("name change")
        verbose_name_plural = _("name changes")
        ordering: ClassVar = ["-at"]
        indexes: ClassVar = [models.Index(fields=["old_name"], name="name_once_had")]

    def __str__(self) -> str:
        return f"{self.old_name} → {self.new_name}"


class Unchangeable(Exception):
    """An attempt to change or delete a row of an append-only table."""


class AppendOnly(models.QuerySet):
    """Rows that can only be added and read."""

    def update(self, **_values: Any) -> NoReturn:
        raise Unchangeable("entries of the log are not changed")

    def delete(self) -> NoReturn:
        raise Unchangeable("entries of the log are not removed")

    def bulk_update(self, *_args: Any, **_values: Any) -> NoReturn:
        raise Unchangeable("entries of the log are not changed")


class AuditEntry(models.Model):
    """One action of a moderator or administrator: who, what, to whom, before and after.

    People are stored by number and name instead of a reference, because the entry must stay as it is when an account is
    deleted. Database triggers refuse changes that bypass the ORM.
    """

    at = models.DateTimeField(_("time"), default=timezone.now)
    actor_id = models.BigIntegerField(null=True)
    actor_name = models.CharField(_("who"), max_length=40)
    action = models.CharField(_("what"), max_length=40)
    #: ``"user:12"``, ``"match:abc"``, ``"report:7"``.
    target = models.CharField(_("target"), max_length=80)
    target_name = models.CharField(_("target name"), max_length=120, blank=True)
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)
    note = models.TextField(_("note"), blank=True)

    objects = AppendOnly.as_manager()
    #: The target's name in the reader's language, on pages that have looked it up.
    called = ""

    class Meta:
        verbose_name = _("log entry")
        verbose_name_plural = _("moderation log")
        ordering: ClassVar = ["-id"]
        base_manager_name = "objects"
        indexes: ClassVar = [
            models.Index(fields=["target", "-id"], name="audit_of_target"),
            models.Index(fields=["actor_id", "-id"], name="audit_of_actor"),
            models.Index(fields=["action", "-id"], name="audit_of_action"),
            models.Index(fields=["actor_name", "-id"], name="audit_of_name"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name or gettext('The site')}: {self.called or self.target_name or self.target}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the entry. Raises :class:`Unchangeable` if it is already stored."""
        if not self._state.adding:
            raise Unchangeable("entries of the log are not changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise Unchangeable("entries of the log are not removed")
