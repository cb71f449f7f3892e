"""The desk's page of a person: what each role sees, and what two moderators do together."""

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.moderation import sanctions
from accounts.moderation.models import AuditEntry, NameChange, Sanction
from games.chat import lines
from games.moderation import reports
from games.moderation.models import SimilarLook
from tests.factories.desk import browser_of, do, press

pytestmark = pytest.mark.django_db


def page_of(client, person) -> str:
    answer = client.get(reverse("admin:person_file", args=[person.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def similar_to(client, person) -> str:
    answer = client.get(reverse("admin:person_similar", args=[person.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def session_of(person, ip, agent="Firefox"):
    return UserSession.objects.create(user=person, ip=ip, user_agent=agent, session_key=f"{person.pk} {ip} {agent}")


def test_each_role_finds_what_it_needs_and_no_more(make_moderator, ada, ben, start_match):
    match = start_match("basic-rummy", ada, ben)
    lines.say(match, ben, text="You play like a wet towel.")
    NameChange.objects.create(user=ben, old_name="Benno", new_name="Ben")
    session_of(ben, "192.0.2.7")
    reports.file(ada, reports.find(ada, "player", "ben"), "respect", "He was rude.")
    reports.file(ada, reports.find(ada, "match", match.key), "fair", "Strange.")
    sanctions.impose(make_moderator("Moe", "talk"), ben, "warning", "respect", "You insulted Ada.")
    everybody = ("You insulted Ada.", "wet towel", reverse("match", args=[match.key]))
    shown = {
        "talk": ("He was rude.",),
        "results": (),
        "accounts": ("He was rude.", "Benno", ben.email),
    }
    hidden = {"talk": ("Benno", ben.email), "results": ("He was rude.", "Benno", ben.email), "accounts": ()}
    for role, texts in shown.items():
        page = page_of(browser_of(make_moderator(f"Role {role}", role)), ben)
        assert [text for text in (*everybody, *texts) if text not in page] == []
        assert [text for text in (*hidden[role], "192.0.2.7", "pbkdf2", "argon2") if text in page] == []


def test_sessions_are_shown_to_one_role_and_each_look_is_logged(make_moderator, ada):
    session_of(ada, "192.0.2.7")
    anna = browser_of(make_moderator("Anna", "accounts"))
    assert "192.0.2.7" in do(anna, ada, "sessions")
    assert AuditEntry.objects.filter(action="look at sessions", target=f"user:{ada.pk}").count() == 1
    tara = browser_of(make_moderator("Tara", "talk"))
    assert "Your roles don&#x27;t allow this." in do(tara, ada, "sessions")
    assert AuditEntry.objects.filter(action="look at sessions").count() == 1


def test_notes_are_for_moderators(make_moderator, ada):
    tara = browser_of(make_moderator("Tara", "talk"))
    press(tara, ada, "note", text="Her brother plays from the same address.")
    assert "Write a note" in do(tara, ada, "note", text=" ")
    page = page_of(browser_of(make_moderator("Anna", "accounts")), ada)
    assert "Tara</strong>" in page
    assert "Her brother plays" in page
    assert "Her brother" not in browser_of(ada).get(reverse("player", args=["ada"])).content.decode()


def test_similar_accounts_are_shown_when_two_agree_and_to_these_two(
    make_moderator, ada, ben, make_player, time_machine
):
    anna, arno, alva = (make_moderator(name, "accounts") for name in ("Anna", "Arno", "Alva"))
    twin, neighbour = make_player("Twin"), make_player("Neighbour")
    session_of(ada, "192.0.2.7")
    session_of(twin, "192.0.2.7")
    session_of(neighbour, "192.0.2.7", "Safari")
    session_of(ben, "192.0.2.8")
    for person in (ada, ben, twin, neighbour):
        person.email = f"{person.name_key}@{'mail' if person != ben else 'rare'}.example"
        person.save(update_fields=["email"])
    assert "Say why" in do(browser_of(anna), ada, "ask", reason="")
    press(browser_of(anna), ada, "ask", reason="Twin always loses to her.")
    waits = f'href="{reverse("admin:person_similar", args=[ada.pk])}"'
    assert waits in browser_of(arno).get(reverse("admin:index")).content.decode()
    assert waits not in browser_of(anna).get(reverse("admin:index")).content.decode()
    assert "Another moderator has to agree." in do(browser_of(anna), ada, "agree")
    assert "Twin</a>" not in similar_to(browser_of(anna), ada)
    page = do(browser_of(arno), ada, "agree")
    assert "Twin</a>: address and device, email domain" in page
    assert "Neighbour</a>: address, email domain" in page
    assert "Ben</a>:" not in page
    assert "Twin</a>" in similar_to(browser_of(anna), ada)
    assert "Twin</a>" not in similar_to(browser_of(alva), ada)
    assert "None." not in similar_to(browser_of(alva), ada)
    time_machine.move_to(timezone.now() + timedelta(hours=25))
    assert "Twin</a>" not in similar_to(browser_of(anna), ada)
    actions = set(AuditEntry.objects.filter(target=f"user:{ada.pk}").values_list("action", flat=True))
    assert actions == {"ask for similar accounts", "agree to similar accounts"}


def test_the_database_requires_two_moderators_to_see_similar_accounts(make_moderator, ada):
    anna = make_moderator("Anna", "accounts")
    with pytest.raises(IntegrityError), transaction.atomic():
        SimilarLook.objects.create(person=ada, asked_by=anna, agreed_by=anna, reason="x")


def test_a_person_is_judged_without_a_report(make_moderator, ada):
    tara = browser_of(make_moderator("Tara", "talk"))
    assert "Say how long it lasts." in do(tara, ada, "decide", rule="spam", kind="silence", ready="spam")
    page = page_of(tara, ada)
    assert 'value="annulled"' not in page
    assert 'value="suspended"' not in page
    assert "in force" in do(tara, ada, "decide", rule="spam", kind="silence", hours="24", ready="spam")
    decision = Sanction.objects.get()
    assert (decision.person, decision.rule, decision.report) == (ada, "spam", None)


def test_one_s_own_page_and_a_friend_s_are_left_to_others(make_moderator, ada):
    from accounts.people.models import Friendship

    anna = make_moderator("Anna", "accounts")
    Friendship.objects.create(asker=anna, other=ada, accepted_at=timezone.now())
    client = browser_of(anna)
    for person in (anna, ada):
        assert "Leave it to others." in page_of(client, person)
        press(client, person, "note", text="A fine person.")
        press(client, person, "sessions")
        assert not person.moderator_notes.exists()
    assert not AuditEntry.objects.exists()
