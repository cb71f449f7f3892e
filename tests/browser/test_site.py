"""Home, lobby and waiting room in a browser: two clicks to a match, a table filling up, and accessible pages."""

import re
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, WebSocketRoute, expect

from tests.browser.looks import barriers, sideways
from tests.browser.players import Player, wait_until
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

PHONE, DESKTOP = {"width": 360, "height": 640}, {"width": 1280, "height": 800}


@pytest.fixture
def visitor(browser: Browser, site: SiteProcess):
    """Open a page for a new visitor; script errors and policy violations fail the test."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def make(**context: object) -> Page:
        contexts.append(browser.new_context(base_url=site.url, **context))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: "Content Security Policy" in message.text and wrong.append(message.text))
        return page

    yield make
    for context in contexts:
        context.close()
    assert wrong == []


def open_table(page: Page, slug: str, *, clock: str = "", starts_when_full: bool = False) -> str:
    """Open a standard table that its host starts; returns its URL."""
    page.goto(f"/lobby/new/?game={slug}")
    if clock:
        page.locator(f"[name=clock][value={clock}]").check()
    if not starts_when_full:
        page.locator(".house-rules > summary").click()
        page.get_by_label("Start as soon as all seats are taken").uncheck()
    page.get_by_role("button", name="Create table").click()
    expect(page.get_by_role("heading", name="Seats")).to_be_visible()
    return page.url


def name_of(page: Page) -> str:
    """The name under which this visitor plays."""
    return page.locator(".account .menu summary span:last-child").inner_text()


def test_news_that_come_while_earlier_news_are_read_are_read_as_well(visitor) -> None:
    page = visitor(service_workers="block")
    page.clock.install()
    page.goto("/lobby/")
    page.locator("body[data-connection=open]").wait_for()
    reads: list[Route] = []
    page.route("**/announcements/**", lambda route: reads.append(route))
    for count in (1, 2):
        page.evaluate("document.dispatchEvent(new Event('news'))")
        if count == 2:
            answer = '<div data-news="" data-news-in="" data-shows="the first news"></div>'
            reads[0].fulfill(content_type="text/html", body=answer)
            page.locator("[data-shows='the first news']").wait_for(state="attached")
        page.clock.run_for(2000)
        # Requests are only noted while the page is asked something.
        wait_until(lambda count=count: page.evaluate("1") and len(reads) == count, f"{count} reads", 10)


def test_rules_that_were_read_can_be_read_without_a_connection(visitor) -> None:
    page = visitor()
    page.goto("/")
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.goto("/rules/avalanche/")
    page.wait_for_function("() => caches.match('/rules/avalanche/', { ignoreVary: true })")
    page.context.set_offline(True)
    page.goto("/lobby/")
    expect(page.get_by_role("heading", name="No connection")).to_be_visible()
    links = page.locator("[data-rules] a:visible")
    expect(links).to_have_text(["Avalanche"])
    links.click()
    expect(page.get_by_role("heading", name="Avalanche", level=1)).to_be_visible()


def test_who_waits_alone_at_a_quick_match_soon_plays_an_ai_player_or_keeps_waiting(visitor) -> None:
    page = visitor(viewport=PHONE)
    page.clock.install()
    for is_patient in (True, False):
        page.goto("/lobby/")
        # By its id: once another test has opened a table, the filter is called "Game", too.
        # Other tests open no tables of Basic Rummy.
        page.locator("#quick-game").select_option("basic-rummy")
        page.get_by_role("button", name="Quick match").click()
        offer = page.locator("[data-ai-after]")
        expect(offer).to_contain_text(re.compile(r"If no one joins in \d+ s, you'll play against AI players\."))
        if is_patient:
            page.get_by_role("button", name="Keep waiting").click()
            expect(offer).to_have_count(0)
            page.clock.run_for(60_000)
            expect(page.get_by_role("heading", name="Seats")).to_be_visible()
            page.get_by_role("button", name="Leave table").click()
        else:
            page.clock.run_for(21_000)
    expect(page.locator("#table")).to_be_visible()


def test_two_clicks_from_the_home_page_to_a_match(visitor) -> None:
    page = visitor()
    page.goto("/")
    page.get_by_label("Normal Cards", exact=True).check()
    page.get_by_role("button", name="Play an AI player").click()
    expect(page).to_have_url(re.compile("/match/"))
    expect(page.locator("main")).to_be_visible()
    state = page.request.get(f"{page.url}state/").json()
    assert (state["status"], state["slug"]) == ("running", "normal-cards")
    # A player in a match finds it first on the page.
    page.goto("/")
    page.locator("#content").focus()
    page.keyboard.press("Tab")
    focused = page.evaluate("[document.activeElement.className, document.activeElement.pathname]")
    assert focused[0].startswith("go-on")
    assert focused[1] == urlsplit(f"/match/{state['key']}/").path


@pytest.mark.parametrize(("size", "screens"), [(DESKTOP, 1), ({"width": 390, "height": 844}, 1.3)])
@pytest.mark.parametrize("has_match", [False, True])
@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_all_games_can_be_started_almost_without_scrolling(
    visitor, size: dict[str, int], screens: float, has_match: bool, language: str
) -> None:
    page = visitor(viewport=size, locale=language)
    page.goto("/")
    if has_match:
        page.locator(".ways .primary").click()
        page.wait_for_url(re.compile("/match/"))
        page.goto("/")
        expect(page.locator(".go-on")).to_be_visible()
    assert page.locator(".tile").count() == 8
    ends = page.eval_on_selector_all(
        ".tile, .ways .button", "all => all.map((each) => each.getBoundingClientRect().bottom)"
    )
    assert max(ends) <= size["height"] * screens


def test_the_seats_of_the_form_follow_the_number_of_players(visitor) -> None:
    page = visitor(viewport=PHONE)
    page.goto("/lobby/new/?game=armani")
    expect(page.get_by_label(re.compile(r"^Seat \d"))).to_have_count(7)
    expect(page.get_by_label("Seat 2")).to_be_visible()
    expect(page.get_by_label("Seat 3")).to_be_hidden()
    page.get_by_role("group", name="Players").get_by_label("4").check()
    expect(page.get_by_label("Seat 4")).to_be_visible()
    expect(page.get_by_label("Seat 5")).to_be_hidden()


def test_options_follow_the_clock_unless_someone_has_set_them(visitor) -> None:
    page = visitor(viewport=PHONE)
    page.goto("/lobby/new/?game=armani")
    page.locator(".house-rules > summary").click()
    flips, clock = page.get_by_label("Cards in Stage 2"), page.get_by_role("group", name="Live or turn-based")
    said = page.get_by_role("status").filter(has_text="We adjusted some options")
    expect(flips).to_have_value("208")
    clock.get_by_label("Turn-based").check()
    expect(flips).to_have_value("104")
    expect(said).to_be_visible()
    page.get_by_label("No clock").check()
    expect(flips).to_have_value("208")
    flips.fill("150")
    clock.get_by_label("Turn-based").check()
    expect(flips).to_have_value("150")
    expect(said).to_be_hidden()


def test_house_rules_are_one_line_that_says_what_is_not_standard(visitor) -> None:
    page = visitor(viewport=DESKTOP)
    page.goto("/lobby/new/?game=armani")
    state, line = page.locator("[data-house-state]"), page.locator("[data-house-line]")
    expect(state).to_have_text("standard")
    expect(line).to_contain_text("Cards in Stage 2: 208")
    page.get_by_label("Turn-based").check()
    expect(state).to_have_text("standard")
    page.locator(".house-rules > summary").click()
    page.get_by_label("Cards in Stage 2").fill("150")
    page.get_by_label("only people with the link").check()
    expect(state).to_have_text("changed")
    expect(line).to_have_text("Who can join: Only people with the link · Cards in Stage 2: 150")


def test_relay_and_calibrated_slaps_are_offered_only_where_they_apply(visitor) -> None:
    page = visitor(viewport=DESKTOP)
    page.goto("/lobby/new/?game=armani")
    page.locator(".house-rules > summary").click()
    relay, calibrated = page.get_by_label("Take turns watching"), page.get_by_label("Slap handicap")
    expect(relay).to_be_hidden()
    expect(calibrated).to_be_visible()
    page.get_by_label("Turn-based").check()
    expect(calibrated).to_be_hidden()
    expect(relay).to_be_hidden()
    page.get_by_role("group", name="Players").get_by_label("4").check()
    expect(relay).to_be_visible()


@pytest.mark.parametrize(("size", "screens"), [(DESKTOP, 1), ({"width": 390, "height": 844}, 1.5)])
@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_the_form_of_a_table_fits_the_screen(visitor, size: dict[str, int], screens: float, language: str) -> None:
    page = visitor(viewport=size, locale=language)
    for slug in ("armani", "armed", "rummy-500"):
        page.goto(f"/lobby/new/?game={slug}")
        assert page.locator("[data-open-table]").bounding_box()["y"] > 0
        end = page.evaluate("document.querySelector('[data-open-table]').getBoundingClientRect().bottom")
        assert end <= size["height"] * screens, slug


def test_three_presses_from_home_to_a_link_that_can_be_shared(visitor) -> None:
    page = visitor(viewport=PHONE)
    page.goto("/")
    page.get_by_label("Ten-Skip Challenge").check()
    page.get_by_role("button", name="Play with friends").click()
    page.get_by_role("button", name="Create table").click()
    expect(page.get_by_label("Link to the table")).to_have_value(re.compile(r"/match/\w+/$"))
    # A private table isn't in another visitor's lobby.
    assert urlsplit(page.url).path not in visitor().request.get("/lobby/").text()


def test_a_first_match_is_coached_and_the_fourth_is_not(visitor) -> None:
    page = visitor(viewport=PHONE)
    for number in range(10):
        page.goto("/")
        page.get_by_label("Amagande", exact=True).check()
        page.get_by_role("button", name="Play an AI player").click()
        page.locator("#table:is(.is-my-turn, .is-over)[data-complete]").wait_for()
        if page.locator("#table.is-over").count():
            continue  # the AI player began with the bomb, which ends the match
        said = page.locator("#status").inner_text()
        usable = page.locator("#hand .is-usable").count()
        if number < 3:
            # Depending on random cards: a card that fits, none, or a penalty.
            assert said in (
                "Play a marked card, or draw. Get rid of all your cards to win.",
                "None of your cards can be played now, so draw.",
                "A penalty, and you have no card that counters it. Draw the cards.",
                "A penalty! Counter it with a marked card, or draw.",
            )
            assert page.locator("#hand .is-hinted").count() == usable
        else:
            assert "marked" not in said
            assert page.locator("#hand .is-hinted").count() == 0
        # No button is primary if there are others.
        buttons = page.locator("#controls .control-buttons button:not([aria-disabled=true])")
        assert buttons.count() < 2 or page.locator("#controls .primary").count() == 0
        if number >= 3:
            break
    else:
        pytest.fail("the player's turn never came")


def test_the_coach_says_a_sentence_three_times_and_then_uses_a_short_form(visitor) -> None:
    page = visitor()
    page.goto("/")
    page.get_by_label("Normal Cards", exact=True).check()
    page.get_by_role("button", name="Play an AI player").click()
    asked: list[str] = []
    player = Player(page)
    while len(asked) < 5:
        page.locator("#table.is-my-turn[data-complete]").wait_for()
        asked.append(page.locator("#status").inner_text())
        player.make_a_move()
    in_full = "Play any card. Trumps win, then A 7 K J Q 6 5 4 3. Most points win."
    assert asked == [in_full] * 3 + ["Play a card."] * 2


def test_the_waiting_room_follows_its_table_until_the_match_begins(visitor) -> None:
    host, friend = visitor(), visitor(viewport=PHONE)
    address = open_table(host, "normal-cards")
    friend.goto(address)
    friend.get_by_role("button", name="Take a seat", exact=True).click()
    expect(host.get_by_role("region", name="Seats").get_by_text(name_of(friend))).to_be_visible()
    expect(host.get_by_role("status").filter(has_text=name_of(friend))).to_have_count(1)
    host.get_by_role("button", name="Start the match").click()
    for page in (host, friend):
        expect(page.get_by_role("heading", name="Seats")).to_have_count(0)
        assert page.request.get(f"{address}state/").json()["status"] == "running"


def test_a_standard_table_begins_when_its_last_seat_is_taken(visitor) -> None:
    host, friend = visitor(), visitor(viewport=PHONE)
    address = open_table(host, "normal-cards", starts_when_full=True)
    expect(host.get_by_text("Starts automatically when full.")).to_be_visible()
    friend.goto(address)
    friend.get_by_role("button", name="Take a seat", exact=True).click()
    for page in (host, friend):
        page.locator("#table[data-ready]").wait_for()


def test_a_chair_is_filled_by_one_control_and_the_last_ai_player_leaves_the_start_to_the_host(visitor) -> None:
    host = visitor(viewport=PHONE)
    open_table(host, "normal-cards")
    chair = host.locator(".seats > li").nth(1)
    chair.locator("summary").click()
    chair.get_by_role("button", name="AI player, hard").click()
    expect(chair).to_contain_text("hard")
    expect(chair.get_by_role("button", name="Remove")).to_be_visible()
    assert chair.locator("button, summary").count() == 1
    host.get_by_role("button", name="Start the match").click()
    host.locator("#table[data-ready]").wait_for()


def test_the_link_is_copied_shared_and_drawn(visitor) -> None:
    host = visitor(viewport=PHONE, permissions=["clipboard-read", "clipboard-write"])
    shared = """navigator.canShare = () => true; navigator.share = async (what) => { window.shared = what.url; };"""
    host.add_init_script(shared)
    address = open_table(host, "armed")
    host.get_by_role("button", name="Copy link").click()
    expect(host.get_by_text("Copied.")).to_be_visible()
    assert host.evaluate("navigator.clipboard.readText()") == address
    host.get_by_role("button", name="Share…").click()
    assert host.evaluate("window.shared") == address
    expect(host.locator(".room-qr svg")).to_be_visible()


def test_without_sockets_the_waiting_room_loads_itself_again(visitor) -> None:
    host, friend = visitor(), visitor()
    host.route_web_socket(re.compile("/ws/"), lambda socket: socket.close())
    address = open_table(host, "armed")
    friend.goto(address)
    friend.get_by_role("button", name="Take a seat", exact=True).click()
    expect(host.get_by_role("status").filter(has_text=name_of(friend))).to_have_count(1)


def load_deaf(page: Page, address: str, script: str) -> Callable[[], None]:
    """Load a page whose ``script``, which opens its socket, is delayed until the returned function is called."""
    held = []
    pattern = re.compile(rf"/js/{script}\b.*\.js")
    page.route(pattern, lambda route: held.append(route))  # playwright wraps no built-in function
    with page.expect_request(pattern):
        page.goto(address, wait_until="commit")

    def let_hear() -> None:
        for route in held:
            route.continue_()
        page.unroute(pattern)

    return let_hear


def test_players_and_messages_that_come_before_the_waiting_room_is_connected_are_shown(visitor) -> None:
    host, friend = visitor(service_workers="block"), visitor()
    address = open_table(host, "normal-cards")
    let_hear = load_deaf(host, address, "pages/waiting_room")
    friend.goto(address)
    friend.get_by_role("button", name="Take a seat", exact=True).click()
    friend.get_by_role("button", name="Hello", exact=True).click()
    expect(friend.locator(".talk-lines")).to_contain_text("Hello")
    let_hear()
    expect(host.get_by_role("status").filter(has_text=name_of(friend))).to_have_count(1)
    expect(host.locator(".talk-lines")).to_contain_text("Hello")


def test_a_table_opened_before_the_lobby_is_connected_is_shown(visitor) -> None:
    looker, host = visitor(service_workers="block"), visitor()
    let_hear = load_deaf(looker, "/lobby/?game=ten-skip", "pages/lobby")
    open_table(host, "ten-skip")
    let_hear()
    expect(looker.get_by_role("listitem").filter(has_text=name_of(host)).first).to_be_visible()


def begin(host: Page, friend: Page, slug: str, *, clock: str = "") -> str:
    """Begin a match of two, and wait until both see it; returns its URL."""
    address = open_table(host, slug, clock=clock)
    friend.goto(address)
    friend.get_by_role("button", name="Take a seat", exact=True).click()
    host.get_by_role("button", name="Start the match").click()
    for page in (host, friend):
        page.locator("#table[data-complete]").wait_for()
    return address


def offer_to_stop(page: Page) -> None:
    """Offer the other player to end the match."""
    page.locator(".table-menu summary").first.click()
    page.get_by_text("Offer to stop…").click()
    page.get_by_role("button", name="Offer to stop", exact=True).click()


def test_an_offer_an_end_and_a_rematch_before_the_table_is_connected_are_shown(visitor) -> None:
    host, friend = visitor(service_workers="block", viewport={"width": 390, "height": 844}), visitor()
    address = begin(host, friend, "normal-cards")
    let_hear = load_deaf(host, address, "table/table")
    offer_to_stop(friend)
    expect(friend.get_by_role("button", name="Withdraw the offer")).to_be_visible()
    let_hear()
    expect(host.get_by_role("button", name="Agree to end")).to_be_visible()
    let_hear = load_deaf(host, address, "table/table")
    friend.locator("#table[data-complete]").wait_for()
    friend.locator(".table-menu summary").first.click()
    friend.locator("#resign > summary").click()
    friend.get_by_role("button", name="Yes, resign").click()
    expect(friend.get_by_role("button", name="Rematch")).to_be_visible()
    let_hear()
    expect(host.get_by_role("heading", name="You won!")).to_be_visible()
    expect(friend.locator("#result-sentence")).to_have_text("You resigned.")
    expect(host.locator("#result-sentence")).to_contain_text("resigned")
    # A finished match can't continue.
    for page in (host, friend):
        assert "an AI player plays on" not in page.locator("#felt").inner_text()
    # The page learns of a rematch at once, and it starts with the second press.
    friend.get_by_role("button", name="Rematch").click()
    expect(friend.get_by_role("button", name=re.compile("Waiting for"))).to_be_visible()
    expect(host.locator("#rematch-said")).to_contain_text("wants a rematch")
    expect(host.locator("#rematch-said")).to_be_in_viewport(ratio=1)
    expect(host.get_by_role("button", name="Rematch")).to_be_in_viewport(ratio=1)
    assert "wants a rematch" in host.title()
    expect(host.locator(".result-ready")).to_have_count(1)
    host.get_by_role("button", name="Rematch").click()
    for page in (host, friend):
        page.wait_for_url(lambda url: "/match/" in url and url != address)
        page.locator("#table[data-ready]").wait_for()


def test_what_comes_before_the_chat_and_the_offers_listen_is_shown(visitor) -> None:
    host, friend = visitor(service_workers="block"), visitor()
    address = begin(host, friend, "normal-cards", clock="daily")
    let_hear = load_deaf(host, address, "(talk|ending)")
    host.locator("body[data-connection=open][data-present=all]").wait_for()
    friend.get_by_role("button", name="Hello", exact=True).click()
    expect(host.locator("body")).to_have_attribute("data-told", re.compile("talk"))
    expect(host.locator(".talk-lines")).not_to_contain_text("Hello")
    let_hear()
    expect(host.locator(".talk-lines")).to_contain_text("Hello")
    expect(host.get_by_text("You're all here.")).to_have_count(1)
    expect(host.locator("form[data-all-here]")).not_to_have_attribute("hidden", "")
    let_hear = load_deaf(host, address, "(talk|ending)")
    host.locator("body[data-connection=open][data-present=all]").wait_for()
    offer_to_stop(friend)
    expect(host.locator("body")).to_have_attribute("data-told", re.compile("ending"))
    let_hear()
    expect(host.get_by_role("button", name="Agree to end")).to_be_visible()


def test_a_reconnecting_socket_names_what_the_page_shows_by_then(visitor) -> None:
    host, friend = visitor(), visitor()
    opened = []

    def pass_on(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        opened.append(socket)

    def assert_it_names_what_is_stored() -> None:
        host.evaluate("document.body.dataset.connection = 'cut'")
        opened[-1].close()
        expect(host.locator("body")).to_have_attribute("data-connection", "open")
        named = dict(parse_qsl(urlsplit(opened[-1].url).query))
        stored = re.findall('data-mark="(.*?)" data-shows="(.*?)"', host.request.get(host.url).text())
        assert named.items() >= dict(stored).items()

    host.route_web_socket(re.compile("/ws/"), pass_on)
    open_table(host, "normal-cards")
    friend.goto(host.url)
    friend.get_by_role("button", name="Take a seat", exact=True).click()
    expect(host.get_by_role("status").filter(has_text=name_of(friend))).to_have_count(1)
    for phrase in ("Hello", "Good luck"):
        friend.get_by_role("button", name=phrase, exact=True).click()
        expect(host.locator(".talk-lines")).to_contain_text(phrase)
    assert_it_names_what_is_stored()
    host.get_by_role("button", name="Start the match").click()
    for page in (host, friend):
        page.locator("#table[data-complete]").wait_for()
    offer_to_stop(friend)
    expect(host.get_by_role("button", name="Agree to end")).to_be_visible()
    friend.get_by_role("button", name="Good match").click()
    expect(host.locator(".talk-lines")).to_contain_text("Good match")
    assert_it_names_what_is_stored()


def test_a_table_can_be_opened_and_filled_without_scripts(visitor) -> None:
    host, friend = visitor(java_script_enabled=False), visitor(java_script_enabled=False)
    address = open_table(host, "armed")
    friend.goto(address)
    friend.get_by_role("button", name="Take a seat", exact=True).click()
    host.reload()
    host.get_by_role("button", name="Start the match").click()
    assert host.request.get(f"{address}state/").json()["status"] == "running"


def test_the_chosen_theme_applies_to_the_next_page(visitor) -> None:
    page = visitor(color_scheme="light")
    page.goto("/")
    paper = "getComputedStyle(document.body).backgroundColor"
    bright = page.evaluate(paper)
    page.get_by_role("button", name="Dark").click()
    page.goto("/lobby/")
    assert page.evaluate(paper) != bright
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_no_page_has_barriers_or_overflows(visitor, scheme: str, size: dict[str, int]) -> None:
    page = visitor(color_scheme=scheme, viewport=size, reduced_motion="reduce")
    waiting_room = open_table(page, "armani")
    pages = ["/", "/lobby/", "/lobby/?game=armed", "/lobby/new/", "/lobby/new/?game=armani", "/my/", "/nothing/"]
    for address in [*pages, waiting_room]:
        page.goto(address)
        assert barriers(page) == [], address
        assert sideways(page) == 0, address


def test_everything_that_is_pressed_is_large_enough_for_a_thumb(visitor) -> None:
    page = visitor(viewport=PHONE)
    waiting_room = open_table(page, "armani")
    for address in ("/", "/lobby/", "/lobby/new/?game=armani", waiting_room):
        page.goto(address)
        small = page.evaluate(
            """() => [...document.querySelectorAll("button, select, .button, nav a, summary")]
                .filter((element) => element.checkVisibility())
                .map((element) => [element.textContent.trim(), element.getBoundingClientRect().height])
                .filter(([, height]) => height < 43.5)"""
        )
        assert small == [], address
