"""Daily work of operators in the admin site: stuck matches, failures, bounces, and figures."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import outbox
from accounts.models import MailTrouble, OutgoingMail, User
from accounts.moderation.models import AuditEntry
from games.matches import service, tasks
from games.matches.faults import place_of
from games.matches.models import Match, Move, Seat
from games.operations import daily_stats
from games.operations.models import DayCount, Failure
from games.replays.tasks import check_recent_matches
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(make_moderator) -> Client:
    client = QuickClient()
    client.force_login(make_moderator("Olga", "operations"))
    return client


def page(client, model, **query):
    return client.get(reverse(f"admin:{model}_changelist"), query).content.decode()


def act(client, model, action, *rows):
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    return client.post(reverse(f"admin:{model}_changelist"), data, follow=True).content.decode()


def test_overdue_and_stuck_matches_are_found(operator, start_match, ada, ben):
    well, late, stuck = (start_match("armed", ada, ben) for _n in range(3))
    now = timezone.now()
    for match, due in ((well, now + timedelta(minutes=1)), (late, now - timedelta(minutes=2)), (stuck, now)):
        Match.objects.filter(pk=match.pk).update(due_at=due)
        Seat.objects.filter(match=match).update(due_at=due)
    # It is leased again after each try; the turn stays overdue.
    Seat.objects.filter(match=stuck).update(due_at=now - timedelta(hours=1))
    for due, found in (("overdue", {late.key}), ("stuck", {stuck.key})):
        shown = page(operator, "games_match", due=due)
        assert {each.key for each in (well, late, stuck) if each.key in shown} == found


@pytest.fixture
def waiting(ada, start_match) -> Match:
    """A match that waits for its AI player."""
    match = start_match("normal-cards", ada, ai={1: "easy"})
    while True:
        table = service.load(match.pk)
        seat = table.state.to_move()[0]
        if table.sitters[seat].is_ai:
            match.refresh_from_db()
            return match
        service.act(match.pk, seat, table.state.legal_moves(seat)[0], request_id=f"m{table.version}", player=ada)


def test_a_failed_ai_turn_is_recorded_without_cards_and_can_be_restarted(operator, waiting, monkeypatch):
    def fail(*_arguments):
        raise KeyError("QH in the hand of seat 1")

    with monkeypatch.context() as patch:
        patch.setattr("games.ai.pool.submit", fail)
        for _time in range(2):
            with pytest.raises(KeyError):
                tasks.ai_turn(waiting.pk, waiting.version)
    failure = Failure.objects.get()
    assert (failure.kind, failure.version, failure.times) == ("ai_turn", waiting.version, 2)
    assert re.fullmatch(r"KeyError in operations/test_admin\.py, line \d+, fail", failure.error)
    assert waiting.key in page(operator, "operations_failure", state="still")

    monkeypatch.setattr(tasks.ai_turn, "delay", tasks.ai_turn)
    assert "1 running match was restarted" in act(operator, "operations_failure", "process_now", failure)
    waiting.refresh_from_db()
    assert waiting.version > failure.version
    assert waiting.key not in page(operator, "operations_failure", state="still")
    assert waiting.key in page(operator, "operations_failure")
    entry = AuditEntry.objects.get(action="take up")
    assert (entry.actor_name, entry.target) == ("Olga", f"match:{waiting.pk}")


def test_a_match_that_cannot_be_restarted_says_so(operator, waiting, monkeypatch):
    def fail(_match):
        raise RuntimeError("QH in a hand")

    monkeypatch.setattr("games.matches.service.time_out", fail)
    shown = act(operator, "games_match", "process_now", waiting)
    assert "RuntimeError in" in shown
    assert "QH in a hand" not in shown
    assert Failure.objects.get().kind == "take_up"
    assert "RuntimeError" in AuditEntry.objects.get(action="take up").note


def test_an_error_of_a_child_process_names_its_place_there():
    error = ValueError("x")
    error.__cause__ = RuntimeError('\n  File "/srv/games/ai/players.py", line 12, in choose\n    ...\nValueError: x')
    assert place_of(error) == "ValueError in ai/players.py, line 12, choose"


def test_a_match_is_replayed_and_its_faults_are_listed_until_it_has_none(operator, start_match, ada, ben):
    match = start_match("amagande", ada, ben)
    assert "1 match was replayed and is correct" in act(operator, "games_match", "replay", match)
    Match.objects.filter(pk=match.pk).update(version=3)
    assert "there are 0 moves, but the match has version 3" in act(operator, "games_match", "replay", match)
    check_recent_matches()
    failure = Failure.objects.get()
    assert (failure.kind, failure.times) == ("replay", 2)
    Match.objects.filter(pk=match.pk).update(version=0)
    act(operator, "games_match", "replay", match)
    assert not Failure.objects.exists()
    assert AuditEntry.objects.filter(action="replay check").count() == 3


def test_moderators_read_matches_and_operate_none(make_moderator, waiting):
    client = QuickClient()
    client.force_login(make_moderator("Rolf", "results"))
    shown = page(client, "games_match")
    assert waiting.key in shown
    assert "process_now" not in shown
    act(client, "games_match", "process_now", waiting)
    assert not AuditEntry.objects.exists()


def test_the_page_of_a_bounced_address_shows_no_password(operator, ada):
    outbox.give_up(ada.email, MailTrouble.BOUNCED)
    shown = operator.get(reverse("admin:operations_bouncedaddress_change", args=[ada.pk])).content.decode()
    assert ada.email in shown
    assert ada.password not in shown


def test_an_address_that_bounced_gets_another_chance(operator, ada, ben):
    outbox.give_up(ada.email, MailTrouble.BOUNCED)
    # A person with a new address gets emails again.
    outbox.give_up(ben.email, MailTrouble.BOUNCED)
    User.objects.filter(pk=ben.pk).update(email="ben@other.example")
    shown = page(operator, "operations_bouncedaddress")
    assert ada.email in shown
    assert "ben@" not in shown
    act(operator, "operations_bouncedaddress", "clear", ada)
    ada.refresh_from_db()
    assert not ada.mail_trouble
    entry = AuditEntry.objects.get(action="mail again")
    assert (entry.before, "@" in str(entry.__dict__)) == ({"undeliverable": "bounced"}, False)


def test_an_email_that_failed_shows_its_error_and_is_sent_again(operator):
    mail = OutgoingMail.objects.create(
        to="a@example.org", sender="b@example.org", subject="Hi", status="failed", attempts=9, last_error="550 no"
    )
    assert "550 no" in page(operator, "accounts_outgoingmail", status__exact="failed")
    assert mail.subject in page(operator, "accounts_outgoingmail", q="a@example.org")
    act(operator, "accounts_outgoingmail", "send_again", mail)
    mail.refresh_from_db()
    assert (mail.status, mail.attempts) == ("waiting", 0)
    entry = AuditEntry.objects.get(action="send again")
    assert (entry.before["status"], entry.target_name) == ("failed", "Hi")


def test_figures_are_counted_by_day_and_counting_again_finds_the_same(operator, start_match, ada, ben, time_machine):
    now = datetime(2026, 3, 10, 12, tzinfo=UTC)
    User.objects.update(created_at=now - timedelta(days=200))
    time_machine.move_to(now - timedelta(days=1))
    match = start_match("basic-rummy", ada, ben)
    seat = service.load(match.pk).state.to_move()[0]
    service.act(match.pk, seat, "draw:stock", request_id="m1", player=match.seats.get(number=seat).player)
    Move.objects.create(match=match, number=2, seat=seat, move="x", at=now, source="ai", request_id="m2")
    OutgoingMail.objects.all().delete()
    OutgoingMail.objects.create(to="a@b.org", sender="b@b.org", subject="Hi", status="sent", sent_at=timezone.now())
    User.objects.create_user("cleo@example.org", name="Cleo")
    User.objects.create_user(name="Guest 1234")
    time_machine.move_to(now)
    for _time in range(2):
        daily_stats.count_days()
    counts = {(row.what, (now.date() - row.day).days): row.count for row in DayCount.objects.filter(count__gt=0)}
    assert counts == {("matches", 1): 1, ("turns", 1): 1, ("sign_ups", 1): 1, ("mails", 1): 1}
    shown = page(operator, "operations_daycount")
    assert shown.count("1 in all, 1 on the busiest day.") == 4
    assert '<th scope="row">9 Mar 2026</th><td>1</td>' in shown
    assert "style=" not in shown.partition('class="desk"')[2]
    DayCount.objects.all().delete()
    assert page(operator, "operations_daycount", days="90").count("Nothing on these days.") == 4


def test_lists_name_games_and_pages_say_what_they_show(client, ada, ben, start_match):
    match = start_match("basic-rummy", ada, ben)
    client.force_login(User.objects.create_superuser("boss@example.org", name="Boss"))
    listed = client.get(reverse("admin:games_match_changelist")).content.decode()
    assert "<h1>Matches</h1>" in listed
    assert "Basic Rummy" in listed
    assert ">basic-rummy<" not in listed
    page = client.get(reverse("admin:games_match_change", args=[match.pk])).content.decode()
    assert "<h1>Match</h1>" in page
    assert f"<h2>Basic Rummy {match.key}</h2>" in page
    assert "<h1>Add announcement</h1>" in client.get(reverse("admin:operations_announcement_add")).content.decode()
