"""Moderators get one email about what has waited for a day."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import OutgoingMail
from accounts.moderation import sanctions
from accounts.moderation.models import AuditEntry
from games.mail.models import Preferences
from games.moderation import deferral, reports
from games.moderation.reminders import remind

pytestmark = pytest.mark.django_db

DAY = timedelta(hours=24)


@pytest.fixture
def tara(make_moderator):
    return make_moderator("Tara", "talk")


def file(reporter, accused, rule="respect"):
    return reports.file(reporter, reports.find(reporter, "player", accused.name_key), rule, "It was not nice.")


def test_the_moderators_of_a_report_that_has_waited_for_a_day_get_one_email(tara, make_moderator, ada, ben):
    make_moderator("Rolf", "results")
    make_moderator("Olga", "operations")
    report = file(ada, ben)
    late = report.created_at + DAY
    assert remind(late - timedelta(seconds=1)) == 0
    assert remind(late) == 1
    (mail,) = OutgoingMail.objects.all()
    assert mail.to == tara.email
    assert "1 report has waited for more than a day" in mail.text
    assert "See what's waiting: http://" in mail.text
    assert "/admin/" in mail.text
    assert "Ben" not in mail.text + mail.subject
    assert remind(late + DAY) == 0
    assert OutgoingMail.objects.count() == 1
    assert AuditEntry.objects.get(action="remind moderators").target == f"report:{report.pk}"


def test_a_report_of_which_no_moderator_was_emailed_waits_for_one_who_is(tara, make_moderator, ada, ben):
    late = file(ada, ben).created_at + DAY
    Preferences.objects.create(user=tara, wants_moderation=False)
    assert remind(late) == 0
    assert not AuditEntry.objects.filter(action="remind moderators").exists()
    theo = make_moderator("Theo", "talk")
    assert remind(late + DAY) == 1
    assert OutgoingMail.objects.get().to == theo.email


def test_reports_that_wait_later_are_another_email_in_its_readers_language(tara, ada, ben):
    first = file(ada, ben)
    remind(first.created_at + DAY)
    tara.language = "de"
    tara.save(update_fields=["language"])
    second = file(ben, ada)
    assert remind(second.created_at + DAY) == 1
    mail = OutgoingMail.objects.latest("pk")
    assert "1 Meldung wartet seit mehr als einem Tag" in mail.text


def test_moderators_are_not_reminded_of_claimed_or_put_aside_reports(tara, ada, ben, make_player):
    claimed, aside, closed = file(ada, ben), file(ben, ada), file(make_player("Cleo"), ben)
    for report in (claimed, closed):
        reports.claim(tara, report)
    reports.close(tara, closed, "dismissed", ready="nothing")
    deferral.snooze(tara, aside, 72)
    OutgoingMail.objects.all().delete()
    now = timezone.now()
    type(claimed).objects.update(created_at=now - 2 * DAY)
    assert remind(now) == 0
    assert remind(now + timedelta(hours=9)) == 1, "the claim is over"


def test_only_other_moderators_are_reminded_of_a_decision_that_waits_for_a_second_one(make_moderator, ada):
    anna, arno = make_moderator("Anna", "accounts"), make_moderator("Arno", "accounts")
    decision = sanctions.impose(anna, ada, "closed", "fair", "Two accounts.")
    OutgoingMail.objects.all().delete()
    assert remind(decision.imposed_at + DAY) == 1
    (mail,) = OutgoingMail.objects.all()
    assert mail.to == arno.email
    assert "1 decision has waited for a second moderator" in mail.text


def test_a_report_by_a_moderator_is_announced_to_the_others(tara, make_moderator, ada):
    other = make_moderator("Theo", "talk")
    assert remind(file(tara, ada).created_at + DAY) == 1
    assert [mail.to for mail in OutgoingMail.objects.all()] == [other.email]
