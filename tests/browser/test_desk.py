"""From a report to an appeal in a browser: a player, two moderators, and the reported person."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import tables
from tests.browser.looks import barriers, sideways
from tests.factories.samples import sampled
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

PASSWORD = "play-cards-1"
#: The key of a running match in which people have moved, but not Lena.
RUNNING = """
from games.matches.models import Match
print(Match.objects.filter(status="running", version__gt=2).exclude(seats__player__name="Lena").first().key)
"""
#: A stuck match: its turn ended long ago, and the sweep has only just postponed it again.
HANG = """
from datetime import timedelta
from django.utils import timezone
from games.matches.models import Match, Seat
now = timezone.now()
late = Match.objects.filter(status="running", seats__due_at__isnull=False).earliest("pk")
Match.objects.filter(pk=late.pk).update(due_at=now + timedelta(minutes=4))
Seat.objects.filter(match=late, due_at__isnull=False).update(due_at=now - timedelta(hours=1))
"""


#: A name and a report, each of one long word, and a report between two deleted accounts.
LONG = """
from accounts.models import User
from accounts.moderation.models import Report
dan = User.objects.get(name="Dan")
dan.name = "Wolfeschlegelsteinhausenbergerdorffabcde"
dan.save()
first, second = Report.objects.filter(closed_at=None).order_by("pk")[:2]
line = {"id": 1, "name": dan.name, "seat": 0, "text": "z" * 400, "at": "2026-11-23T08:00:00+00:00"}
profile = {"name": dan.name, "about": "y" * 400}
first.accused, first.accused_name, first.sentence = dan, dan.name, "x" * 500
first.context = {"talk": [line], "profile": profile}
first.save()
second.accused = second.reporter = None
second.save()
print(first.pk, second.pk, dan.pk)
"""


@pytest.fixture
def site(demo_data: Path, tmp_path: Path) -> Iterator[SiteProcess]:
    """A site of the test's own, with people, matches and reports."""
    folder = tmp_path / "data"
    shutil.copytree(demo_data, folder)
    with SiteProcess(data_dir=folder) as running:
        yield running


def log_in(browser: Browser, site: SiteProcess, name: str, width: int) -> Page:
    page = browser.new_context(viewport={"width": width, "height": 844}, base_url=site.url).new_page()
    is_staff = name in ("tara", "anna", "arno", "rolf", "olga")
    page.goto("/accounts/login/?next=/admin/" if is_staff else "/accounts/login/")
    page.locator("[name=username], [name=login]").fill(f"{name}@demo.example")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=password]").press("Enter")
    page.wait_for_url(re.compile("/(admin|my|standing)/$"))
    return page


def is_fine(page: Page) -> None:
    """Nothing overflows, and the page is accessible."""
    page.wait_for_load_state()  # text may appear before its style
    assert sideways(page) == 0
    assert barriers(page) == []


@pytest.mark.parametrize("width", sampled([1280, 390], 1280))
def test_a_message_is_reported_decided_on_and_appealed_against(browser: Browser, site: SiteProcess, width: int) -> None:
    ada = log_in(browser, site, "ada", width)
    ada.goto("/report/player/cleo/")
    is_fine(ada)
    ada.get_by_role("button", name="Send the report").click()
    expect(ada.locator(".errors").first).to_be_visible()
    ada.get_by_label("Be respectful").check()
    ada.get_by_label("What happened?").fill("She shouted at the table.")
    ada.get_by_role("button", name="Send the report").click()
    expect(ada.get_by_text("A moderator will look at it soon.").first).to_be_visible()
    is_fine(ada)

    tara = log_in(browser, site, "tara", width)
    tara.goto("/admin/moderation/report/")
    tara.get_by_role("link", name=re.compile("She shouted at the table")).click()
    tara.get_by_role("button", name="Claim this report").click()
    is_fine(tara)
    tara.get_by_label("Decision").select_option("silence")
    tara.get_by_label("For how long").select_option("24")
    tara.get_by_label("Or in your own words").first.fill("You shouted at the table.")
    tara.get_by_role("button", name="Decide").click()
    expect(tara.get_by_text("The decision is in force.")).to_be_visible()
    tara.get_by_label("Answer, in the reporter's language").select_option("done")
    tara.get_by_role("button", name="Close and tell the reporter").click()
    expect(tara.get_by_text("Closed. We have told the reporter.")).to_be_visible()

    cleo = log_in(browser, site, "cleo", width)
    cleo.goto("/lobby/")
    expect(cleo.get_by_role("heading", name="Account status")).to_be_visible()
    is_fine(cleo)
    cleo.get_by_role("button", name="I've read this").click()
    cleo.get_by_text("I think this is wrong").click()
    cleo.get_by_label("Your message").fill("It was the radio.")
    cleo.get_by_role("button", name="Send it to the moderators").click()
    expect(cleo.get_by_text("It was the radio.")).to_be_visible()
    cleo.goto("/lobby/")
    expect(cleo.get_by_role("heading", name="Lobby")).to_be_visible()

    anna = log_in(browser, site, "anna", width)
    anna.goto("/admin/moderation/appeal/?o=-2")
    anna.locator("#result_list a", has_text="Cleo").click()
    is_fine(anna)
    anna.get_by_label("Answer").fill("We believe you.")
    anna.get_by_role("button", name="Answer and grant").click()
    expect(anna.get_by_text("We have told the person.")).to_be_visible()

    cleo.goto("/accounts/settings/standing/")
    expect(cleo.get_by_text("We believe you.")).to_be_visible()
    expect(cleo.get_by_text("taken back")).to_be_visible()
    ada.goto("/accounts/settings/reports/")
    expect(ada.get_by_text("we've acted")).to_be_visible()


def find(page: Page, words: str) -> None:
    """Use the search of a list."""
    page.locator("#searchbar").fill(words)
    page.locator("#searchbar").press("Enter")


def run_action(page: Page, name: str) -> None:
    """Select all rows of a list and an action."""
    page.locator("#action-toggle").check()
    page.locator("select[name=action]").select_option(label=name)
    page.get_by_role("button", name="Go").click()


@pytest.mark.long
@pytest.mark.parametrize("width", sampled([1280, 390], 390))
def test_the_results_role_judges_play_and_the_operations_role_keeps_the_site_running(
    browser: Browser, site: SiteProcess, width: int
) -> None:
    rolf = log_in(browser, site, "rolf", width)
    is_fine(rolf)
    rolf.goto("/admin/moderation/report/")
    is_fine(rolf)
    rolf.get_by_role("link", name=re.compile("No one plays that card")).click()
    expect(rolf.get_by_role("heading", name="Pairs who often meet")).to_be_visible()
    is_fine(rolf)
    rolf.get_by_role("button", name="Claim this report").click()
    rolf.get_by_role("button", name="Look at the table").click()
    expect(rolf.get_by_text("After move")).to_be_visible()
    is_fine(rolf)
    rolf.get_by_label("Decision").select_option("warning")
    rolf.get_by_label("Or in your own words").first.fill("Play without looking into other hands.")
    rolf.get_by_role("button", name="Decide").click()
    expect(rolf.get_by_text("The decision is in force.")).to_be_visible()
    rolf.get_by_label("Answer, in the reporter's language").select_option("warned")
    rolf.get_by_role("button", name="Close and tell the reporter").click()
    rolf.goto("/admin/moderation/sanction/")
    expect(rolf.get_by_text("not read yet").first).to_be_visible()
    is_fine(rolf)
    for page in ("games/match", "games/slapattempt", "slaps/flag", "moderation/auditentry"):
        rolf.goto(f"/admin/{page}/")
        is_fine(rolf)
    expect(rolf.get_by_text("looked at the table")).to_be_visible()

    olga = log_in(browser, site, "olga", width)
    is_fine(olga)
    site.manage("shell", "-v", "0", "-c", HANG)
    olga.goto("/admin/games/match/?due=stuck")
    is_fine(olga)
    run_action(olga, "Restart these matches")
    expect(olga.get_by_text("1 running match was restarted.")).to_be_visible()
    olga.goto("/admin/games/match/")
    run_action(olga, "Replay and compare with the stored match")
    expect(olga.get_by_text("5 matches were replayed and are correct.")).to_be_visible()
    olga.goto("/admin/operations/failure/")
    expect(olga.get_by_text("KeyError in ai/players.py")).to_be_visible()
    is_fine(olga)
    olga.goto("/admin/accounts/outgoingmail/")
    find(olga, "lena@demo.example")
    expect(olga.get_by_text("452 full")).to_be_visible()
    is_fine(olga)
    run_action(olga, "Send again")
    expect(olga.get_by_text("1 email will be sent again.")).to_be_visible()
    olga.goto("/admin/operations/bouncedaddress/")
    is_fine(olga)
    run_action(olga, "Send email to these addresses again")
    expect(olga.get_by_text("1 address gets email again.")).to_be_visible()
    olga.goto("/admin/operations/daycount/")
    olga.get_by_text("As a table").first.click()
    is_fine(olga)

    visitor = browser.new_context(viewport={"width": width, "height": 844}, base_url=site.url).new_page()
    guest = browser.new_context(viewport={"width": width, "height": 844}, base_url=site.url).new_page()
    guest.goto("/")
    tables.play_an_ai_player(guest, "normal-cards")
    guest.locator("#table[data-complete]").wait_for()
    looker = browser.new_context(viewport={"width": width, "height": 844}, base_url=site.url).new_page()
    looker.goto("/lobby/")
    olga.goto("/admin/operations/switches/")
    olga.get_by_label("New matches allowed").uncheck()
    olga.get_by_label("Banner").fill("We look after the site at ten.")
    olga.get_by_label("Importance").select_option("warning")
    olga.get_by_role("button", name="Save", exact=True).click()
    expect(olga.get_by_text("Saved. In force everywhere.")).to_be_visible()
    is_fine(olga)
    olga.goto("/admin/operations/announcement/add/")
    olga.get_by_label("Text").fill("New cards are here: larger and calmer.")
    is_fine(olga)
    olga.get_by_role("button", name="Save", exact=True).click()
    is_fine(olga)
    # Open pages are updated without a reload.
    for page in (guest, looker):
        expect(page.get_by_text("We look after the site at ten.")).to_be_visible()
        expect(page.get_by_text("New cards are here")).to_be_visible()
    is_fine(guest)
    guest.get_by_role("button", name="don't show this again").click()
    guest.locator("#table[data-complete]").wait_for()
    expect(guest.get_by_text("New cards are here")).to_be_hidden()
    expect(guest.get_by_text("We look after the site at ten.")).to_be_visible()
    olga.goto("/admin/operations/switches/")
    olga.get_by_label("Banner").fill("")
    olga.get_by_role("button", name="Save", exact=True).click()
    expect(guest.get_by_text("We look after the site at ten.")).to_be_hidden()
    olga.goto("/admin/operations/switches/")
    olga.get_by_label("Banner").fill("We look after the site at ten.")
    olga.get_by_role("button", name="Save", exact=True).click()
    visitor.goto("/")
    expect(visitor.get_by_text("We look after the site at ten.")).to_be_visible()
    is_fine(visitor)
    visitor.get_by_role("button", name="don't show this again").click()
    expect(visitor.get_by_text("New cards are here")).to_be_hidden()
    visitor.goto("/lobby/")
    expect(visitor.get_by_text("We look after the site at ten.")).to_be_visible()
    expect(visitor.get_by_text("New cards are here")).to_be_hidden()
    olga.goto("/admin/moderation/auditentry/")
    for done in (
        "changed the switches",
        "wrote or changed an announcement",
        "allowed emails to the address again",
        "sent the email again",
        "checked the match by playing it again",
        "got the match going again",
    ):
        expect(olga.get_by_text(done, exact=True).first).to_be_visible()


SERIOUS = """
from accounts.models import OutgoingMail, User
from accounts.moderation import sanctions
from accounts.moderation.models import Appeal, Sanction
anna, dan, edda = (User.objects.get(name=name) for name in ("Anna", "Dan", "Edda"))
sanctions.impose(anna, dan, "closed", "fair", "Two accounts at a table.")
User.objects.create_user("arno@demo.example", "play-cards-1", name="Arno", is_staff=True).groups.set(anna.groups.all())
"""


class Inputs:
    """A moderator at the desk's first page, with a count of presses and choices."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def press(self, role: str, name: str | re.Pattern[str]) -> None:
        """Press the first link or button with that name."""
        self.page.get_by_role(role, name=name).first.click()  # type: ignore[arg-type]  # a role's name
        self.count += 1

    def fill(self, label: str, text: str) -> None:
        """Write into a field."""
        self.page.get_by_label(label).first.fill(text)
        self.count += 1

    def choose(self, label: str, value: str) -> None:
        """Choose from a list."""
        self.page.get_by_label(label).first.select_option(value)
        self.count += 1


def test_daily_work_takes_few_inputs(browser: Browser, site: SiteProcess) -> None:
    site.manage("shell", "-v", "0", "-c", SERIOUS)
    insult = Inputs(log_in(browser, site, "tara", 1280))
    insult.press("link", re.compile("This is no way to talk"))
    insult.press("button", "Silence for a day and tell both")
    expect(insult.page.get_by_text("Until then you can undo it.").first).to_be_visible()
    is_fine(insult.page)
    assert insult.count <= 4
    insult.page.goto("/admin/")
    insult.page.get_by_role("button", name="Undo").click()
    expect(insult.page.get_by_text("No one was told.")).to_be_visible()

    fair = Inputs(log_in(browser, site, "rolf", 1280))
    fair.press("link", re.compile("No one plays that card"))
    fair.press("button", "Look at the table")
    fair.press("button", "‹ Move before")
    expect(fair.page.get_by_text("After move")).to_be_visible()
    fair.choose("Reason", "together")
    fair.press("button", "Warn and tell both")
    expect(fair.page.get_by_text("Until then you can undo it.").first).to_be_visible()
    assert fair.count <= 6

    second = Inputs(log_in(browser, site, "arno", 1280))
    second.press("link", "account closed: Dan")
    is_fine(second.page)
    second.press("button", "Confirm")
    expect(second.page.get_by_text("in force", exact=False).first).to_be_visible()
    assert second.count <= 2

    appeal = Inputs(log_in(browser, site, "arno", 1280))
    appeal.press("link", "no chat: Edda")
    appeal.fill("Answer", "We believe you.")
    appeal.press("button", "Answer and grant")
    expect(appeal.page.get_by_text("We have told the person.")).to_be_visible()
    assert appeal.count <= 3

    again = Inputs(log_in(browser, site, "olga", 1280))
    again.press("button", "Send all failed emails again")
    expect(again.page.get_by_text("will be sent again")).to_be_visible()
    assert again.count <= 2


@pytest.mark.parametrize("width", sampled([1280, 390], 1280))
def test_a_match_a_player_and_a_move_are_reported_from_the_table(
    browser: Browser, site: SiteProcess, width: int
) -> None:
    key = site.manage("shell", "-v", "0", "-c", RUNNING).strip().splitlines()[-1]
    ada = log_in(browser, site, "lena", width)
    ada.goto(f"/match/{key}/")
    ada.locator("#table[data-ready]").wait_for()
    ada.locator(".table-menu > summary").click()
    ada.get_by_text("Report to the moderators…").click()
    is_fine(ada)
    ada.get_by_role("link", name="This match").click()
    expect(ada.get_by_role("heading", name="Report a match")).to_be_visible()
    ada.go_back()
    ada.locator("#table[data-ready]").wait_for()
    # By keyboard: the log is a tab stop, arrows move over its lines, and the link is the next stop.
    ada.locator(".log").focus()
    for _line in range(200):
        ada.keyboard.press("ArrowUp")
        if ada.locator("a.log-report").count():
            break
    ada.keyboard.press("Tab")
    assert ada.evaluate("document.activeElement.matches('a.log-report')")
    ada.keyboard.press("Enter")
    expect(ada.get_by_role("heading", name=re.compile("^Report "))).to_be_visible()
    assert re.search(rf"/report/move/{key}-\d+/$", ada.url)
    ada.get_by_label("Play fair").check()
    ada.get_by_label("What happened?").fill("This move is strange.")
    ada.get_by_role("button", name="Send the report").click()
    expect(ada.get_by_text("A moderator will look into it")).to_be_visible()
    ada.goto("/player/ben/")
    ada.get_by_text("More", exact=True).click()
    ada.get_by_role("link", name="Report to the moderators").click()
    expect(ada.get_by_role("heading", name="Report Ben")).to_be_visible()
    is_fine(ada)


@pytest.mark.parametrize("width", sampled([1280, 390], 390))
def test_no_list_hides_a_column_and_nothing_visible_leads_to_a_refusal(
    browser: Browser, site: SiteProcess, width: int
) -> None:
    site.manage("shell", "-v", "0", "-c", SERIOUS)
    wrong = []
    for name in ("tara", "rolf", "anna", "olga"):
        page = log_in(browser, site, name, width)
        seen: set[str] = set()
        left = ["/admin/"]
        while left:
            path = left.pop()
            seen.add(path)
            answer = page.goto(path)
            assert answer
            if answer.status >= 400:
                wrong.append((name, path, answer.status))
                continue
            if sideways(page) or page.evaluate(
                "(list => list && list.scrollWidth > list.clientWidth + 1)(document.querySelector('.results'))"
            ):
                wrong.append((name, path, "too wide"))
            found = page.locator("#container a[href]:visible").evaluate_all("all => all.map(a => a.pathname)")
            # One row of each kind is enough.
            known = {re.sub(r"\d+", "N", each) for each in seen | set(left)}
            for each in dict.fromkeys(found):
                if each.startswith("/admin/") and re.sub(r"\d+", "N", each) not in known:
                    left.append(each)
                    known.add(re.sub(r"\d+", "N", each))
        assert len(seen) > 5, name
        page.context.close()
    assert wrong == [], "\n".join(map(str, wrong))


@pytest.mark.parametrize("width", sampled([1280, 390], 1280))
def test_long_words_and_deleted_people_do_not_break_pages(browser: Browser, site: SiteProcess, width: int) -> None:
    first, second, dan = site.manage("shell", "-v", "0", "-c", LONG).strip().splitlines()[-1].split()
    anna = log_in(browser, site, "anna", width)
    reports = "/admin/moderation/report/"
    for page in (f"{reports}{first}/change/", f"{reports}{second}/change/", f"{reports}person/{dan}/", reports):
        anna.goto(page)
        is_fine(anna)
    toggle, header = anna.locator(".theme-toggle").bounding_box(), anna.locator("#header").bounding_box()
    assert toggle is not None
    assert header is not None
    # On a phone the button is in the corner, and has no line of its own below the words.
    assert toggle["y"] + toggle["height"] / 2 < header["y"] + header["height"] * (0.6 if width < 1000 else 1)
