"""Models of the moderators' desk, beside reports and sanctions."""

from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts.moderation.models import Report

#: How long a quick decision can be undone; no one is told before.
UNDO = timedelta(minutes=1)
#: One in this many closed reports gets a second look.
ONE_IN = 20
QUESTION_LENGTH, ANSWER_LENGTH = 1000, 2000


class QuickDecision(models.Model):
    """A decision by one click about a person and a report, which takes effect when its minute for undoing is over."""

    report = models.OneToOneField(Report, on_delete=models.CASCADE, related_name="quick")
    moderator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="quick_decisions")
    #: A key of ``games.moderation.quick.PRESETS``.
    preset = models.CharField(max_length=20)
    #: A key of ``games.moderation.answers.REASONS``; empty if there is no decision about a person.
    reason = models.CharField(max_length=20, blank=True)
    hours = models.PositiveIntegerField(null=True, blank=True)
    pressed_at = models.DateTimeField(default=timezone.now)
    #: Why it could not be carried out; it then waits for its moderator.
    problem = models.TextField(blank=True)

    class Meta:
        verbose_name = _("quick decision")
        verbose_name_plural = _("quick decisions")
        indexes: ClassVar = [
            models.Index(fields=["pressed_at"], condition=models.Q(problem=""), name="quick_decision_due")
        ]

    def __str__(self) -> str:
        return f"{self.preset}: {self.report_id}"


class Question(models.Model):
    """A question of the moderators to one side of a report before they decide, and the answer."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="questions")
    asked = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="moderator_questions"
    )
    moderator = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="questions_asked"
    )
    text = models.TextField(max_length=QUESTION_LENGTH)
    asked_at = models.DateTimeField(default=timezone.now)
    answer = models.TextField(max_length=ANSWER_LENGTH, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("moderators' question")
        verbose_name_plural = _("moderators' questions")
        ordering: ClassVar = ["pk"]
        indexes: ClassVar = [
            models.Index(fields=["asked"], condition=models.Q(answered_at=None), name="question_open"),
        ]

    def __str__(self) -> str:
        return f"question {self.pk}"


class SecondLook(models.Model):
    """A closed report that another moderator checks, and their opinion on the decision."""

    report = models.OneToOneField(Report, on_delete=models.CASCADE, related_name="second_look")
    asked_at = models.DateTimeField(default=timezone.now)
    looked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="second_looks"
    )
    looked_at = models.DateTimeField(null=True, blank=True)
    #: Whether the decision was right; null until a moderator has looked.
    agrees = models.BooleanField(null=True)
    note = models.TextField(blank=True)

    class Meta:
        verbose_name = _("second look")
        verbose_name_plural = _("second looks")
        indexes: ClassVar = [
            models.Index(fields=["asked_at"], condition=models.Q(looked_at=None), name="second_look_open"),
            models.Index(fields=["looked_at"], name="second_look_taken"),
        ]

    def __str__(self) -> str:
        return f"second look {self.pk}"

    @staticmethod
    def is_due_for(report: Report) -> bool:
        """Whether a report is in the sample, which outsiders can't predict."""
        digest = salted_hmac("second look", str(report.pk), algorithm="sha256").digest()
        return int.from_bytes(digest[:8]) % ONE_IN == 0


class PersonNote(models.Model):
    """A note about a person for other moderators."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="moderator_notes")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="notes_on_people"
    )
    author_name = models.CharField(max_length=40)
    text = models.TextField(max_length=ANSWER_LENGTH)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("note about a person")
        verbose_name_plural = _("notes about people")
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"note {self.pk}"


class SimilarLook(models.Model):
    """A look at accounts that share address, device or mail domain with a person's: one moderator asks, one agrees."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="similar_looks")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="similar_looks_asked")
    reason = models.TextField(max_length=500)
    asked_at = models.DateTimeField(default=timezone.now)
    agreed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="similar_looks_agreed"
    )
    agreed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("look at similar accounts")
        verbose_name_plural = _("looks at similar accounts")
        constraints: ClassVar = [
            models.CheckConstraint(
                name="similar_look_by_two",
                condition=models.Q(agreed_by=None) | ~models.Q(agreed_by=models.F("asked_by")),
            )
        ]

    def __str__(self) -> str:
        return f"look {self.pk}"
