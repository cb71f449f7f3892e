"""The games application."""

from collections.abc import Collection
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.contrib.auth.signals import user_logged_out
from django.db.models.signals import post_save, pre_delete
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from accounts import signals
from games.engine import text


class GamesConfig(AppConfig):
    """Matches, tables and everything around them."""

    name = "games.matches"
    label = "games"
    verbose_name = gettext_lazy("Games")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Install the translator for the rules."""
        from accounts.playing_times.calendars import leave_changed
        from games.matches import events, former_players, tasks
        from games.matches.commit.changeset import ChangeSet

        if len(settings.LANGUAGES) > 1:
            text.set_translator(gettext)
        events.listeners[ChangeSet].append(tasks.follow)
        events.listeners[events.MatchStarted].append(tasks.go_on)
        events.listeners[events.SeatTakenOver].append(tasks.go_on)
        signals.session_ended.connect(_end_session, dispatch_uid="games.end_session")
        signals.restrictions_changed.connect(_look_again, dispatch_uid="games.look_again")
        user_logged_out.connect(_close_sockets, dispatch_uid="games.close_sockets")
        post_save.connect(_follow_name, sender=settings.AUTH_USER_MODEL, dispatch_uid="games.follow_name")
        leave_changed.connect(_retime, dispatch_uid="games.retime")
        pre_delete.connect(_leave_tables, sender=settings.AUTH_USER_MODEL, dispatch_uid="games.leave_tables")
        signals.leaving_for_good.connect(former_players.leave_tables, dispatch_uid="games.leaving_for_good")
        signals.account_closing.connect(former_players.take_names_out, dispatch_uid="games.take_names_out")


def _follow_name(*, instance: Any, created: bool, update_fields: Collection[str] | None, **_kwargs: Any) -> None:
    """Write a player's current name on their seats; the seats keep it when the account is deleted."""
    from games.matches import service

    if not created and (update_fields is None or "name" in update_fields):
        service.follow_name(instance)


def _leave_tables(*, instance: Any, **_kwargs: Any) -> None:
    """Give up the seats of a deleted account, so no match waits for them."""
    from games.matches import service

    service.leave_everything(instance)


def _retime(*, user_id: int, **_kwargs: Any) -> None:
    """Recompute the deadlines of running turns after leave was booked or given back."""
    from games.matches import service

    service.retime(user_id)


def _close_sockets(*, request: HttpRequest, user: Any, **_kwargs: Any) -> None:
    """Close the open tables of a session that ends."""
    from games.realtime import broadcast

    if user is not None:
        key = request.session.session_key
        # The session is deleted before the sockets are told, so that a socket that connects in between finds it
        # gone.
        request.session.delete()
        broadcast.signed_out(user.pk, key)


def _end_session(*, user_id: int, session_key: str | None, **_kwargs: Any) -> None:
    """Close the open tables of a session ended from outside: by another session, a moderator or account deletion."""
    from games.realtime import broadcast

    broadcast.signed_out(user_id, session_key)


def _look_again(*, user_id: int, **_kwargs: Any) -> None:
    """Tell a person's open pages to check their permissions again."""
    from games.realtime import broadcast

    broadcast.to_user(user_id, "standing")
