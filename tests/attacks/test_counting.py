"""Numbers in URLs can be guessed: what a visitor may not see answers like what doesn't exist.

A new URL with a number in it fails here until it has a row. Those of the admin site are in the table of roles, and the
page of reports, which takes numbers too, has tests of its own with those of moderation.
"""

import time
from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.messages import get_messages
from django.urls import resolve, reverse
from django.utils import timezone

from accounts.moderation.models import Report, Sanction
from accounts.playing_times.models import Leave
from games.matches.models import Move
from games.moderation.models import Question
from games.site_status.models import Announcement
from tests.factories.addresses import addresses, bare
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db

#: Only on a developer's machine.
MAILBOX = {"mailbox_mail", "mailbox_html"}


@pytest.fixture
def quinn(make_player):
    return make_player("Quinn")


@pytest.fixture
def rows(ada, quinn, start_match):
    """By URL: rows of Ada's, and some of Quinn's own that Quinn may not see yet."""
    now = timezone.now()
    match = start_match("amagande", ada, ai={1: "easy"})
    move = Move.objects.create(match=match, number=1, seat=1, move="draw", at=now, source="ai", request_id="x")
    decided = {"rule": "respect", "reason": "Rude."}
    sanctions = [
        Sanction.objects.create(person=ada, person_name="Ada", kind="warning", in_force_at=now, **decided),
        Sanction.objects.create(person=quinn, person_name="Quinn", kind="closed", **decided),
    ]
    about_quinn = Report.objects.create(
        kind="player", rule="respect", thing="player:quinn", reporter=ada, accused=quinn, sentence="Rude."
    )
    key = Authenticator.objects.create(user=ada, type="webauthn", data={"name": "Key", "credential": {}})
    leave = {"ends_at": now + timedelta(days=2), "days": 1}
    return {
        "account_end_session": [UserSession.objects.create(user=ada, ip="192.0.2.1", user_agent="x", session_key="x")],
        "answer_question": [Question.objects.create(report=about_quinn, asked=ada, text="What happened?")],
        "appeal": sanctions,
        "dismiss": [Announcement.objects.create(text="Soon!", starts_at=now + timedelta(days=1))],
        "leave_give_back": [
            Leave.objects.create(user=ada, starts_at=now + timedelta(days=1), **leave),
            Leave.objects.create(user=quinn, starts_at=now, is_automatic=True, **leave),
        ],
        "mfa_edit_webauthn": [key],
        "mfa_remove_webauthn": [key],
        "read_sanction": sanctions,
        "report_ai_move": [move],
    }


def answers(person, name, *args):
    """The responses that a newly logged-in user gets from a URL when viewing it and when sending a form."""
    client = QuickClient()
    client.force_login(person)
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": time.time()}]
    session.save()
    sent = [send(reverse(name, args=args), {"text": "No.", "name": "X"}) for send in (client.get, client.post)]
    return [
        (each.status_code, each.get("Location"), [str(said) for said in get_messages(each.wsgi_request)], bare(each))
        for each in sent
    ]


def test_every_address_with_a_number_has_its_row(rows):
    counted = {
        name for name, path in addresses() if any(isinstance(value, int) for value in resolve(path).kwargs.values())
    }
    assert counted - MAILBOX == set(rows)


def test_another_persons_row_answers_like_a_missing_one_and_stays_unchanged(rows, quinn):
    told, changed = [], []
    for name, there in rows.items():
        for row in there:
            before = type(row).objects.filter(pk=row.pk).values().get()
            of_move = isinstance(row, Move)
            numbers = (row.number, 9999) if of_move else (row.pk, row.pk + 9999)
            known, unknown = (answers(quinn, name, *([row.match.key] if of_move else []), number) for number in numbers)
            if known != unknown:
                told.append((name, row))
            if before != type(row).objects.filter(pk=row.pk).values().first():
                changed.append((name, row))
    assert (told, changed) == ([], [])
