"""Playing by email in a browser: the pages behind email links, their settings, pushes, and live play."""

import json
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.looks import barriers, sideways
from tests.browser.mails import mails_of
from tests.browser.players import wait_until
from tests.factories.samples import sampled
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser
SIZES = {"desk": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}

#: Runs in the site's own shell; the last line printed is JSON: sessions, table URLs and email links.
SEED = """
import json
from urllib.parse import urlsplit
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from accounts.models import User
from games.matches import service as play
from games.mail import tokens
from games.mail.outgoing.email_builder import Link

def session(user):
    made = SessionStore()
    made[SESSION_KEY] = str(user.pk)
    made[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    made[HASH_SESSION_KEY] = user.get_session_auth_hash()
    made.save()
    return made.session_key

ada, ben = (User.objects.create_user(f"{name}@example.org", name=name.title()) for name in ("ada", "ben"))

def match(slug, moves=0):
    made = play.open_table(ada, slug, 2, {}, clock="daily")
    play.join(made, ben)
    made.seed, made.seed_hash = "5eed" * 8, ""
    made.save()
    play.start(made, ada)
    for number in range(moves):
        table = play.load(made.pk)
        seat = table.state.to_move()[0]
        play.act(made.pk, seat, table.state.legal_moves(seat)[0], request_id=str(number), player=(ada, ben)[seat])
    return made

def turn(made):
    seat = made.seats.select_related("player").get(asked_version__isnull=False)
    return seat, urlsplit(tokens.turn_url(seat, seat.asked_version)).path

late = match("normal-cards")
played = turn(late)
late_link = played[1]
table = play.load(late.pk)
seat = played[0]
play.act(late.pk, seat.number, table.state.legal_moves(seat.number)[0], request_id="x", player=seat.player)
live = match("normal-cards")
print(json.dumps({
    "ada": session(ada), "ben": session(ben),
    "turns": [turn(match("rummy-500", 12))[1] for _ in range(2)],
    "late": late_link,
    "stop": f"/mail/stop/{Link(ada.pk, 'turn', live.pk).token}/",
    "table": live.get_absolute_url(), "match": live.pk,
}))
"""


@pytest.fixture(scope="module")
def site(site: SiteProcess) -> SiteProcess:
    """A site that can send pushes."""
    site.manage("make_push_keys", "--write")
    return site


@pytest.fixture(scope="module")
def seed(site: SiteProcess) -> dict[str, Any]:
    """Two people with some matches, and links from their emails."""
    return json.loads(site.manage("shell", "-v", "0", "-c", SEED).strip().splitlines()[-1])


@pytest.fixture
def enter(make_page: Callable[..., Page], site: SiteProcess, seed: dict[str, Any]) -> Callable[..., Page]:
    """Open a page in a separate browser, for the named person or without a login."""

    def make(who: str = "", **options: Any) -> Page:
        page = make_page(**options)
        if who:
            page.context.add_cookies([{"name": "sessionid", "value": seed[who], "url": site.url}])
        return page

    return make


def look_over(page: Page, name: str = "") -> None:
    """Check for serious accessibility violations and sideways scrolling."""
    assert barriers(page) == []
    assert sideways(page) == 0


@pytest.mark.parametrize("size", SIZES)
def test_a_turn_is_chosen_and_confirmed_by_keyboard_without_logging_in(size: str, enter, seed) -> None:
    dark = "dark" if size == "phone" else "light"
    page = enter(viewport=SIZES[size], color_scheme=dark)
    path = seed["turns"][list(SIZES).index(size)]
    page.goto(path)
    look_over(page, f"decide-{size}")
    first = page.locator("button[name=choice]").first
    first.focus()
    page.keyboard.press("Enter")
    again = page.get_by_label(re.compile(r"^Type \d+ again"))
    expect(again).to_be_focused()
    look_over(page, f"confirm-{size}")
    page.keyboard.type("99")
    page.keyboard.press("Enter")
    expect(page.get_by_text("That's not the number of this move")).to_be_visible()
    look_over(page, f"wrong-{size}")
    again.fill("1")
    page.keyboard.press("Enter")
    # After a draw the turn continues; after a discard it is over.
    expect(page.get_by_text(re.compile("Your move is played")).first).to_be_visible()
    look_over(page, f"played-{size}")
    assert page.context.cookies() == []


@pytest.mark.parametrize("size", SIZES)
def test_a_late_and_a_forged_link_and_an_ended_kind_of_email_say_so(size: str, enter, seed) -> None:
    page = enter(viewport=SIZES[size])
    page.goto(seed["late"])
    expect(page.get_by_text("Too late")).to_be_visible()
    look_over(page, f"late-{size}")
    page.goto(f"/turn/{'a' * 50}/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    look_over(page, f"forged-{size}")
    page.goto(seed["stop"])
    look_over(page, f"stop-{size}")
    page.get_by_role("button").first.click()
    expect(page.get_by_role("status").first).to_be_visible()
    look_over(page, f"stopped-{size}")
    page.goto("/mail/stop/forged/")
    look_over(page, f"stop-forged-{size}")


@pytest.mark.parametrize("size", sampled(SIZES, "phone"))
def test_the_settings_of_notices_feeds_and_playing_times_are_in_order(size: str, enter, seed) -> None:
    page = enter("ada", viewport=SIZES[size])
    page.goto("/accounts/settings/notices/")
    page.get_by_label(re.compile("As a digest")).check()
    expect(page.get_by_text("At these times")).to_be_visible()
    look_over(page, f"notices-{size}")
    page.get_by_role("button", name="Save").click()
    look_over(page, f"notices-saved-{size}")
    for name in ("feeds", "times", "plans"):
        page.goto(f"/accounts/settings/{name}/")
        look_over(page, f"{name}-{size}")
    page.goto(f"{seed['table']}plan/")
    look_over(page, f"plan-{size}")


def test_emails_are_in_order_at_both_widths_light_and_dark(browser: Browser, site: SiteProcess, seed) -> None:
    mails = mails_of(site)
    assert len(mails) == 4
    for size in SIZES.values():
        for scheme in ("light", "dark"):
            with browser.new_context(viewport=size, color_scheme=scheme) as context:
                page = context.new_page()
                for html in mails.values():
                    page.set_content(html)
                    look_over(page)


@pytest.mark.full_chromium
def test_a_browser_without_a_push_service_says_that_it_did_not_work(enter, site) -> None:
    page = enter("ada")
    page.context.grant_permissions(["notifications"], origin=site.url)
    page.goto("/accounts/settings/notices/")
    page.get_by_role("button", name="Turn on notifications").click()
    expect(page.locator("[data-push] [role=status]")).to_contain_text(re.compile("didn't work|doesn't allow"))


@pytest.mark.full_chromium
def test_a_push_is_shown_and_its_click_leads_to_the_table(enter, site, seed) -> None:
    page = enter("ada")
    page.context.grant_permissions(["notifications"], origin=site.url)
    session = page.context.new_cdp_session(page)
    registrations: list[str] = []
    session.on(
        "ServiceWorker.workerVersionUpdated",
        # A delivery to a worker that isn't active yet may be lost.
        lambda event: registrations.extend(
            version["registrationId"] for version in event["versions"] if version["status"] == "activated"
        ),
    )
    session.send("ServiceWorker.enable")
    page.goto("/accounts/settings/notices/")
    page.evaluate("navigator.serviceWorker.register('/service-worker.js').then(() => navigator.serviceWorker.ready)")
    # Events of the browser arrive while other requests are made.
    wait_until(lambda: bool(page.evaluate("1") and registrations), "no worker was told of that is active")
    news = {"title": "Normal Cards with Ben", "body": "It's your turn.", "tag": "match-1", "url": seed["table"]}
    shown = """async () => {
        const registration = await navigator.serviceWorker.ready;
        const all = await registration.getNotifications();
        return all.map(({ title, body, data }) => [title, body, data.url]);
    }"""
    for body in ("It's your turn.", "Last call."):
        message = {"origin": site.url, "registrationId": registrations[-1], "data": json.dumps({**news, "body": body})}
        due = time.monotonic()

        def is_shown(message: dict[str, object] = message, body: str = body) -> bool:
            # The browser's driver loses a delivery now and then, while it starts the worker or stops it.
            nonlocal due
            if time.monotonic() >= due:
                session.send("ServiceWorker.deliverPushMessage", message)
                due = time.monotonic() + 5
            # Not wait_for_function: the page's policy refuses to evaluate text a second time.
            return [told[1] for told in page.evaluate(shown)] == [body]

        wait_until(is_shown, f"{body} is not shown")
    # The newer one about a match replaces the older one.
    assert page.evaluate(shown) == [["Normal Cards with Ben", "Last call.", seed["table"]]]
    (worker,) = page.context.service_workers
    # Windows open only after a person's click, so the browser's own function is observed instead.
    opened = worker.evaluate(
        """async () => {
            const opened = [];
            self.clients.openWindow = async (url) => opened.push(url);
            const [notification] = await self.registration.getNotifications();
            const done = [];
            const event = new NotificationEvent("notificationclick", { notification });
            event.waitUntil = (work) => done.push(work);
            self.dispatchEvent(event);
            await Promise.all(done);
            return [opened, (await self.registration.getNotifications()).length];
        }"""
    )
    assert opened == [[site.url + seed["table"]], 0]


def test_live_play_is_offered_when_all_are_there_and_ends_when_one_declines(enter, seed) -> None:
    ada, ben = enter("ada", viewport=SIZES["desk"]), enter("ben", viewport=SIZES["phone"])
    ada.goto(seed["table"])
    ada.locator("#table[data-ready]").wait_for()
    offer = ada.get_by_role("button", name="Play on live?")
    expect(offer).to_be_hidden()
    ben.goto(seed["table"])
    expect(offer).to_be_visible()
    look_over(ada, "offer-desk")
    offer.click()
    expect(ada.get_by_text("Waiting for Ben.")).to_be_visible()
    agree = ben.get_by_role("button", name="Play on live", exact=True)
    expect(agree).to_be_visible()
    look_over(ben, "agree-phone")
    agree.click()
    for page in (ada, ben):
        expect(page.get_by_text("You're playing live")).to_be_visible()
    look_over(ada, "live-desk")
    look_over(ben, "live-phone")
    # Moves are made as at a live table.
    ada.locator(".table-menu > summary").click()
    expect(ada.get_by_label("Live matches")).to_be_visible()
    expect(ada.get_by_label("Turn-based matches")).to_be_hidden()
    ben.get_by_role("button", name="Back to turn-based").click()
    expect(ada.get_by_label("Turn-based matches")).to_be_visible()
    expect(ada.get_by_role("button", name="Play on live?")).to_be_visible()
    ben.goto("/")
    expect(ada.get_by_role("button", name="Play on live?")).to_be_hidden()
