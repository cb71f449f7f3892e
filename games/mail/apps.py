"""The application of playing by email."""

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out
from django.utils.translation import gettext_lazy as _

from accounts import signals


class MailConfig(AppConfig):
    """Notices, turn emails, decision page and replies."""

    name = "games.mail"
    label = "mail"
    verbose_name = _("Email")

    def ready(self) -> None:
        """Connect events to notices, check the settings, and register the switches of emails with the outbox."""
        from accounts import outbox
        from games.mail import (
            checks,  # noqa: F401 - importing registers them
            dispatch,
            former_players,
            notices,
            preferences,
        )
        from games.mail.inbound import webhook  # noqa: F401 - importing connects it

        outbox.register_reason("turn", dispatch.still_holds)
        notices.connect()
        outbox.set_switches(preferences.wants)
        user_logged_out.connect(preferences.forget_browser, dispatch_uid="mail.forget_browser")
        signals.account_closing.connect(former_players.take_names_out, dispatch_uid="mail.take_names_out")
