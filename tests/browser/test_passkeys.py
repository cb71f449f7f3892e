"""Passkeys, from adding one to logging in with it alone, with an authenticator simulated by Chromium."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import axe, sideways
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

PASSWORD = "play-cards-1"
#: A fingerprint reader of a laptop: stores passkeys, and identifies its user.
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture(scope="module")
def site_data(demo_data: Path) -> Path:
    return demo_data


@pytest.fixture
def page(site: SiteProcess, make_page: Callable[..., Page]) -> Page:
    """A page on "localhost", since passkeys need a host name, on a machine with a fingerprint reader."""
    page = make_page()
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    return page


def log_in(page: Page) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Email address").fill("ada@demo.example")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()


def log_out(page: Page) -> None:
    page.goto("/accounts/logout/")
    page.get_by_role("main").get_by_role("button", name="Log out").click()


def test_a_passkey_is_not_asked_for_before_the_script_is_there(page: Page) -> None:
    page.route("**/passkeys*.js", lambda route: route.abort())
    page.goto("/accounts/login/")
    expect(page.get_by_role("button", name="Log in with a passkey")).to_be_disabled()
    page.unroute("**/passkeys*.js")
    page.reload()
    expect(page.get_by_role("button", name="Log in with a passkey")).to_be_enabled()


def test_a_passkey_is_added_used_alone_used_as_second_factor_and_removed(page: Page) -> None:
    faults = {}

    def look(where: str) -> None:
        assert sideways(page) == 0, where
        found = axe(page)
        faults.update({(where, fault["id"]): [node["html"] for node in fault["nodes"]] for fault in found})

    log_in(page)
    page.goto("/accounts/2fa/")
    look("none yet")
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Password", exact=True).fill(PASSWORD)  # confirm again before something important
    page.get_by_role("button", name="Continue").click()
    look("add")
    page.get_by_label("Name").fill("Laptop")
    page.get_by_role("button", name="Add the passkey").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    expect(page.locator(".codes li")).to_have_count(10)
    look("codes")
    page.get_by_role("link", name="Done").click()
    expect(page.get_by_role("heading", name="Laptop")).to_be_visible()
    look("one")

    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_role("button", name="Add the passkey").click()
    expect(page.get_by_role("alert")).to_have_text("This device already has a passkey for your account.")

    log_out(page)
    page.goto("/accounts/login/?next=/rules/")
    look("log in")
    page.get_by_role("button", name="Log in with a passkey").click()
    page.wait_for_url("**/rules/")
    expect(page.locator(".account")).to_contain_text("Ada")

    log_out(page)
    log_in(page)
    expect(page.get_by_role("heading", name="One more step")).to_be_visible()
    expect(page.locator(".account")).not_to_contain_text("Ada")
    look("second step")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.locator(".account")).to_contain_text("Ada")

    page.goto("/accounts/2fa/")
    page.get_by_role("link", name="Remove Laptop").click()
    page.get_by_role("link", name="Use a passkey").click()
    look("once more")
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_role("button", name="Remove the passkey").click()
    expect(page.get_by_text("You have no passkeys.")).to_be_visible()
    log_out(page)
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Log in with a passkey").click()
    expect(page.get_by_role("status")).to_contain_text("doesn't work here")
    assert faults == {}
