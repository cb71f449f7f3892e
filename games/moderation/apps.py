"""The application of moderation, as far as it looks at matches; its rows are those of ``accounts.moderation``."""

from django.apps import AppConfig


class ModerationDeskConfig(AppConfig):
    """The moderators' desk, and the pages of players about moderation."""

    name = "games.moderation"
    label = "moderation_desk"
