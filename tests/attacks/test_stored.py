"""User text never becomes markup: names, chat, profiles, reports and browser names, wherever they are shown."""

import re

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.admin.sites import site
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from accounts import names
from accounts.models import OutgoingMail, User
from accounts.moderation.models import Appeal, AppealMessage, NameChange, Report, Sanction
from accounts.people.models import Profile
from accounts.settings_sections import SECTIONS
from games.chat.models import Line
from games.matches import service
from games.matches.models import Match, Seat
from games.site_status.models import Announcement

pytestmark = pytest.mark.django_db

SHOT = "\"'><img src=x onerror=alert(1)>{{7*7}}</script>"
#: The parts a browser would read as markup, in a page or in a script's data.
LIVE = re.compile(r"<img src=x|</script>\s*$|onerror=alert\(1\)>")


@pytest.fixture
def match(ada, ben, start_match) -> Match:
    """A finished match of two people whose every text is an attack, even where forms would refuse it."""
    match = start_match("basic-rummy", ada, ben)
    service.resign(match, ben)
    now = timezone.now()
    User.objects.filter(pk=ben.pk).update(name=SHOT[:24])
    Seat.objects.filter(match=match, player=ben).update(player_name=SHOT[:40])
    Profile.objects.create(user=ben, about=SHOT)
    line = Line.objects.create(match=match, seat=1, author=ben, author_name=SHOT[:40], text=SHOT)
    report = Report.objects.create(
        kind="line", rule="respect", thing=f"line:{line.pk}", reporter=ben, accused=ada, reporter_name=SHOT[:40],
        accused_name=SHOT[:40], match=match, line=line, sentence=SHOT,
        context={"talk": [{"id": line.pk, "name": SHOT, "seat": 1, "text": SHOT, "at": now.isoformat()}],
                 "profile": {"name": SHOT, "about": SHOT}},
    )  # fmt: skip
    Report.objects.create(
        kind="player", rule="respect", thing="player:ben", reporter=ada, accused=ben, reporter_name="Ada",
        accused_name=SHOT[:40], sentence=SHOT, closed_at=now, outcome="upheld", answer=SHOT,
    )  # fmt: skip
    sanction = Sanction.objects.create(
        person=ada, person_name=SHOT[:40], kind="silence", rule="respect", reason=SHOT, report=report, in_force_at=now
    )
    appeal = Appeal.objects.create(sanction=sanction)
    AppealMessage.objects.create(appeal=appeal, author=ada, text=SHOT)
    NameChange.objects.create(user=ada, old_name=SHOT[:40], new_name="Ada")
    Announcement.objects.create(text=SHOT)
    Authenticator.objects.create(user=ada, type="webauthn", data={"name": SHOT, "credential": {}})
    OutgoingMail.objects.create(to="ada@example.org", subject=SHOT, text=SHOT, html=SHOT)
    return match


def test_no_name_can_be_markup():
    with pytest.raises(ValidationError):
        names.validate(SHOT[:24])


def test_words_show_on_every_page_as_words(client, ada, ben, match):
    ada.is_staff = ada.is_superuser = True
    ada.save()
    client.force_login(ada)
    UserSession.objects.create(user=ada, ip="192.0.2.1", user_agent=SHOT, session_key=client.session.session_key)
    line, report, appeal = Line.objects.get(), Report.objects.get(accused=ada), Appeal.objects.get()
    paths = [
        reverse("home"), reverse("lobby"), reverse("my_matches"), reverse("friends"), match.get_absolute_url(),
        reverse("player", args=["ben"]), reverse("replay", args=[match.key]), reverse("check", args=[match.key]),
        reverse("report", args=["player", "ben"]), reverse("report", args=["line", f"{match.key}-{line.pk}"]),
        reverse("match_talk", args=[match.key]), reverse("account_settings"), reverse("mfa_list_webauthn"),
        *(reverse(section.url_name) for section in SECTIONS),
    ]  # fmt: skip
    for model in (User, Line, Report, Sanction, Appeal, NameChange, Announcement, Match, OutgoingMail):
        if site.is_registered(model):
            page = f"admin:{model._meta.app_label}_{model._meta.model_name}"
            paths.append(reverse(f"{page}_changelist"))
            row = {Report: report, Appeal: appeal, User: ben, Match: match}.get(model) or model.objects.first()
            paths.append(reverse(f"{page}_change", args=[row.pk]))
    live, shown = {}, 0
    for path in paths:
        response = client.get(path)
        assert response.status_code in (200, 302, 403), path
        if response.get("Content-Type", "").startswith("text/html"):
            page = response.content.decode()
            shown += "&lt;img src=x" in page
            if LIVE.search(page):
                live[path] = LIVE.search(page)[0]
            # In any order, because the directives come from a set.
            assert "script-src 'self'" in response["Content-Security-Policy"].split("; "), path
    assert live == {}
    assert shown >= 8


def test_words_in_an_export_are_words(client, ada, match):
    Authenticator.objects.all().delete()  # nothing to be asked for first
    client.force_login(ada)
    page = client.post(reverse("export"), {"form": "html"}).content.decode()
    assert "&lt;img src=x" in page
    assert not LIVE.search(page.removesuffix("\n"))
