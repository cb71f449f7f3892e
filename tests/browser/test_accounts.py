"""Signing up, confirming, coming back: in a browser, with the emails that the real site sends."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.looks import axe
from tests.browser.people import PASSWORD, follow, open_mail, sign_up
from tests.factories.samples import sampled
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser, site: SiteProcess):
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: "Content Security Policy" in message.text and wrong.append(message.text))
    yield page
    context.close()
    assert wrong == []


def expect_logged_in(page: Page, name: str) -> None:
    page.goto("/accounts/settings/account/")
    expect(page.get_by_label("Name", exact=True)).to_have_value(name)


def test_sign_up_by_the_code_of_the_email(page):
    sign_up(page, "Ben", "ben@example.org")
    mails = page.context.new_page()
    open_mail(mails, "ben@example.org")
    code = re.search(r"\d{4} \d{4}", mails.locator(".mailbox-text").inner_text())[0]
    page.get_by_label("Code").fill(code)
    follow(page.get_by_role("button", name="Confirm"))
    expect_logged_in(page, "Ben")


def test_after_a_refusal_the_first_wrong_field_has_the_focus_and_describes_its_error(page):
    page.goto("/accounts/signup/")
    page.get_by_label("Email address").fill("fay@example.org")
    page.get_by_label("Name", exact=True).fill("Fay/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    name = page.get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    assert "id_name_error" in name.get_attribute("aria-describedby")


def test_sign_up_by_the_link_in_the_email_s_html_part(page):
    sign_up(page, "Cleo", "cleo@example.org")
    open_mail(page, "cleo@example.org")
    follow(page.frame_locator("iframe").get_by_role("link", name="Confirm my address"))
    follow(page.get_by_role("button", name="Yes, confirm"))
    expect_logged_in(page, "Cleo")


def test_a_guest_keeps_the_name_by_signing_up_and_finds_it_elsewhere(page, browser, site):
    page.goto("/accounts/login/")
    token = page.locator("[name=csrfmiddlewaretoken]").first.get_attribute("value")
    page.request.post("/guest/", form={"csrfmiddlewaretoken": token}, headers={"Referer": site.url + "/"})
    page.goto("/accounts/signup/")
    name = page.get_by_label("Name", exact=True).input_value()
    assert name.startswith("Guest ")
    sign_up(page, name, "gus@example.org")
    open_mail(page, "gus@example.org")
    follow(page.locator(".mailbox-text a"))
    follow(page.get_by_role("button", name="Yes, confirm"))
    expect_logged_in(page, name)
    other = browser.new_context(base_url=site.url).new_page()
    other.goto("/accounts/login/")
    other.get_by_label("Email address").fill("gus@example.org")
    other.get_by_label("Password").fill(PASSWORD)
    follow(other.get_by_role("main").get_by_role("button", name="Log in", exact=True))
    expect_logged_in(other, name)
    other.context.close()


def test_a_forgotten_password(page):
    sign_up(page, "Dora", "dora@example.org")
    open_mail(page, "dora@example.org")
    follow(page.locator(".mailbox-text a"))
    follow(page.get_by_role("button", name="Yes, confirm"))
    page.context.clear_cookies()
    page.goto("/accounts/password/reset/")
    page.get_by_label("Email address").fill("dora@example.org")
    follow(page.get_by_role("button", name="Send the email"))
    open_mail(page, "dora@example.org")
    follow(page.frame_locator("iframe").get_by_role("link", name="Choose a new password"))
    page.get_by_label("New password", exact=True).fill("nine copper bells")
    page.get_by_label("Repeat new password").fill("nine copper bells")
    follow(page.get_by_role("button", name="Save the new password"))
    page.goto("/accounts/login/")
    page.get_by_label("Email address").fill("dora@example.org")
    page.get_by_label("Password").fill("nine copper bells")
    follow(page.get_by_role("main").get_by_role("button", name="Log in", exact=True))
    expect_logged_in(page, "Dora")


@pytest.mark.parametrize("scheme", sampled(["light", "dark"], "light"))
def test_the_pages_have_no_fault_that_a_machine_can_find(page, scheme):
    page.emulate_media(color_scheme=scheme)
    sign_up(page, f"Eve {scheme}", f"eve-{scheme}@example.org")
    faults = {}

    def look(where: str) -> None:
        found = axe(page, iframes=False)
        faults.update({(where, fault["id"]): [node["html"] for node in fault["nodes"]] for fault in found})

    look("verification sent")
    page.get_by_label("Code").fill("1")
    follow(page.get_by_role("button", name="Confirm"))
    look("wrong code")
    for address in ("login", "signup", "password/reset", "password/reset/done"):
        page.goto(f"/accounts/{address}/")
        look(address)
    open_mail(page, f"eve-{scheme}@example.org")
    look("mailbox")
    follow(page.locator(".mailbox-text a"))
    look("confirm")
    follow(page.get_by_role("button", name="Yes, confirm"))
    for address in ("settings", "email", "password/change", "logout", "2fa", "settings/sessions", "settings/data"):
        page.goto(f"/accounts/{address}/")
        look(address)
    assert faults == {}


def test_a_newcomer_s_clock_runs_by_the_time_zone_of_the_browser(browser: Browser, site: SiteProcess):
    context = browser.new_context(base_url=site.url, timezone_id="America/New_York")
    page = context.new_page()
    sign_up(page, "Gil", "gil@example.org")
    open_mail(page, "gil@example.org")
    follow(page.locator(".mailbox-text a"))
    follow(page.get_by_role("button", name="Yes, confirm"))
    expect(page.get_by_text("runs by your browser's time zone: America/New York")).to_be_visible()
    page.goto("/accounts/settings/times/")
    expect(page.locator("[name=zone]")).to_have_value("America/New_York")
    context.close()
