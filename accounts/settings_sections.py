"""The sections of the settings: one line each, in the order of the list.

Each section is a page at ``/accounts/settings/<section>/`` whose template extends ``account/settings_base.html``. A
line here adds it to the hub and to the list on every settings page.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from .models import User


@dataclass(frozen=True, slots=True)
class Section:
    """One page of settings: its URL name, its title, and its purpose in a few words."""

    url_name: str
    title: str | Promise
    text: str | Promise
    #: Whether guests can use it, too.
    for_guests: bool = True


SECTIONS = (
    Section("account_settings_profile", _("Profile"), _("Your country, and a few words about you.")),
    Section("account_settings_look", _("Appearance"), _("Light or dark, card faces and suit colours.")),
    Section("account_settings_moves", _("Moves and sounds"), _("One tap or two, sorting your hand, hints and sounds.")),
    Section("account_settings_account", _("Name and login"), _("Your name, email address and password.")),
    Section(
        "mfa_index", _("Passkeys and codes"), _("Log in with your device, or add a second step."), for_guests=False
    ),
    Section("account_sessions", _("Devices"), _("See where you're logged in, and log out."), for_guests=False),
    Section("account_settings_times", _("Playing times"), _("Your hours, rest days and leave in turn-based matches.")),
    Section("account_settings_notices", _("Notifications"), _("How we tell you that it's your turn.")),
    Section("account_settings_feeds", _("Feeds and calendar"), _("See your turns in other programs.")),
    Section("account_settings_plans", _("Automatic moves"), _("Moves we make for you while you're away.")),
    Section("account_settings_data", _("Your data"), _("Download your data, or delete your account.")),
    Section(
        "my_reports",
        _("My reports"),
        _("What you reported to the moderators, and what they decided."),
        for_guests=False,
    ),
    Section("my_standing", _("Account status"), _("What the moderators decided about you, and your appeals.")),
)


def sections_for(user: User) -> Sequence[Section]:
    """The sections that ``user`` can use."""
    return [section for section in SECTIONS if section.for_guests or not user.is_guest]
