"""Sign up in a browser, and read the resulting email."""

import time

from playwright.sync_api import Locator, Page, expect

PASSWORD = "seven brass lamps"


def sign_up(page: Page, name: str, email: str) -> None:
    page.goto("/accounts/signup/")
    page.get_by_label("Email address").fill(email)
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("heading", name="Check your email")).to_be_visible()


def open_mail(page: Page, email: str) -> None:
    """Open the newest email to this address, once it has really been sent."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        page.goto("/dev/mailbox/")
        mail = page.locator(".mailbox-list a", has_text=email).first
        if mail.count() and "sent" in mail.inner_text():
            mail.click()
            page.wait_for_url("**/dev/mailbox/*/")
            # Wait for the frame with the HTML part, too: links in a frame that is still loading don't respond.
            page.wait_for_load_state()
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"no mail to {email} was sent")


def follow(link: Locator) -> None:
    """Click a link or button that leads to another page, and wait for it: leaving earlier cancels the request."""
    with link.page.expect_navigation():
        link.click()
