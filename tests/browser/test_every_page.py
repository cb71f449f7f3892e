"""Every page of the site, checked by axe in light and dark, and at the width of a phone.

URLs are found automatically, so new pages are included; a new kind of argument needs a value here.
"""

import re
from collections.abc import Callable, Iterator

import pytest
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse
from playwright.sync_api import APIResponse, Browser, Page, expect

from tests.browser import tables
from tests.browser.looks import barriers, sideways
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
#: Light and dark differ only in colours, so all other rules give the same results in both.
OF_COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
#: Ada has an open, a running and a finished match, an email, and a link of each kind.
MADE = """
from accounts import outbox
from django.core.mail import EmailMultiAlternatives
from games.mail import tokens
from games.mail.outgoing.email_builder import Link

open_one = play.open_table(ada, "armani", 4, {})
finished = running("armed", 2, lambda v: v.facts["battle"] == 3)
play.resign(finished, people[1])
mail = EmailMultiAlternatives("A mail", "Text", None, ["ada@example.org"])
mail.attach_alternative("<p>Text</p>", "text/html")
row, = outbox.enqueue(mail)
made = {
    "running": running("normal-cards", 2, lambda v: True, clock="daily"),
    "open": open_one,
    "finished": finished,
}
seat = made["running"].seats.get(number=0)

class Path(str):
    def get_absolute_url(self):
        return self

made |= {
    "turn": Path(tokens.turn_url(seat, seat.asked_version).split("/")[-2]),
    "stop": Path(Link(ada.pk, "turn", finished.pk).token),
    "mail": Path(row.pk),
}
"""
#: Pages of running matches; all other match pages are checked for a finished one.
OF_RUNNING = {"match_plan", "watch", "match"}
#: Pages that show Ada an error here, which is checked too; and where their normal page is checked, if at all.
ELSEWHERE = {
    "watch": "redirects, as no slaps are watched: test_watching",
    "invitation": "needs a mail's token: test_finding",
    "account_end_session": "is pressed in test_accounts",
    "mfa_edit_webauthn": "test_passkeys",
    "mfa_remove_webauthn": "test_passkeys",
    "mfa_deactivate_totp": "test_passkeys",
    "mfa_view_recovery_codes": "test_passkeys",
    "mfa_download_recovery_codes": "test_passkeys",
    "calendar_feed": "no page",
    "news_feed": "no page",
    "security_txt": "no page, and none without an address to report to: test_security_log",
    "dismiss": "no page",
    "player_action": "no page",
    "invitation_no_more": "needs a mail's token: test_finding",
    "account_confirm_email": "needs a mail's link: test_accounts",
    "account_reauthenticate": "asks nobody who has just logged in: test_accounts",
    "mfa_reauthenticate": "the same: test_passkeys",
    "mfa_reauthenticate_webauthn": "the same: test_passkeys",
}


@pytest.fixture(scope="module")
def made(site: SiteProcess) -> dict[str, str]:
    """A session of Ada, and the URL arguments."""
    return tables.make(site, MADE)


def patterns() -> Iterator[URLPattern]:
    """Every named URL of the site, except the admin site's, which test_desk checks."""

    def walk(found: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
        for each in found:
            if isinstance(each, URLPattern):
                yield each
            elif each.app_name != "admin":
                yield from walk(each.url_patterns)

    return walk(get_resolver().url_patterns)


def paths(made: dict[str, str]) -> list[tuple[str, str]]:
    """Names and URLs, each once, with valid arguments."""
    key = {name: made[name].strip("/").split("/")[-1] for name in ("open", "running", "finished")}
    found: dict[str, str] = {"not found": "/nothing/"}
    for pattern in patterns():
        name = pattern.name
        if name is None or name in found:
            continue
        values = {
            "slug": "armani",
            "key": key["running" if name in OF_RUNNING else "finished"],
            "name_key": "ben",
            "name": "block",
            "number": 1,
            "pk": made["mail"] if name.startswith("mailbox") else 1,
            "token": {"turn": made["turn"], "mail_stop": made["stop"]}.get(name, "nothing-of-ours"),
            "kind": "player",
            "ref": "ben",
            "uidb36": "1",
            "user_id": 1,
        }
        if name in ("account_confirm_email", "account_reset_password_from_key"):
            values["key"] = "nothing-of-ours"
        wanted = pattern.pattern.regex.groupindex
        assert set(wanted) <= set(values), f"{name} has an argument that this test does not know"
        try:
            found[name] = reverse(name, kwargs={each: values[each] for each in wanted})
        except NoReverseMatch:
            continue  # another pattern of this name stands before it
    return [*found.items(), ("waiting room", made["open"]), ("result", made["finished"])]


def look_over(page: Page, name: str, path: str) -> list[str]:
    """Violations on one page, in light and dark and at both widths."""
    wrong = []
    page.set_viewport_size(DESK)
    page.goto(path)
    for scheme, options in (("light", {}), ("dark", OF_COLOURS)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        wrong += [f"{name} {path} {scheme}: {each}" for each in barriers(page, **options)]
    page.set_viewport_size(PHONE)
    if sideways(page):
        wrong.append(f"{name} {path} spills over at a phone's width")
    return wrong


@pytest.fixture
def open_page(make_page: Callable[..., Page], site: SiteProcess, made: dict[str, str]) -> Callable[..., Page]:
    """Open a page as Ada."""

    def open_it(path: str, **options: object) -> Page:
        page = make_page(service_workers="block", **options)
        page.context.add_cookies([{"name": "sessionid", "value": made["session"], "url": site.url}])
        page.goto(path)
        return page

    return open_it


#: Style and width of an outline.
OUTLINES = (
    "(found) => found.map((each) => `${getComputedStyle(each).outlineStyle} ${getComputedStyle(each).outlineWidth}`)"
)


def test_in_forced_colours_chosen_buttons_and_suits_need_no_colour(open_page, made: dict[str, str]) -> None:
    page = open_page("/lobby/new/?game=armani", forced_colors="active")
    choices = page.locator(".button-choice label")
    chosen = choices.filter(has=page.locator(":checked")).evaluate_all(OUTLINES)
    others = choices.filter(has_not=page.locator(":checked")).evaluate_all(OUTLINES)
    assert len(chosen) >= 3
    assert len(others) >= 3
    assert not set(chosen) & set(others)
    page.goto(made["running"])
    page.locator("#hand .playing-card").first.wait_for()
    # Cards use the drawings of this sheet.
    letter = page.locator(".face-sheet .face-letter").first
    expect(letter).not_to_have_css("display", "none")
    page.emulate_media(forced_colors="none")
    expect(letter).to_have_css("display", "none")


#: Scrolls the open menu to its end; returns whether its last entry and itself are in the window, which hasn't scrolled.
END_OF_MENU = """() => {
  const menu = document.querySelector(".table-menu .menu-list");
  menu.scrollTop = menu.scrollHeight;
  const entries = [...menu.querySelectorAll("a, button, summary")].filter((each) => each.checkVisibility());
  const last = entries.at(-1).getBoundingClientRect();
  const at = document.elementFromPoint(last.x + last.width / 2, last.bottom - 4);
  return [last.bottom <= innerHeight, entries.at(-1).contains(at), menu.getBoundingClientRect().bottom <= innerHeight,
    scrollY === 0];
}"""


@pytest.mark.parametrize("size", [DESK, PHONE, {"width": 640, "height": 400}], ids=str)
def test_the_last_entry_of_the_tables_menu_is_reached_without_scrolling_the_page(open_page, made, size) -> None:
    page = open_page(made["running"], viewport=size)
    page.locator("#table[data-complete]").wait_for()
    page.locator(".table-menu > summary").click()
    assert page.evaluate(END_OF_MENU) == [True] * 4
    page.locator("#resign > summary").click()
    expect(page.get_by_role("button", name="Yes, resign")).to_be_visible()
    assert page.evaluate(END_OF_MENU) == [True] * 4


def main_part(answer: APIResponse) -> str:
    """What is between the header and footer of a page, without random values."""
    main = re.search(r"<main\b.*</main>", answer.text(), re.DOTALL)
    return re.sub(r'(name="csrfmiddlewaretoken" value|nonce)="[^"]*"', "", main[0]) if main else answer.text()


@pytest.mark.long
@pytest.mark.parametrize("who", ["Ada", "nobody"])
def test_no_page_has_barriers(browser: Browser, site: SiteProcess, made: dict[str, str], who: str) -> None:
    strangers, adas = (browser.new_context(base_url=site.url, service_workers="block") for _person in range(2))
    adas.add_cookies([{"name": "sessionid", "value": made["session"], "url": site.url}])
    context = adas if who == "Ada" else strangers
    page = context.new_page()
    wrong: list[str] = []
    looked_at: set[str] = set()
    for name, path in paths(made):
        answer = context.request.get(path, max_redirects=0)
        is_html = answer.headers.get("content-type", "").startswith("text/html")
        is_page = is_html and "<html" in answer.text()[:500]  # fragments of pages are excluded
        if not is_page or answer.status in (301, 302, 405) or name == "mailbox_html":
            continue
        if answer.status >= 400 and name not in ELSEWHERE and who == "Ada" and name != "not found":
            wrong.append(f"{name} {path} answers {answer.status}")
        # A stranger's header and footer are looked at once; after that, only pages of which Ada sees another main part.
        if who == "Ada" or not looked_at or main_part(adas.request.get(path)) != main_part(answer):
            wrong += look_over(page, name, path)
        looked_at.add(name)
    strangers.close()
    adas.close()
    assert wrong == [], "\n".join(wrong)
    assert {"home", "lobby", "match", "account_login"} <= looked_at | ({"account_login"} if who == "Ada" else set())
