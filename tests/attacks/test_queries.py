"""No page makes more queries when there is more to show: all URLs, with growing rows."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import social
from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.models import NameChange
from accounts.people.models import Block
from accounts.playing_times.models import Leave
from games.chat import lines
from games.lobby import invitations
from games.matches import service
from games.matches.models import Incident, Match, Seat
from games.moderation import reports
from games.operations import failures
from games.site_status.models import Announcement
from games.slaps.models import PracticeRun
from tests.factories.addresses import addresses, refuse_plainly
from tests.factories.samples import sampled

pytestmark = pytest.mark.django_db

Start = Callable[..., Match]


@pytest.fixture
def moderator(make_player: Callable[[str], User]) -> User:
    return User.objects.create_superuser("boss@example.org", name="Boss")


@pytest.fixture
def table(ada: User, ben: User, start_match: Start) -> Match:
    """The table whose pages are tested: it grows in chat messages and spectators, not in moves."""
    return start_match("armani", ada, ben, ai={2: "easy", 3: "easy"})


@pytest.fixture
def grow(
    ada: User, ben: User, table: Match, moderator: User, make_player: Callable[[str], User], start_match: Start,
    start_by_mail: Start,
) -> Callable[[int], None]:  # fmt: skip
    """Give Ada one more of everything that pages list, each with a new person."""

    def more(number: int) -> None:
        now = timezone.now()
        friend, asker, blocked, asked = (make_player(f"{kind} {number}") for kind in ("Friend", "Asks", "Not", "Maybe"))
        social.ask(ada, friend)
        social.ask(friend, ada)
        social.ask(asker, ada)
        social.ask(ada, asked)
        social.block(ada, blocked)
        social.block(ada, asker, Block.Kind.MUTE)
        opened = service.open_table(friend, "normal-cards", 4, {"deals": 3}, ai={3: "easy"})
        service.join(opened, ben)
        invitations.invite(opened, friend, [ada])
        for clock in ("table", "daily"):
            invitations.invite(service.open_table(ada, "armed", 2, {}, clock=clock), ada, [friend])
            Match.objects.filter(host=ada, status="open").update(host=None)
        start_match("armed", ada, friend)
        by_mail = start_by_mail("basic-rummy", ada, friend, ben)
        Incident.objects.create(match=by_mail, version=0, seat=1, kind="excused", name="x", at=now)
        for over in (start_match("amagande", ada, friend), start_match("normal-cards", friend, ada)):
            service.resign(over, friend)
        gone = start_by_mail("ten-skip", friend, ben)
        long_ago = now - timedelta(days=30)
        Seat.objects.filter(match=gone, player=friend).update(offered_at=long_ago)
        lines.say(table, friend, text=f"Good luck {number}")
        line = lines.say(table, ben, text=f"Bad luck {number}")
        report = reports.file(ada, reports.find(ada, "line", f"{table.key}-{line.pk}"), "respect", "This was rude.")
        sanction = sanctions.impose(moderator, ada, "warning", "respect", f"For the {number}th time.", report=report)
        sanctions.read(ada, sanction.pk)
        sanctions.appeal(ada, sanction, "I do not think so.")
        reports.file(friend, reports.find(friend, "player", ada.name_key), "respect", "This was rude.")
        NameChange.objects.create(user=ada, old_name=f"Old {number}", new_name="Ada")
        Leave.objects.create(
            user=ada, starts_at=now + timedelta(days=number), ends_at=now + timedelta(days=number + 1), days=1
        )
        PracticeRun.objects.create(player=ada, reactions=[300, 320])
        UserSession.objects.create(user=ada, ip="192.0.2.1", user_agent="x", session_key=f"session {number}")
        Announcement.objects.create(text=f"News {number}")
        failures.note(failures.Kind.OVERDUE, by_mail.pk, number, "ValueError")

    return more


def pages_of(client: Client, table: Match, over: Match, ada: User) -> Iterator[str]:
    """Every URL, and those of a match and a person that exist."""
    for _name, path in addresses(with_admin=True):
        yield path
    for match in (table, over):
        for _name, path in addresses():
            if path.startswith("/match/x/"):
                yield path.replace("/match/x/", f"/match/{match.key}/", 1)
    yield reverse("player", args=[ada.name_key])


def counted(client: Client, paths: list[str]) -> dict[str, int]:
    """The number of queries of each page."""
    found, queries = {}, 0

    def count(execute: Callable[..., Any], *query: Any) -> Any:
        nonlocal queries
        queries += 1
        return execute(*query)

    with connection.execute_wrapper(count):
        for path in paths:
            queries = 0
            if client.get(path).status_code == 200:
                found[path] = queries
    return found


@pytest.mark.long
@pytest.mark.parametrize("who", sampled(["ada", "moderator"], "ada"))
def test_more_rows_are_no_more_queries(
    grow, table, ada, moderator, start_match, ben, client, who, monkeypatch, time_machine
):
    refuse_plainly(monkeypatch)
    # A busy machine takes minutes for all pages, but cached values must have the same age at the end as before.
    time_machine.move_to(timezone.now(), tick=False)
    over = start_match("armed", ada, ben)
    service.resign(over, ben)
    for number in range(2):
        grow(number)
    client.force_login({"ada": ada, "moderator": moderator}[who])
    paths = sorted(set(pages_of(client, table, over, ada)) - {reverse("account_logout")})
    shown = list(counted(client, paths))  # cached values are the same in both from now on
    few = counted(client, shown)
    for number in range(2, 4):
        grow(number)
    many = counted(client, list(few))
    assert len(few) > 40
    more = [path for path, count in many.items() if count > few[path]]
    # Data shared by all pages is read again once a minute, by whichever page comes next.
    again = counted(client, more)
    assert {path: (few[path], again[path]) for path in more if again[path] > few[path]} == {}
