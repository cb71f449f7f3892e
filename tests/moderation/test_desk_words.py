"""Texts and columns of the admin site in German."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import OutgoingMail, User
from accounts.moderation import sanctions
from accounts.moderation.models import Report, Sanction
from games.chat import lines
from games.matches import service
from games.moderation import reports
from games.site_status.models import Switches
from games.table.option_text import in_words
from tests.factories.clients import QuickClient

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


def test_waiting_items_are_on_the_first_page_and_not_on_those_of_the_sections(make_moderator):
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


def test_chat_messages_are_named_by_what_they_say_the_newest_first(make_moderator, ada, ben, start_match):
    match = start_match("amagande", ada, ben)
    seat = match.seats.get(player=ben).number
    first = lines.say(match, ben, text="You play like a wet towel, and a cold one, and you always have")
    lines.say(match, make_moderator("Moe", "talk"), text="Calm down, please")
    tara = make_moderator("Tara", "talk")
    page = page_of(tara, "talk_line_changelist")
    shown = re.findall(r'field-said"><a[^>]*>([^<]*)<.*?field-author_name[^>]*>(.*?)<.*?field-place[^>]*>(.*?)<', page)
    assert shown == [("Calm down, please", "Moe", "Zuschauer"), (first.text, "Ben", str(seat + 1))]
    assert "Ben: You play like a wet towel, and a cold o…" in page_of(tara, "talk_line_change", first.pk)


def test_a_match_shows_its_options_in_words_and_its_players_by_name(make_moderator, ada, ben, start_match):
    match = start_match("armani", ada, ben)
    awaited = match.seats.get(number=match.awaited_seats[0])
    page = page_of(make_moderator("Rolf", "results"), "games_match_change", match.pk)
    assert "{" not in re.search(r'field-options_in_words">.*?class="readonly">(.*?)</div>', page, re.DOTALL)[1]
    for option in match.rules.options:
        assert f"{in_words(match.slug, option).label}: " in page
    assert re.search(r'field-waits_for">.*?class="readonly">(.*?)</div>', page, re.DOTALL)[1] == awaited.name
    assert re.search(r'field-at_seats">.*?class="readonly">(.*?)</div>', page, re.DOTALL)[1] == "1: Ada<br>2: Ben"
    service.resign(match, ben)
    assert "1: Ada (Platz 1, " in page_of(User.objects.get(name="Rolf"), "games_match_change", match.pk)


def test_every_page_says_in_which_zone_its_times_are(make_moderator):
    anna = make_moderator("Anna", "accounts", "operations")
    for name in ("index", "moderation_sanction_changelist", "moderation_figures"):
        assert page_of(anna, name).count("Alle Zeiten sind in UTC.") == 1


def test_the_switches_lead_to_what_the_log_has_of_them(make_moderator):
    Switches.row()
    olga = make_moderator("Olga", "operations")
    link = re.search(r'href="([^"]*)" class="historylink"', page_of(olga, "operations_switches_change", 1))[1]
    client = QuickClient()
    client.force_login(olga)
    values = {"signup_open": "on", "banner": "At ten we rest.", "banner_level": "notice"}
    client.post(reverse("admin:operations_switches_change", args=[1]), values)
    assert "Schalter der Website" in client.get(link).content.decode()


def test_a_report_is_handed_to_a_desk_that_was_chosen_and_is_another_one(make_moderator, ada, ben):
    report = reports.file(ada, reports.find(ada, "player", "ben"), "respect", "He was rude.")
    page = page_of(make_moderator("Tara", "talk"), "moderation_report_change", report.pk)
    desks = re.search(r'<select name="desk" required>(.*?)</select>', page, re.DOTALL)[1]
    offered = re.findall(r'<option value="([^"]*)"[^>]*>([^<]*)<', desks)
    assert offered == [
        ("", "– wählen –"), ("moderation.handle_results", "Ergebnisse"), ("moderation.handle_accounts", "Konten"),
    ]  # fmt: skip
    Report.objects.update(desk="moderation.handle_accounts")
    page = page_of(make_moderator("Anna", "accounts"), "moderation_report_change", report.pk)
    assert '<option value="moderation.handle_talk">Chat</option>' in page
    assert '<option value="moderation.handle_accounts">' not in page


def test_a_warning_is_taken_back_with_a_reason_for_its_person(make_moderator, ada):
    tara = make_moderator("Tara", "talk")
    warning = sanctions.impose(tara, ada, "warning", "respect", "You insulted Ben.")
    sanctions.read(ada, warning.pk)
    page = page_of(tara, "moderation_sanction_change", warning.pk)
    assert "Die Person weiß von dieser Entscheidung, darum lässt sie sich nicht rückgängig machen." in page
    assert "Rückgängig" not in page
    client = QuickClient()
    client.force_login(tara)
    client.post(reverse("admin:sanction_lift", args=[warning.pk]), {"note": "It was another player."})
    assert Sanction.objects.get().lifted_by == tara
    assert "Reason: It was another player." in OutgoingMail.objects.get(key=f"lifted:{warning.pk}").text


def test_refusing_a_waiting_decision_tells_its_person_nothing(make_moderator, ada):
    anna, arno = make_moderator("Anna", "accounts"), make_moderator("Arno", "accounts")
    waits = sanctions.impose(anna, ada, "closed", "fair", "Two accounts.")
    assert "Die Person weiß" not in page_of(arno, "moderation_sanction_change", waits.pk)
    client = QuickClient()
    client.force_login(arno)
    client.post(reverse("admin:sanction_lift", args=[waits.pk]), {"note": "One is her brother's."})
    assert Sanction.objects.get().lifted_by == arno
    assert not OutgoingMail.objects.exists()
