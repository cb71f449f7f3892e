"""Every URL has a rate limit, and costly or revealing ones have a limit of their own."""

import pytest
from allauth.core.internal import ratelimit
from django.conf import settings as site
from django.test import Client
from django.urls import reverse

from tests.factories.addresses import addresses, refuse_plainly, stay_logged_in

pytestmark = pytest.mark.django_db

#: Costly forms (emails, guessing, tables) and revealing ones, with the limits in their views.
OWN = {
    "account_login": "login login_failed",
    "account_signup": "signup",
    "account_reset_password": "reset_password",
    "account_reset_password_from_key": "reset_password_from_key",
    "account_email": "manage_email",
    "account_confirm_email": "confirm_code",
    "account_email_verification_sent": "confirm_code confirm_email",
    "account_change_password": "change_password",
    "account_set_password": "change_password",
    "account_reauthenticate": "reauthenticate",
    "account_confirm_login_code": "login_failed",
    "mfa_authenticate": "login_failed",
    "mfa_reauthenticate": "reauthenticate",
    "mfa_reauthenticate_webauthn": "reauthenticate",
    "mfa_activate_totp": "login_failed",
    "mfa_login_webauthn": "webauthn_login",
    "account_settings_account": "rename",
    "export": "export",
    "try_guest": "guest",
    "practice_join": "guest",
    "open_table": "open_table",
    "choose": "guest",
    "quick_match": "guest",
    "match_join": "guest",
    "learn": "guest",
    "learn_begin": "guest",
    "learn_game": "guest",
    "report": "report",
    "appeal": "report",
    "answer_question": "report",
    "report_ai_move": "report_ai_move",
    "player_action": "people",
    "match_talk": "talk",
    "play_with": "open_table invite",
    "match_rematch": "open_table invite",
    "match_invite": "invite invite_mail invite_address",
    "turn": "turn",
}
#: Why the limit on everything is enough for the others.
ONES_OWN = "changes one's own settings or seat only"
ASKED_BEFORE = "asks for password, code or passkey first"
BY_LINK = "only by the link of a mail"
TABLE = "a table of one's own, of which one has few"
ENOUGH = {
    **dict.fromkeys(
        (
            "account_logout", "account_settings_notices", "account_settings_feeds", "account_settings_look",
            "account_settings_moves", "account_settings_plans", "account_settings_profile", "account_settings_times",
            "account_end_session", "account_end_other_sessions", "dismiss", "leave_give_back", "push_forget",
            "push_subscribe", "read_sanction", "save_preferences", "set_language", "set_theme", "talk_switch",
            "match_decline", "match_emails",
            "match_ending", "match_leave", "match_live", "match_move", "match_plan", "match_resign",
            "match_seat_ai", "match_start", "match_take", "try_address", "usersessions_list",
        ),
        ONES_OWN,
    ),
    **dict.fromkeys(
        (
            "account_delete", "mfa_add_webauthn", "mfa_deactivate_totp", "mfa_edit_webauthn",
            "mfa_generate_recovery_codes", "mfa_remove_webauthn",
        ),
        ASKED_BEFORE,
    ),
    **dict.fromkeys(("invitation_no_more", "mail_stop"), BY_LINK),
    **dict.fromkeys(("any_table", "learn_step", "play_on", "practice_match"), TABLE),
    "mfa_download_recovery_codes": "takes no form, but looks for the codes first",
    "mailbox_clear": "only on a site for trying out",
}  # fmt: skip


@pytest.fixture
def member(client, make_player) -> Client:
    client.force_login(make_player("Quinn"))
    return client


def test_every_form_is_named_here_with_its_limit_or_why_it_needs_none(client, make_player, monkeypatch):
    refuse_plainly(monkeypatch)
    quinn = make_player("Quinn")
    takes = set()
    for name, path in addresses():
        stay_logged_in(client, quinn)
        if client.post(path).status_code != 405:
            takes.add(name)
    named = set(OWN) | set(ENOUGH)
    assert takes - named == set(), "say which limit it has, or why none of its own"
    assert named - takes <= {"mailbox_clear"}, "no form (any more)"  # not every site has its page


def test_limits_of_their_own_are_set():
    from allauth.account import app_settings
    from allauth.mfa import app_settings as mfa_settings

    rates = {**app_settings.RATE_LIMITS, **mfa_settings.RATE_LIMITS}
    assert all(rates.get(action) for actions in OWN.values() for action in actions.split())
    for action in set(site.ACCOUNT_RATE_LIMITS):
        assert ratelimit.parse_rates(site.ACCOUNT_RATE_LIMITS[action])


@pytest.mark.parametrize("logged_in", [True, False])
def test_every_address_has_a_limit(settings, member, logged_in, monkeypatch):
    refuse_plainly(monkeypatch)
    visitor = member if logged_in else Client()
    visitor.raise_request_exception = False
    settings.ACCOUNT_RATE_LIMITS = {**site.ACCOUNT_RATE_LIMITS, "send": "1/h/user", "send_as_visitor": "1/h/ip"}
    visitor.post(reverse("set_theme"))
    assert {path for _name, path in addresses() if visitor.post(path).status_code != 429} == set()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("account_login", {"login": "x@example.org", "password": "wrong wrong"}),
        ("account_reset_password", {"email": "x@example.org"}),
        ("account_signup", {"email": "x@example.org", "name": "X y", "password1": "seven brass lamps"}),
        ("mfa_login_webauthn", {"credential": "{}"}),
        ("try_guest", {}),
    ],
)
def test_strangers_requests_have_limits_of_their_own(client, monkeypatch, name, data):
    asked, really = set(), ratelimit.get_rates
    monkeypatch.setattr(ratelimit, "get_rates", lambda **more: asked.add(more["action"]) or really(**more))
    client.post(reverse(name), data)
    assert set(OWN[name].split()) <= asked


@pytest.mark.parametrize(
    ("name", "args", "data"),
    [
        ("account_settings_account", [], {"name": "Quincy"}),
        ("export", [], {}),
        ("report", ["player", "ben"], {"rule": "respect", "sentence": "He shouted."}),
        ("player_action", ["ben", "block"], {}),
        ("account_email", [], {"email": "new@example.org", "action_add": "1"}),
    ],
)
def test_members_requests_have_limits_of_their_own(member, ben, monkeypatch, name, args, data):
    asked, really = set(), ratelimit.get_rates
    monkeypatch.setattr(ratelimit, "get_rates", lambda **more: asked.add(more["action"]) or really(**more))
    member.post(reverse(name, args=args), data)
    assert set(OWN[name].split()) <= asked
