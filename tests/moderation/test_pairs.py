"""What the desk shows of how people play, and who is too close to judge them."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts import social
from accounts.moderation import sanctions
from games.matches.models import Match, Seat
from games.moderation import collusion, reports
from games.slaps.models import Flag
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db


@pytest.fixture
def have_played():
    """Store finished matches; the people named are in order of their places."""

    def store(times, *people, days_ago=1, places=None, **more):
        at = timezone.now() - timedelta(days=days_ago)
        for _time in range(times):
            match = Match.objects.create(
                slug="amagande", rules_version=1, seat_count=2, status="over", outcome={}, started_at=at,
                finished_at=at, **more,
            )  # fmt: skip
            for number, person in enumerate(people):
                place = places[number] if places else number + 1
                Seat.objects.create(match=match, number=number, player=person, player_name=person.name, place=place)
        return match

    return store


def test_a_pair_that_shares_most_tables_is_shown_with_its_skewed_results(have_played, ada, ben, make_player):
    have_played(9, ada, ben)
    assert collusion.frequent_pairs([ada.pk]) == []
    have_played(2, ben, ada)
    have_played(1, ada, ben, places=(1, 1))
    have_played(4, ada, ben, days_ago=100)
    have_played(4, ada, ben, is_annulled=True)
    have_played(8, ada, make_player("Cleo"))
    (pair,) = collusion.frequent_pairs([ada.pk])
    assert (pair.other, pair.together, pair.of) == ("Ben", 12, 20)
    assert (pair.ahead, pair.behind, pair.level, pair.is_skewed) == (9, 2, 1, True)
    have_played(10, ada, make_player("Dan"))
    assert collusion.frequent_pairs([ada.pk]) == []
    # These are all matches of the other player.
    assert collusion.frequent_pairs([ben.pk])[0].other == "Ada"
    assert len(collusion.frequent_pairs([ben.pk, ada.pk])) == 1


def test_even_pairs_and_partners_are_not_skewed(have_played, ada, ben):
    have_played(6, ada, ben)
    have_played(5, ben, ada)
    have_played(20, ada, ben, places=(1, 1))
    assert not collusion.frequent_pairs([ada.pk])[0].is_skewed


def test_the_desk_shows_flags_and_pairs_to_roles_that_judge_play(have_played, make_moderator, ada, ben):
    match = have_played(12, ada, ben)
    Flag.objects.create(player=ben, kind="median", figure=120, cards=30, last="x 3")
    # In a match without names, everyone at the table is checked.
    report = reports.file(ada, reports.find(ada, "match", match.key), "other", "Something is wrong.")
    address = reverse("admin:moderation_report_change", args=[report.pk])
    for role, sees in (("results", True), ("accounts", True), ("talk", False)):
        client = QuickClient()
        client.force_login(make_moderator(f"Role {role}", role))
        page = client.get(address).content.decode()
        assert ("median 120 ms" in page) == sees
        assert ("12 of " in page and "Results are skewed." in page) == sees


def test_no_one_who_sat_at_the_table_handles_a_report_about_it(have_played, ada, ben, mia, moe):
    match = have_played(1, ben, mia)
    report = reports.file(ada, reports.find(ada, "match", match.key), "other", "Something is wrong.")
    with pytest.raises(reports.ReportError, match="about you"):
        reports.claim(mia, report)
    reports.claim(moe, report)


def test_no_one_decides_about_a_friend_or_a_frequent_partner_at_any_step(have_played, ada, ben, mia, moe):
    waiting = sanctions.impose(mia, ada, "closed", "fair", "Two accounts.")
    holds = sanctions.impose(mia, ada, "silence", "respect", "Rude.")
    thread = sanctions.appeal(ada, holds, "It was Ben.")
    have_played(5, moe, ada)
    social.ask(moe, ben)
    social.ask(ben, moe)
    for command in (
        lambda: sanctions.impose(moe, ada, "warning", "respect", "Rude."),
        lambda: sanctions.impose(moe, ben, "warning", "respect", "Rude."),
        lambda: sanctions.confirm(moe, waiting),
        lambda: sanctions.lift(moe, holds),
        lambda: sanctions.answer(moe, thread, "Granted.", "granted"),
    ):
        with pytest.raises(sanctions.SanctionError, match=r"often|friend"):
            command()
    sanctions.answer(moe, thread, "We are looking into it.")
