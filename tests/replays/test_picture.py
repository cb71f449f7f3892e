"""The picture of a match: only what a spectator may see, and its URLs."""

import io
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import get_language
from PIL import Image

import games.rules
from games.matches import service
from games.replays import social_card as pictures
from tests.factories.samples import sampled

pytestmark = pytest.mark.django_db


def fetch(match):
    return Client().get(reverse("match_picture", args=[match.key]))


@pytest.mark.parametrize("slug", sampled(games.rules.by_slug(), "armani"))
def test_every_game_has_its_picture(finished, slug):
    answer = fetch(finished(slug))
    assert answer["Content-Type"] == "image/png"
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)


@pytest.mark.parametrize("slug", [rules.slug for rules in games.rules.all()])
def test_the_cards_of_a_running_match_are_those_that_all_see(start_match, ada, ben, slug):
    seats = min(games.rules.get(slug).seats)
    match = start_match(slug, ada, ben, ai=dict.fromkeys(range(2, seats), "easy"))
    table = service.load(match.pk)
    seen = {code for zone in table.state.view(None).zones for code in zone.cards or () if code}
    assert set(pictures.open_cards(table)) <= seen


def test_the_picture_is_made_once_in_a_while_and_again_when_the_match_ends(start_match, ada, ben, monkeypatch):
    match = start_match("amagande", ada, ben)
    made = []
    monkeypatch.setattr("games.replays.views.picture", lambda *_args: made.append(1) or b"png")
    fetch(match)
    fetch(match)
    assert len(made) == 1
    service.resign(match, ada)
    fetch(match)
    assert len(made) == 2


def test_each_language_has_a_picture_of_its_own(start_match, ada, ben, monkeypatch):
    match = start_match("amagande", ada, ben)
    monkeypatch.setattr("games.replays.views.picture", lambda *_args: get_language().encode())
    address = reverse("match_picture", args=[match.key])
    spoken = [Client().get(address, headers={"accept-language": language}).content for language in ("de", "en", "de")]
    assert spoken == [b"de", b"en", b"de"]


def test_an_open_table_has_no_picture_yet_and_an_unknown_one_none(ada):
    match = service.open_table(ada, "amagande", 2, {})
    assert fetch(match).status_code == 404
    assert Client().get(reverse("match_picture", args=["nothing"])).status_code == 404


def test_pages_of_a_match_name_its_picture(finished):
    match = finished("amagande")
    for name in ("match", "replay"):
        page = Client().get(reverse(name, args=[match.key])).content.decode()
        found = re.search(r'property="og:image" content="([^"]+)"', page)[1]
        assert found == f"http://testserver{reverse('match_picture', args=[match.key])}"
