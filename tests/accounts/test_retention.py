"""Retention: what is deleted when, and the privacy page saying the same."""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from accounts import guests, retention, tasks
from accounts.models import OutgoingMail, User
from accounts.moderation.models import Report
from games.moderation import reports

pytestmark = pytest.mark.django_db


def test_the_page_has_the_numbers_of_the_code_and_is_linked_from_every_page_and_the_sign_up(client, settings):
    settings.CONTACT = "Ada Lovelace, London"
    page = client.get(reverse("privacy")).content.decode()
    for days in (guests.IDLE, guests.UNCONFIRMED, retention.KEEP_SENT, retention.KEEP_FAILED, retention.KEEP_REPORTS):
        assert f"{days.days} days" in page
    assert f"{settings.SESSION_COOKIE_AGE // 86400} days" in page
    assert "Ada Lovelace, London" in page
    others = page.partition("Emails to others that name you")[2].partition("</dd>")[0]
    assert f"{retention.KEEP_SENT.days} days, or {retention.KEEP_FAILED.days} if" in others
    assert "even if you delete your account before that" in others
    sign_up = client.get(reverse("account_signup")).content.decode()
    assert sign_up.count(f'href="{reverse("privacy")}"') == 2


@pytest.mark.parametrize(
    ("status", "kept"),
    [
        ("sent", retention.KEEP_SENT),
        ("dropped", retention.KEEP_SENT),
        ("failed", retention.KEEP_FAILED),
        ("waiting", None),
    ],
)
def test_old_emails_are_deleted(status, kept):
    now = timezone.now()
    OutgoingMail.objects.create(to="ada@example.org", status=status, created_at=now, sent_at=now)
    for after, is_there in ((retention.KEEP_SENT / 2, True), (kept or timedelta(days=900), kept is None)):
        with time_machine.travel(now + after + timedelta(minutes=1)):
            tasks.delete_expired()
        assert OutgoingMail.objects.exists() == is_there


def test_reports_are_forgotten_a_year_after_they_were_decided():
    ada, ben = (User.objects.create_user(f"{name}@example.org", name=name) for name in ("Ada", "Ben"))
    decided = reports.file(ada, reports.find(ada, "player", "ben"), "respect", "He shouted.")
    reports.file(ben, reports.find(ben, "player", "ada"), "respect", "She shouted.")
    now = timezone.now()
    Report.objects.filter(pk=decided.pk).update(closed_at=now, outcome="dismissed")
    User.objects.update(last_login=now + timedelta(days=360))
    for days, left in ((364, 2), (366, 1)):
        with time_machine.travel(now + timedelta(days=days)):
            tasks.delete_expired()
        assert Report.objects.count() == left
