"""The application of playing by mail."""

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out


class MailConfig(AppConfig):
    """Notices, turn mails, decision page and replies."""

    name = "games.mail"
    label = "mail"

    def ready(self) -> None:
        """Look at the settings at every start, and tell the outbox what is wanted of its mails."""
        from accounts import outbox
        from games.mail import (
            checks,  # noqa: F401 - importing registers them
            preferences,
            sweep,
            webhook,  # noqa: F401 - importing connects it
        )

        outbox.register_reason("turn", sweep.still_holds)
        outbox.set_switches(preferences.wants)
        user_logged_out.connect(preferences.forget_browser, dispatch_uid="mail.forget_browser")
