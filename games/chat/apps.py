"""The application's configuration."""

from typing import Any

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TalkConfig(AppConfig):
    """Chat at tables."""

    name = "games.chat"
    label = "talk"
    verbose_name = _("Table chat")

    def ready(self) -> None:
        """Apply new mutes at once, also on open tables."""
        from accounts import social

        social.mutes_changed.connect(_listen_again, dispatch_uid="talk.listen_again")


def _listen_again(*, user_id: int, **_kwargs: Any) -> None:
    from games.realtime import broadcast

    broadcast.to_user(user_id, "listen")
