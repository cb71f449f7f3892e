"""The application's configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """People and their mail."""

    name = "accounts"
    verbose_name = _("People and mail")

    def ready(self) -> None:
        """Listen to what mail services say about our mails, and to log-ins."""
        from . import bounces, browsers  # noqa: F401 - importing connects their receivers
