"""Words and columns of the admin site as Germans find them."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import OutgoingMail

pytestmark = pytest.mark.django_db


def page_of(moderator, name, *args) -> str:
    moderator.language = "de"
    moderator.save(update_fields=["language"])
    client = Client(headers={"accept-language": "de"})
    client.force_login(moderator)
    return client.get(reverse(f"admin:{name}", args=args)).content.decode()


def test_people_and_emails_are_called_the_same_everywhere(make_moderator):
    anna = make_moderator("Anna", "accounts", "operations")
    page = page_of(anna, "index")
    assert "Personen und E-Mail" in page
    assert "Zweite Faktoren" in page
    assert not re.search(r"Leute|Post\b|uthenticator", re.sub(r"<[^>]*>", " ", page))


def test_what_waits_is_on_the_first_page_and_not_on_those_of_the_applications(make_moderator):
    anna = make_moderator("Anna", "accounts")
    assert "Was wartet" in page_of(anna, "index")
    page = page_of(anna, "app_list", "moderation")
    assert "Was wartet" not in page
    assert "Meldungen" in page


def test_times_in_a_list_are_short_in_german_too(make_moderator, ada, time_machine):
    time_machine.move_to("2026-11-22 12:00Z", tick=False)
    OutgoingMail.objects.create(to=ada.email, subject="Hello", sent_at=None)
    page = page_of(make_moderator("Olga", "operations"), "accounts_outgoingmail_changelist")
    shown = re.findall(r'class="field-(created_at|sent_at)[^>]*>([^<]*)<', page)
    assert shown[0][0] == "created_at"
    assert re.fullmatch(r"22\.11\.2026 \d\d:00", shown[0][1])
    assert shown[1] == ("sent_at", "–")
