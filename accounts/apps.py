"""The application's configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """People and their mail."""

    name = "accounts"
    verbose_name = _("People and mail")
