"""Switches, banner and announcements: they apply at once, on pages and in the match service, and are shown politely."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.moderation.models import AuditEntry
from games import rules
from games.matches import service
from games.matches.models import Match
from games.site_status import state
from games.site_status.models import Announcement, Switches
from tests.factories.clients import QuickClient
from tests.factories.lobby import defaults

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(make_moderator) -> Client:
    client = QuickClient()
    client.force_login(make_moderator("Olga", "operations"))
    return client


@pytest.fixture
def switch(operator, django_capture_on_commit_callbacks):
    """Save the switches in the admin site; the others keep their defaults."""

    def save(**fields):
        data = {"signup_open": "on", "matches_open": "on", "banner": "", "banner_level": "notice", **fields}
        with django_capture_on_commit_callbacks(execute=True):
            answer = operator.post(
                reverse("admin:operations_switches_change", args=[1]),
                {name: value for name, value in data.items() if value is not None},
            )
        assert answer.status_code == 302

    Switches.row()
    return save


def test_without_new_matches_none_can_begin_and_running_ones_go_on(switch, start_match, ada, ben):
    running = start_match("basic-rummy", ada, ben)
    waiting = service.open_table(ada, "amagande", 2, {})
    service.join(waiting, ben)
    over = start_match("amagande", ada, ben)
    service.resign(over, ada)
    switch(matches_open=None)
    for command in (
        lambda: service.open_table(ada, "amagande", 2, {}),
        lambda: service.start(waiting, ada),
        lambda: service.rematch(over, ada),
        lambda: service.play_on(over, ada, version=0, seat=0, level="easy"),
    ):
        with pytest.raises(service.Refused, match="No new matches"):
            command()
    seat = service.load(running.pk).state.to_move()[0]
    service.act(running.pk, seat, "draw:stock", request_id="m1", player=running.seats.get(number=seat).player)
    switch()
    service.start(waiting, ada)


def test_pages_that_begin_matches_say_why_they_do_not(switch, ada):
    switch(matches_open=None)
    client = QuickClient()
    client.force_login(ada)
    there = Match.objects.count()
    for address in (reverse("quick_match", args=["amagande"]), reverse("any_table")):
        assert "No new matches can begin right now" in client.post(address, follow=True).content.decode()
    form = defaults(rules.get("amagande"))
    assert "No new matches can begin right now" in client.post(reverse("open_table"), form).content.decode()
    assert Match.objects.count() == there


def test_with_sign_up_closed_no_one_new_comes_in_and_members_log_in(switch, ada):
    switch(signup_open=None)
    there = User.objects.count()
    form = {"email": "new@example.org", "name": "Newcomer", "password1": "play-cards-1"}
    for address, data in (
        (reverse("account_signup"), form),
        (reverse("try_guest"), {}),
        (reverse("quick_match", args=["amagande"]), {}),
    ):
        assert "Sign-ups are paused" in Client().post(address, data).content.decode()
    assert "Sign-ups are paused" in Client().get(reverse("account_signup")).content.decode()
    assert User.objects.count() == there
    assert Client().get(reverse("account_login")).status_code == 200


def test_every_switch_is_in_the_log_with_before_and_after(switch):
    switch(banner="Maintenance at ten.", banner_level="warning")
    entry = AuditEntry.objects.get(action="switch")
    assert entry.actor_name == "Olga"
    assert (entry.before["banner"], entry.after["banner"]) == ("", "Maintenance at ten.")
    switch(banner="Maintenance at ten.", banner_level="warning")
    assert AuditEntry.objects.filter(action="switch").count() == 1


def test_the_banner_is_on_every_page_at_once_and_costs_no_query(switch, ada, django_assert_num_queries):
    page = Client().get(reverse("rules_index")).content.decode()
    assert "Maintenance" not in page
    switch(banner="Maintenance at <ten>.", banner_level="warning")
    for client in (Client(), Client()):
        with django_assert_num_queries(0):
            page = client.get(reverse("rules_index")).content.decode()
        assert "Maintenance at &lt;ten&gt;." in page


def test_rows_are_read_when_there_is_no_copy_and_kept(switch, django_assert_num_queries):
    switch(banner="New")
    cache.delete(state.NAME)
    with django_assert_num_queries(2):
        assert [state.current().banner, state.current().banner] == ["New", "New"]


def test_reading_old_rows_while_they_change_does_not_overwrite_the_new_ones(switch):
    state.current()
    old = cache.get(state.NAME)
    switch(banner="New")
    cache.add(state.NAME, old)  # what a slow reader does at the end
    assert state.current().banner == "New"


@pytest.mark.parametrize("left", [b'{"banner": "Old", "more": [1]}', b'{"banner": 5}', b"\x80\x05", b""])
def test_a_copy_that_another_release_left_is_read_or_replaced(switch, left):
    switch(banner="New")
    cache.set(state.NAME, left)
    assert state.current().banner == ("Old" if b"more" in left else "New")


@pytest.fixture
def announce(operator, django_capture_on_commit_callbacks):
    def save(text, starts_in=timedelta(minutes=-1), ends_in=None):
        now = timezone.now()
        data = {"text": text}
        for name, wait in (("starts_at", starts_in), ("ends_at", ends_in)):
            if wait is not None:
                data[name] = f"{now + wait:%Y-%m-%dT%H:%M}"
        with django_capture_on_commit_callbacks(execute=True):
            return operator.post(reverse("admin:operations_announcement_add"), data)

    return save


def test_an_announcement_is_shown_in_its_time(announce, time_machine):
    announce("New cards!", starts_in=timedelta(hours=1), ends_in=timedelta(hours=3))
    now = timezone.now()
    seen = []
    for hours in (0, 2, 4):
        time_machine.move_to(now + timedelta(hours=hours))
        seen.append("New cards!" in Client().get(reverse("rules_index")).content.decode())
    assert seen == [False, True, False]


def test_a_member_dismisses_it_in_all_browsers_and_a_visitor_in_this_one(announce, ada):
    announce("New cards!")
    pk = Announcement.objects.get().pk
    first, second, visitor = Client(), Client(), Client()
    first.force_login(ada)
    second.force_login(ada)
    for client in (first, second, visitor):
        assert "New cards!" in client.get(reverse("rules_index")).content.decode()
    address = reverse("dismiss", args=[pk])
    assert first.post(address, {"next": reverse("rules_index")}).url == reverse("rules_index")
    first.post(address)
    assert "New cards!" not in second.get(reverse("rules_index")).content.decode()
    assert "New cards!" in visitor.get(reverse("rules_index")).content.decode()
    assert visitor.post(address, {"next": "https://evil.example/"}).url == reverse("home")
    assert "New cards!" not in visitor.get(reverse("rules_index")).content.decode()
    assert visitor.post(reverse("dismiss", args=[pk + 1])).status_code == 404


def test_an_open_page_reads_what_is_announced_and_knows_when_that_changes(announce, ada, time_machine):
    address = reverse("announcements") + "?at=/match/x/%3Fa%3D1"

    def read() -> str:
        return Client().get(address).content.decode()

    assert 'data-news-in=""' in read()
    announce("New cards!", starts_in=timedelta(hours=1), ends_in=timedelta(hours=3))
    now = timezone.now()
    (wait,) = re.findall(r'data-news-in="(\d+)"', read())
    assert 3500 < int(wait) <= 3600
    time_machine.move_to(now + timedelta(hours=2))
    assert "New cards!" in read()
    # Dismissing it returns to the open page, not to this one.
    assert 'name="next" value="/match/x/?a=1"' in read()


def test_an_announcement_that_ends_before_it_starts_is_refused(announce):
    assert "must be later" in announce("No.", ends_in=timedelta(hours=-2)).content.decode()
    assert not Announcement.objects.exists()


def test_announcements_are_logged_when_written_changed_and_deleted(
    announce, operator, django_capture_on_commit_callbacks
):
    announce("New cards!")
    pk = Announcement.objects.get().pk
    with django_capture_on_commit_callbacks(execute=True):
        operator.post(reverse("admin:operations_announcement_delete", args=[pk]), {"post": "yes"})
    assert list(AuditEntry.objects.order_by("id").values_list("action", flat=True)) == [
        "announce",
        "take announcement away",
    ]
    assert "New cards!" not in Client().get(reverse("rules_index")).content.decode()
