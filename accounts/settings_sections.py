"""The sections of the settings: one line each, in the order in which their list shows them.

A section is a page of its own at ``/accounts/settings/<section>/`` whose template extends
``account/settings_base.html``; with its line here the hub and every section's list of sections have it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from .models import User


@dataclass(frozen=True, slots=True)
class Section:
    """One page of settings: the name of its URL, its title, and what it is for in a few words."""

    url_name: str
    title: str | Promise
    text: str | Promise
    #: Whether it has something for guests, too.
    for_guests: bool = True


SECTIONS = (
    Section("account_settings_profile", _("Profile"), _("Country, and what you say about yourself.")),
    Section("account_settings_look", _("Look"), _("Brightness, card faces, colours of the suits.")),
    Section("account_settings_moves", _("Moves and sounds"), _("One touch or two, order of the hand, hints, sounds.")),
    Section("account_settings_account", _("Name and sign-in"), _("Your name, email address and password.")),
    Section("mfa_index", _("Passkeys and codes"), _("More than a password."), for_guests=False),
    Section("account_sessions", _("Logged in"), _("Your browsers, and logging them out."), for_guests=False),
    Section("account_settings_times", _("Playing times"), _("Your hours, rest days and leave in matches over days.")),
    Section("account_settings_notices", _("Notifications"), _("How you hear that it is your turn.")),
    Section("account_settings_feeds", _("Feeds and calendar"), _("Your turns in other programs.")),
    Section("account_settings_plans", _("Played for me"), _("Moves that the table makes while you are away.")),
    Section("account_settings_data", _("Your data"), _("Take it along, or leave for good.")),
    Section("my_reports", _("My reports"), _("What you told the moderators, and what came of it."), for_guests=False),
    Section("my_standing", _("My standing"), _("Decisions of moderators about you, and appeals.")),
)


def sections_for(user: User) -> Sequence[Section]:
    """The sections that have something for ``user``."""
    return [section for section in SECTIONS if section.for_guests or not user.is_guest]
