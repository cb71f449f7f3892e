"""Invitations to open tables, and addresses that don't want any."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.matches.end_offers import EndOffer
from games.matches.models import Match

__all__ = ["EndOffer", "Invitation", "UnwantedAddress"]


class Invitation(models.Model):
    """An invitation to sit down at an open table. It is valid as long as the table is open."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="invitations")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitations_sent")
    to = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitations")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    #: The person declined; the invitation is not shown again.
    is_declined = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints: ClassVar = [models.UniqueConstraint(fields=["match", "to"], name="invitation_once")]

    def __str__(self) -> str:
        return f"{self.match_id}: {self.by_id} invites {self.to_id}"


class UnwantedAddress(models.Model):
    """An address whose owner wants no invitations; stored as a keyed digest, since it may have no account."""

    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("address without invitations")
        verbose_name_plural = _("addresses without invitations")

    def __str__(self) -> str:
        return self.digest[:12]
