"""The turn email, as received by a mail server."""

import random
import re
from datetime import time, timedelta
from email.utils import parseaddr
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone, translation

from accounts import outbox
from accounts.email_style import WIDTH, wrapped
from accounts.models import OutgoingMail, User
from accounts.playing_times import calendars
from accounts.playing_times.models import LeaveAccount, PlayingTimes
from games import rules
from games.engine import View
from games.engine.cards import CODES
from games.mail import dispatch, tokens
from games.mail.decision_page import turns
from games.mail.models import Correspondence, Discretion, Kind, Notice, Preferences, Timing
from games.mail.outgoing.turn_email import read_turn, title
from games.matches import live_match, service
from games.matches.models import Match, Seat
from games.rules.wording import card_name, rank_label
from tests.factories.mail_server import html_of, link_in, mail_server, text_of
from tests.factories.samples import sampled
from tests.factories.turns import Players, asked

pytestmark = pytest.mark.django_db
SLUGS = [game.slug for game in rules.all()]


@pytest.fixture
def server(settings):
    settings.REPLY_ADDRESS = "turn+{}@play.example.org"
    settings.SITE_URL = "http://play.example.org"
    settings.DEFAULT_FROM_EMAIL = "Armani <cards@play.example.org>"
    with mail_server(settings) as mailbox:
        yield mailbox


@pytest.fixture
def clock():
    with time_machine.travel("2026-11-23T11:00:00Z", tick=False) as traveller:
        yield traveller


def deliver(clock, after: timedelta = timedelta(minutes=31)) -> None:
    """Let time pass, and send everything that is due by then."""
    clock.shift(after)
    dispatch.send_due()
    outbox.send_due()


def move(match: Match, rng: random.Random) -> None:
    table = service.load(match.pk)
    seat = asked(match)
    moves = [move for move in table.state.legal_moves(seat.number) if move != "slap"]
    service.act(match.pk, seat.number, rng.choice(moves), request_id=f"r{table.version}", player=seat.player)


def test_a_turn_email_says_what_to_do_until_when_and_what_happens_otherwise(server, clock, ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben)
    deliver(clock)
    (mail,) = server.mails
    text = text_of(mail)
    asked_at = text.index("Play a card.")
    assert asked_at < text.index("You have until Tuesday 24 November")
    parts = ["YOUR HAND", "YOUR MOVES", "THE TABLE", "Settings:", "/mail/stop/", match.seed_hash]
    assert sorted(parts, key=text.index) == parts
    assert "autoplay makes a safe move" in " ".join(text.split())


def test_its_headers_are_those_that_mail_programs_know(server, clock, ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben)
    deliver(clock)
    (mail,) = server.mails
    seat = asked(match)
    other = match.seats.exclude(pk=seat.pk).get()
    assert mail["Subject"] == f"Normal Cards with {other.name} – your turn"
    assert mail["From"] == "Armani <cards@play.example.org>"
    assert mail["To"] == seat.player.email
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["List-Id"] == f"Your turn at Armani <{match.pk}.turn.play.example.org>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert re.fullmatch(r"<http://play\.example\.org/mail/stop/\S+>", mail["List-Unsubscribe"].strip())
    assert mail["Message-ID"].endswith("@play.example.org>")
    assert mail["Date"]
    assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]
    ticket = tokens.read_reply(parseaddr(mail["Reply-To"])[1])
    assert (ticket.seat_id, ticket.user_id, ticket.asked_version) == (seat.pk, seat.player_id, 0)


def test_no_header_begins_with_an_empty_line_and_a_list_keeps_its_name_in_german(server, clock, ada, start_by_mail):
    user = User.objects.create_user("lang@example.org", name="Ömer Übelacker von Sylt", language="de")
    User.objects.filter(pk=ada.pk).update(language="de")
    match = start_by_mail("ten-skip", ada, user)
    service.resign(match, user)
    start_by_mail("ten-skip", ada, user)
    deliver(clock)
    clock.shift(timedelta(minutes=11))
    deliver(clock)
    assert len(server.raw) > 1
    for raw in server.raw:
        head = raw.partition(b"\r\n\r\n")[0].decode("ascii")
        assert not re.search(r"^[\w-]+:[ \t]*\r?$", head, re.MULTILINE)
        assert re.search(r"^List-Id: .* <[a-z0-9.]+\.play\.example\.org>\r?$", head, re.MULTILINE)


def test_two_matches_of_one_game_with_the_same_people_have_two_subjects(server, clock, ada, ben, start_by_mail):
    for user in (ada, ben):
        PlayingTimes.objects.create(user=user, zone="Africa/Nairobi")
    for _match in range(2):
        started = timezone.now().astimezone(ZoneInfo("Africa/Nairobi"))
        user = asked(start_by_mail("normal-cards", ada, ben)).player
        deliver(clock)
    first, second = (mail["Subject"] for mail in server.to(user.email))
    assert re.fullmatch(r"Normal Cards with \w+ – your turn", first)
    assert re.fullmatch(rf"Normal Cards with \w+, begun \d+ \w+, {started:%H:%M} – your turn", second)


def test_without_an_address_for_answers_an_email_does_not_ask_for_one(server, clock, ada, ben, start_by_mail, settings):
    settings.REPLY_ADDRESS = ""
    start_by_mail("normal-cards", ada, ben)
    deliver(clock)
    (mail,) = server.mails
    assert mail["Reply-To"] is None
    assert "answer this email" not in text_of(mail)


def test_the_emails_of_a_whole_match_are_one_thread_with_one_subject(server, clock, ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben, deals=1)
    players = Players(match, random.Random(5))
    deliver(clock)
    while not players.is_over:
        if players.table.version == 4:  # a player is renamed during the match
            User.objects.get(pk=ben.pk).save()
            Seat.objects.filter(match=match, player=ben).update(player_name="Benedict")
        players.move(2)
        deliver(clock)
    for user in (ada, ben):
        mails = [mail for mail in server.to(user.email) if "turn." in mail["Message-ID"]]
        assert len(mails) > 5
        assert len({mail["Subject"] for mail in mails}) == 1
        assert mails[0]["In-Reply-To"] is None
        ids = [mail["Message-ID"] for mail in mails]
        assert len(set(ids)) == len(ids)
        for before, mail in pairwise(mails):
            assert mail["In-Reply-To"] == before["Message-ID"]
            assert mail["References"].split()[0] == ids[0]
            assert mail["References"].split()[-1] == before["Message-ID"]
    # One email per turn, and none for turns that no one had.
    turns = Notice.objects.filter(kind=Kind.TURN).values_list("match", "user", "version").distinct().count()
    assert turns == sum("turn." in mail["Message-ID"] for mail in server.mails)
    # The end is in the same thread.
    (over,) = [mail for mail in server.to(ada.email) if "over." in mail["Message-ID"]]
    assert (
        over["In-Reply-To"]
        == [mail for mail in server.to(ada.email) if "turn." in mail["Message-ID"]][-1]["Message-ID"]
    )
    assert f"/match/{match.key}/replay/" in text_of(over)


def test_one_click_in_a_mail_program_ends_the_emails_of_this_match(server, clock, client, ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben)
    deliver(clock)
    (mail,) = server.mails
    user = asked(match).player
    path = mail["List-Unsubscribe"].strip(" <>").removeprefix("http://play.example.org")
    client.get(path)
    client.head(path)
    assert not Correspondence.objects.filter(timing=Timing.NEVER).exists()
    answer = client.post(path, "List-Unsubscribe=One-Click", content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 200
    # This match's turns are a list of their own.
    assert Correspondence.objects.get(user=user, match=match).timing == Timing.NEVER
    assert not Preferences.objects.filter(user=user, timing=Timing.NEVER).exists()
    deliver(clock, timedelta(hours=20))
    assert len(server.to(user.email)) == 1


def test_the_numbers_of_an_email_are_those_that_an_answer_uses(server, clock, ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben)
    deliver(clock)
    (mail,) = server.mails
    seat = asked(match)
    moves = service.load(match.pk).state.legal_moves(seat.number)
    for number, code in enumerate(moves, 1):
        assert f"{number}. Play {card_name(code.removeprefix('play:'))}\n" in text_of(mail)


def test_the_decision_page_of_the_email_opens_without_logging_in(server, clock, client, ada, ben, start_by_mail):
    start_by_mail("normal-cards", ada, ben)
    deliver(clock)
    (mail,) = server.mails
    assert client.get(link_in(mail, "turn/")).status_code == 200


def test_only_the_items_of_a_list_are_indented():
    long = "reports have waited for more than a day, and no moderator has claimed them yet."
    assert wrapped(f"89 {long}").splitlines()[1].startswith("them yet")
    assert wrapped(f"89. {long}").splitlines()[1].startswith("    ")


def test_lines_are_wrapped_and_nothing_is_fetched(server, clock, ada, ben, make_player, start_by_mail):
    match = start_by_mail("rummy-500", ada, ben, make_player("Chidi"))
    Players(match, random.Random(3)).move(12)
    deliver(clock)
    (mail,) = server.mails
    for line in text_of(mail).splitlines():
        assert len(line) <= WIDTH or "http" in line
    html = html_of(mail)
    assert not re.search(r"<(img|script|iframe|link|form)|url\(|@import|background=", html)
    assert "prefers-color-scheme: dark" in html
    assert all(line.isascii() for line in server.raw[0].partition(b"\r\n\r\n")[0].decode().splitlines())


def without_tokens(text: str) -> str:
    """The text without random parts of links: three letters of a token can spell a name or a card."""
    return re.sub(r"[\w:-]{25,}", " ", text)


def preview_of(mail) -> str:
    """The preview of an email in a list."""
    return re.search(r'class="preheader"[^>]*>([^<]*)', html_of(mail))[1]


def all_words(mail) -> str:
    return without_tokens(
        " ".join((str(mail["Subject"]), text_of(mail), re.sub(r"<[^>]*>", " ", html_of(mail))))
    ).lower()


def cards_in(text: str, html: str) -> set[str]:
    """Every card named in an email, in any form."""
    found = {code for code in CODES if card_name(code) in text or f'title="{card_name(code)}"' in html}
    signs = {f"{rank_label(code[0])}{code[1]}": code for code in CODES if code not in ("RJ", "BJ")}
    words = set(re.findall(r"[\w]+", without_tokens(text)))
    return found | {code for sign, code in signs.items() if sign in words} | ({"RJ", "BJ"} & words)


def told_by(view: View) -> str:
    """Everything a view reveals. Everyone knows which card is the bomb of Amagande, but not where it is."""
    reference = view.facts.get("reference")
    return str(view.to_json()) + (f" 7{reference}" if reference else "")


@pytest.mark.parametrize("slug", sampled(SLUGS, "armed"))
@pytest.mark.parametrize("discretion", list(Discretion))
def test_no_email_contains_a_card_that_its_reader_may_not_see(
    server, clock, slug, discretion, ada, ben, make_player, start_by_mail
):
    seats = rules.get(slug).seats
    people = [ada, ben, make_player("Chidi"), make_player("Grace")][: max(min(seats), min(4, max(seats)))]
    for user in people:
        Preferences.objects.create(user=user, discretion=discretion, timing=Timing.AT_ONCE)
    match = start_by_mail(slug, *people)
    players = Players(match, random.Random(f"{slug} {discretion}"))
    state = players.table.state
    for _round in range(4):
        if players.is_over:
            break
        before = len(server.raw)
        deliver(clock, timedelta(minutes=11))
        seats = {seat.player.email: seat for seat in match.seats.select_related("match", "player")}
        for mail in server.mails[before:]:
            if "turn." not in mail["Message-ID"]:
                continue
            seat = seats[mail["To"]]
            # Past events are public; the test takes them from the reader's log.
            view = told_by(state.view(seat.number if discretion == Discretion.FULL else None))
            turn = read_turn(seat, discretion)
            log = " ".join(turn.news.lines)
            named = cards_in(text_of(mail), html_of(mail))
            for code in named:
                assert code in view or card_name(code) in log, (slug, code)
            if discretion == Discretion.NONE:
                words = all_words(mail)
                assert named == set()
                for word in (match.game_name, *(person.name for person in people if person.email != mail["To"])):
                    assert word.lower() not in words
        players.move(8)
    assert server.raw


def test_discreet_emails_show_the_news_and_no_hand(server, clock, ada, ben, start_by_mail):
    for user in (ada, ben):
        Preferences.objects.create(user=user, discretion=Discretion.CLICK)
    match = start_by_mail("amagande", ada, ben)
    Players(match, random.Random(1)).move(3)
    deliver(clock)
    (mail,) = server.mails
    seat = asked(match)
    state = service.load(match.pk).state
    hand = state.view(seat.number).zone(f"hand:{seat.number}").cards
    public = told_by(state.view(None))
    assert not {code for code in hand if code not in public} & cards_in(text_of(mail), html_of(mail))
    assert "YOUR HAND" not in text_of(mail)
    assert "See your hand and your moves on that page." in text_of(mail)
    assert "SINCE YOUR LAST TURN" in text_of(mail)


def test_an_email_has_at_most_six_lines_of_news_with_what_was_done_to_its_reader_first(
    ada, ben, start_by_mail, make_player
):
    match = start_by_mail("amagande", ada, ben, make_player("Chidi"))
    players = Players(match, random.Random(11))
    for _move in range(30):
        if players.is_over:
            break
        seat = match.seats.select_related("match", "player").get(number=min(players.table.deciders()))
        turn = read_turn(seat, Discretion.FULL)
        assert len(turn.news.lines) <= 6
        players.move()


@pytest.mark.parametrize(("language", "you"), [("en", r"\byou\b"), ("de", r"\b(du|dir|dich)\b")])
@pytest.mark.parametrize("slug", [game.slug for game in rules.all()])
def test_the_reader_is_you_in_all_news(slug: str, language, you, ada, ben, start_by_mail):
    match = start_by_mail(slug, ada, ben, ai=dict.fromkeys(range(2, min(rules.get(slug).seats)), "easy"))
    players = Players(match, random.Random(5))
    for _move in range(16):
        players.move()
        seat = match.seats.select_related("match", "player").get(player=ada)
        if seat.asked_version is None:
            continue
        # A turn is read before the reader's language is known.
        turn = turns.find(tokens.Ticket(seat.pk, ada.pk, seat.asked_version, seat.asked_version))
        with translation.override(language):
            told = [*read_turn(seat, Discretion.FULL).news.lines, *turn.happened(99)]
        assert not [line for line in told if "Ada" in re.sub(r"Ada \((you|du)\)", "", line)]
        if any(re.search(you, line, re.IGNORECASE) for line in told):
            return
    pytest.fail("nothing was told of the reader")


def test_a_preview_names_who_won_the_battle_not_the_cards_drawn_after_it(ada, ben, start_by_mail):
    match = start_by_mail("armed", ada, ben)
    players = Players(match, random.Random(3))
    battles = 0
    for _pair in range(6):
        players.move(2)
        seat = match.seats.select_related("match", "player").get(number=min(players.table.deciders()))
        news = read_turn(seat, Discretion.FULL).news
        if any(" draws " in line for line in news.lines):
            battles += 1
            assert re.search(r"\bwins?\b", news.headline)
    assert battles > 1


def test_a_game_without_points_names_none(server, clock, ada, ben, start_by_mail):
    start_by_mail("armed", ada, ben)
    deliver(clock)
    text = text_of(server.mails[0])
    assert "hand: 6 cards, stock: 20 cards" in text
    assert "point" not in text


@pytest.mark.parametrize("every", [2, 5, 11])
def test_an_email_has_the_same_news_whatever_snapshot_it_begins_at(
    every, ada, ben, start_by_mail, make_player, monkeypatch
):
    monkeypatch.setattr(live_match, "SNAPSHOT_EVERY", every)
    match = start_by_mail("amagande", ada, ben, make_player("Chidi"))
    players = Players(match, random.Random(11))
    players.move(12)
    players.move(5)

    def told() -> list[object]:
        seats = match.seats.select_related("match", "player").defer("match__snapshot")
        turns = [read_turn(seat, discretion) for seat in seats for discretion in (Discretion.FULL, Discretion.CLICK)]
        return [(turn.version, turn.view.to_json(), turn.news.lines, turn.news.headline) for turn in turns]

    from_snapshots = told()
    match.refresh_from_db()
    assert match.snapshot_version
    Match.objects.update(snapshot=None, snapshot_version=0)
    assert from_snapshots == told()


def test_a_player_gets_an_explanation_of_what_autoplay_played(server, clock, ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben)
    missed = asked(match)
    Seat.objects.filter(pk=missed.pk).update(is_excused=True)
    LeaveAccount.objects.create(user=missed.player, days=0, counted_at=timezone.now())
    clock.shift(timedelta(days=3))
    for _turn in range(3):
        service.time_out(match.pk)
        match.refresh_from_db()
        if match.moves.filter(seat=missed.number, source="stand_in").exists():
            break
        clock.shift(timedelta(days=3))
    assert match.moves.filter(seat=missed.number, source="stand_in").exists()
    while asked(match).pk != missed.pk:
        move(match, random.Random(1))
    deliver(clock)
    deliver(clock, timedelta(minutes=11))
    *_before, told, mail = server.to(missed.player.email)
    assert told["Subject"].endswith("we played a turn for you")
    assert "If you miss your next turn too, it plays on until you come back." in " ".join(text_of(told).split())
    assert "You ran out of time, so autoplay made a safe move." in " ".join(text_of(mail).split())


def test_long_lists_of_moves_end_and_say_how_many_more_there_are(server, clock, ada, ben, start_by_mail, monkeypatch):
    monkeypatch.setattr("games.mail.outgoing.turn_email.MOST_MOVES", 3)
    start_by_mail("normal-cards", ada, ben)
    deliver(clock)
    (mail,) = server.mails
    assert "\n3. " in text_of(mail)
    assert "\n4. " not in text_of(mail)
    assert re.search(r"… and \d+ more on the page\.", text_of(mail))


def test_the_last_call_says_so_in_the_same_thread(server, clock, ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben)
    user = asked(match).player
    deliver(clock)
    for _hour in range(18):
        deliver(clock, timedelta(hours=2))
    first, second, third = server.to(user.email)
    for mail, word in ((second, "Reminder"), (third, "Last call")):
        said = re.compile(rf"{word}: (\d+ (hours?|minutes?) )+left\.")
        assert said.match(text_of(mail))
        assert said.match(preview_of(mail)[:60])
        assert mail["Subject"] == first["Subject"]
    assert not re.match("Reminder|Last call", preview_of(first))
    assert second["In-Reply-To"] == first["Message-ID"]
    assert first["Message-ID"] != second["Message-ID"]
    assert third["In-Reply-To"] == second["Message-ID"]
    assert Correspondence.objects.get(user=user, match=match).last_id == third["Message-ID"]


def test_an_address_that_the_server_refuses_is_switched_off_with_a_banner(
    server, clock, client, ada, ben, start_by_mail
):
    match = start_by_mail("normal-cards", ada, ben)
    user = asked(match).player
    server.refuse = "550 5.1.1 no such user"
    deliver(clock)
    assert OutgoingMail.objects.get().status == OutgoingMail.Status.FAILED
    user.refresh_from_db()
    assert user.mail_trouble == "bounced"
    client.force_login(user)
    assert "don't arrive" in client.get(reverse("home")).content.decode()
    server.refuse = ""
    client.post(reverse("try_address"))
    outbox.send_due()
    (mail,) = server.mails
    assert mail["Subject"] == "Your email works again"
    assert "don't arrive" not in client.get(reverse("home")).content.decode()


def test_titles_name_everyone_up_to_three_others(ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben)
    assert title(match, ["A", "B", "C", "D"], 0) == "Normal Cards with B, C and D"
    assert title(match, ["A", "B", "C", "D", "E"], 0) == "Normal Cards with B, C and 2 others"


def test_times_are_those_of_the_readers_own_clock(server, clock, ada, ben, start_by_mail):
    for user in (ada, ben):
        calendars.change(user, "America/New_York", time(8), time(23), [])
    start_by_mail("normal-cards", ada, ben)
    deliver(clock, timedelta(hours=2, minutes=31))
    (mail,) = server.mails
    # Asked at 6 in the morning there: 15 hours run on Monday, and the other 9 end at 17 on Tuesday.
    assert "until Tuesday 24 November, 17:00 (America/New York)" in " ".join(text_of(mail).split())


def test_no_one_is_notified_during_their_night(server, clock, ada, ben, start_by_mail):
    for user in (ada, ben):
        calendars.change(user, "America/New_York", time(8), time(23), [])
    match = start_by_mail("normal-cards", ada, ben)
    user = asked(match).player
    for _half_hour in range(72):
        before = len(server.to(user.email))
        deliver(clock, timedelta(minutes=30))
        if len(server.to(user.email)) > before:
            assert 8 <= timezone.now().astimezone(calendars.own_zone(user)).hour < 23
    assert len(server.to(user.email)) == 3
