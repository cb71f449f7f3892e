"""No page of the admin site makes more than twelve queries, for any role and content."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import OutgoingMail, User
from accounts.moderation import sanctions
from accounts.moderation.models import NameChange, Report
from games.chat import lines
from games.matches import service
from games.moderation import deferral, quick, reports
from games.moderation.models import PersonNote, Question, SecondLook, SimilarLook
from games.operations.models import DayCount, Failure
from games.site_status.models import Announcement
from games.slaps.models import Flag
from tests.factories.clients import QuickClient
from tests.factories.samples import sampled

pytestmark = pytest.mark.django_db

#: Including the ones for session, person, second factor and permissions.
MOST = 12
ROLES = ("talk", "results", "accounts", "operations")
LINK = re.compile(r'href="(/admin/[^"?#]*)')
#: Models of which all rows are opened; of others, one of each kind.
EACH = ("/admin/moderation/report/",)


@pytest.fixture
def busy(ada, ben, make_player, make_moderator, start_match):
    """A case with everything an admin page can show, and one of everything else."""
    anna, arno, cleo = (make_moderator(name, *ROLES) for name in ("Anna", "Arno", "Cleo"))
    finn, now = make_player("Finn"), timezone.now()
    over, match = start_match("amagande", ada, ben), start_match("amagande", ada, ben)
    service.resign(over, ben)
    line = lines.say(match, ben, text="You play like a wet towel.")
    NameChange.objects.create(user=ben, old_name="Benno", new_name="Ben")
    Flag.objects.create(player=ben, kind="median", figure=120, cards=30, last=f"{match.key} 3")
    closed = reports.file(ada, reports.find(ada, "player", "ben"), "spam", "He sells towels.")
    reports.claim(anna, closed)
    sanctions.impose(anna, ben, "silence", "spam", "You advertised.", report=closed)
    reports.close(anna, closed, "upheld", ready="done")
    SecondLook.objects.get_or_create(report=closed)
    case = reports.file(ada, reports.find(ada, "line", f"{match.key}-{line.pk}"), "respect", "He was rude.")
    others = [
        reports.file(person, reports.find(person, "player", "ben"), rule, "He is rude.")
        for person, rule in ((finn, "respect"), (cleo, "spam"), (make_player("Gus"), "fair"))
    ]
    deferral.merge(anna, case, [others[0].pk])
    deferral.hand_over(anna, case, "moderation.handle_accounts", "Have a look at his other account.")
    Question.objects.create(report=case, asked=ben, moderator=anna, text="What happened?")
    quick.press(anna, Report.objects.get(pk=others[1].pk), "nothing", "")
    reports.file(finn, reports.find(finn, "match", match.key), "other", "Something is wrong.")
    sanctions.impose(anna, ben, "closed", "fair", "Two accounts.")
    thread = sanctions.impose(anna, ada, "silence", "respect", "You shouted.")
    sanctions.appeal(ada, thread, "It was the radio.")
    PersonNote.objects.create(person=ben, author=anna, author_name="Anna", text="He has a brother.")
    SimilarLook.objects.create(person=ben, asked_by=anna, agreed_by=arno, agreed_at=now, reason="They never meet.")
    SimilarLook.objects.create(person=ada, asked_by=anna, reason="Two accounts?")
    OutgoingMail.objects.create(to="a@example.org", sender="b@example.org", subject="Hi", status="failed")
    Failure.objects.create(kind="ai_turn", match=match, version=match.version, error="KeyError")
    DayCount.objects.create(day=now.date(), what="matches", count=3)
    Announcement.objects.create(text="New cards!")
    return ben


def crawled(client: Client, *first: str) -> dict[str, int]:
    """Every page reachable by links, with its number of queries."""
    found: dict[str, int] = {}
    known, left = set(first), list(first)
    while left:
        path = left.pop()
        with CaptureQueriesContext(connection) as captured:
            answer = client.get(path)
        if answer.status_code == 302:
            continue
        assert answer.status_code == 200, path
        found[path] = len(captured)
        for link in LINK.findall(answer.content.decode()):
            kind = link if link.startswith(EACH) else re.sub(r"\d+", "N", link)
            if kind not in known and "/logout/" not in link:
                known.add(kind)
                left.append(link)
    return found


@pytest.mark.parametrize(
    "roles", sampled([*((role,) for role in ROLES), ROLES, ("administrator",)], ("administrator",), ids="+".join)
)
def test_no_page_takes_more_than_twelve_queries(busy, make_moderator, roles):
    if roles == ("administrator",):
        person = User.objects.create_superuser("boss@example.org", name="Boss")
    else:
        person = make_moderator("Rae", *roles)
    client = QuickClient()
    client.force_login(person)
    client.get("/admin/")  # values cached for a while are read once
    first = ["/admin/"]
    if roles != ("operations",):
        first.append(reverse("admin:person_file", args=[busy.pk]))
    found = crawled(client, *first)
    assert len(found) > 15
    assert {path: count for path, count in found.items() if count > MOST} == {}


def test_both_moderators_see_similar_accounts_in_twelve_queries(busy):
    client = QuickClient()
    client.force_login(User.objects.get(name="Arno"))
    address = reverse("admin:person_similar", args=[busy.pk])
    client.get(address)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    assert len(captured) <= MOST
