"""The pages below the desk's first page use the site's language, in English and German."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.playing_times.models import PlayingTimes
from games.ai_reports.models import AiCase
from games.matches.slap_points.models import SlapPoint, Watch
from games.site_status.models import Announcement
from games.slaps.models import Flag
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db

#: Texts of Django's own German and English pages.
NOT_OURS = re.compile(r"administration\b|Administration\b|\bSie\b|Sichern|Save and|I’m sure|WebAuthn|TOTP")


@pytest.fixture
def boss(make_player) -> User:
    person = make_player("Boss")
    person.is_staff = person.is_superuser = True
    person.save()
    return person


@pytest.fixture
def desk(boss) -> Client:
    client = QuickClient()
    client.force_login(boss)
    return client


def text_of(page: str) -> str:
    """The text of a page, without markup."""
    page = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", page, flags=re.DOTALL)
    shown = re.sub(r"<[^>]*>", " ", page)
    return shown + " ".join(re.findall(r'<input type="submit" value="([^"]*)"', page))


def test_the_way_to_a_list_names_nothing_twice(desk):
    ways = []
    for model in filter(admin.site.is_registered, apps.get_models()):
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        page = desk.get(address, follow=True).content.decode()
        way = page.partition('<div class="breadcrumbs">')[2].partition("</div>")[0]
        ways.append([part.strip() for part in unescape(re.sub("<.*?>", "", way)).split("›")])
    assert len(ways) > 20
    assert [way for way in ways if len(set(way)) < len(way)] == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_page_uses_djangos_own_words(desk, boss, ada, language):
    factor = Authenticator.objects.create(user=ada, type="totp", data={})
    news = Announcement.objects.create(text="New cards!")
    rows = {"accounts_user": ada, "mfa_authenticator": factor, "operations_announcement": news}
    names = {f"{model._meta.app_label}_{model._meta.model_name}" for model in apps.get_models()
             if admin.site.is_registered(model)}  # fmt: skip
    pages = [reverse("admin:app_list", args=[name.split("_")[0]]) for name in sorted(names)]
    pages += [reverse(f"admin:{name}_changelist") for name in sorted(names)]
    pages += [reverse(f"admin:{name}_{page}", args=[row.pk])
              for name, row in rows.items() for page in ("change", "delete", "history")]  # fmt: skip
    pages += [reverse("admin:accounts_user_add"), reverse("admin:operations_announcement_add")]
    wrong = {}
    for page in dict.fromkeys(pages):
        answer = desk.get(page, headers={"accept-language": language}, follow=True)
        assert answer.status_code == 200, page
        if found := NOT_OURS.findall(text_of(answer.content.decode())):
            wrong[page] = found
    assert wrong == {}


def test_an_empty_list_says_so_and_offers_nothing_to_choose(desk, ada):
    flags = reverse("admin:slaps_flag_changelist")
    page = desk.get(flags).content.decode()
    assert "nothing here yet" in text_of(page).replace("&#x27;", "'")
    Flag.objects.create(player=ada, kind="median", figure=187, cards=20, last="x 1")
    page = desk.get(flags, {"kind__exact": "steady"}).content.decode()
    assert "with this search and these filters" in page
    failures = desk.get(reverse("admin:operations_failure_changelist")).content.decode()
    assert 'name="action"' not in failures


def test_the_page_of_a_reported_move_hides_the_move_while_its_match_runs(desk, ada, ben, start_match):
    match = start_match("armed", ada, ben)
    case = AiCase.objects.create(
        match=match, number=1, seat=0, level="easy", name="Ida", move="sealed:QS", record={"slug": "armed"}, view={}
    )
    for page in (reverse("admin:cases_aicase_changelist"), reverse("admin:cases_aicase_change", args=[case.pk])):
        shown = desk.get(page).content.decode()
        assert "Ida" in shown
        # As a word of its own: the random tokens of forms may contain these two letters.
        assert not re.search(r"\bQS\b", shown)


def test_operators_see_who_watches_a_slap_point(make_moderator, ada, ben, start_match):
    point = SlapPoint.objects.create(match=start_match("armani", ada, ben), version=0, opened_at=timezone.now())
    Watch.objects.create(point=point, seat=1)
    client = QuickClient()
    client.force_login(make_moderator("Olga", "operations"))
    page = client.get(reverse("admin:points_slappoint_change", args=[point.pk])).content.decode()
    assert re.search(r"field-player.*?Ben", page, re.DOTALL)


def test_times_of_an_announcement_are_those_of_where_its_writer_lives(desk, boss):
    PlayingTimes.objects.create(user=boss, zone="Europe/Vienna")
    sent = {"text": "A pause at ten.", "starts_at": "2026-07-01T10:00", "ends_at": ""}
    desk.post(reverse("admin:operations_announcement_add"), sent)
    news = Announcement.objects.get()
    assert news.starts_at == datetime(2026, 7, 1, 8, tzinfo=UTC)
    page = desk.get(reverse("admin:operations_announcement_change", args=[news.pk])).content.decode()
    assert 'value="2026-07-01T10:00"' in page


def test_a_password_is_changed_on_the_sites_own_page(desk):
    assert desk.get(reverse("admin:password_change")).url == reverse("account_change_password")
