"""A report page shows nothing its reader couldn't see anyway, and is open to everyone who could."""

import re

import pytest
from django.urls import reverse

from accounts import social
from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.models import Report
from accounts.people.models import Preferences
from games.chat import lines
from games.matches import service
from games.matches.models import Match
from tests.factories.addresses import bare
from tests.factories.desk import browser_of
from tests.factories.pages import in_one_line

pytestmark = pytest.mark.django_db

FILLED = {"rule": "respect", "sentence": "This is not right."}


def opens_nothing(person, kind, *refs) -> bool:
    """Whether all these answer like unknown ones, when viewed and when sent a filled form, and store nothing."""
    client = browser_of(person)
    never = client.get(reverse("report", args=["sun", "1"]))
    addresses = [reverse("report", args=[kind, ref]) for ref in refs]
    answers = [answer for each in addresses for answer in (client.get(each), client.post(each, FILLED))]
    return (
        never.status_code == 404
        and all(answer.status_code == 404 and bare(answer) == bare(never) for answer in answers)
        and not Report.objects.filter(reporter=person).exists()
    )


def is_taken(person, address) -> bool:
    """Whether the page exists, links to no table whose key isn't in its URL, and accepts the report."""
    client = browser_of(person)
    page = client.get(address)
    assert page.status_code == 200
    assert all(key in address for key in re.findall(r"/match/(\w+)/", page.content.decode()))
    assert client.post(address, FILLED).status_code == 302
    return Report.objects.filter(reporter=person).exists()


def links_of(person, match) -> dict[str, str]:
    """The report links for this person in that table's chat, by the text beside them."""
    page = in_one_line(browser_of(person).get(reverse("match_talk", args=[match.key])).content.decode())
    return dict(re.findall(r'<span class="talk-words">(.*?)</span> <a class="talk-report" href="(.*?)"', page))


def refs_of(line) -> list[str]:
    """Everything a person could enter as a message reference."""
    return [str(line.pk), f"-{line.pk}", f"{line.match.key}-{line.pk}"]


@pytest.fixture
def guest(db) -> User:
    return User.objects.create_user(name="Guest 1000")


@pytest.fixture
def private(start_match, ada, ben) -> Match:
    """A private table of two, with a spectator."""
    match = start_match("armed", ada, ben)
    Match.objects.filter(pk=match.pk).update(is_public=False)
    return Match.objects.get(pk=match.pk)


def test_a_guest_who_counts_through_ids_finds_no_message_of_a_private_table(
    private, ada, guest, make_player, start_match
):
    said = [
        lines.say(private, ada, text="my private number is 555 1234"),
        lines.say(private, make_player("Eve"), text="Ben always bluffs"),
        lines.say(private, ada, text="some insult"),
    ]
    lines.remove(said[2])
    known = start_match("amagande", make_player("Cem"), make_player("Dora"))
    counted = range(said[0].pk - 1, said[-1].pk + 2)
    assert opens_nothing(guest, "line", *map(str, counted), *(f"{known.key}-{pk}" for pk in counted))


def test_players_do_not_see_a_spectators_message_while_the_match_runs(private, ada, ben, make_player):
    eve, cem = make_player("Eve"), make_player("Cem")
    line = lines.say(private, eve, text="Ben always bluffs")
    for player in (ada, ben):
        assert opens_nothing(player, "line", *refs_of(line))
    assert is_taken(cem, links_of(cem, private)["Ben always bluffs"])
    service.resign(private, ada)
    assert is_taken(ben, links_of(ben, private)["Ben always bluffs"])


def test_no_one_sees_a_removed_message(private, ada, ben, guest, mia, make_player):
    line = lines.say(private, ben, text="some insult")
    lines.remove(line)
    for person in (ada, ben, guest, mia, make_player("Eve")):
        assert opens_nothing(person, "line", *refs_of(line))


def test_muted_messages_are_missing_as_at_the_table(private, ada, ben):
    line = lines.say(private, ben, text="rude words")
    for kind in ("mute", "block"):
        social.block(ada, ben, kind)
        assert opens_nothing(ada, "line", *refs_of(line))
        social.unblock(ada, ben)
    Preferences.objects.create(user=ada, talk=False)
    assert opens_nothing(ada, "line", *refs_of(line))
    Preferences.objects.update(talk=True)
    assert is_taken(ada, links_of(ada, private)["rude words"])


def test_a_player_reports_a_message_by_the_link_beside_it(private, ada, ben, guest, mia, make_player):
    """At the table and watching, with an account or without, moderators and others, also for old messages."""
    lines.say(private, ben, text="rude words")
    link = links_of(ada, private)["rude words"]
    for number in range(lines.SHOWN):
        lines.say(private, ben, text=f"and {number}")
    for person in (ada, guest, mia, make_player("Eve")):
        assert "rude words" not in links_of(person, private)
        assert is_taken(person, link)
    assert {report.accused for report in Report.objects.all()} == {ben}


def test_matches_and_moves_are_found_by_their_key_and_not_by_number(private, ada, ben, guest, make_player):
    service.act(private.pk, 0, service.load(private.pk).state.default_move(0), request_id="m1", player=ada)
    move = private.moves.get(seat=0)
    for kind, pk in (("match", private.pk), ("move", move.pk), ("player", ada.pk)):
        assert opens_nothing(guest, kind, str(pk), f"-{pk}")
    assert opens_nothing(guest, "move", f"{private.key}-{move.number + 1}", f"{private.key}-0", private.key)
    assert opens_nothing(guest, "match", f"{private.key}-{move.number}")
    for person in (ben, make_player("Eve"), guest):
        assert is_taken(person, reverse("report", args=["move", f"{private.key}-{move.number}"]))
        assert is_taken(person, reverse("report", args=["match", private.key]))


def test_one_move_written_in_two_ways_is_one_thing(private, ada, ben):
    service.act(private.pk, 0, service.load(private.pk).state.default_move(0), request_id="m1", player=ada)
    client, number = browser_of(ben), private.moves.get(seat=0).number
    for ref, status in ((f"{private.key}-{number}", 302), (f"{private.key}-00{number}", 422)):
        assert client.post(reverse("report", args=["move", ref]), FILLED).status_code == status


def test_a_closed_account_has_no_page_and_no_table_links_to_it(private, ada, ben, moe, mia):
    link = reverse("report", args=["player", "ben"])
    assert link in browser_of(ada).get(private.get_absolute_url()).content.decode()
    sanctions.confirm(moe, sanctions.impose(mia, ben, "closed", "spam", "He sells things."))
    assert opens_nothing(ada, "player", "ben")
    assert link not in browser_of(ada).get(private.get_absolute_url()).content.decode()


def test_what_a_closed_account_said_is_reported_without_a_link_to_its_page(private, ada, ben):
    lines.say(private, ben, text="rude words")
    User.objects.filter(pk=ben.pk).update(is_active=False)
    address = links_of(ada, private)["rude words"]
    assert reverse("player", args=["ben"]) not in browser_of(ada).get(address).content.decode()
    assert is_taken(ada, address)


def test_a_player_who_has_a_page_can_be_reported(ada, ben, mia, guest, make_player):
    """Suspended people, guests, and people with a block between them and the reporter."""
    address = reverse("report", args=["player", "ben"])
    sanctions.impose(mia, ben, "suspended", "respect", "He shouted.")
    social.block(ada, ben)
    social.block(ben, make_player("Eve"))
    for person in (ada, guest, User.objects.get(name="Eve")):
        assert browser_of(person).get(reverse("player", args=["ben"])).status_code == 200
        assert is_taken(person, address)
    assert is_taken(ada, reverse("report", args=["player", guest.name_key]))
