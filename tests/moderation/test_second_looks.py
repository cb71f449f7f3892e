"""One closed report in twenty is checked again, by another moderator."""

import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import islice, pairwise

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import OutgoingMail
from accounts.moderation.models import AuditEntry, Report
from games.moderation import figures, quick, reports
from games.moderation.models import UNDO, SecondLook
from tests.factories.desk import browser_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def tara(make_moderator):
    return make_moderator("Tara", "talk")


@pytest.fixture
def theo(make_moderator):
    return make_moderator("Theo", "talk")


def filed(number, ada, ben) -> Report:
    """A report with that number; its number alone decides whether it's in the sample."""
    return Report.objects.create(
        pk=number, kind="player", rule="respect", thing=f"player:{number}", sentence="He was rude.",
        reporter=ada, reporter_name="Ada", accused=ben, accused_name="Ben",
    )  # fmt: skip


def in_the_sample() -> Iterator[int]:
    return (number for number in range(1, 1000) if SecondLook.is_due_for(Report(pk=number)))


@pytest.fixture
def closed(tara, ada, ben):
    """A report in the sample, closed by Tara."""
    report = filed(next(in_the_sample()), ada, ben)
    reports.claim(tara, report)
    reports.close(tara, report, "dismissed", ready="nothing")
    report.refresh_from_db()
    return report


def pile(client) -> str:
    """The number of second looks on this moderator's first page."""
    page = client.get("/admin/").content.decode()
    return re.search(r"<strong>\s*(\d+)</strong> Second looks at closed reports", page)[1]


def answer(client, report, **data) -> str:
    return client.post(reverse("admin:report_second_look", args=[report.pk]), data, follow=True).content.decode()


def page_of(client, report) -> str:
    return client.get(reverse("admin:moderation_report_change", args=[report.pk])).content.decode()


def test_one_in_twenty_is_in_the_sample_and_always_the_same_ones():
    numbered = [Report(pk=pk) for pk in range(1, 4001)]
    sample = [report.pk for report in numbered if SecondLook.is_due_for(report)]
    assert 150 < len(sample) < 250
    assert sample == [report.pk for report in numbered if SecondLook.is_due_for(report)]
    assert len({later - pk for pk, later in pairwise(sample)}) > 20


def test_only_what_is_in_the_sample_waits_for_a_second_look(tara, ada, ben):
    numbers = {number + beside for number in islice(in_the_sample(), 3) for beside in (-1, 0, 1)} - {0}
    for number in numbers:
        quick.press(tara, filed(number, ada, ben), "nothing", "")
    quick.carry_out_due(timezone.now() + UNDO)
    assert Report.objects.exclude(closed_at=None).count() == len(numbers)
    due = {number for number in numbers if SecondLook.is_due_for(Report(pk=number))}
    assert set(SecondLook.objects.values_list("report", flat=True)) == due


def test_it_waits_on_the_first_page_of_others_with_that_role(closed, tara, theo, make_moderator):
    listed = reverse("admin:moderation_report_changelist") + "?state=second"
    assert [pile(browser_of(person)) for person in (tara, theo, make_moderator("Rolf", "results"))] == ["0", "1", "0"]
    assert "He was rude." in browser_of(theo).get(listed).content.decode()
    assert "He was rude." not in browser_of(tara).get(listed).content.decode()
    assert "I see it differently" in page_of(browser_of(theo), closed)
    assert "I see it differently" not in page_of(browser_of(tara), closed)
    SecondLook.objects.update(asked_at=timezone.now() - timedelta(days=31))
    assert pile(browser_of(theo)) == "0"


def test_a_moderator_who_agrees_is_in_the_log_and_in_the_figures(closed, theo):
    client = browser_of(theo)
    for _press in range(2):
        assert "Your second look is in the log." in answer(client, closed, answer="agree")
    assert AuditEntry.objects.filter(action="second look", after={"agrees": True}).count() == 1
    assert pile(client) == "0"
    assert "I see it differently" not in page_of(client, closed)
    found = figures.figures(timezone.now())
    assert (found.looks, found.agreed) == (1, 1.0)
    assert not OutgoingMail.objects.filter(subject__contains="second look").exists()


def test_a_moderator_who_disagrees_says_why_and_the_one_who_closed_the_report_is_told(
    closed, tara, theo, make_moderator
):
    client = browser_of(theo)
    assert "Say what you see differently." in answer(client, closed, note=" ")
    answer(client, closed, note="The chat has three insults.")
    told = OutgoingMail.objects.get(to=tara.email)
    assert "The chat has three insults." in told.text
    assert "Theo" not in told.text
    seen = re.sub(r"\s+", " ", page_of(browser_of(tara), closed))
    assert "Theo: sees it differently The chat has three insults." in seen
    third = browser_of(make_moderator("Toni", "talk"))
    assert "Another moderator has taken the second look." in answer(third, closed, answer="agree")
    assert SecondLook.objects.get().looked_by == theo


def test_no_one_looks_again_at_their_own_decision_or_at_a_report_of_their_own(closed, tara, ada, theo):
    assert "You closed this report" in answer(browser_of(tara), closed, answer="agree")
    Report.objects.update(reporter=theo)
    assert pile(browser_of(theo)) == "0"
    assert "This report is about you or by you." in answer(browser_of(theo), closed, answer="agree")
    assert SecondLook.objects.get().looked_at is None


def test_one_press_closes_all_reports_about_one_advertiser_with_an_entry_each(tara, ben, make_player):
    filed = [
        reports.file(person, reports.find(person, "player", "ben"), "spam", "He sells towels.")
        for person in (make_player("Cleo"), make_player("Dan"), make_player("Edda"))
    ]
    client = browser_of(tara)
    client.post(reverse("admin:report_merge", args=[filed[0].pk]))
    client.post(reverse("admin:report_quick", args=[filed[0].pk]), {"preset": "silence", "ready": "spam"})
    quick.carry_out_due(timezone.now() + UNDO)
    assert Report.objects.filter(outcome="upheld", closed_by=tara).count() == 3
    entries = AuditEntry.objects.filter(action="close report")
    assert {entry.target for entry in entries} == {f"report:{report.pk}" for report in filed}
    assert ben.sanctions.count() == 1
