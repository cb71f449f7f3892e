"""The application's configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """People and their mail."""

    name = "accounts"
    verbose_name = _("People and mail")

    def ready(self) -> None:
        """Listen to what mail services say about our mails, and to log-ins; register the check of ``SITE_URL``."""
        from . import bounces, browsers, links  # noqa: F401 - importing connects receivers and registers the check
