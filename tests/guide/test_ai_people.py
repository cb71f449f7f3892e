"""The AI players' names and faces, and their page."""

import re

import pytest
from django.conf import settings
from django.urls import reverse

from games.ai.people import CHARACTERS, NAMES, TEMPOS, name_for, pause_of
from games.matches import service

SPRITE = settings.BASE_DIR / "static" / "img" / "ai-faces.svg"


def test_everyone_has_a_face_a_line_and_a_tempo():
    drawn = set(re.findall(r'<symbol id="(\w+)"', SPRITE.read_text()))
    assert {character.face for character in CHARACTERS} == drawn
    assert len({character.line for character in CHARACTERS}) == len(CHARACTERS)
    assert all(character.style for character in CHARACTERS)


def test_no_two_at_a_table_are_the_same():
    assert len({name_for("abc", seat) for seat in range(8)}) == 8
    usual = name_for("abc", 3)
    assert name_for("abc", 3, [usual.upper()]) != usual
    assert {name_for(str(key), 0) for key in range(200)} == set(NAMES)


def test_no_one_answers_faster_or_slower_than_people_would():
    for name in (*NAMES, "A stranger"):
        least, most = pause_of(name)
        assert 600 <= least < most <= 2000
    assert pause_of("Ada") == TEMPOS["quick"]


@pytest.mark.django_db
def test_the_page_shows_names_faces_and_levels(client):
    page = client.get(reverse("ai_players")).content.decode()
    for character in CHARACTERS:
        assert f"#{character.face}" in page
        assert character.name in page
    assert "Easy" in page
    assert "Hard" in page


def test_a_table_shows_face_and_level(client, ada, start_match):
    match = start_match("normal-cards", ada, ai={1: "hard"})
    client.force_login(ada)
    page = client.get(match.get_absolute_url()).content.decode()
    assert "ai-faces" in page
    assert '"level": "hard"' in page
    listed = client.get(reverse("my_matches")).content.decode()
    name = service.load(match.pk).sitters[1].name
    assert f"#{name.lower()}" in listed
    assert "hard" in listed
