"""Sanctions: who may impose them, their immediate effects, how they end, and appeals."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation

from accounts.models import OutgoingMail, User
from accounts.moderation import sanctions
from accounts.moderation.audit import record
from accounts.moderation.models import AuditEntry, NameChange, Report, Sanction, Unchangeable
from accounts.moderation.restrictions import GOOD, forget, restrictions_of
from accounts.people.models import Profile
from accounts.playing_times.models import PlayingTimes
from accounts.signals import moderator_decides
from games.chat import lines
from games.mail.models import Preferences
from games.matches import service
from games.matches.models import Match
from games.moderation import reports
from games.moderation.tasks import carry_out_decisions
from games.profiles import figures
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db


def impose(moderator, person, kind, **more):
    return sanctions.impose(moderator, person, kind, "respect", "You insulted Ben.", **more)


def logged_in(user) -> Client:
    client = QuickClient()
    client.force_login(user)
    return client


def test_a_person_without_sanctions_may_do_everything(ada):
    assert restrictions_of(ada) == GOOD
    assert restrictions_of(None) == GOOD


@pytest.mark.parametrize("left", [b'{"must_read": [], "more": [1]}', b'{"may_talk": 5}', b"\x80\x05", b""])
def test_a_copy_that_another_release_left_is_read_or_replaced(mia, ada, left):
    impose(mia, ada, "silence", until=timezone.now() + timedelta(days=1))
    cache.set(f"powers:{ada.pk}", left)
    assert restrictions_of(ada).may_talk == (b"more" in left)


def test_restrictions_are_the_same_from_the_copy(mia, ada):
    impose(mia, ada, "suspended", until=timezone.now() + timedelta(days=1))
    assert restrictions_of(ada).suspended_until
    assert restrictions_of(ada) == restrictions_of(ada)


def test_a_warning_must_be_read_before_playing_on(start_match, ada, ben, mia):
    match = start_match("basic-rummy", ada, ben)
    warning = impose(mia, ada, "warning")
    client = logged_in(ada)
    answer = client.get(match.get_absolute_url())
    assert answer.url == reverse("my_standing")
    page = client.get(answer.url).content.decode()
    assert "You insulted Ben." in page
    with pytest.raises(service.Refused, match="moderators"):
        service.act(match.pk, 0, "draw:stock", request_id="m1", player=ada)
    client.post(reverse("read_sanction", args=[warning.pk]))
    assert client.get(match.get_absolute_url()).status_code == 200
    assert restrictions_of(ada).may_play
    # Only the person concerned can mark it as read.
    second = impose(mia, ada, "warning")
    logged_in(ben).post(reverse("read_sanction", args=[second.pk]))
    assert not restrictions_of(ada).may_play


def test_no_chat_stops_all_messages_and_phrases_only_allows_phrases(start_match, ada, ben, mia, time_machine):
    match = start_match("amagande", ada, ben)
    silence = impose(mia, ada, "silence", until=timezone.now() + timedelta(hours=24))
    with pytest.raises(lines.MessageRefused):
        lines.say(match, ada, text="hello")
    with pytest.raises(lines.MessageRefused):
        lines.say(match, ada, phrase="hello")
    time_machine.move_to(timezone.now() + timedelta(hours=25))
    forget(ada.pk)  # restrictions are cached for half a minute of real time
    lines.say(match, ada, text="hello")
    assert not silence.is_in_force()
    impose(mia, ada, "phrases")
    with pytest.raises(lines.MessageRefused):
        lines.say(match, ada, text="hello")
    lines.say(match, ada, phrase=next(iter(lines.PHRASES)))


def test_a_hidden_text_is_not_on_the_profile(ada, ben, mia):
    Profile.objects.create(user=ada, about="Buy my cards")
    impose(mia, ada, "hidden")
    assert "Buy my cards" not in logged_in(ben).get(reverse("player", args=[ada.name_key])).content.decode()


def test_a_removed_name_is_kept_for_moderators(start_match, ada, ben, mia):
    match = start_match("amagande", ada, ben)
    impose(mia, ada, "rename")
    ada.refresh_from_db()
    assert ada.name.startswith("Guest ")
    assert NameChange.objects.get(user=ada).old_name == "Ada"
    assert match.seats.get(player=ada).player_name == ada.name
    assert f"Your name is now {ada.name}." in OutgoingMail.objects.get(to=ada.email).text


def test_an_ai_player_plays_on_for_a_player_removed_from_a_table(start_match, ada, ben, make_player, mia):
    match = start_match("amagande", ada, ben, make_player("Cleo"))
    impose(mia, ada, "removed", match=match)
    seat = match.seats.get(player=ada)
    assert seat.has_resigned
    assert seat.ai_level


def test_nothing_is_left_of_a_removal_that_the_match_refuses(start_match, ada, ben, mia):
    match = start_match("amagande", ada, ben)
    service.resign(match, ada)
    with pytest.raises(sanctions.SanctionError):
        impose(mia, ada, "removed", match=match)
    assert not Sanction.objects.exists()
    assert not AuditEntry.objects.exists()
    assert not OutgoingMail.objects.filter(to=ada.email).exists()


def test_a_result_is_annulled_by_two_moderators_and_counts_nowhere(start_match, ada, ben, mia, moe):
    match = start_match("amagande", ada, ben)
    service.resign(match, ada)
    assert figures.results(ben)[0].people.won == 1
    decision = impose(mia, ada, "annulled", match=match)
    match.refresh_from_db()
    assert decision.waits_for_second
    assert not match.is_annulled
    assert restrictions_of(ada) == GOOD
    with pytest.raises(sanctions.SanctionError, match="Another moderator"):
        sanctions.confirm(mia, decision)
    sanctions.confirm(moe, decision)
    match.refresh_from_db()
    assert match.is_annulled
    assert figures.results(ben) == []
    assert figures.head_to_head(ben, ada).total == 0
    sanctions.lift(moe, decision)
    assert figures.results(ben)[0].people.won == 1


def test_a_suspended_person_leaves_the_tables_and_can_only_look(start_match, ada, ben, mia, time_machine):
    match = start_match("amagande", ada, ben)
    impose(mia, ada, "suspended", until=timezone.now() + timedelta(days=3))
    match.refresh_from_db()
    assert match.status == Match.Status.OVER
    client = logged_in(ada)
    sanctions.read(ada, Sanction.objects.get().pk)
    assert client.get(reverse("lobby")).status_code == 200
    assert client.post(reverse("quick_match", args=["amagande"])).url == reverse("my_standing")
    table = service.open_table(ben, "amagande", 2, {})
    for play in (
        lambda: service.open_table(ada, "amagande", 2, {}),
        lambda: service.join(table, ada),
        lambda: service.take_seat(table, 0, ada),
        lambda: service.play_on(match, ada, version=0, seat=0, level="easy"),
    ):
        with pytest.raises(service.Refused) as refused:
            play()
        assert refused.value.code == "barred"
    time_machine.move_to(timezone.now() + timedelta(days=4))
    forget(ada.pk)
    assert service.open_table(ada, "amagande", 2, {})


def test_a_result_annulled_twice_counts_again_when_both_decisions_are_lifted(start_match, ada, ben, mia, moe):
    match = start_match("amagande", ada, ben)
    service.resign(match, ada)
    first, second = impose(mia, ada, "annulled", match=match), impose(mia, ben, "annulled", match=match)
    for decision in (first, second):
        sanctions.confirm(moe, decision)
    for decision, is_annulled in ((first, True), (second, False)):
        sanctions.lift(moe, decision)
        match.refresh_from_db()
        assert match.is_annulled is is_annulled


def test_nothing_is_left_of_a_suspension_if_a_match_cannot_be_left_just_now(start_match, ada, ben, mia, monkeypatch):
    match = start_match("amagande", ada, ben)

    def fail(_match, _player):
        raise service.Unavailable

    monkeypatch.setattr("games.matches.commands.endings.resign", fail)
    with pytest.raises(sanctions.SanctionError, match="Please try again"):
        impose(mia, ada, "suspended", until=timezone.now() + timedelta(days=3))
    assert not Sanction.objects.exists()
    assert not match.seats.get(player=ada).has_resigned


def test_a_match_that_cannot_be_read_stops_no_suspension(start_match, ada, ben, mia):
    match, broken = start_match("amagande", ada, ben), start_match("amagande", ada, ben)
    Match.objects.filter(pk=broken.pk).update(rules_version=99)
    impose(mia, ada, "suspended", until=timezone.now() + timedelta(days=3))
    assert match.seats.get(player=ada).has_resigned


def test_leaving_everything_reads_no_stored_positions(start_match, ada, ben):
    service.resign(start_match("amagande", ada, ben), ben)
    with CaptureQueriesContext(connection) as queries:
        service.leave_everything(ada)
    assert not any('"snapshot"' in query["sql"] for query in queries)


def test_an_account_is_closed_by_two_and_can_be_opened_again(ada, mia, moe):
    Preferences.objects.create(user=ada, wants_moderation=False)
    decision = impose(mia, ada, "closed")
    sanctions.confirm(moe, decision)
    ada.refresh_from_db()
    assert not ada.is_active
    mail = OutgoingMail.objects.get(to=ada.email)
    assert "you can appeal. Just reply to this email." in mail.text
    assert reverse("my_standing") not in mail.text + mail.html
    sanctions.lift(moe, decision)
    ada.refresh_from_db()
    assert ada.is_active


def test_an_account_closed_twice_opens_when_both_decisions_are_lifted(ada, mia, moe):
    decisions = [sanctions.impose(mia, ada, "closed", rule, "Reason.") for rule in ("respect", "fair")]
    for decision in decisions:
        sanctions.confirm(moe, decision)
    for decision, is_open in zip(decisions, (False, True), strict=True):
        sanctions.lift(moe, decision)
        ada.refresh_from_db()
        assert ada.is_active is is_open


def test_an_account_closed_for_a_time_opens_when_it_is_over_and_no_longer_closing_stands(ada, mia, moe, time_machine):
    now = timezone.now()
    for days, rule in ((1, "respect"), (3, "fair")):
        until = now + timedelta(days=days)
        sanctions.confirm(moe, sanctions.impose(mia, ada, "closed", rule, "Reason.", until=until))
    for days, is_open in ((0, False), (2, False), (4, True)):
        time_machine.move_to(now + timedelta(days=days))
        carry_out_decisions()
        carry_out_decisions()
        ada.refresh_from_db()
        assert ada.is_active is is_open
    assert OutgoingMail.objects.filter(to=ada.email, subject__contains="Your account is open again").count() == 1
    assert restrictions_of(ada).may_play
    ada.is_active = False
    ada.save()
    carry_out_decisions()
    ada.refresh_from_db()
    assert not ada.is_active, "an operator has closed it"


@pytest.mark.parametrize(
    ("role", "kinds"),
    [
        ("talk", {"warning", "phrases", "silence", "hidden"}),
        ("results", {"warning", "removed", "annulled"}),
        ("accounts", set(Sanction.Kind.values) - {"removed", "annulled"}),
        ("operations", set()),
    ],
)
def test_each_role_has_its_own_decisions(make_moderator, role, kinds):
    moderator = make_moderator("Role", role)
    assert {kind for kind in Sanction.Kind.values if sanctions.may_impose(moderator, kind)} == kinds


def test_an_impossible_decision_is_refused(ada, ben, mia, moe):
    for person, more in ((mia, {}), (moe, {}), (ada, {"kind": "removed"}), (ada, {"until": timezone.now()})):
        with pytest.raises(sanctions.SanctionError):
            impose(mia, person, more.pop("kind", "silence"), **more)
    with pytest.raises(sanctions.SanctionError):
        sanctions.impose(mia, ada, "warning", "respect", "  ")
    with pytest.raises(sanctions.SanctionError):
        impose(ben, ada, "warning")
    assert not Sanction.objects.exists()


def test_the_person_is_notified_with_rule_reason_length_and_how_to_appeal(ada, mia):
    impose(mia, ada, "silence", until=timezone.now() + timedelta(hours=24))
    text = " ".join(OutgoingMail.objects.get(to=ada.email).text.split())
    for words in (
        "You can't write in the chat until",
        "Be respectful",
        "You insulted Ben.",
        "appeal",
        reverse("my_standing"),
    ):
        assert words in text


def test_an_appeal_is_a_thread_that_someone_else_decides(ada, ben, mia, moe):
    decision = impose(mia, ada, "silence")
    client = logged_in(ada)
    client.post(reverse("appeal", args=[decision.pk]), {"text": "It was Ben."})
    thread = decision.appeal
    assert [each.text for each in thread.messages.all()] == ["It was Ben."]
    assert logged_in(ben).post(reverse("appeal", args=[decision.pk]), {"text": "No."}).status_code == 404
    with pytest.raises(sanctions.SanctionError):
        sanctions.answer(mia, thread, "Granted.", "granted")
    sanctions.answer(mia, thread, "I read the talk.")
    sanctions.answer(moe, thread, "You are right.", "granted")
    decision.refresh_from_db()
    assert decision.lifted_by == moe
    assert restrictions_of(ada).may_talk
    with pytest.raises(sanctions.SanctionError):
        sanctions.appeal(ada, decision, "Thank you.")
    page = client.get(reverse("my_standing")).content.decode()
    assert "You are right." in page
    # As a whole word: a form's random token may contain the three letters.
    assert not re.search(r"\bMoe\b", page)


def test_the_log_says_who_did_what_with_before_and_after(ada, mia, moe):
    decision = impose(mia, ada, "closed")
    sanctions.confirm(moe, decision)
    sanctions.lift(moe, decision, note="mistaken")
    entries = list(AuditEntry.objects.order_by("id"))
    assert [(entry.actor_name, entry.action) for entry in entries] == [
        ("Mia", "impose"), ("Moe", "confirm"), ("Moe", "lift"),
    ]  # fmt: skip
    assert entries[2].before["lifted"] is False
    assert entries[2].after["lifted"] is True


def test_the_log_cannot_be_altered(ada, mia):
    entry = record(mia, "try", ada)
    entry.note = "changed"
    for command in (
        entry.save,
        entry.delete,
        lambda: AuditEntry.objects.update(note="changed"),
        lambda: AuditEntry.objects.all().delete(),
        lambda: AuditEntry.objects.filter(pk=entry.pk).delete(),
        lambda: AuditEntry.objects.bulk_update([entry], ["note"]),
        lambda: AuditEntry._base_manager.filter(pk=entry.pk).update(note="changed"),
    ):
        with pytest.raises(Unchangeable):
            command()
    for statement in ("UPDATE moderation_auditentry SET note = 'changed'", "DELETE FROM moderation_auditentry"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert AuditEntry.objects.get().note == ""


def test_the_log_stays_when_an_account_is_deleted(ada, mia):
    impose(mia, ada, "warning")
    User.objects.get(pk=mia.pk).delete()
    assert AuditEntry.objects.get(action="impose").actor_name == "Mia"
    assert Sanction.objects.get().imposed_by is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("_time", ["first", "after the tables were emptied"])
def test_the_log_is_sealed_again_after_tools_have_emptied_all_tables(ada, _time):
    record(None, "try", ada)
    with pytest.raises(DatabaseError), connection.cursor() as cursor:
        cursor.execute("DELETE FROM moderation_auditentry")


def test_nothing_is_decided_if_no_one_can_say_how_close_the_two_are(ada, mia, monkeypatch):
    monkeypatch.setattr(moderator_decides, "receivers", [])
    moderator_decides.sender_receivers_cache.clear()
    with pytest.raises(sanctions.SanctionError, match="can't tell how close"):
        impose(mia, ada, "warning")
    assert not Sanction.objects.exists()


def test_own_pages_about_moderation_read_no_stored_positions(start_match, mia, ada, ben):
    match = start_match("amagande", ada, ben)
    impose(mia, ada, "removed", match=match)
    reports.file(ada, reports.find(ada, "match", match.key), "respect", "It was not nice.")
    client = logged_in(ada)
    with CaptureQueriesContext(connection) as queries:
        assert match.key in client.get(reverse("my_standing")).content.decode()
        assert "It was not nice." in client.get(reverse("my_reports")).content.decode()
    assert not any('"snapshot"' in query["sql"] for query in queries)


def test_only_a_decision_that_lasts_is_called_in_force(mia, ada):
    impose(mia, ada, "warning")
    client = logged_in(ada)
    assert "in force" not in client.get(reverse("my_standing")).content.decode()
    impose(mia, ada, "silence", until=timezone.now() + timedelta(hours=1))
    assert client.get(reverse("my_standing")).content.decode().count("in force") == 1


def test_the_page_of_own_reports_says_what_each_and_each_question_is_about(start_match, mia, ada, ben):
    line = lines.say(start_match("amagande", ada, ben), ben, text="Hurry up!")
    report = reports.file(ada, reports.find(ada, "line", f"{line.match.key}-{line.pk}"), "respect", "Rude.")
    reports.claim(mia, report)
    reports.ask(mia, report, ada, "When?")
    page = logged_in(ada).get(reverse("my_reports")).content.decode()
    assert page.count("Chat message from Ben") == 2
    assert "About your report:" in page


def test_own_pages_about_moderation_say_times_of_where_their_reader_lives(mia, ada, ben):
    PlayingTimes.objects.create(user=ada, zone="Asia/Tokyo")
    impose(mia, ada, "silence", until=datetime(2030, 7, 3, 20, tzinfo=UTC))
    reports.file(ada, reports.find(ada, "player", ben.name_key), "respect", "It was not nice.")
    at = datetime(2026, 7, 1, 20, tzinfo=UTC)
    Sanction.objects.update(in_force_at=at)
    Report.objects.update(created_at=at)
    standing, mine = (logged_in(ada).get(reverse(name)).content.decode() for name in ("my_standing", "my_reports"))
    assert "2 Jul 2026, 05:00" in standing
    assert "4 July 2030, 05:00 (JST)" in standing
    assert "2 Jul 2026, 05:00" in mine


def test_a_german_decision_keeps_its_capitals(mia, ada):
    decision = sanctions.impose(mia, ada, "silence", "respect", "Rude.")
    with translation.override("de"):
        assert sanctions.in_words(decision)[0].startswith("Kein Chat bis")


@pytest.mark.parametrize(
    ("language", "end"), [("en", "16 November 2030, 18:37 (UTC)"), ("de", "16. November 2030, 18:37 Uhr (UTC)")]
)
def test_the_end_of_a_decision_is_written_as_its_reader_writes_dates(mia, ada, language, end):
    decision = impose(mia, ada, "silence", until=datetime(2030, 11, 16, 18, 37, tzinfo=UTC))
    with translation.override(language):
        assert sanctions.in_words(decision)[0].endswith(f" {end}.")
