"""The list of games, and the defaults in each game's table form."""

import html
import json
import re

import pytest
from django.test import Client

from games import rules
from games.engine import Subset
from games.lobby import catalogue
from games.table.pitch import pitch

GAMES = {game.slug: game for game in rules.all()}


def test_every_game_is_offered_once_and_armani_first() -> None:
    offered = [offer.rules.slug for offer in catalogue.offers()]
    assert offered[0] == "armani"
    assert sorted(offered) == sorted(GAMES)


def test_a_game_is_described_by_the_first_sentence_of_its_rules(client: Client, db: None) -> None:
    home, learn = (html.unescape(client.get(path).content.decode()) for path in ("/", "/learn/"))
    for offer in catalogue.offers():
        assert re.fullmatch(r"[^<>&]+\.", offer.pitch), offer
        assert offer.pitch in home
        assert offer.pitch.rstrip(".") in html.unescape(client.get(f"/rules/{offer.rules.slug}/").content.decode())
        assert offer.pitch in learn


def test_a_game_without_a_rules_page_has_no_sentence() -> None:
    assert pitch("whist") == ""


@pytest.mark.parametrize("slug", GAMES)
def test_the_form_carries_the_declared_proposals_for_both_clocks(client: Client, db: None, slug: str) -> None:
    page = client.get("/lobby/new/", {"game": slug}).content.decode()
    carried = [
        (json.loads(html.unescape(live)), json.loads(html.unescape(by_mail)))
        for live, by_mail in re.findall(r'data-live="([^"]*)" data-by-mail="([^"]*)"', page)
    ]
    declared = []
    for option in GAMES[slug].options:
        values = [option.default, option.by_mail]
        if isinstance(option.choices, Subset):
            values = [[name for name in value if name not in option.choices.always] for value in values]
        declared.append(tuple(values))
    assert carried == declared
