"""Notification settings, and the links in email footers."""

from datetime import timedelta

import pytest
import time_machine
from anymail.signals import AnymailTrackingEvent, EventType, tracking
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import outbox
from accounts.models import OutgoingMail, User
from games.mail.models import Correspondence, Discretion, Kind, Preferences, Timing
from games.mail.outgoing.email_builder import LINK_LIFETIME, Link
from games.mail.preferences import NoticesForm

pytestmark = pytest.mark.django_db
PAGE = "account_settings_notices"
FULL = {"timing": "after", "delay": "60", "discretion": "click", "wants_over": "on", "wants_security": "on"}


@pytest.fixture
def match(ada, ben, start_by_mail):
    return start_by_mail("normal-cards", ada, ben)


def stop_page(user: User, kind: str = Kind.TURN, match_id: int | None = None) -> str:
    return reverse("mail_stop", args=[Link(user.pk, kind, match_id).token])


def test_without_a_choice_the_defaults_are_shown(client, ada):
    client.force_login(ada)
    page = client.get(reverse(PAGE)).content.decode()
    assert 'value="after" id="id_timing_1" checked' in page or 'id="id_timing_1"' in page
    assert not Preferences.objects.exists()


def test_choices_are_kept(client, ada):
    client.force_login(ada)
    client.post(reverse(PAGE), FULL)
    kept = Preferences.objects.get(user=ada)
    assert (kept.timing, kept.delay, kept.discretion) == (Timing.AFTER, 60, Discretion.CLICK)
    assert kept.wants_over
    assert not kept.wants_invitation


def test_saving_preferences_does_not_overwrite_what_an_email_stores_meanwhile(client, ada, monkeypatch):
    Preferences.objects.create(user=ada)
    sent_at = timezone.now()
    clean = NoticesForm.clean

    def clean_while_an_email_is_sent(form):
        Preferences.objects.update(mailed_at=sent_at, digest_at=sent_at)
        return clean(form)

    monkeypatch.setattr(NoticesForm, "clean", clean_while_an_email_is_sent)
    client.force_login(ada)
    client.post(reverse(PAGE), FULL)
    kept = Preferences.objects.get(user=ada)
    assert (kept.delay, kept.mailed_at, kept.digest_at) == (60, sent_at, sent_at)


def test_a_digest_needs_an_hour_and_keeps_those_chosen(client, ada):
    client.force_login(ada)
    answer = client.post(reverse(PAGE), {**FULL, "timing": "digest"})
    assert answer.status_code == 422
    assert "Choose at least one time" in answer.content.decode()
    client.post(reverse(PAGE), {**FULL, "timing": "digest", "hours": ["19", "7"]})
    assert Preferences.objects.get(user=ada).hours == [7, 19]


@pytest.mark.parametrize("wrong", [{"timing": "hourly"}, {"delay": "7"}, {"hours": ["24"]}, {"discretion": ""}])
def test_an_unknown_choice_is_refused(client, ada, wrong):
    client.force_login(ada)
    assert client.post(reverse(PAGE), {**FULL, **wrong}).status_code == 422
    assert not Preferences.objects.exists()


def test_guests_learn_that_emails_need_an_account(client):
    guest = User.objects.create_user(name="Guest")
    client.force_login(guest)
    page = client.get(reverse(PAGE)).content.decode()
    assert "Guests can't get emails" in page
    assert "id_timing" not in page


def test_the_page_is_for_people_who_are_logged_in(client):
    assert client.get(reverse(PAGE)).status_code == 302


def test_a_footer_link_changes_the_emails_of_one_match(client, ada, match):
    page = stop_page(ada, match_id=match.pk)
    shown = client.get(page)
    assert "Normal Cards with Ben" in shown.content.decode()
    assert shown["Referrer-Policy"] == "no-referrer"
    assert not Correspondence.objects.exists()
    client.post(page, {"timing": "never"})
    assert Correspondence.objects.get(user=ada, match=match).timing == Timing.NEVER
    client.post(page, {"timing": ""})
    assert Correspondence.objects.get(user=ada, match=match).timing == ""
    assert client.post(page, {"timing": "sometimes"}).status_code == 400


def test_a_footer_offers_a_digest_with_its_hours_or_not_at_all(client, ada, match):
    link = f"/mail/stop/{Link(ada.pk, Kind.TURN, match.pk).token}/"
    assert "In my digest, at 8:00 and 18:00" in client.get(link).content.decode()
    Preferences.objects.create(user=ada, digest_hours="")
    assert "igest" not in client.get(link).content.decode()
    assert client.post(link, {"timing": Timing.DIGEST}).status_code == 400
    assert client.post(link, {"timing": Timing.NEVER}).status_code == 200


def test_opening_a_footer_link_changes_nothing(client, ada, match):
    for kind in Kind:
        for method in (client.get, client.head):
            assert method(stop_page(ada, kind, match.pk)).status_code == 200
    assert not Correspondence.objects.exists()
    assert not Preferences.objects.exists()


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        (Kind.OVER, "wants_over"),
        (Kind.BEGINS, "wants_begins"),
        (Kind.INVITATION, "wants_invitation"),
        (Kind.OFFER, "wants_offer"),
        (Kind.AWAY, "wants_away"),
    ],
)
def test_each_kind_of_email_is_stopped_separately(ada, kind, column):
    strict = Client(enforce_csrf_checks=True)  # a mail program has no cookie and no CSRF token
    answer = strict.post(
        stop_page(ada, kind), "List-Unsubscribe=One-Click", content_type="application/x-www-form-urlencoded"
    )
    assert answer.status_code == 200
    kept = Preferences.objects.get(user=ada)
    assert not getattr(kept, column)
    assert kept.timing == Timing.AFTER
    assert not outbox.wants(ada, kind)
    assert outbox.wants(ada, Kind.TURN)


def test_stopping_all_turn_emails_includes_matches_set_apart(client, ada, match):
    Correspondence.objects.create(user=ada, match=match, timing=Timing.AT_ONCE)
    client.post(stop_page(ada), {"all": "1"})
    assert Preferences.objects.get(user=ada).timing == Timing.NEVER
    assert Correspondence.objects.get(user=ada).timing == ""


def test_a_post_that_asks_for_nothing_changes_nothing(client, ada):
    assert client.post(stop_page(ada)).status_code == 400
    assert not Preferences.objects.exists()


def test_forged_and_old_links_are_refused(client, ada):
    page = stop_page(ada)
    assert client.post(page[:-2] + "/", {"all": "1"}).status_code == 404
    with time_machine.travel(timezone.now() + LINK_LIFETIME + timedelta(days=1)):
        assert client.post(page, {"all": "1"}).status_code == 404
    assert not Preferences.objects.exists()


def test_the_page_behind_a_link_does_not_act_as_the_person_it_is_about(client, ada):
    page = client.get(stop_page(ada)).content.decode()
    assert "Log out" not in page
    assert "_auth_user_id" not in client.session


def event(kind: str, address: str) -> AnymailTrackingEvent:
    return AnymailTrackingEvent(event_type=kind, recipient=address, esp_event={})


@pytest.mark.parametrize(
    ("kind", "why"),
    [(EventType.BOUNCED, "bounced"), (EventType.REJECTED, "bounced"), (EventType.COMPLAINED, "complained")],
)
def test_a_bounce_reported_by_a_mail_service_switches_email_off_and_shows_a_banner_on_every_page(
    client, ada, kind, why
):
    tracking.send(sender=None, event=event(kind, "ADA@example.org"), esp_name="Test")
    ada.refresh_from_db()
    assert ada.mail_trouble == why
    assert not outbox.wants(ada, Kind.TURN)
    client.force_login(ada)
    for name in ("home", "lobby", "my_matches", PAGE):
        assert "don't arrive" in client.get(reverse(name)).content.decode()


@pytest.mark.parametrize("kind", [EventType.DELIVERED, EventType.DEFERRED, EventType.OPENED, EventType.UNKNOWN])
def test_other_reports_change_nothing(ada, kind):
    tracking.send(sender=None, event=event(kind, ada.email), esp_name="Test")
    ada.refresh_from_db()
    assert ada.mail_trouble == ""


def test_an_address_that_no_one_has_changes_nothing(ada):
    tracking.send(sender=None, event=event(EventType.BOUNCED, "nobody@example.org"), esp_name="Test")
    tracking.send(sender=None, event=event(EventType.BOUNCED, None), esp_name="Test")
    ada.refresh_from_db()
    assert ada.mail_trouble == ""


def test_a_new_address_switches_emails_on_again(ada):
    outbox.give_up(ada.email, "bounced")
    ada.refresh_from_db()
    ada.email = "ada@example.com"
    ada.save()
    assert ada.mail_trouble == ""
    assert outbox.wants(ada, Kind.TURN)


def test_an_address_can_be_tried_again_only_after_a_failure(client, ada):
    client.force_login(ada)
    client.post(reverse("try_address"))
    assert not OutgoingMail.objects.exists()
