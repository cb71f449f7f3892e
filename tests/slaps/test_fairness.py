"""Flags for moderators: people aren't flagged, machines and cheats are, and nothing follows automatically."""

import random
from datetime import timedelta

import pytest
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from games.devtools.bench import people
from games.matches import history, service
from games.matches.models import Departure, Match, SlapAttempt, new_key
from games.rules.armani.tables import PATTERNS
from games.slaps.fairness import FLAWLESS, Seen, findings
from games.slaps.flags import flag_slaps
from games.slaps.models import Flag
from tests.factories.slaps import begin, flip_until, press


def a_person(kind: str, seed: int, cards: int = 400) -> list[Seen]:
    """A history from the model of people, with human misses and wrong slaps and an honest browser."""
    rng = random.Random(f"{kind}/{seed}")
    seen = []
    for _ in range(cards):
        if rng.random() < 0.03:
            seen.append(Seen(is_pattern=False, reaction=people.reaction(kind, rng), is_at_cap=False))
        missed = rng.random() < 0.05
        reaction = None if missed else people.reaction(kind, rng)
        seen.append(Seen(is_pattern=True, reaction=reaction, is_at_cap=None if missed else rng.random() < 0.2))
    return seen


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[] if kind == "typical" else pytest.mark.ladder) for kind in people.KINDS],
)
def test_ordinary_players_are_not_flagged(kind):
    assert [findings(a_person(kind, seed)) for seed in range(20)] == [[]] * 20


def slaps(*reactions: float, at_cap: bool = False) -> list[Seen]:
    return [Seen(is_pattern=True, reaction=reaction, is_at_cap=at_cap) for reaction in reactions]


def noise(rng: random.Random, mean: float, deviation: float, count: int) -> list[float]:
    return [rng.gauss(mean, deviation) for _ in range(count)]


RNG = random.Random(1)
#: A deal with seven slappable cards among its first 22, if each is slapped.
SEVEN_PATTERNS = f"{111:032x}"


@pytest.mark.parametrize(
    ("history", "kind"),
    [
        ([*slaps(*noise(RNG, 340, 60, 12)), *slaps(140, 130, 120), *slaps(*noise(RNG, 340, 60, 12))], "too_fast"),
        (slaps(*noise(RNG, 195, 45, 30)), "median"),
        (slaps(*noise(RNG, 300, 12, 30)), "steady"),
        (slaps(*noise(RNG, 330, 70, FLAWLESS)), "flawless"),
        ([*slaps(*noise(RNG, 330, 70, 14), at_cap=True), *slaps(*noise(RNG, 330, 70, 8))], "at_cap"),
    ],
)
def test_slaps_as_no_person_makes_them_are_flagged(history, kind):
    assert kind in [finding.kind for finding in findings(history)]


@pytest.mark.parametrize(
    "history",
    [
        slaps(140, 130),
        slaps(*[200] * 19),
        [*slaps(*noise(RNG, 330, 70, FLAWLESS - 1)), Seen(is_pattern=True), *slaps(*noise(RNG, 330, 70, FLAWLESS - 1))],
        [
            *slaps(*noise(RNG, 330, 70, FLAWLESS - 1)),
            Seen(is_pattern=False, reaction=400),
            *slaps(*noise(RNG, 330, 70, FLAWLESS - 1)),
        ],
        slaps(*noise(RNG, 330, 70, 19), at_cap=True),
    ],
    ids=["two fast ones", "nineteen", "one miss", "one wrong slap", "few claims"],
)
def test_too_little_data_flags_no_one(history):
    assert findings(history) == []


def copied(match: Match, later: float = 0) -> Match:
    """Another match with the same seats, moves and slaps, these ``later`` by so many ms.

    It takes a tenth of the time of playing it.
    """
    twin = Match.objects.get(pk=match.pk)
    twin.pk, twin.key = None, new_key()
    twin.save(force_insert=True)
    for rows in (match.seats.all(), match.moves.all(), match.slaps.all()):
        for row in rows:
            row.pk, row.match = None, twin
        rows.model.objects.bulk_create(rows)
    twin.slaps.update(**{name: F(name) + later for name in ("elapsed", "claimed", "reaction")})
    return twin


@pytest.mark.django_db
class TestFlags:
    def played(
        self, ada: User, ben: User, reaction: float, times: int = 1, slower: float = 0, **more: float
    ) -> list[Match]:
        """Matches in which Ada slaps seven pattern cards in that time, ``slower`` in each next one, and Ben none."""
        match = begin([ada, ben], SEVEN_PATTERNS, slaps=list(PATTERNS), lockout=0)
        table = None
        for number in range(7):
            table = flip_until(match, slappable=True, table=table)
            press(match, ada, 0, table.card, reaction + number % 2, **more)
            service.step(match.pk, table.version)
        service.resign(match, ben)
        match.refresh_from_db()
        return [match, *(copied(match, slower * number) for number in range(1, times))]

    def test_someone_faster_than_people_is_flagged_once_and_no_one_else(self, ada, ben):
        self.played(ada, ben, 140, times=3)
        assert flag_slaps() == 3
        assert set(Flag.objects.values_list("player__name", "kind")) == {
            ("Ada", "too_fast"),
            ("Ada", "median"),
            ("Ada", "steady"),
        }
        assert flag_slaps() == 0
        ada.refresh_from_db()
        assert ada.is_active

    def test_a_flag_says_when_there_is_more(self, ada, ben, time_machine):
        time_machine.move_to("2026-11-20 12:00:00+00:00", tick=False)
        self.played(ada, ben, 140, times=3)
        flag_slaps()
        time_machine.move_to("2026-11-21 12:00:00+00:00", tick=False)
        self.played(ada, ben, 130, times=2)
        assert flag_slaps() > 0
        flag = Flag.objects.get(kind="median")
        assert flag.found_at - flag.first_at == timedelta(days=1)

    def test_a_handicap_does_not_lead_to_a_flag(self, ada, ben):
        self.played(ada, ben, 260, times=3)
        SlapAttempt.objects.update(handicap=100, reaction=160)
        flag_slaps()
        assert set(Flag.objects.values_list("kind", flat=True)) == {"steady"}

    def test_a_slow_connection_that_is_credited_with_too_little_does_not_look_like_a_lie(self, ada, ben):
        self.played(ada, ben, 300, times=3, slower=60, elapsed=500, ping=240, cap=150)
        flag_slaps()
        assert "at_cap" not in Flag.objects.values_list("kind", flat=True)

    def test_a_connection_that_is_always_slower_than_any_credit_is_flagged(self, ada, ben):
        self.played(ada, ben, 300, times=6, slower=20, elapsed=650, ping=420, cap=350)
        flag_slaps()
        flag = Flag.objects.get(kind="line")
        assert (flag.cards, flag.in_words) == (42, "100% of slaps")

    def test_a_press_by_the_ai_player_of_a_resigned_seat_belongs_to_no_person(self, ada, ben):
        for match in self.played(ada, ben, 140, times=3):
            match.seats.filter(player=ada).update(has_resigned=True)
        flag_slaps()
        assert not Flag.objects.exists()

    def test_only_what_was_slapped_after_taking_over_a_seat_counts_for_its_new_player(self, ada, ben, make_player):
        cleo = make_player("Cleo")
        for match in self.played(ada, ben, 140, times=3):
            match.departures.create(seat=0, player=ada, player_name="Ada", at=timezone.now())
            match.seats.filter(player=ada).update(player=cleo)
        assert flag_slaps() == 0
        Departure.objects.update(at=timezone.now() - timedelta(hours=1))
        flag_slaps()
        assert set(Flag.objects.values_list("player__name", flat=True)) == {"Cleo"}

    def test_a_match_that_cannot_be_replayed_keeps_no_other_from_being_looked_at(self, ada, ben, monkeypatch):
        broken, *_others = self.played(ada, ben, 140, times=4)
        replay = history.replay

        def fails_for_one(match: Match):
            if match.pk == broken.pk:
                raise IndexError("a fault")
            return replay(match)

        monkeypatch.setattr(history, "replay", fails_for_one)
        assert flag_slaps() > 0

    def test_moderators_find_them_and_change_nothing(self, ada, ben, client):
        *_others, match = self.played(ada, ben, 140, times=3)
        flag_slaps()
        moderator = User.objects.create_superuser("boss@example.org", "a long enough secret", name="Boss")
        client.force_login(moderator)
        page = client.get(reverse("admin:slaps_flag_changelist"), {"kind": "median"}).content.decode()
        assert "median 14" in page
        flag = Flag.objects.get(kind="median")
        page = client.get(reverse("admin:slaps_flag_change", args=[flag.pk])).content.decode()
        assert match.get_absolute_url() in page
        assert client.post(reverse("admin:slaps_flag_delete", args=[flag.pk])).status_code == 403
        assert client.get(reverse("admin:slaps_flag_add")).status_code == 403

    def test_only_the_last_matches_are_judged(self, ada, ben):
        self.played(ada, ben, 140, times=3)
        Match.objects.update(finished_at=timezone.now() - timedelta(days=3))
        assert flag_slaps() == 0
