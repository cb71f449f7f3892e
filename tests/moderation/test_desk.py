"""The moderators' desk: what waits, quick decisions, postponing, handing over, merging and asking."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.db import OperationalError
from django.urls import reverse
from django.utils import timezone, translation

from accounts.models import OutgoingMail
from accounts.moderation import sanctions
from accounts.moderation.models import Appeal, AuditEntry, Report, Sanction
from accounts.moderation.restrictions import restrictions_of
from games.matches import service
from games.moderation import queue, quick, reports
from games.moderation.answers import ANSWERS
from games.moderation.models import Question, QuickDecision
from tests.factories.desk import browser_of, do, press
from tests.factories.pages import in_one_line

pytestmark = pytest.mark.django_db


def file(reporter, accused, rule="respect", text="It was not nice."):
    return reports.file(reporter, reports.find(reporter, "player", accused.name_key), rule, text)


@pytest.fixture
def tara(make_moderator):
    return make_moderator("Tara", "talk")


def speak_german(*people):
    for person in people:
        person.language = "de"
        person.save(update_fields=["language"])


# Waiting times


def test_the_desk_shows_how_long_ago_a_report_was_filed(tara, ada, ben, time_machine):
    time_machine.move_to("2026-11-22 12:00Z", tick=False)
    report, client = file(ada, ben), browser_of(tara)

    def pages() -> list[str]:
        addresses = [reverse("admin:index"), reverse("admin:moderation_report_change", args=[report.pk])]
        return [in_one_line(client.get(address).content.decode()).replace("\xa0", " ") for address in addresses]

    first, desk = pages()
    assert "oldest: now" in first
    assert "· now" in first
    assert "· now" in desk
    time_machine.shift(3 * 3600)
    first, desk = pages()
    assert "oldest: 3 hours ago" in first
    assert "· 3 hours ago" in first
    assert "· 3 hours ago" in desk
    speak_german(tara)
    first, desk = pages()
    assert "älteste: vor 3 Stunden" in first
    assert "· vor 3 Stunden" in desk


# By one press


def test_an_insult_is_handled_by_one_press_and_no_one_is_notified_for_a_minute(tara, ada, ben, time_machine):
    time_machine.move_to("2026-11-22 12:00Z", tick=False)
    report = file(ada, ben)
    client = browser_of(tara)
    page = client.get(reverse("admin:moderation_report_change", args=[report.pk])).content.decode()
    assert "Silence for a day and tell both" in page
    assert "Undo" in do(client, report, "quick", preset="silence", ready="insult")
    time_machine.shift(59)
    assert quick.carry_out_due(timezone.now()) == 0
    assert restrictions_of(ben).may_talk
    assert not OutgoingMail.objects.exists()
    time_machine.shift(1)
    assert quick.carry_out_due(timezone.now()) == 1
    report.refresh_from_db()
    decision = Sanction.objects.get()
    assert (report.outcome, report.closed_by, decision.imposed_by) == ("upheld", tara, tara)
    assert decision.until == timezone.now() + timedelta(hours=24)
    assert not restrictions_of(ben).may_talk
    assert {mail.to for mail in OutgoingMail.objects.all()} == {ada.email, ben.email}
    assert quick.carry_out_due(timezone.now()) == 0
    assert not QuickDecision.objects.exists()


def test_a_quick_decision_is_undone_within_its_minute_and_only_by_its_moderator(
    tara, make_moderator, ada, ben, time_machine
):
    report = file(ada, ben)
    client, other = browser_of(tara), browser_of(make_moderator("Theo", "talk"))
    press(client, report, "quick", preset="warn", ready="insult")
    assert "too late" in do(other, report, "undo")
    assert "No one was told" in do(client, report, "undo")
    time_machine.move_to(timezone.now() + timedelta(minutes=2))
    assert quick.carry_out_due(timezone.now()) == 0
    assert not Sanction.objects.exists()
    report.refresh_from_db()
    assert report.closed_at is None
    assert "too late" in do(client, report, "undo")


def test_nothing_against_the_rules_is_one_press_too(tara, ada, ben):
    report = file(ada, ben)
    press(browser_of(tara), report, "quick", preset="nothing")
    quick.carry_out_due(timezone.now() + timedelta(minutes=1))
    report.refresh_from_db()
    assert (report.outcome, report.answer) == ("dismissed", str(ANSWERS["nothing"]))
    assert not Sanction.objects.exists()


def test_a_usual_reason_is_proposed_and_otherwise_the_moderator_chooses_one(make_moderator, tara, ada, ben):
    rolf = browser_of(make_moderator("Rolf", "results"))
    unfair, rude = file(ada, ben, "fair"), file(ben, ada, "respect")
    page = browser_of(tara).get(reverse("admin:moderation_report_change", args=[rude.pk])).content.decode()
    assert re.search(r'value="insult" selected', page)
    page = rolf.get(reverse("admin:moderation_report_change", args=[unfair.pk])).content.decode()
    assert not re.search(r'value="\w+" selected', page[page.index("report") : page.index("preset")])
    assert "Silence" not in re.findall(r'name="preset"[^>]*>([^<]*)', page)
    assert "Choose a reason." in do(rolf, unfair, "quick", preset="warn", ready="")
    assert "with one click here" in do(rolf, unfair, "quick", preset="silence", ready="insult")
    assert not QuickDecision.objects.exists()
    press(rolf, unfair, "quick", preset="warn", ready="together")
    assert QuickDecision.objects.get().reason == "together"


def test_a_decision_that_could_not_be_carried_out_says_why_and_waits_for_its_moderator(tara, make_moderator, ada, ben):
    report = file(ada, ben)
    client = browser_of(tara)
    press(client, report, "quick", preset="silence", ready="insult")
    ben.is_staff = True
    ben.save()
    assert quick.carry_out_due(timezone.now() + timedelta(minutes=1)) == 0
    report.refresh_from_db()
    assert report.closed_at is None
    page = client.get(reverse("admin:moderation_report_change", args=[report.pk])).content.decode()
    assert "wasn't carried out: This person is on the team" in page
    assert "wasn't carried out" not in client.get(reverse("admin:index")).content.decode()
    assert "This person is on the team" in client.get(reverse("admin:index")).content.decode()
    assert quick.carry_out_due(timezone.now() + timedelta(hours=1)) == 0, "it is not tried for ever"
    press(client, report, "undo")
    assert not QuickDecision.objects.exists()


def test_a_decision_that_fails_keeps_no_other_from_being_carried_out(tara, ada, ben, monkeypatch):
    broken, whole = file(ada, ben), file(ben, ada)
    for report in (broken, whole):
        press(browser_of(tara), report, "quick", preset="nothing")
    close = reports.close
    problems = {broken.pk: OperationalError("deadlock detected")}

    def fails_for_one(moderator, report, *arguments, **more):
        if report.pk in problems:
            raise problems[report.pk]
        close(moderator, report, *arguments, **more)

    monkeypatch.setattr(reports, "close", fails_for_one)
    later = timezone.now() + timedelta(minutes=1)
    assert quick.carry_out_due(later) == 1
    assert QuickDecision.objects.get().problem == "", "it is tried again"
    problems[broken.pk] = RuntimeError("a fault")
    assert quick.carry_out_due(later) == 0
    assert QuickDecision.objects.get().problem.startswith("RuntimeError in")


# The queue


def test_the_queue_begins_with_what_is_most_urgent(tara, ada, ben, make_player, time_machine):
    time_machine.move_to("2026-11-22 12:00Z", tick=False)
    cleo = make_player("Cleo")
    advert = file(ada, ben, "spam", "He sells things.")
    time_machine.shift(6 * 3600)
    insult = file(cleo, ben, "respect", "He swears.")
    assert insult.due_at < advert.due_at
    page = browser_of(tara).get(reverse("admin:moderation_report_changelist")).content.decode()
    assert page.index("He swears") < page.index("He sells")
    assert "12\xa0hours left" in page


def test_the_time_to_answer_shrinks_with_a_grave_rule_and_a_reliable_reporter():
    now = timezone.now()
    assert queue.due_at("spam", 0.5, now) == now + timedelta(hours=24)
    assert queue.due_at("respect", 0.5, now) == now + timedelta(hours=12)
    assert queue.due_at("respect", 1.0, now) == now + timedelta(hours=6)
    assert queue.due_at("other", 0.25, now) == now + timedelta(hours=48)


def test_a_report_put_aside_comes_back_by_itself_to_everyone(tara, ada, ben, time_machine):
    report = file(ada, ben)
    client = browser_of(tara)
    listed, here = reverse("admin:moderation_report_changelist"), "It was not nice."
    press(client, report, "claim")
    assert "Choose for how long" in do(client, report, "snooze", hours="7")
    press(client, report, "snooze", hours="24")
    assert here not in client.get(listed).content.decode()
    assert here in client.get(listed, {"state": "aside"}).content.decode()
    time_machine.move_to(timezone.now() + timedelta(hours=25))
    assert here in client.get(listed).content.decode()
    report.refresh_from_db()
    assert report.claimed_by is None
    assert AuditEntry.objects.filter(action="snooze report").count() == 1


def test_a_report_is_handed_to_another_role_with_a_note(tara, make_moderator, ada, ben):
    report = file(ada, ben)
    rolf = browser_of(make_moderator("Rolf", "results"))
    client = browser_of(tara)
    address = reverse("admin:moderation_report_change", args=[report.pk])
    assert rolf.get(address).status_code == 404
    assert "leave a note" in do(client, report, "hand_over", desk="moderation.handle_results", note=" ")
    assert "leave a note" in do(client, report, "hand_over", desk="moderation.operate", note="x")
    press(client, report, "hand_over", desk="moderation.handle_results", note="They lose to each other on purpose.")
    assert client.get(address).status_code == 404
    assert "Tara: They lose to each other on purpose." in rolf.get(address).content.decode()


def test_reports_about_one_person_are_decided_together_and_each_reporter_is_answered_in_their_language(
    tara, ada, ben, make_player
):
    cleo, finn = make_player("Cleo"), make_player("Finn")
    speak_german(cleo)
    first, second = file(ada, ben), file(cleo, ben, "respect", "He shouted at me.")
    file(finn, ada, "respect", "Something else.")
    client = browser_of(tara)
    page = client.get(reverse("admin:moderation_report_change", args=[first.pk])).content.decode()
    assert "He shouted at me." in page
    assert "Something else." not in page
    assert "1 report is decided with this one" in do(client, first, "merge")
    assert "He shouted" not in client.get(reverse("admin:moderation_report_changelist")).content.decode()
    press(client, first, "close", outcome="dismissed", ready="nothing")
    first.refresh_from_db()
    second.refresh_from_db()
    assert first.closed_by == second.closed_by == tara
    assert first.answer == str(ANSWERS["nothing"])
    with translation.override("de"):
        assert second.answer == str(ANSWERS["nothing"])
    assert Report.objects.filter(closed_at=None).count() == 1
    assert OutgoingMail.objects.count() == 2


def test_a_report_of_a_friend_of_the_moderators_is_not_merged(tara, ada, ben, make_player):
    from accounts.people.models import Friendship

    cleo = make_player("Cleo")
    Friendship.objects.create(asker=tara, other=cleo, accepted_at=timezone.now())
    first, second = file(ada, ben), file(cleo, ben)
    press(browser_of(tara), first, "merge")
    second.refresh_from_db()
    assert second.merged_into is None


def test_a_report_claimed_by_another_moderator_is_not_merged_until_the_claim_is_over(
    tara, make_moderator, ada, ben, make_player, time_machine
):
    time_machine.move_to("2026-11-22 12:00Z", tick=False)
    first, second = file(ada, ben), file(make_player("Cleo"), ben, text="He shouted at me.")
    reports.claim(make_moderator("Tom", "talk"), second)
    client = browser_of(tara)
    assert "0 reports are decided" in do(client, first, "merge")
    second.refresh_from_db()
    assert second.merged_into is None
    time_machine.shift(queue.CLAIM.total_seconds() + 1)
    assert "1 report is decided" in do(client, first, "merge")


def test_a_report_is_put_aside_by_others_only_when_its_claim_is_over(tara, make_moderator, ada, ben, time_machine):
    time_machine.move_to("2026-11-22 12:00Z", tick=False)
    report = file(ada, ben)
    reports.claim(make_moderator("Tom", "talk"), report)
    client = browser_of(tara)
    assert "Another moderator is working on it" in do(client, report, "snooze", hours="24")
    time_machine.shift(queue.CLAIM.total_seconds() + 1)
    assert "Put aside" in do(client, report, "snooze", hours="24")
    report.refresh_from_db()
    assert report.snoozed_until is not None


def test_moderators_ask_before_they_decide(tara, ada, ben):
    report = file(ada, ben)
    client = browser_of(tara)
    assert "Claim the report first" in do(client, report, "ask", side="accused", text="What happened?")
    press(client, report, "claim")
    assert "Write a question" in do(client, report, "ask", side="accused", text="  ")
    press(client, report, "ask", side="accused", text="What happened?")
    assert [each.to for each in OutgoingMail.objects.all()] == [ben.email]
    question = Question.objects.get()
    assert "Answer the question:" in OutgoingMail.objects.get(key=f"question:{question.pk}").text
    mine = browser_of(ben)
    assert "What happened?" in mine.get(reverse("my_reports")).content.decode()
    assert "What happened?" not in browser_of(ada).get(reverse("my_reports")).content.decode()
    answer = reverse("answer_question", args=[question.pk])
    assert "open any more" in browser_of(ada).post(answer, {"text": "I know!"}, follow=True).content.decode()
    mine.post(answer, {"text": "It was the radio."})
    mine.post(answer, {"text": "Twice."})
    question.refresh_from_db()
    assert question.answer == "It was the radio."
    assert (
        "It was the radio." in client.get(reverse("admin:moderation_report_change", args=[report.pk])).content.decode()
    )
    assert mail.outbox == []


# The table at a move


def test_the_replay_steps_both_ways_and_each_look_is_logged(make_moderator, start_match, ada, ben):
    match = start_match("basic-rummy", ada, ben)
    first = next(seat for seat in (0, 1) if service.load(match.pk).state.view(seat).moves)
    service.act(match.pk, first, "draw:stock", request_id="a", player=(ada, ben)[first])
    report = reports.file(ben, reports.find(ben, "match", match.key), "fair", "Something is wrong.")
    Report.objects.update(accused=ada)
    rolf = browser_of(make_moderator("Rolf", "results"))
    page = do(rolf, report, "look")
    assert "After move 1 of 1." in page
    assert re.search(r'value="0">[^<]*Move before', page)
    assert re.search(r'value="" disabled>[^<]*Next move', page)
    page = do(rolf, report, "look", version="0")
    assert "After move 0 of 1." in page
    hands = len(re.findall("data-card=", page))
    page = do(rolf, report, "look", version="0", hands="all")
    assert "All hands." in page
    assert len(re.findall("data-card=", page)) > hands
    assert "After move 1 of 1." in do(rolf, report, "look", version="99999999")
    looks = [entry.after for entry in AuditEntry.objects.filter(action="look at table").order_by("pk")]
    assert looks == [
        {"seat": 0, "version": 1},
        {"seat": 0, "version": 0},
        {"seat": "all", "version": 0},
        {"seat": 0, "version": 1},
    ]


# The first page


def piles(client) -> dict[str, int]:
    page = in_one_line(client.get(reverse("admin:index")).content.decode())
    return {title.strip(): int(n) for n, title in re.findall(r"<strong>(\d+)</strong>([^<]*)", page)}


def test_the_first_page_counts_what_waits_for_each_role(make_moderator, ada, ben, make_player):
    anna, tara = make_moderator("Anna", "accounts"), make_moderator("Tara", "talk")
    olga = make_moderator("Olga", "operations")
    rude = file(ada, ben)
    file(make_player("Cleo"), ben, "fair")
    decision = sanctions.impose(anna, ada, "closed", "fair", "Two accounts at a table.")
    silence = sanctions.impose(tara, ben, "silence", "respect", "You insulted Ada.")
    Appeal.objects.create(sanction=silence)
    OutgoingMail.objects.create(to="a@example.org", sender="b@example.org", subject="Hi", status="failed")
    reports.claim(tara, rude)
    assert piles(browser_of(tara)) == {
        "Open reports": 0,
        "Reports that I claimed": 1,
        "Second looks at closed reports": 0,
        "Waiting for a second moderator": 0,
        "Appeals": 0,
    }
    both = make_moderator("Both", "accounts", "talk")
    waiting = piles(browser_of(both))
    assert (waiting["Waiting for a second moderator"], waiting["Appeals"]) == (1, 1)
    assert piles(browser_of(anna))["Waiting for a second moderator"] == 0, "one's own"
    assert piles(browser_of(make_moderator("Rolf", "results")))["New slap flags"] == 0
    assert piles(browser_of(olga)) == {"Overdue matches": 0, "Failures that block a match": 0, "Failed emails": 1}
    assert decision.pk


def test_a_second_opinion_and_an_appeal_are_decided_on_their_pages(make_moderator, ada, ben):
    anna, arno = make_moderator("Anna", "accounts"), make_moderator("Arno", "accounts")
    decision = sanctions.impose(anna, ada, "closed", "fair", "Two accounts at a table.")
    address = reverse("admin:moderation_sanction_change", args=[decision.pk])
    assert address in browser_of(arno).get(reverse("admin:index")).content.decode()
    confirm = reverse("admin:sanction_confirm", args=[decision.pk])
    assert confirm not in browser_of(anna).get(address).content.decode()
    assert confirm in browser_of(arno).get(address).content.decode()
    assert "in force" in browser_of(arno).post(confirm, follow=True).content.decode()
    lift = reverse("admin:sanction_lift", args=[decision.pk])
    assert "Give a reason" in browser_of(arno).post(lift, follow=True).content.decode()
    thread = Appeal.objects.create(sanction=decision)
    appeal = reverse("admin:moderation_appeal_change", args=[thread.pk])
    assert "Answer and grant" not in browser_of(anna).get(appeal).content.decode()
    alva = browser_of(make_moderator("Alva", "accounts"))
    assert "Answer and grant" in alva.get(appeal).content.decode()
    alva.post(appeal, {"text": "We believe you.", "decision": "granted"})
    decision.refresh_from_db()
    assert decision.lifted_at


def test_all_failed_emails_are_sent_again_by_one_press(make_moderator):
    olga = browser_of(make_moderator("Olga", "operations"))
    for status in ("failed", "failed", "sent"):
        OutgoingMail.objects.create(to="a@example.org", sender="b@example.org", subject="Hi", status=status)
    again = reverse("admin:send_failed_again")
    assert again in olga.get(reverse("admin:index")).content.decode()
    olga.get(again)
    assert OutgoingMail.objects.filter(status="failed").count() == 2
    olga.post(again)
    assert sorted(OutgoingMail.objects.values_list("status", flat=True)) == ["sent", "waiting", "waiting"]
