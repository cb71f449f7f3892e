"""Chat at a table: who can write, who can read, and immediate delivery."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from asgiref.sync import sync_to_async
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts import social
from accounts.models import User
from accounts.people.models import Preferences
from games.chat import lines
from games.chat.models import TEXT_LENGTH, Line
from games.chat.phrases import PHRASES
from games.matches import service
from games.matches.models import Match
from tests.factories.lobby import finish
from tests.factories.sockets import Browser, run

JSON = {"headers": {"accept": "application/json"}}


def browser_of(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def post(user: User | None, match: Match, **data: str):
    return browser_of(user).post(reverse("match_talk", args=[match.key]), data)


def said(answer) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]


def read(user: User | None, match: Match) -> str:
    """What the panel shows on that person's page."""
    browser = browser_of(user)
    page = browser.get(match.get_absolute_url()).content.decode()
    fragment = browser.get(reverse("match_talk", args=[match.key])).content.decode()
    inside = page.partition('id="table-talk"')[2].partition("</section>")[0].partition("<template>")[0]
    for line in Line.objects.all():
        assert (f'data-line="{line.pk}"' in inside) == (f'data-line="{line.pk}"' in fragment)
    return inside


@pytest.mark.django_db
class TestSaying:
    def test_everyone_reads_a_players_message_and_others_have_a_report_link(
        self, ada: User, ben: User, start_match: Callable[..., Match]
    ) -> None:
        match = start_match("armed", ada, ben)
        answer = post(ada, match, text="  What  a\thand ")
        assert answer.url == match.get_absolute_url() + "#table-talk"
        line = Line.objects.get()
        assert (line.seat, line.text, line.version) == (0, "What a hand", 0)
        for reader in (ada, ben, None):
            assert "What a hand" in read(reader, match)
        assert f'href="/report/line/{match.key}-{line.pk}/"' in read(ben, match)
        assert f'href="/report/line/{match.key}-{line.pk}/"' not in read(ada, match)

    def test_markup_is_shown_as_it_was_written(self, ada: User, ben: User, start_match: Callable[..., Match]) -> None:
        match = start_match("armed", ada, ben)
        post(ada, match, text="<script>alert(1)</script>")
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in read(ben, match)

    def test_ready_made_phrases_are_stored_as_such(
        self, ada: User, ben: User, start_match: Callable[..., Match]
    ) -> None:
        match = start_match("armed", ada, ben)
        post(ada, match, phrase="well_played", text="and something else")
        line = Line.objects.get()
        assert (line.phrase, line.text, line.words) == ("well_played", "", "Well played")
        assert said(post(ada, match, phrase="you_cheat")) == ["There's no such phrase."]

    def test_guests_can_only_use_phrases(self, ada: User, start_match: Callable[..., Match]) -> None:
        guest = User.objects.create_user(name="Guest 1000")
        match = start_match("armed", ada, guest)
        assert said(post(guest, match, text="free words"))[0].startswith("Guests can use the ready-made phrases")
        post(guest, match, phrase="hello")
        assert [line.words for line in Line.objects.all()] == ["Hello"]
        assert 'name="text"' not in read(guest, match)

    def test_visitors_read_the_chat_and_cannot_write(
        self, ada: User, ben: User, start_match: Callable[..., Match]
    ) -> None:
        match = start_match("armed", ada, ben)
        assert said(post(None, match, phrase="hello")) == ["Take a seat or log in to chat."]
        assert not Line.objects.exists()
        assert "talk-form" not in read(None, match)

    def test_spectators_have_their_own_chat_until_the_match_is_over(
        self, ada: User, ben: User, make_player: Callable[[str], User], start_match: Callable[..., Match]
    ) -> None:
        cleo = make_player("Cleo")
        match = start_match("armed", ada, ben)
        post(cleo, match, text="Ben should lay the king")
        post(ada, match, text="Your move")
        for player in (ada, ben):
            assert "Ben should lay" not in read(player, match)
        for spectator in (cleo, None):
            assert "Ben should lay" in read(spectator, match)
            assert "Your move" in read(spectator, match)
        finish(match, [1, 2])
        assert "Ben should lay" in read(ada, match)

    def test_a_player_replaced_by_an_ai_player_chats_as_a_spectator(
        self, ada: User, ben: User, make_player: Callable[[str], User], start_match: Callable[..., Match]
    ) -> None:
        match = start_match("avalanche", ada, ben, make_player("Cleo"))
        service.resign(match, ben)
        post(ben, match, text="Look at the king of mine")
        assert Line.objects.get().seat is None
        assert "king of mine" not in read(ada, match)

    def test_at_an_open_table_seated_players_can_chat(self, ada: User, ben: User) -> None:
        match = service.open_table(ada, "armed", 2, {})
        post(ada, match, phrase="hello")
        assert said(post(ben, match, phrase="hello")) == ["Take a seat to chat."]
        assert "Hello" in read(ben, match)

    def test_the_chat_closes_a_day_after_the_match(
        self, ada: User, ben: User, start_match: Callable[..., Match]
    ) -> None:
        match = start_match("armed", ada, ben)
        finish(match, [1, 2])
        post(ada, match, phrase="good_match")
        with time_machine.travel(timezone.now() + timedelta(days=1, minutes=1)):
            assert said(post(ada, match, phrase="again")) == ["The chat at this table has ended."]
        assert Line.objects.count() == 1

    def test_too_many_messages_at_once_are_refused(
        self, ada: User, ben: User, start_match: Callable[..., Match]
    ) -> None:
        match = start_match("armed", ada, ben)
        client = browser_of(ada)
        answers = [client.post(reverse("match_talk", args=[match.key]), {"phrase": "hello"}, **JSON) for _ in range(7)]
        assert [answer.status_code for answer in answers] == [204] * 6 + [409]
        assert "Slow down" in answers[-1].json()["reason"]

    def test_only_the_messages_of_a_muted_or_blocked_person_disappear_at_once(
        self, ada: User, ben: User, start_match: Callable[..., Match]
    ) -> None:
        match = start_match("armed", ada, ben)
        post(ben, match, text="rude words")
        for kind in ("mute", "block"):
            social.block(ada, ben, kind)
            assert "rude words" not in read(ada, match)
            assert "rude words" in read(ben, match)
            assert "rude words" in read(None, match)
            social.unblock(ada, ben)
            assert "rude words" in read(ada, match)

    def test_chat_is_switched_off_and_on(self, ada: User, ben: User, start_match: Callable[..., Match]) -> None:
        match = start_match("armed", ada, ben)
        post(ben, match, phrase="hello")
        browser_of(ada).post(reverse("talk_switch"), {"talk": "false"})
        assert "You have turned chat off" in read(ada, match)
        assert not Preferences.objects.get(user=ada).talk
        browser_of(ada).post(reverse("talk_switch"), {"talk": "true"})
        assert "Hello" in read(ada, match)

    def test_a_removed_message_is_gone_for_everyone(
        self, ada: User, ben: User, start_match: Callable[..., Match]
    ) -> None:
        match = start_match("armed", ada, ben)
        post(ben, match, text="rude words")
        lines.remove(Line.objects.get())
        for reader in (ada, ben, None):
            assert "rude words" not in read(reader, match)
        assert Line.objects.get().text == "rude words"


@pytest.mark.parametrize(
    "text", ["", "  \n ", "x" * (TEXT_LENGTH + 1), "a\u202eb", "a\x07b", "z" + "\u0301" * 9, "\u200b"]
)
def test_an_invalid_text_is_refused(text: str) -> None:
    with pytest.raises(lines.MessageRefused):
        lines.as_stored(text)


@given(st.text(max_size=300))
def test_a_stored_message_fits_on_one_line(text: str) -> None:
    try:
        tidy = lines.as_stored(text)
    except lines.MessageRefused:
        return
    assert 0 < len(tidy) <= TEXT_LENGTH
    assert tidy == " ".join(tidy.split())
    assert lines.as_stored(tidy) == tidy


def test_phrases_fit_their_column() -> None:
    longest = Line._meta.get_field("phrase").max_length
    assert all(len(key) <= longest for key in PHRASES)


# Over the socket.


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_a_message_reaches_everyone_who_may_read_it(
        self, ada: User, ben: User, make_player: Callable[[str], User], start_match: Callable[..., Match]
    ) -> None:
        cleo = make_player("Cleo")
        match = start_match("armed", ada, ben)

        async def go() -> None:
            async with Browser(match, ada) as adas, Browser(match, ben) as bens, Browser(match) as watcher:
                for browser in (adas, bens, watcher):
                    await browser.receive("snapshot")
                await sync_to_async(lines.say)(match, cleo, text="from the gallery")
                await sync_to_async(lines.say)(match, ada, text="from the table")
                assert (await watcher.receive("talk"))["line"]["words"] == "from the gallery"
                assert (await watcher.receive("talk"))["line"]["words"] == "from the table"
                own = (await adas.receive("talk"))["line"]
                assert (own["words"], own["is_own"], own["name_key"]) == ("from the table", True, "ada")
                heard = (await bens.receive("talk"))["line"]
                assert (heard["words"], heard["is_own"], heard["seat"]) == ("from the table", False, 0)
                assert not any("from the gallery" in text for text in adas.raw + bens.raw)

        run(go)

    def test_a_mute_works_on_an_open_table_at_once(
        self, ada: User, ben: User, make_player: Callable[[str], User], start_match: Callable[..., Match]
    ) -> None:
        match = start_match("avalanche", ada, ben, make_player("Cleo"))
        cleo = User.objects.get(name="Cleo")

        async def go() -> None:
            async with Browser(match, ada) as adas:
                await adas.receive("snapshot")
                await sync_to_async(social.block)(ada, ben, "mute")
                await adas.receive("talk_again")
                await sync_to_async(lines.say)(match, ben, text="unheard")
                await sync_to_async(lines.say)(match, cleo, phrase="hello")
                assert (await adas.receive("talk"))["line"]["words"] == "Hello"
                assert not any("unheard" in text for text in adas.raw)
                line = await Line.objects.aget(text="unheard")
                await sync_to_async(lines.remove)(line)
                assert (await adas.receive("talk_removed"))["id"] == line.pk

        run(go)
