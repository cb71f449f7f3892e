"""The application's configuration."""

from django.apps import AppConfig, apps
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """People and their email."""

    name = "accounts"
    verbose_name = _("People and email")

    def ready(self) -> None:
        """Connect the receivers of mail services and logins, and register the check of ``SITE_URL``."""
        from . import bounces, links, security_log, sessions  # noqa: F401 - importing connects receivers and registers the check

        # allauth's own name, "MFA", means nothing to moderators.
        apps.get_app_config("mfa").verbose_name = _("Second factors")
        factor = apps.get_model("mfa", "Authenticator")._meta
        factor.verbose_name, factor.verbose_name_plural = _("second factor"), _("second factors")
