"""A repeated press counts once, and of two simultaneous moderators, one is told the other was faster."""

import contextlib
import threading
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import OutgoingMail
from accounts.moderation import audit, sanctions
from accounts.moderation.models import AppealMessage, AuditEntry, Report, Sanction
from games.moderation import deferral, person_file, quick, reports
from games.moderation.models import UNDO, PersonNote, Question, QuickDecision, SimilarLook
from games.moderation.reports import ReportError
from tests.factories.commits import at_once
from tests.factories.desk import browser_of, do, press

pytestmark = pytest.mark.django_db

TALK, RESULTS = "moderation.handle_talk", "moderation.handle_results"


def file(reporter, accused, text="It was not nice."):
    return reports.file(reporter, reports.find(reporter, "player", accused.name_key), "respect", text)


def refusals(client, report, acts, words) -> int:
    """Press several buttons, and count the sentences with ``words`` on the next page."""
    for act, data in acts:
        press(client, report, act, **data)
    return client.get(reverse("admin:moderation_report_change", args=[report.pk])).content.decode().count(words)


@pytest.fixture
def tara(make_moderator):
    return make_moderator("Tara", "talk", "results")


@pytest.fixture
def theo(make_moderator):
    return make_moderator("Theo", "talk", "results")


def errors(results) -> list[str]:
    return [str(each) for each in results if isinstance(each, ReportError)]


# The same press twice

DECISION = {"kind": "silence", "hours": "24", "ready": "insult"}
#: Possible actions on a claimed report, with their forms.
ACTS = (
    ("sanction", DECISION),
    ("close", {"outcome": "dismissed", "ready": "nothing"}),
    ("ask", {"side": "accused", "text": "Why?"}),
    ("snooze", {"hours": "24"}),
    ("hand_over", {"desk": RESULTS, "note": "Look."}),
    ("merge", {}),
)


def test_deciding_twice_from_a_report_decides_once(tara, ada, ben):
    report, client = file(ada, ben), browser_of(tara)
    press(client, report, "claim")
    press(client, report, "sanction", **DECISION)
    assert "already been decided" in do(client, report, "sanction", **DECISION)
    assert Sanction.objects.count() == OutgoingMail.objects.count() == 1
    sanctions.lift(tara, Sanction.objects.get())
    assert "The decision is in force" in do(client, report, "sanction", **DECISION)


def test_deciding_twice_on_a_person_s_page_decides_once_until_they_have_read_it(tara, ada):
    client, warning = browser_of(tara), {"rule": "respect", "kind": "warning", "ready": "insult"}
    press(client, ada, "decide", **warning)
    assert "already been decided" in do(client, ada, "decide", **warning)
    assert Sanction.objects.count() == OutgoingMail.objects.count() == 1
    sanctions.read(ada, Sanction.objects.get().pk)
    press(client, ada, "decide", **warning)
    assert Sanction.objects.count() == 2


def test_asking_twice_asks_once_until_there_is_an_answer(tara, ada, ben):
    report, client = file(ada, ben), browser_of(tara)
    press(client, report, "claim")
    for _press in range(2):
        assert "asked Ben" in do(client, report, "ask", side="accused", text="What happened?")
    question = Question.objects.get()
    assert OutgoingMail.objects.count() == AuditEntry.objects.filter(action="ask").count() == 1
    reports.answer_question(ben, question.pk, "Nothing.")
    press(client, report, "ask", side="accused", text="What happened?")
    assert Question.objects.count() == 2


def test_a_note_sent_twice_is_one_note(tara, theo, ada):
    for moderator in (tara, tara, theo, tara):
        press(browser_of(moderator), ada, "note", text="Her brother plays, too.")
    assert [note.author for note in PersonNote.objects.order_by("pk")] == [tara, theo, tara]


def test_a_quick_decision_and_a_claim_sent_twice_are_one(tara, ada, ben):
    report, client = file(ada, ben), browser_of(tara)
    for _press in range(2):
        press(client, report, "claim")
        assert "Undo" in do(client, report, "quick", preset="warn", ready="insult")
    pressed_at = QuickDecision.objects.get().pressed_at
    assert "Undo that first" in do(client, report, "quick", preset="nothing")
    assert QuickDecision.objects.get().pressed_at == pressed_at
    assert AuditEntry.objects.filter(action="claim report").count() == 1


def test_an_answer_to_an_appeal_sent_twice_is_one_message_on_both_sides(tara, ada):
    decision = sanctions.impose(tara, ada, "warning", "respect", "You insulted Ben.")
    for _press in range(2):
        thread = sanctions.appeal(ada, decision, "I did not.")
    page = reverse("admin:moderation_appeal_change", args=[thread.pk])
    for _press in range(2):
        browser_of(tara).post(page, {"text": "Read line 12."})
    assert [message.text for message in AppealMessage.objects.order_by("pk")] == ["I did not.", "Read line 12."]
    assert OutgoingMail.objects.filter(to=ada.email).count() == 2


@pytest.mark.django_db(transaction=True)
def test_the_same_press_at_the_same_time_counts_once(tara, ada, ben):
    report, client = file(ada, ben), browser_of(tara)
    reports.claim(tara, report)
    session = client.cookies["sessionid"].value

    def press(address, **data):
        each = Client()
        each.cookies["sessionid"] = session
        return lambda: each.post(address, data).status_code

    def twice(address, **data):
        assert at_once(press(address, **data), press(address, **data)) == [302, 302]

    twice(reverse("admin:report_ask", args=[report.pk]), side="accused", text="What happened?")
    twice(reverse("admin:report_sanction", args=[report.pk]), **DECISION)
    twice(reverse("admin:person_decide", args=[ben.pk]), rule="respect", kind="warning", ready="insult")
    twice(reverse("admin:person_note", args=[ben.pk]), text="He was asked.")
    twice(reverse("admin:report_quick", args=[report.pk]), preset="nothing")
    assert Sanction.objects.filter(report=report).count() == Sanction.objects.filter(report=None).count() == 1
    assert Question.objects.count() == PersonNote.objects.count() == QuickDecision.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_failed_emails_are_sent_again_once_when_two_moderators_press_at_once(make_moderator, monkeypatch):
    monkeypatch.setattr("accounts.outbox.send_soon", lambda: None)
    both_have_looked = threading.Barrier(2)

    def record_late(*args, **kwargs):
        # If reading doesn't block the other one, both have read before anything is written.
        with contextlib.suppress(threading.BrokenBarrierError):
            both_have_looked.wait(0.5)
        audit.record(*args, **kwargs)

    monkeypatch.setattr("accounts.admin.record", record_late)
    clients = [browser_of(make_moderator(name, "operations")) for name in ("Olga", "Otto")]
    for number in range(20):
        OutgoingMail.objects.create(to="a@example.org", sender="b@example.org", subject=f"{number}", status="failed")
    address = reverse("admin:send_failed_again")
    at_once(*(lambda each=each: each.post(address) for each in clients))
    assert OutgoingMail.objects.filter(status="waiting").count() == 20
    assert AuditEntry.objects.filter(action="send again").count() == 20


# Two at once


@pytest.mark.django_db(transaction=True)
def test_two_moderators_at_once_have_one_result_and_one_clear_answer(tara, theo, ada, ben, make_player):
    def same(report):
        """Both have the page open and see the old state."""
        return Report.objects.get(pk=report.pk)

    for first, second in (
        (lambda row: deferral.snooze(tara, row, 24), lambda row: deferral.snooze(theo, row, 72)),
        (lambda row: deferral.snooze(tara, row, 24), lambda row: deferral.hand_over(theo, row, RESULTS, "Look.")),
        (
            lambda row: deferral.hand_over(tara, row, TALK, "Here."),
            lambda row: deferral.hand_over(theo, row, RESULTS, "No."),
        ),
        (lambda row: reports.claim(tara, row), lambda row: deferral.hand_over(theo, row, RESULTS, "Look.")),
        (lambda row: reports.claim(tara, row), lambda row: reports.claim(theo, row)),
    ):
        report = file(make_player(f"Reporter {Report.objects.count()}"), ben)
        before = AuditEntry.objects.count()
        seen = same(report), same(report)
        results = at_once(lambda act=first, row=seen[0]: act(row), lambda act=second, row=seen[1]: act(row))
        assert len(errors(results)) == 1, results
        assert "moderator" in errors(results)[0] or "already" in errors(results)[0]
        assert AuditEntry.objects.count() == before + 1


@pytest.mark.django_db(transaction=True)
def test_two_reports_merged_into_each_other_at_once_do_not_form_a_ring(tara, theo, ada, ben, make_player):
    one, other = file(ada, ben), file(make_player("Cleo"), ben)
    results = at_once(lambda: deferral.merge(tara, one, [other.pk]), lambda: deferral.merge(theo, other, [one.pk]))
    assert len(errors(results)) == 1, results
    assert Report.objects.filter(merged_into=None).count() == 1


@pytest.mark.django_db(transaction=True)
def test_similar_accounts_requested_by_two_moderators_at_once_are_requested_once(make_moderator, ada):
    anna, otto = make_moderator("Anna", "accounts"), make_moderator("Otto", "accounts")
    at_once(*[lambda who=who: person_file.ask_for_similar(who, ada, "Two accounts?") for who in (anna, otto)])
    assert SimilarLook.objects.count() == 1


def test_a_moderator_who_comes_too_late_to_a_report_reads_why(tara, theo, make_moderator, ada, ben):
    tess = make_moderator("Tess", "talk")
    report, late = file(ada, ben), browser_of(theo)
    press(browser_of(tara), report, "snooze", hours="24")
    page = do(late, report, "snooze", hours="72")
    assert "already put aside" in page
    assert "Put aside until" in page
    assert "Put it aside for" not in page
    press(browser_of(tara), report, "hand_over", desk=RESULTS, note="Look.")
    assert "already in that queue" in do(late, report, "hand_over", desk=RESULTS, note="Look.")
    assert "handed to another desk" in do(browser_of(tess), report, "claim")
    report.refresh_from_db()
    assert report.snoozed_until is None
    reports.claim(tara, report)
    reports.close(tara, report, "dismissed", "Nothing.")
    acts = (("claim", {}), ("close", {"outcome": "upheld", "ready": "done"}), ("ask", {"text": "Why?"}))
    assert refusals(late, report, acts, "already closed") == len(acts)


# Merged


def test_a_report_that_is_merged_is_neither_claimed_nor_decided_by_itself(tara, theo, ada, ben, make_player):
    first, second = file(ada, ben), file(make_player("Cleo"), ben)
    tab = browser_of(theo)
    press(browser_of(tara), first, "merge")
    page = tab.get(reverse("admin:moderation_report_change", args=[second.pk])).content.decode()
    assert "Decided with" in page
    assert "<button" not in page[page.index("desk-report") : page.index("History")]
    assert "Claim this report" not in page
    acts = (("claim", {}), ("quick", {"preset": "nothing"}), *ACTS)
    assert refusals(tab, second, acts, "together with another one") == len(acts)
    second.refresh_from_db()
    assert (second.merged_into, second.claimed_by, second.closed_at) == (first, None, None)
    assert not Sanction.objects.exists()
    assert not QuickDecision.objects.exists()


def later():
    return quick.carry_out_due(timezone.now() + UNDO)


def test_a_report_merged_within_its_minute_is_only_decided_with_the_other_one(tara, ada, ben, make_player):
    first, second = file(ada, ben), file(make_player("Cleo"), ben)
    client = browser_of(tara)
    press(client, second, "quick", preset="silence", ready="insult")
    press(client, first, "merge")
    assert later() == 0
    assert not QuickDecision.objects.exists()
    entry = AuditEntry.objects.get(action="cancel quick decision")
    assert (entry.target, entry.before) == (f"report:{second.pk}", {"decision": "silence", "by": "Tara"})
    press(client, first, "close", outcome="dismissed", ready="nothing")
    assert Report.objects.filter(outcome="dismissed").count() == 2
    assert not Sanction.objects.exists()


def test_a_report_released_within_its_minute_is_open_for_others(tara, theo, ada, ben):
    report = file(ada, ben)
    press(browser_of(tara), report, "quick", preset="silence", ready="insult")
    press(browser_of(tara), report, "release")
    assert later() == 0
    assert AuditEntry.objects.filter(action="cancel quick decision").count() == 1
    press(browser_of(theo), report, "quick", preset="nothing")
    assert later() == 1
    assert not Sanction.objects.exists()


def test_nothing_else_happens_to_a_report_within_its_minute(tara, ada, ben, make_player):
    report, _other = file(ada, ben), file(make_player("Cleo"), ben)
    client = browser_of(tara)
    press(client, report, "quick", preset="warn", ready="insult")
    assert refusals(client, report, ACTS, "Undo that first") == len(ACTS)
    assert later() == 1
    report.refresh_from_db()
    assert report.outcome == "upheld"


def test_a_failed_quick_decision_blocks_no_other(tara, theo, ada, ben, time_machine):
    report = file(ada, ben)
    press(browser_of(tara), report, "quick", preset="warn", ready="insult")
    ben.is_staff = True
    ben.save(update_fields=["is_staff"])
    assert later() == 0
    assert QuickDecision.objects.exclude(problem="").exists()
    time_machine.move_to(timezone.now() + timedelta(hours=9))
    page = do(browser_of(theo), report, "claim")
    assert "Close and tell the reporter" in page
    assert not QuickDecision.objects.exists()
