"""Finding a table: filters, the best match, invitations, blocks, and warnings before a table is closed."""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
import time_machine
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import presence, social
from accounts.models import OutgoingMail, User
from accounts.playing_times.models import Deputy
from games import rules
from games.lobby import invitations, tasks
from games.lobby.lengths import expected
from games.lobby.models import Invitation
from games.mail.models import Notice
from games.matches import service
from games.matches.models import Match
from games.realtime import process
from games.table import match_cards
from tests.factories import waits
from tests.factories.clients import QuickClient
from tests.factories.lobby import finish
from tests.factories.pages import in_one_line
from tests.factories.sockets import Browser, run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _outbox(settings) -> None:
    settings.EMAIL_BACKEND = "accounts.outbox.OutboxBackend"


def browser_of(user: User) -> Client:
    client = QuickClient()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def said(answer) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]


def lobby_of(user: User | None, **wish: str) -> str:
    client = Client() if user is None else browser_of(user)
    return client.get(reverse("lobby"), wish).content.decode()


def sitting(match: Match) -> list[str]:
    return [seat.player_name or seat.ai_level for seat in match.seats.all()]


def any_table(user: User, **wish: str) -> Match:
    answer = browser_of(user).post(reverse("any_table"), wish)
    return Match.objects.get(key=answer.url.split("/")[-2])


class TestFilters:
    def test_by_clock_and_number_of_players(self, ben: User) -> None:
        daily = service.open_table(ben, "armani", 4, {}, clock="daily")
        live = service.open_table(ben, "armani", 3, {})
        for wish, found in (
            ({}, {daily, live}),
            ({"clock": "daily"}, {daily}),
            ({"seats": "3"}, {live}),
            ({"game": "armani", "seats": "4", "clock": "daily"}, {daily}),
            ({"seats": "3", "clock": "daily"}, set()),
            ({"seats": "many", "clock": "sundial"}, {daily, live}),
        ):
            page = lobby_of(None, **wish)
            assert {match for match in (daily, live) if match.key in page} == found

    def test_a_row_says_how_reliably_people_answer_in_two_queries(
        self, ada: User, ben: User, django_assert_num_queries
    ) -> None:
        for host in (ada, ben):
            service.open_table(host, "armed", 2, {})
        assert lobby_of(None).count(">(new)<") == 2
        items = match_cards.listed(match_cards.open_tables(), None)
        with django_assert_num_queries(2):
            match_cards.say_reliability(items)

    def test_your_own_tables_are_listed_once(self, ada: User) -> None:
        mine = service.open_table(ada, "armed", 2, {})
        assert lobby_of(ada).count(f'<h3><a href="{mine.get_absolute_url()}"') == 1

    def test_a_row_shows_the_expected_length_and_links_to_the_players(self, ben: User) -> None:
        service.open_table(ben, "normal-cards", 4, {})
        page = lobby_of(None)
        assert "about 5 min" in page
        assert f'href="{reverse("player", args=["ben"])}"' in page


@pytest.mark.parametrize("game", rules.all(), ids=lambda game: game.slug)
@pytest.mark.parametrize("clock", ["table", "daily"])
def test_every_game_has_an_expected_length(game, clock: str) -> None:
    lengths = {
        expected(Match(slug=game.slug, rules_version=game.version, seat_count=n, clock=clock)) for n in game.seats
    }
    assert "" not in lengths
    assert all(text.startswith("about ") for text in lengths)


def test_a_higher_target_takes_longer() -> None:
    short, long = (
        expected(Match(slug="rummy-500", rules_version=rules.get("rummy-500").version, seat_count=2, options=options))
        for options in ({"target": 250}, {"target": 1000})
    )
    assert (short, long) == ("about 10 min", "about 35 min")


class TestAnyTable:
    def test_the_table_that_can_begin_soonest_whose_host_is_here(
        self, ada: User, ben: User, make_player: Callable[[str], User]
    ) -> None:
        cleo = make_player("Cleo")
        service.open_table(cleo, "armed", 2, {})  # whose host is absent
        service.open_table(ben, "armani", 4, {})
        soon = service.open_table(ben, "normal-cards", 3, {}, ai={1: "easy"})
        presence.mark(ben.pk)
        assert any_table(ada) == soon
        assert sitting(soon) == ["Ben", "easy", "Ada"]

    def test_filters_narrow_the_lobby(self, ada: User, ben: User) -> None:
        presence.mark(ben.pk)
        service.open_table(ben, "armed", 2, {})
        wanted = service.open_table(ben, "armani", 4, {}, clock="daily")
        assert any_table(ada, game="armani", clock="daily", seats="4") == wanted

    def test_if_no_table_fits_one_is_opened_and_pressing_again_leads_back_to_it(self, ada: User) -> None:
        opened = any_table(ada, game="ten-skip", seats="4")
        assert (opened.slug, opened.seat_count, opened.clock, opened.is_public) == ("ten-skip", 4, "table", True)
        assert opened.host == ada
        assert any_table(ada, game="ten-skip", seats="4") == opened

    def test_who_wants_ai_players_gets_them_if_no_one_joins_in_time(self, ada: User, time_machine) -> None:
        browser = browser_of(ada)
        time_machine.move_to("2026-05-04 12:00", tick=False)
        room = browser.post(reverse("any_table"), {"game": "armani", "seats": "3", "ai": "1"}).url
        time_machine.shift(5)
        assert 'data-ai-after="15"' in browser.get(room).content.decode()
        time_machine.shift(60)
        page = browser.get(room).content.decode()
        assert "data-ai-after" not in page  # an old link starts nothing by itself
        assert 'name="level" value="easy">Play AI players now' in page  # nor does a page without scripts
        match = Match.objects.get(host=ada)
        browser.post(reverse("match_start", args=[match.key]), {"level": "easy"})
        match.refresh_from_db()
        assert match.status == Match.Status.RUNNING
        assert sitting(match) == ["Ada", "easy", "easy"]

    def test_who_wants_to_wait_for_people_is_not_offered_ai_players(self, ada: User) -> None:
        browser = browser_of(ada)
        room = browser.post(reverse("any_table"), {"game": "armani"}).url
        assert "data-ai-after" not in browser.get(room).content.decode()

    @pytest.mark.usefixtures("contexts")
    def test_a_player_who_joins_at_the_last_moment_plays_instead_of_the_ai_player(self, ada: User, ben: User) -> None:
        match = any_table(ada, game="armed", ai="1")
        service.join(match, ben)
        answer = browser_of(ada).post(reverse("match_start", args=[match.key]), {"level": "easy"}, follow=True)
        assert sitting(match) == ["Ada", "Ben"]
        assert not list(answer.context["messages"])

    @pytest.mark.parametrize(("who", "level"), [("ada", "grandmaster"), ("ben", "easy"), ("ada", "")])
    def test_only_the_host_starts_with_ai_players_of_a_level_that_exists(
        self, ada: User, ben: User, who: str, level: str
    ) -> None:
        match = any_table(ada, game="armani")
        browser = browser_of({"ada": ada, "ben": ben}[who])
        browser.post(reverse("match_start", args=[match.key]), {"level": level})
        match.refresh_from_db()
        assert match.status == Match.Status.OPEN
        assert sitting(match) == ["Ada", ""]

    def test_without_a_chosen_game_the_one_played_last_is_opened(
        self, ada: User, ben: User, start_match: Callable[..., Match]
    ) -> None:
        finish(start_match("avalanche", ada, ben), [1, 2])
        assert any_table(ada).slug == "avalanche"

    def test_a_number_of_players_that_the_last_game_cannot_have_chooses_another(
        self, ada: User, ben: User, start_match: Callable[..., Match]
    ) -> None:
        finish(start_match("armed", ada, ben), [1, 2])
        assert any_table(ada, seats="6").seat_count == 6

    def test_it_begins_by_itself_when_full(self, ada: User, ben: User) -> None:
        match = any_table(ada, game="armed")
        presence.mark(ada.pk)
        assert "Starts automatically when full." in browser_of(ada).get(match.get_absolute_url()).content.decode()
        assert any_table(ben, game="armed") == match
        match.refresh_from_db()
        assert match.status == Match.Status.RUNNING

    def test_guests_find_one_too(self, ben: User, client: Client) -> None:
        table = service.open_table(ben, "armed", 2, {})
        presence.mark(ben.pk)
        client.post(reverse("any_table"))
        assert table.seats.get(number=1).player.is_guest


class TestInvitations:
    def test_an_invitation_by_name_is_in_the_lobby_and_can_be_accepted_or_declined(self, ada: User, ben: User) -> None:
        table = service.open_table(ada, "armed", 2, {}, is_public=False)
        answer = browser_of(ada).post(reverse("match_invite", args=[table.key]), {"who": "BEN"})
        assert said(answer) == ["You've invited Ben."]
        assert Notice.objects.filter(match=table, user=ben, kind="invitation").count() == 1
        assert "You're invited" in lobby_of(ben)
        browser_of(ben).post(reverse("match_decline", args=[table.key]))
        assert "You're invited" not in lobby_of(ben)
        browser_of(ada).post(reverse("match_invite", args=[table.key]), {"who": "Ben"})
        assert "You're invited" not in lobby_of(ben)
        assert Invitation.objects.count() == 1

    def test_it_is_gone_once_the_table_is(self, ada: User, ben: User) -> None:
        table = service.open_table(ada, "armed", 2, {})
        invitations.invite_by_name(table, ada, "Ben")
        service.leave(table, ada)
        assert "You're invited" not in lobby_of(ben)

    @pytest.mark.parametrize(
        ("who", "reason"),
        [
            ("", "Enter a name or an email address."),
            ("Zora", "There's no player called Zora."),
            ("ada", "You already sit here."),
            ("@", "This isn't an email address."),
            ("a@b", "This isn't an email address."),
            ("x@example.org\nBcc: y@example.org", "This isn't an email address."),
        ],
    )
    def test_an_impossible_invitation_is_explained(self, ada: User, who: str, reason: str) -> None:
        table = service.open_table(ada, "armed", 2, {})
        assert said(browser_of(ada).post(reverse("match_invite", args=[table.key]), {"who": who})) == [reason]
        assert not OutgoingMail.objects.exists()

    def test_the_reason_is_beside_the_field_which_keeps_its_text(self, ada: User) -> None:
        table = service.open_table(ada, "armed", 2, {})
        browser = browser_of(ada)
        page = browser.post(reverse("match_invite", args=[table.key]), {"who": "No<body"}, follow=True).content.decode()
        field = in_one_line(re.search(r'<input id="who"[^>]*>', page)[0])
        assert 'value="No&lt;body"' in field
        assert 'aria-invalid="true" aria-describedby="who_error"' in field
        assert page.count("There&#x27;s no player called No&lt;body.") == 1
        assert 'id="who_error"' in page
        assert 'id="who_error"' not in browser.get(table.get_absolute_url()).content.decode()

    def test_errors_without_a_visible_field_are_at_the_top(self, ada: User, ben: User) -> None:
        table = service.open_table(ada, "armed", 2, {})
        page = browser_of(ben).post(reverse("match_invite", args=[table.key]), {"who": "Ada"}, follow=True)
        assert '<li class="message error">' in page.content.decode()

    def test_only_players_at_the_table_can_invite(self, ada: User, ben: User) -> None:
        table = service.open_table(ada, "armed", 2, {})
        assert said(browser_of(ben).post(reverse("match_invite", args=[table.key]), {"who": "Ada"})) == [
            "Take a seat here to invite others."
        ]

    def test_by_email_a_stranger_comes_to_the_table_and_signs_up(self, ada: User, client: Client) -> None:
        table = service.open_table(ada, "armed", 2, {}, is_public=False)
        browser_of(ada).post(reverse("match_invite", args=[table.key]), {"who": "Dora@Example.org"})
        mail = OutgoingMail.objects.get()
        assert mail.to == "dora@example.org"
        assert mail.subject == "Ada invites you to Armed"
        link = next(word for word in mail.text.split() if "/invitation/" in word).partition("8000")[2]
        assert client.get(link).url == table.get_absolute_url()
        page = client.get(table.get_absolute_url()).content.decode()
        assert "You'll play as a guest." in page
        client.post(
            reverse("account_signup"),
            {"email": "dora@example.org", "name": "Dora", "password1": "seven brass lamps"},
        )
        confirm = OutgoingMail.objects.filter(to="dora@example.org").latest("id")
        code = next(word for word in confirm.text.split() if "/confirm-email/" in word)
        assert client.post(code).url == table.get_absolute_url()
        client.post(reverse("match_join", args=[table.key]))
        assert sitting(table) == ["Ada", "Dora"]

    def test_an_address_gets_one_email_per_table_which_reveals_nothing_about_accounts(
        self, ada: User, ben: User
    ) -> None:
        table = service.open_table(ada, "armed", 2, {})
        for who in (ben.email, ben.email, "nobody@example.org"):
            answer = browser_of(ada).post(reverse("match_invite", args=[table.key]), {"who": who})
            assert said(answer) == [f"You've invited {who}."]
        assert sorted(OutgoingMail.objects.values_list("to", flat=True)) == ["ben@example.org", "nobody@example.org"]

    def test_guests_send_no_emails(self, client: Client) -> None:
        guest = User.objects.create_user(name="Guest 1000")
        table = service.open_table(guest, "armed", 2, {})
        answer = browser_of(guest).post(reverse("match_invite", args=[table.key]), {"who": "a@example.org"})
        assert said(answer)[0].startswith("Guests invite by link or name")
        assert not OutgoingMail.objects.exists()

    def test_a_person_who_stops_invitations_gets_none_and_viewing_the_page_changes_nothing(
        self, ada: User, client: Client
    ) -> None:
        table, other = service.open_table(ada, "armed", 2, {}), service.open_table(ada, "armed", 2, {})
        invitations.invite_by_mail(table, ada, "dora@example.org")
        link = next(word for word in OutgoingMail.objects.get().text.split() if "no-more" in word).partition("8000")[2]
        assert client.get(link).status_code == 200
        invitations.invite_by_mail(other, ada, "dora@example.org")
        assert OutgoingMail.objects.count() == 2
        client.post(link)
        third = service.open_table(ada, "armed", 2, {})
        invitations.invite_by_mail(third, ada, "Dora@example.org")
        assert OutgoingMail.objects.count() == 2

    def test_forged_and_old_links_lead_nowhere(self, ada: User, client: Client) -> None:
        table = service.open_table(ada, "armed", 2, {})
        invitations.invite_by_mail(table, ada, "dora@example.org")
        link = next(word for word in OutgoingMail.objects.get().text.split() if "/invitation/" in word)
        path = link.partition("8000")[2]
        assert client.get(path[:-2] + "x/").status_code == 404
        assert client.post(path[:-2] + "x/no-more/").status_code == 400
        with time_machine.travel(timezone.now() + timedelta(days=15)):
            assert client.get(path).status_code == 404

    def test_a_rematch_invites_the_others(self, ada: User, ben: User, start_match: Callable[..., Match]) -> None:
        match = start_match("armed", ada, ben)
        finish(match, [1, 2])
        again = browser_of(ada).post(reverse("match_rematch", args=[match.key])).url
        assert again in lobby_of(ben)
        assert "Ada invited you" in lobby_of(ben)

    def test_an_invitation_says_how_long_ago_it_came_in_german_too(
        self, ada: User, ben: User, start_match: Callable[..., Match]
    ) -> None:
        match = start_match("armed", ada, ben)
        finish(match, [1, 2])
        browser_of(ada).post(reverse("match_rematch", args=[match.key]))
        Invitation.objects.update(created_at=timezone.now() - timedelta(days=2))
        assert "(2\xa0days ago)" in lobby_of(ben)
        page = browser_of(ben).get(reverse("lobby"), headers={"accept-language": "de"}).content.decode()
        assert "Ada hat dich eingeladen" in page
        assert "(2\xa0Tage her)" in page

    def test_rematches_that_no_one_joins_stop_sending_invitations(
        self, ada: User, ben: User, start_match: Callable[..., Match], settings
    ) -> None:
        limits = {**settings.ACCOUNT_RATE_LIMITS, "invite": "1/h/key", "open_table": "2/h/ip"}
        settings.ACCOUNT_RATE_LIMITS = limits
        match = start_match("armed", ada, ben)
        finish(match, [1, 2])
        answers = []
        for minutes in (0, 2, 4):
            with time_machine.travel(timezone.now() + timedelta(minutes=minutes)):
                answers.append(browser_of(ada).post(reverse("match_rematch", args=[match.key])))
        assert [answer.status_code for answer in answers] == [302, 302, 429]
        assert answers[0].url != answers[1].url
        assert Invitation.objects.filter(to=ben).count() == 1


class TestBlocks:
    """Two people with a block between them never meet in the lobby, and no one is told why."""

    @pytest.fixture(params=["ada blocks", "ben blocks"])
    def blocked(self, request: pytest.FixtureRequest, ada: User, ben: User) -> str:
        one, other = (ada, ben) if request.param == "ada blocks" else (ben, ada)
        social.block(one, other)
        return request.param

    def test_their_tables_are_not_listed(self, blocked: str, ada: User, ben: User) -> None:
        table = service.open_table(ben, "armed", 2, {})
        assert table.key not in lobby_of(ada)
        assert table.key in lobby_of(None)
        assert table.key not in browser_of(ada).get("/").content.decode()

    def test_tables_at_which_a_blocked_player_sits_are_not_listed(
        self, blocked: str, ada: User, ben: User, make_player: Callable[[str], User]
    ) -> None:
        table = service.open_table(make_player("Cleo"), "avalanche", 3, {})
        service.join(table, ben)
        assert table.key not in lobby_of(ada)

    def test_they_cannot_sit_down_at_one_table(self, blocked: str, ada: User, ben: User) -> None:
        table = service.open_table(ben, "armed", 2, {})
        answer = browser_of(ada).post(reverse("match_join", args=[table.key]))
        assert sitting(table) == ["Ben", ""]
        mine = blocked == "ada blocks"
        assert said(answer) == [
            "A player you have blocked sits here." if mine else "You can't take a seat at this table right now."
        ]

    def test_any_table_passes_theirs_over(self, blocked: str, ada: User, ben: User) -> None:
        presence.mark(ben.pk)
        theirs = service.open_table(ben, "armed", 2, {})
        assert any_table(ada, game="armed") != theirs

    def test_invitations_don_t_arrive(self, blocked: str, ada: User, ben: User) -> None:
        table = service.open_table(ada, "armed", 2, {})
        answer = browser_of(ada).post(reverse("match_invite", args=[table.key]), {"who": "Ben"})
        if blocked == "ben blocks":
            assert said(answer) == ["You've invited Ben."]
        assert "You're invited" not in lobby_of(ben)
        assert not Notice.objects.exists()
        browser_of(ada).post(reverse("match_invite", args=[table.key]), {"who": "ben@example.org"})
        assert not OutgoingMail.objects.exists()

    def test_a_rematch_does_not_bring_blocked_players_together(
        self, ada: User, ben: User, start_match: Callable[..., Match]
    ) -> None:
        match = start_match("armed", ada, ben)
        finish(match, [1, 2])
        social.block(ada, ben)
        again = service.rematch(match, ada)
        browser_of(ben).post(reverse("match_rematch", args=[match.key]))
        assert sitting(again) == ["Ada", ""]

    def test_an_earlier_invitation_is_removed(self, ada: User, ben: User) -> None:
        invitations.invite_by_name(service.open_table(ada, "armed", 2, {}), ada, "Ben")
        social.block(ben, ada)
        assert "You're invited" not in lobby_of(ben)


@pytest.mark.django_db(transaction=True)
def test_a_player_blocked_by_the_host_leaves_the_table(ada: User, ben: User) -> None:
    table = service.open_table(ada, "armed", 2, {})
    service.join(table, ben)
    social.block(ada, ben)
    assert sitting(table) == ["Ada", ""]


class TestOfferedSeats:
    @pytest.fixture
    def offered(self, ben: User, make_player: Callable[[str], User], start_match: Callable[..., Match]) -> Match:
        """A daily match whose second player has been absent so long that anyone may take the seat."""
        match = start_match("armed", make_player("Cleo"), ben)
        Match.objects.filter(pk=match.pk).update(clock="daily")
        match.seats.filter(number=1).update(offered_at=timezone.now() - timedelta(days=30))
        return match

    def test_the_lobby_offers_seats_to_a_player_who_may_take_them(self, offered: Match, ada: User, ben: User) -> None:
        page = lobby_of(ada)
        assert "Seats to take over" in page
        assert "the seat of Ben" in page
        for other in (ben, User.objects.get(name="Cleo"), None):
            assert "Seats to take over" not in lobby_of(other)

    def test_a_block_keeps_players_apart_here_too(self, offered: Match, ada: User) -> None:
        social.block(User.objects.get(name="Cleo"), ada)
        assert "Seats to take over" not in lobby_of(ada)

    def test_seats_of_private_matches_are_not_shown(self, offered: Match, ada: User) -> None:
        Match.objects.filter(pk=offered.pk).update(is_public=False)
        assert "Seats to take over" not in lobby_of(ada)

    def test_the_players_substitute_sees_them_first(self, offered: Match, ada: User, ben: User) -> None:
        offered.seats.filter(number=1).update(offered_at=timezone.now())
        assert "Seats to take over" not in lobby_of(ada)
        Deputy.objects.create(user=ben, deputy=ada)
        assert "the seat of Ben" in lobby_of(ada)


class TestTidying:
    def test_the_host_gets_one_email_before_a_table_is_closed(self, ada: User) -> None:
        now = timezone.now()
        with time_machine.travel(now, tick=False) as clock:
            table = service.open_table(ada, "armed", 2, {})
            tasks.close_stale_tables()
            assert not OutgoingMail.objects.exists()
            clock.shift(timedelta(hours=19))
            tasks.close_stale_tables()
            tasks.close_stale_tables()
            mail = OutgoingMail.objects.get()
            assert mail.to == "ada@example.org"
            assert table.get_absolute_url() in mail.text
            assert "closes soon unless you visit it" in lobby_of(ada)
            clock.shift(timedelta(hours=6))
            tasks.close_stale_tables()
            table.refresh_from_db()
            assert table.status == "cancelled"
            assert OutgoingMail.objects.count() == 1

    def test_looking_at_a_table_keeps_it_open(self, ada: User) -> None:
        with time_machine.travel(timezone.now(), tick=False) as clock:
            table = service.open_table(ada, "armed", 2, {})
            clock.shift(timedelta(hours=19))
            tasks.close_stale_tables()
            browser_of(ada).get(table.get_absolute_url())
            clock.shift(timedelta(hours=6))
            tasks.close_stale_tables()
            table.refresh_from_db()
            assert table.status == "open"


class TestEnding:
    @pytest.mark.usefixtures("contexts")
    def test_it_ends_without_a_result_when_all_people_agree(
        self, ada: User, ben: User, make_player: Callable[[str], User], start_match: Callable[..., Match]
    ) -> None:
        cleo = make_player("Cleo")
        match = start_match("avalanche", ada, ben, cleo, ai={3: "easy"})
        assert not service.offer_end(match, ada)
        assert not service.offer_end(match, ada)
        assert not service.offer_end(match, ben)
        page = browser_of(cleo).get(match.get_absolute_url()).content.decode()
        assert "Ada, Ben offer to end this match" in page
        assert service.offer_end(match, cleo)
        match.refresh_from_db()
        assert (match.status, match.outcome["reason"], match.is_rated) == ("over", "agreement", False)
        assert set(match.seats.values_list("place", flat=True)) == {None}
        assert browser_of(ada).get(reverse("player", args=["ada"])).context["results"] == []

    def test_one_refusal_clears_all_offers(self, ada: User, ben: User, start_match: Callable[..., Match]) -> None:
        match = start_match("armed", ada, ben)
        service.offer_end(match, ada)
        browser_of(ben).post(reverse("match_ending", args=[match.key]), {"answer": "no"})
        assert "offers to end" not in browser_of(ben).get(match.get_absolute_url()).content.decode()
        browser_of(ben).post(reverse("match_ending", args=[match.key]), {"answer": "yes"})
        match.refresh_from_db()
        assert match.status == "running"

    def test_a_player_alone_against_ai_players_cannot_agree_to_an_end(
        self, ada: User, start_match: Callable[..., Match]
    ) -> None:
        match = start_match("armed", ada, ai={1: "easy"})
        answer = browser_of(ada).post(reverse("match_ending", args=[match.key]), {"answer": "yes"})
        assert said(answer) == ["Only people can agree to end a match. Against AI players you can resign."]
        assert "Offer to stop" not in browser_of(ada).get(match.get_absolute_url()).content.decode()

    def test_spectators_cannot_agree_to_an_end(
        self, ada: User, ben: User, make_player: Callable[[str], User], start_match: Callable[..., Match]
    ) -> None:
        match = start_match("armed", ada, ben)
        cleo = make_player("Cleo")
        service.offer_end(match, ada)
        for answer in ("yes", "no"):
            browser_of(cleo).post(reverse("match_ending", args=[match.key]), {"answer": answer})
        assert match.end_offers.count() == 1
        assert "offers to end" not in browser_of(cleo).get(match.get_absolute_url()).content.decode()


@pytest.mark.django_db(transaction=True)
def test_an_offer_shows_at_the_others_tables_at_once(ada: User, ben: User, start_match: Callable[..., Match]) -> None:
    from asgiref.sync import sync_to_async

    match = start_match("armed", ada, ben)

    async def go() -> None:
        async with Browser(match, ben) as bens:
            await bens.receive("snapshot")
            await sync_to_async(service.offer_end)(match, ada)
            await bens.receive("ending")
            await sync_to_async(service.offer_end)(match, ben)
            assert (await bens.receive("snapshot", status="over"))["outcome"]["reason"] == "agreement"

    run(go)


@pytest.mark.django_db(transaction=True)
def test_the_lobby_is_notified_of_new_tables_and_invitations(ada: User, ben: User) -> None:
    def fill_and_start(table: Match) -> None:
        service.join(table, ben)
        service.start(table, ada)

    async def go() -> None:
        async with Browser(None, ben) as browser:
            table = await process.in_thread(partial(service.open_table, ada, "armed", 2, {}))
            await browser.receive("changed")
            await process.in_thread(partial(invitations.invite_by_name, table, ada, "Ben"))
            await browser.receive("changed")
            await process.in_thread(partial(fill_and_start, table))
            await browser.receive("changed")

    with waits.leapt_over():
        run(go)


def test_an_ai_player_never_has_the_name_of_someone_at_the_table(ada: User, ben: User) -> None:
    match = service.open_table(ada, "normal-cards", 4, {}, ai={1: "easy", 2: "hard"})
    names = [seat.ai_name for seat in match.seats.filter(ai_level__gt="")]
    assert ada.name not in names
    User.objects.filter(pk=ben.pk).update(name=names[0].upper())
    ben.refresh_from_db()
    service.join(match, ben)
    sitting_there = [seat.name.casefold() for seat in match.seats.all()]
    assert len(set(sitting_there)) == 4
