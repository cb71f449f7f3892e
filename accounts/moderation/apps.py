"""The application's configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ModerationConfig(AppConfig):
    """Reports, sanctions, appeals and their log."""

    name = "accounts.moderation"
    label = "moderation"
    verbose_name = _("Moderation")
