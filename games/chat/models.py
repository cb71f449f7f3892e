"""The model of a chat message."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from games.chat.phrases import PHRASES
from games.matches.models import Match

TEXT_LENGTH = 200
#: Characters of a message shown in lists.
SHORT = 40


class Line(models.Model):
    """One message at a table: a preset phrase, or the author's own words.

    Everyone may read players' messages; spectators' messages (``seat`` null) are for spectators only, until the match
    is over.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="talk")
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="lines_of_talk"
    )
    #: The author's name at the time.
    author_name = models.CharField(max_length=40)
    #: A key of ``games.chat.phrases``, or empty if ``text`` is set.
    phrase = models.CharField(max_length=20, blank=True)
    text = models.CharField(max_length=TEXT_LENGTH, blank=True)
    at = models.DateTimeField(default=timezone.now)
    #: Version of the match at the time: where in the course of play it belongs.
    version = models.PositiveIntegerField(default=0)
    #: Removed by a moderator: only reports still contain it.
    is_removed = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("chat message")
        verbose_name_plural = _("chat messages")
        ordering: ClassVar = ["id"]
        indexes: ClassVar = [
            models.Index(fields=["match", "id"], name="talk_of_match"),
            models.Index(fields=["author", "-id"], name="talk_of_author"),
            models.Index(fields=["-id"], condition=models.Q(is_removed=True), name="talk_list_removed"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="talk_phrase_or_text",
                condition=models.Q(phrase="", text__gt="") | models.Q(phrase__gt="", text=""),
            )
        ]

    def __str__(self) -> str:
        return f"{self.author_name}: {Truncator(self.words).chars(SHORT)}"

    @property
    def words(self) -> str:
        """The message; a preset phrase in the reader's language."""
        return str(PHRASES.get(self.phrase, self.phrase)) if self.phrase else self.text
