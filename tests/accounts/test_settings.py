"""The settings: their sections, each with a page."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from accounts.models import User
from accounts.people import preferences
from accounts.people.models import Preferences, Profile
from accounts.settings_sections import SECTIONS, sections_for
from tests.factories.clients import QuickClient


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.url_name)
def test_each_section_is_a_page_that_lists_all_of_them(client: Client, ada: User, section) -> None:
    client.force_login(ada)
    page = client.get(reverse(section.url_name)).content.decode()
    assert all(f'href="{reverse(other.url_name)}"' in page for other in SECTIONS)
    assert f'href="{reverse(section.url_name)}" aria-current="page"' in page


def test_the_hub_lists_every_section_with_what_it_is_for(client: Client, ada: User) -> None:
    client.force_login(ada)
    page = client.get(reverse("account_settings")).content.decode()
    for section in SECTIONS:
        assert f'href="{reverse(section.url_name)}"' in page
        assert str(escape(section.text)) in page


def test_guests_see_only_what_is_for_them(client: Client, db) -> None:
    guest = User.objects.create_user(name="Guest 1000")
    client.force_login(guest)
    page = client.get(reverse("account_settings")).content.decode()
    for section in SECTIONS:
        assert (f'href="{reverse(section.url_name)}"' in page) == (section in sections_for(guest))


def test_settings_need_a_login(client: Client, db) -> None:
    for name in ["account_settings", *(section.url_name for section in SECTIONS)]:
        assert client.get(reverse(name)).url.startswith(reverse("account_login"))


# The sections of one's profile and preferences.


def test_a_profile_text_is_on_the_page_escaped(client: Client, ada: User) -> None:
    client.force_login(ada)
    text = "I play <b>Armed</b>.\r\nAnd ♠."
    client.post(reverse("account_settings_profile"), {"country": "NZ", "about": text})
    page = client.get(reverse("player", args=["ada"])).content.decode()
    assert "New Zealand" in page
    assert "I play &lt;b&gt;Armed&lt;/b&gt;.<br>And ♠." in page


@pytest.mark.parametrize("about", ["x" * 501, "a\u202eb", "\n".join("abcdefghijklmn"), "zero\u200bwidth"])
def test_the_profile_text_has_a_maximal_length(client: Client, ada: User, about: str) -> None:
    client.force_login(ada)
    assert client.post(reverse("account_settings_profile"), {"country": "", "about": about}).status_code == 422
    assert not Profile.objects.filter(about__gt="").exists()


def test_a_country_that_does_not_exist_is_refused(client: Client, ada: User) -> None:
    client.force_login(ada)
    assert client.post(reverse("account_settings_profile"), {"country": "XX", "about": ""}).status_code == 422


def test_preferences_apply_to_every_page_and_device(client: Client, ada: User) -> None:
    client.force_login(ada)
    client.post(reverse("account_settings_look"), {"theme": "dark", "faces": "large", "four_colours": "on"})
    moves = {"live_moves": "direct", "slow_moves": "confirm", "hand_order": "rank", "sounds": "on"}
    client.post(reverse("account_settings_moves"), moves)
    other = QuickClient()
    other.force_login(ada)
    page = other.get("/").content.decode()
    assert 'data-theme="dark"' in page
    for attribute in ("faces", "large"), ("four-colours", "true"), ("suit-letters", "false"), ("live-moves", "direct"):
        assert 'data-{}="{}"'.format(*attribute) in page
    assert 'data-hand-order="rank"' in page
    assert 'data-sounds="true"' in page


def test_visitors_get_the_defaults(client: Client, db) -> None:
    page = client.get("/").content.decode()
    assert 'data-faces="classic"' in page
    assert "data-preferences" not in page
    assert "data-theme" not in page


def test_a_table_saves_what_is_changed_there_and_leaves_the_rest(client: Client, ada: User) -> None:
    client.force_login(ada)
    client.post(reverse("account_settings_look"), {"theme": "auto", "faces": "large", "four_colours": "on"})
    assert client.post(reverse("save_preferences"), {"four_colours": "false", "hand_order": "drawn"}).status_code == 204
    stored = Preferences.objects.get(user=ada)
    assert (stored.faces, stored.four_colours, stored.hand_order) == ("large", False, "drawn")
    assert client.post(reverse("save_preferences"), {"hand_order": "upside down"}).status_code == 422
    client.logout()
    assert client.post(reverse("save_preferences"), {"hand_order": "suit"}).status_code == 403


def test_settings_sent_at_the_same_time_are_all_kept(client: Client, ada: User, monkeypatch) -> None:
    client.force_login(ada)
    # Each request has read the preferences before any of them was stored.
    monkeypatch.setattr(preferences, "of_user", lambda user: Preferences(user=user))
    assert client.post(reverse("account_settings_look"), {"theme": "dark", "faces": "large"}).status_code == 302
    for name in ("hints", "four_colours"):
        assert client.post(reverse("save_preferences"), {name: "true"}).status_code == 204
    stored = Preferences.objects.get(user=ada)
    assert (stored.theme, stored.faces, stored.hints, stored.four_colours) == ("dark", "large", True, True)


def test_brightness_in_the_footer_is_kept_for_the_account_too(client: Client, ada: User) -> None:
    client.force_login(ada)
    client.post(reverse("set_theme"), {"theme": "dark"})
    other = QuickClient()
    other.force_login(ada)
    assert 'data-theme="dark"' in other.get("/").content.decode()


def test_profile_look_and_moves_are_sections() -> None:
    names = {section.url_name for section in SECTIONS}
    assert names >= {"account_settings_profile", "account_settings_look", "account_settings_moves"}
