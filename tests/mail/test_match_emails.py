"""Email settings per match on the page of your matches, and the link to the next waiting match."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from games.mail.match_emails import rows_of
from games.mail.models import Correspondence, Preferences, Timing
from games.mail.outgoing.turn_email import turns_of
from games.matches import service
from games.matches.models import Match
from tests.factories.turns import asked, turn_path

pytestmark = pytest.mark.django_db
PAGE = "/my/"


@pytest.fixture
def as_ada(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def test_each_running_match_has_its_pace_and_when_it_sends_emails(as_ada: Client, ada, ben, start_by_mail, start_match):
    daily = start_by_mail("normal-cards", ada, ben)
    lunch = start_by_mail("armed", ada, ben, clock="lunch")
    live = start_match("normal-cards", ada, ben)
    page = as_ada.get(PAGE).content.decode()
    assert "Normal Cards with Ben" in page
    assert "Over lunch" in page
    assert f"timing-{live.key}" not in page
    as_ada.post(reverse("match_emails"), {f"timing-{daily.key}": "never", f"timing-{lunch.key}": "at_once"})
    chosen = dict(Correspondence.objects.filter(user=ada).values_list("match", "timing"))
    assert chosen == {daily.pk: Timing.NEVER, lunch.pk: Timing.AT_ONCE}
    page = as_ada.get(PAGE).content.decode()
    assert re.search(rf'name="timing-{daily.key}".*?value="never" selected', page, re.DOTALL)
    as_ada.post(reverse("match_emails"), {f"timing-{daily.key}": ""})
    assert Correspondence.objects.get(user=ada, match=daily).timing == ""


def test_lists_of_matches_read_no_stored_positions(ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben)
    player = asked(match).player
    with CaptureQueriesContext(connection) as queries:
        assert [row.match for row in rows_of(player)] == [match]
        assert [seat.match for seat in turns_of(player)] == [match]
    assert not any('"snapshot"' in query["sql"] for query in queries)


def test_an_invalid_timing_and_another_players_match_change_nothing(
    as_ada: Client, ada, ben, make_player, start_by_mail
):
    mine, theirs = start_by_mail("normal-cards", ada, ben), start_by_mail("normal-cards", ben, make_player("Cleo"))
    assert as_ada.post(reverse("match_emails"), {f"timing-{mine.key}": "soon"}).status_code == 400
    as_ada.post(reverse("match_emails"), {f"timing-{theirs.key}": "never"})
    assert not Correspondence.objects.exists()
    assert Client().post(reverse("match_emails"), {}).status_code == 302


def test_the_page_says_that_emails_are_off_and_one_press_turns_them_on(as_ada: Client, ada, ben, start_by_mail):
    start_by_mail("normal-cards", ada, ben)
    assert "Turn emails are off" not in as_ada.get(PAGE).content.decode()
    Preferences.objects.create(user=ada, timing=Timing.NEVER)
    assert "Turn emails are off" in as_ada.get(PAGE).content.decode()
    as_ada.post(reverse("match_emails"), {"on": "1"})
    assert Preferences.objects.get(user=ada).timing == Timing.AFTER
    assert "Turn emails are off" not in as_ada.get(PAGE).content.decode()


def test_after_a_decision_the_page_leads_to_the_next_match_that_waits(client: Client, ada, ben, start_by_mail):
    first, second = start_by_mail("normal-cards", ada, ben), start_by_mail("normal-cards", ada, ben, clock="lunch")
    seat = asked(first)
    path = turn_path(seat)
    moves = service.load(first.pk).state.legal_moves(seat.number)
    done = client.post(path, {"choice": "1", "v": "0", "again": "1"})
    assert len(moves) > 1
    page = client.get(done["Location"]).content.decode()
    assert "Another match is waiting for you." in page
    assert second.key not in page  # the link allows one turn of one match
    following = f"{reverse('next_turn')}?after={first.key}"
    assert following in page
    assert client.get(following).status_code == 302
    client.force_login(seat.player)
    assert client.get(following)["Location"] == second.get_absolute_url()
    service.resign(second, seat.player)
    assert client.get(following)["Location"] == PAGE
    assert "Another match is waiting" not in client.get(path + "?done").content.decode()


def test_the_most_urgent_match_is_the_next(as_ada: Client, ada, ben, start_by_mail):
    matches: list[Match] = [start_by_mail("armed", ada, ben, clock=clock) for clock in ("relaxed", "lunch", "daily")]
    assert as_ada.get(reverse("next_turn"))["Location"] == matches[1].get_absolute_url()
