"""Completed lessons. The match itself stores the progress within a lesson."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Done(models.Model):
    """A lesson that was played to its end.

    A guest who signs up keeps it, because the row stays the same; logging in to an existing account moves it there.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="lessons_done")
    lesson = models.CharField(max_length=80)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("lesson done")
        verbose_name_plural = _("lessons done")
        constraints = [models.UniqueConstraint(fields=["user", "lesson"], name="lesson_done_once")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.lesson}"
