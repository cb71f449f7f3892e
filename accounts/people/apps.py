"""The application's configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PeopleConfig(AppConfig):
    """Profiles, preferences, friends and blocks."""

    name = "accounts.people"
    label = "people"
    verbose_name = _("Profiles and friends")
