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
#: Characters by which a line is named in lists.
SHORT = 40


class Line(models.Model):
    """One thing that was said at a table: a ready-made phrase, or words of their own.

    Lines of players are for everyone who looks; lines of spectators (``seat`` null) are for spectators only,
    until the match is over.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="talk")
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="lines_of_talk"
    )
    #: What the author was called; stays when the account goes.
    author_name = models.CharField(max_length=40)
    #: A key of ``games.chat.phrases``, or empty where ``text`` is given.
    phrase = models.CharField(max_length=20, blank=True)
    text = models.CharField(max_length=TEXT_LENGTH, blank=True)
    at = models.DateTimeField(default=timezone.now)
    #: Version of the match when it was said: where in the course of play it belongs.
    version = models.PositiveIntegerField(default=0)
    #: Taken away by a moderator: only reports still have it.
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
        """What was said, in the reader's language where it is ready-made."""
        return str(PHRASES.get(self.phrase, self.phrase)) if self.phrase else self.text
