"""The admin site by role: visible pages and allowed actions; only the match service changes matches."""

import re

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.models import AuditEntry, Report, Sanction
from accounts.personal_data import FORMER
from games.matches import service
from games.matches.models import Match
from games.moderation import reports
from games.moderation.answers import ANSWERS, REASONS
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db


def logged_in(user) -> Client:
    client = QuickClient()
    client.force_login(user)
    return client


def test_moderators_read_people_and_give_no_one_rights(make_moderator, ada):
    client = logged_in(make_moderator("Role", "accounts"))
    address = reverse("admin:accounts_user_change", args=[ada.pk])
    assert client.get(address).url == reverse("admin:person_file", args=[ada.pk])
    assert client.post(address, {"name": "Ada", "is_superuser": "on", "is_staff": "on"}).status_code == 403
    ada.refresh_from_db()
    assert not ada.is_staff


def file(reporter, accused, rule="respect"):
    return reports.file(reporter, reports.find(reporter, "player", accused.name_key), rule, "It was not nice.")


def test_the_queue_has_the_reports_of_a_role(make_moderator, ada, ben):
    file(ada, ben, "respect")
    file(ben, ada, "fair")
    for role, seen, unseen in (("talk", ben, ada), ("results", ada, ben)):
        client = logged_in(make_moderator(f"Role {role}", role))
        own = Report.objects.get(accused=seen)
        other = Report.objects.get(accused=unseen)
        page = client.get(reverse("admin:moderation_report_changelist")).content.decode()
        assert reverse("admin:moderation_report_change", args=[own.pk]) in page
        assert reverse("admin:moderation_report_change", args=[other.pk]) not in page
        assert client.get(reverse("admin:moderation_report_change", args=[other.pk])).status_code == 404
        assert client.post(reverse("admin:report_claim", args=[other.pk])).status_code == 404


def test_the_lists_take_a_fixed_number_of_queries(make_moderator, ada, ben, make_player, django_assert_max_num_queries):
    client = logged_in(make_moderator("Role", "talk"))
    for n in range(12):
        file(make_player(f"Reporter{n}"), ben)
    with django_assert_max_num_queries(14):
        client.get(reverse("admin:moderation_report_changelist"))


def test_a_report_is_handled_from_claim_to_answer(make_moderator, ada, ben):
    report = file(ada, ben)
    tara = make_moderator("Tara", "talk")
    client = logged_in(tara)

    def post(command, **data):
        return client.post(reverse(f"admin:report_{command}", args=[report.pk]), data, follow=True).content.decode()

    assert "Claim the report first" in post("sanction", kind="silence", hours=24, reason="You were rude.")
    post("claim")
    assert "Select a valid choice" in post("sanction", kind="suspended", hours=24, reason="You were rude.")
    assert "in force" in post("sanction", kind="silence", hours=24, reason="You were rude.")
    decision = Sanction.objects.get()
    assert (decision.person, decision.report, decision.rule) == (ben, report, "respect")
    assert decision.until is not None
    assert "answer to the reporter" in post("close", outcome="upheld")
    post("close", outcome="upheld", ready="done")
    report.refresh_from_db()
    assert report.outcome == "upheld"
    assert "we've acted" in report.answer
    assert "we&#x27;ve acted" in logged_in(ada).get(reverse("my_reports")).content.decode()


def test_a_lasting_decision_needs_a_length_and_the_next_proposal_is_longer(make_moderator, ada, ben):
    tara = make_moderator("Tara", "talk")
    report = file(ada, ben)
    desk = reverse("admin:moderation_report_change", args=[report.pk])
    client = logged_in(tara)
    client.post(reverse("admin:report_claim", args=[report.pk]))
    decide = reverse("admin:report_sanction", args=[report.pk])
    assert "Suggested, based on earlier decisions: a day." in client.get(desk).content.decode()
    for length in ({}, {"hours": ""}):
        page = client.post(decide, {"kind": "silence", "ready": "insult", **length}).content.decode()
        assert "Say how long it lasts." in page
    assert not Sanction.objects.exists()
    assert "Choose a reason" in client.post(decide, {"kind": "warning"}).content.decode()
    client.post(decide, {"kind": "silence", "hours": 24, "ready": "insult"})
    assert "Suggested, based on earlier decisions: three days." in client.get(desk).content.decode()
    sanctions.lift(tara, Sanction.objects.get(), note="A mistake.")
    assert "Suggested, based on earlier decisions: a day." in client.get(desk).content.decode()
    client.post(decide, {"kind": "warning", "ready": "insult"})
    assert Sanction.objects.get(kind="warning").until is None


def test_preset_texts_are_in_the_language_of_their_reader(make_moderator, ada, ben):
    for person in (ada, ben):
        person.language = "de"
        person.save(update_fields=["language"])
    report = file(ada, ben)
    client = logged_in(make_moderator("Tara", "talk"))
    client.post(reverse("admin:report_claim", args=[report.pk]))
    client.post(reverse("admin:report_sanction", args=[report.pk]), {"kind": "warning", "ready": "insult"})
    client.post(reverse("admin:report_close", args=[report.pk]), {"outcome": "upheld", "ready": "done"})
    report.refresh_from_db()
    with translation.override("de"):
        assert (Sanction.objects.get().reason, report.answer) == (str(REASONS["insult"]), str(ANSWERS["done"]))
    assert report.answer != str(ANSWERS["done"])


def test_no_one_is_notified_of_a_decision_before_it_is_in_force(make_moderator, ada, ben):
    anna, arno = make_moderator("Anna", "accounts"), make_moderator("Arno", "accounts")
    report = file(ada, ben)
    client = logged_in(anna)
    client.post(reverse("admin:report_claim", args=[report.pk]))
    client.post(reverse("admin:report_sanction", args=[report.pk]), {"kind": "closed", "hours": 0, "ready": "insult"})
    close = reverse("admin:report_close", args=[report.pk])
    page = client.post(close, {"outcome": "upheld", "ready": "done"}, follow=True).content.decode()
    assert "waits for a second moderator" in page
    report.refresh_from_db()
    assert report.closed_at is None
    sanctions.confirm(arno, Sanction.objects.get())
    client.post(close, {"outcome": "upheld", "ready": "done"})
    report.refresh_from_db()
    assert report.outcome == "upheld"


def test_a_decision_is_taken_back_for_a_reason_that_the_log_keeps(make_moderator, ada):
    anna = make_moderator("Anna", "accounts")
    decision = sanctions.impose(anna, ada, "silence", "respect", "You insulted Ben.")
    address = reverse("admin:moderation_sanction_changelist")
    data = {"action": "lift", "_selected_action": [decision.pk]}
    client = logged_in(anna)
    assert "Give a reason" in client.post(address, data, follow=True).content.decode()
    decision.refresh_from_db()
    assert decision.lifted_at is None
    client.post(address, {**data, "note": "It was the wrong person."})
    assert AuditEntry.objects.get(action="lift").note == "It was the wrong person."


def test_decisions_that_wait_for_a_second_moderator_have_a_filter(make_moderator, ada, ben):
    anna = make_moderator("Anna", "accounts")
    waiting = sanctions.impose(anna, ada, "closed", "fair", "Two accounts at a table.")
    holds = sanctions.impose(anna, ben, "silence", "respect", "You insulted Ada.")
    listed = reverse("admin:moderation_sanction_changelist")
    for state, shown in (("waits", waiting), ("force", holds), ("back", None)):
        page = logged_in(anna).get(listed, {"state": state}).content.decode()
        for each in (waiting, holds):
            assert (reverse("admin:moderation_sanction_change", args=[each.pk]) in page) == (each == shown)


def test_looking_at_a_table_needs_the_power_and_is_logged(make_moderator, start_match, ada, ben):
    match = start_match("basic-rummy", ada, ben)
    report = reports.file(ada, reports.find(ada, "match", match.key), "other", "Something is wrong.")
    report.accused = ben
    report.save()
    look = reverse("admin:report_look", args=[report.pk])
    mine = str(service.load(match.pk).state.view(1).zone("hand:1").count)
    assert logged_in(make_moderator("Tara", "talk")).post(look).status_code == 403
    assert not AuditEntry.objects.exists()
    rolf = make_moderator("Rolf", "results")
    page = logged_in(rolf).post(look).content.decode()
    assert re.search(rf"Ben: [^<]*\({mine}\)</h3>\s*<\w", page)
    entry = AuditEntry.objects.get(action="look at table")
    assert (entry.actor_name, entry.after) == ("Rolf", {"seat": 1, "version": 0})
    # A look without pressing the button doesn't count.
    assert "Ben: " not in logged_in(rolf).get(look, follow=True).content.decode()


def test_a_moderator_gets_no_report_of_a_match_that_they_are_playing(make_moderator, make_player, start_match, ada):
    """Their desk would show hands and spectators' chat."""
    rolf, cleo = make_moderator("Rolf", "talk", "results"), make_player("Cleo")
    match = start_match("basic-rummy", ada, rolf)
    report = reports.file(cleo, reports.find(cleo, "match", match.key), "fair", "They show each other their cards.")
    Report.objects.update(accused=ada)
    client = logged_in(rolf)
    desk = reverse("admin:moderation_report_change", args=[report.pk])
    look = reverse("admin:report_look", args=[report.pk])
    assert client.get(desk).status_code == client.post(look).status_code == 404
    assert desk not in client.get(reverse("admin:moderation_report_changelist")).content.decode()
    assert not AuditEntry.objects.exists()
    assert logged_in(make_moderator("Tara", "results")).get(desk).status_code == 200
    service.resign(match, ada)
    assert client.get(desk).status_code == 200


def test_a_second_moderator_confirms_in_the_admin(make_moderator, ada):
    anna, arno = make_moderator("Anna", "accounts"), make_moderator("Arno", "accounts")
    decision = sanctions.impose(anna, ada, "closed", "fair", "Two accounts at a table.")
    address = reverse("admin:moderation_sanction_changelist")
    data = {"action": "confirm", "_selected_action": [decision.pk]}
    assert "Another moderator has to confirm" in logged_in(anna).post(address, data, follow=True).content.decode()
    assert "in force" in logged_in(arno).post(address, data, follow=True).content.decode()
    ada.refresh_from_db()
    assert not ada.is_active


def test_a_player_who_was_made_without_a_name_gets_one_and_pages_work(client):
    boss = User.objects.create_superuser("boss@example.org", name="")
    other = User.objects.create_superuser("other@example.org")
    assert boss.name.startswith("Player ")
    assert boss.name != other.name
    client.force_login(boss)
    # Error pages have the same header as all pages, with a link to the user's own page.
    assert client.get("/admin/nothing/").status_code == 404
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.filter(pk=boss.pk).update(name="", name_key="")


def test_an_administrator_deletes_an_account_as_its_owner_would(client, ada, ben, mia, start_match, mailoutbox):
    match = start_match("basic-rummy", ada, ben)
    client.force_login(User.objects.create_superuser("boss@example.org", name="Boss"))
    address = reverse("admin:accounts_user_delete", args=[ada.pk])
    assert "Ada" in client.get(address).content.decode()
    assert client.post(address, {"post": "yes"}, follow=True).redirect_chain[-1][0].endswith("/accounts/user/")
    assert not User.objects.filter(pk=ada.pk).exists()
    match.refresh_from_db()
    assert match.status == Match.Status.OVER
    assert match.seats.get(player=ben).place == 1
    assert match.seats.get(player=None).name == FORMER
    assert [(each.to, each.subject) for each in mailoutbox] == [(["ada@example.org"], "Your Armani account is deleted")]
    logged = AuditEntry.objects.get(action="delete account")
    assert (logged.target, logged.target_name, logged.actor_name) == (f"user:{ada.pk}", FORMER, "Boss")
    # Roles go first, and no list has a quicker way.
    assert client.post(reverse("admin:accounts_user_delete", args=[mia.pk]), {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [ben.pk], "post": "yes"}
    client.post(reverse("admin:accounts_user_changelist"), chosen)
    assert User.objects.filter(pk__in=[ben.pk, mia.pk]).count() == 2


def test_a_decisions_page_is_in_german_and_links_to_its_log_and_its_person(make_moderator, ada):
    anna = make_moderator("Anna", "accounts")
    decision = sanctions.impose(anna, ada, "silence", "respect", "You insulted Ben.")
    client = Client(headers={"accept-language": "de"})
    client.force_login(anna)
    page = client.get(reverse("admin:moderation_sanction_change", args=[decision.pk])).content.decode()
    assert "<h1>Maßnahme</h1>" in page
    assert "Verhängt von" in page
    assert "Imposed by" not in page
    assert f'href="{reverse("admin:person_file", args=[ada.pk])}"' in page
    log = f"{reverse('admin:moderation_auditentry_changelist')}?q=sanction:{decision.pk}"
    assert f'href="{log}"' in page
    assert "Anna" in client.get(log).content.decode()
    listed = client.get(reverse("admin:moderation_sanction_changelist")).content.decode()
    assert "Respekt</td>" in listed
    assert "1 Eintrag" in listed
