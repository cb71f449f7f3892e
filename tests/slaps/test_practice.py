"""The practice room: one card at a time, measured as at a table; a history; an opponent of equal strength."""

import asyncio
import random
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from accounts.models import User
from games.devtools.bench import people
from games.judging.latency import Measured
from games.matches.models import Match
from games.slaps import consumers, practice
from games.slaps.models import PracticeRun
from tests.factories.sockets import Browser, application, run


def measured(reaction: float) -> Measured:
    return Measured(elapsed=reaction + 40, claimed=reaction, ping=40, cap=48)


class TestRuns:
    def test_a_run_counts_right_and_wrong_slaps_and_misses(self):
        one = practice.Run(random.Random(3))
        right = wrong = missed = 0
        for number in range(200):
            one.show()
            if number % 3 == 0:
                row = one.press(measured(300 + number))
                assert row["reaction"] == 300 + number
                assert one.press(measured(200)) is None
                assert row["result"] == ("won" if one.is_slappable else "wrong")
                right += one.is_slappable
                wrong += not one.is_slappable
            else:
                missed += one.is_slappable
        one.close()
        assert (len(one.reactions), one.wrong, one.missed) == (right, wrong, missed)
        assert min(right, wrong, missed) > 10

    def test_about_every_third_card_makes_a_pattern_and_no_card_lies_there_twice(self):
        one = practice.Run(random.Random(4))
        patterns = 0
        for _ in range(2000):
            one.show()
            patterns += one.is_slappable
            assert len(set(one.pile[-6:])) == len(one.pile[-6:])
        assert 0.2 < patterns / 2000 < 0.35

    def test_a_slap_that_is_too_early_does_not_count_and_another_one_is_allowed(self):
        one = practice.Run(random.Random(5))
        one.show()
        assert one.press(measured(60))["result"] == "early"
        assert one.press(measured(300))["result"] in ("won", "wrong")


class TestOpponents:
    def hand(self, kind: str) -> practice.Hand:
        """From the model of people: slower people miss more, and everyone takes longer to see a sandwich."""
        rng = random.Random(kind)
        missed = {"casual": 60, "typical": 45, "fast": 15}[kind]
        reactions = tuple(people.reaction(kind, rng) + 50 * (rng.random() < 0.47) for _ in range(300))
        return practice.Hand(reactions, missed, wrong=3)

    @pytest.mark.parametrize("kind", people.KINDS)
    def test_easy_ones_lose_more_piles_than_hard_ones(self, kind):
        shares = practice.shares(self.hand(kind))
        assert shares["easy"] > shares["medium"] > shares["hard"]

    def test_a_hand_is_matched_with_the_level_that_takes_nearest_to_every_other_pile(self):
        assert practice.closest({"easy": 0.61, "medium": 0.45, "hard": 0.1}) == "medium"
        assert practice.closest(practice.shares(self.hand("casual"))) != "hard"
        assert practice.closest(practice.shares(self.hand("fast"))) == "hard"

    def test_shares_are_those_that_the_levels_were_made_for(self):
        # The share of piles that AI players take from a casual, a typical and a fast person.
        expected = {"easy": (0.39, 0.18, 0.06), "medium": (0.65, 0.39, 0.15), "hard": (0.89, 0.70, 0.40)}
        for place, kind in enumerate(people.KINDS):
            shares = practice.shares(self.hand(kind))
            for level, wanted in expected.items():
                assert 1 - shares[level] == pytest.approx(wanted[place], abs=0.08)

    def test_a_hand_is_compared_once_however_often_its_figures_are_looked_at(self):
        hand = practice.Hand((312.5, 298.1), missed=1, wrong=0)
        assert practice.shares(hand) is practice.shares(hand)

    def test_without_any_reactions_there_is_no_comparison(self):
        assert practice.shares(practice.Hand((), 3, 0)) == {}
        assert practice.closest({}) is None


class Room(Browser):
    """The practice room's socket."""

    def __init__(self, user: User | None = None) -> None:
        super().__init__("x", user)
        self.socket = WebsocketCommunicator(application, "/ws/practice/slaps/")
        self.socket.scope["user"] = user or AnonymousUser()


@pytest.fixture
def _quick(monkeypatch):
    monkeypatch.setattr(practice, "CARDS_A_RUN", 8)
    monkeypatch.setattr(practice, "window", lambda: 150)
    monkeypatch.setattr(consumers, "BREATH", 0.05)
    monkeypatch.setattr(consumers, "JITTER", 10)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_quick")
class TestSocket:
    def test_cards_come_one_by_one_presses_are_judged_and_the_run_is_kept(self, ada):
        async def go() -> dict[str, Any]:
            async with Room(ada) as room:
                await room.say({"t": "begin"})
                for version in range(1, 9):
                    card = await room.receive("card")
                    assert (card["v"], card["pile"][-1]) == (version, card["card"])
                    if version == 3:
                        await asyncio.sleep(0.12)
                        await room.say({"t": "slap", "id": "a", "v": version, "r": 118.0})
                        (row,) = (await room.receive("verdict", v=version))["slaps"]
                        assert 100 <= row["reaction"] <= row["raw"]
                return await room.receive("done")

        done = run(go)
        kept = PracticeRun.objects.get()
        assert kept.player == ada
        assert len(kept.reactions) + kept.wrong == 1
        assert "Your last runs" in done["html"]

    def test_presses_for_other_cards_and_too_early_ones_cost_nothing(self, ada):
        async def go() -> None:
            async with Room(ada) as room:
                await room.say({"t": "begin"})
                await room.receive("card", v=2)
                await room.say({"t": "slap", "id": "a", "v": 1, "r": 300.0})
                assert (await room.receive("rejected"))["code"] == "late"
                await room.say({"t": "slap", "id": "a", "v": 2, "r": 1.0})
                assert (await room.receive("rejected"))["code"] == "early"
                await room.receive("done")

        run(go)
        kept = PracticeRun.objects.get()
        assert (kept.reactions, kept.wrong) == ([], 0)

    def test_a_run_stops_and_is_not_stored_when_the_player_looks_elsewhere(self, ada):
        async def go() -> None:
            async with Room(ada) as room:
                await room.say({"t": "begin"})
                await room.receive("card")
                await room.say({"t": "visible", "on": False})
                await room.receive("stopped")
                await room.say({"t": "begin"})
                assert (await room.receive("card"))["v"] == 1

        run(go)
        assert not PracticeRun.objects.exists()

    def test_a_visitor_may_practise_and_sees_figures_and_nothing_is_stored(self):
        async def go() -> dict[str, Any]:
            async with Room() as room:
                await room.say("nonsense")
                await room.say("[" * 4000)
                await room.say({"t": "begin"})
                return await room.receive("done")

        done = run(go)
        assert "Your reactions" in done["html"]
        assert "Your last runs" not in done["html"]
        assert not PracticeRun.objects.exists()


@pytest.mark.django_db
class TestPage:
    def test_a_visitor_learns_how_the_site_works_and_can_sign_up(self, client):
        page = client.get(reverse("practice_slaps")).content.decode()
        assert "No runs yet" in page
        assert client.post(reverse("practice_join")).status_code == 302
        assert "Play as a guest" not in client.get(reverse("practice_slaps")).content.decode()

    def test_the_history_is_private(self, client, ada, ben, django_assert_max_num_queries):
        for number in range(12):
            PracticeRun.objects.create(player=ada, reactions=[310 + number, 330, 350], missed=1)
        PracticeRun.objects.create(player=ben, reactions=[999, 999])
        client.force_login(ada)
        with django_assert_max_num_queries(8):
            page = client.get(reverse("practice_slaps")).content.decode()
        assert page.count('<th scope="row">') == practice.SHOWN
        assert ">330<" in page
        assert ">999<" not in page
        assert "you win" in page

    def test_the_page_links_to_a_table_against_that_opponent(self, client):
        answer = client.post(reverse("practice_match"), {"level": "hard"})
        match = Match.objects.get()
        assert answer.url == match.get_absolute_url()
        assert (match.status, match.seats.get(number=1).ai_level) == (Match.Status.RUNNING, "hard")
        assert match.clock == Match.Clock.NONE
        assert client.post(reverse("practice_match"), {"level": "godlike"}).url == reverse("practice_slaps")
