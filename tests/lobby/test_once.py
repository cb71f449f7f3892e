"""One press of a button opens one table, whatever the connection does."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts import presence
from games.matches import service
from games.matches.models import Match
from games.table import opening as presses
from tests.factories.clients import QuickClient
from tests.factories.lobby import GAMES, defaults

pytestmark = pytest.mark.django_db


def browser_of(user) -> Client:
    client = QuickClient()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.mark.parametrize(
    ("name", "args", "data"),
    [
        ("quick_match", ["armed"], {}),
        ("choose", [], {"game": "armed"}),
        ("open_table", [], defaults(GAMES["armed"])),
        ("any_table", [], {}),
        ("practice_match", [], {"level": "easy"}),
    ],
)
def test_a_double_click_opens_one_table_and_leads_to_it(ada, ben, name, args, data):
    service.open_table(ben, "armed", 2, {})
    service.open_table(ben, "armed", 2, {})
    presence.mark(ben.pk)
    browser = browser_of(ada)
    address = reverse(name, args=args)
    first, second = (browser.post(address, {**data, "csrfmiddlewaretoken": "A" * 64}) for _ in range(2))
    assert first.url == second.url
    assert Match.objects.filter(seats__player=ada).count() == 1
    assert browser.post(address, {**data, "csrfmiddlewaretoken": "B" * 64}).url != first.url


def test_a_second_press_that_overtakes_the_first_leads_to_your_matches(ada, monkeypatch):
    browser = browser_of(ada)
    address = reverse("quick_match", args=["armed"])
    answers = []
    start = service.start
    data = {"csrfmiddlewaretoken": "A" * 64}
    monkeypatch.setattr(service, "start", lambda *args: answers.append(browser.post(address, data)) or start(*args))
    assert "/match/" in browser.post(address, data).url
    assert [answer.url for answer in answers] == [reverse("my_matches")]
    assert Match.objects.count() == 1


def test_a_form_with_a_fault_can_be_sent_again(ada):
    browser = browser_of(ada)
    data = {**defaults(GAMES["armed"]), "csrfmiddlewaretoken": "A" * 64}
    assert browser.post(reverse("open_table"), {**data, "seats": "9"}).status_code == 422
    assert "/match/" in browser.post(reverse("open_table"), data).url


def test_another_person_and_a_later_press_are_other_presses(ada, ben, monkeypatch):
    monkeypatch.setattr(presses, "ONE_PRESS", 0)  # here, at once means later
    data = {"csrfmiddlewaretoken": "A" * 64}
    address = reverse("quick_match", args=["armed"])
    urls = {browser_of(person).post(address, data).url for person in (ada, ben, ada)}
    assert len(urls) == 3
