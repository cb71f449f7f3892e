"""The part of moderation that needs matches; its models are in ``accounts.moderation``."""

from django.apps import AppConfig

from accounts import signals


class ModerationDeskConfig(AppConfig):
    """The moderators' desk, and the pages of players about moderation."""

    name = "games.moderation"
    label = "moderation_desk"

    def ready(self) -> None:
        """Connect the receivers that apply moderators' decisions to matches."""
        from games.moderation import receivers

        signals.moderator_decides.connect(receivers.keep_distance, dispatch_uid="moderation_desk.keep_distance")
        signals.sanction_imposed.connect(receivers.carry_out, dispatch_uid="moderation_desk.carry_out")
        signals.sanction_lifted.connect(receivers.take_back, dispatch_uid="moderation_desk.take_back")
        signals.moderators_wrote.connect(receivers.write, dispatch_uid="moderation_desk.write")
