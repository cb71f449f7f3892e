"""No page about a running match depends on cards hidden from its reader, in any game.

The hidden cards are dealt again, without any visible change; then every page must stay the same. Sentences about moves
are read and cached before: which of them a player may read is covered by a law of the rules.
"""

import re
from collections.abc import Iterator
from random import Random

import pytest
from django.test import Client
from django.urls import resolve, reverse

from games import rules
from games.matches import service
from games.matches.models import Match
from tests.factories.addresses import addresses, bare, refuse_plainly

pytestmark = pytest.mark.django_db

#: Moves played: to the middle of all games, with cards in hands, stacks and piles.
MOVES = 12
#: Games of the default run: one with hands, one with stacks that no player sees.
USUAL = ("amagande", "armani")
GAMES = [pytest.param(each.slug, marks=[] if each.slug in USUAL else pytest.mark.whole_match) for each in rules.all()]


def play(match: Match) -> None:
    """Make some moves, or let the table turn cards."""
    rng = Random(match.slug)
    for number in range(MOVES):
        table = service.load(match.pk)
        if table.forced_step():
            service.step(match.pk, table.version)
            continue
        seat = table.state.to_move()[0]
        moves = [move for move in table.state.legal_moves(seat) if move != "slap"]
        player = match.seats.get(number=seat).player
        service.act(
            match.pk, seat, rng.choice(moves), request_id=f"m{number}", seen_version=table.version, player=player
        )


def paths_about(key: str) -> list[str]:
    """Every URL about the match."""
    about = [path for _name, path in addresses() if resolve(path).kwargs.get("key") == "x" and "/match/" in path]
    return [path.replace("/match/x/", f"/match/{key}/") for path in about]


def pages(client: Client, paths: list[str]) -> Iterator[tuple[str, str]]:
    """Those of these URLs that answer with a page, and their responses."""
    for path in paths:
        answer = client.get(path)
        if answer.status_code == 200:
            text = bare(answer) if answer["Content-Type"].startswith("text") else repr(answer.content)
            # Without the random id of the form's next move.
            yield path, re.sub(r'name="id" value="[0-9a-f]{32}"', "", text)


@pytest.mark.parametrize("slug", GAMES)
def test_no_page_depends_on_a_card_that_its_reader_does_not_see(
    slug, ada, ben, make_player, make_moderator, start_match, monkeypatch, time_machine
):
    refuse_plainly(monkeypatch)
    match = start_match(slug, ada, ben)
    play(match)
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    time_machine.move_to(match.turn_since or match.started_at, tick=False)
    table = service.load(match.pk)
    state, rng = table.state, Random(slug)

    def store(hands: object) -> None:
        table.state = hands
        Match.objects.filter(pk=match.pk).update(snapshot=table.to_snapshot(), snapshot_version=table.version)
        service.forget_all()

    staff = make_moderator("Mia", "talk", "results", "accounts", "operations")
    desk = [reverse("admin:games_match_change", args=[match.pk]), reverse("admin:games_match_history", args=[match.pk])]
    about = paths_about(match.key)
    for person, seat in ((ada, 0), (ben, 1), (make_player("Quinn"), None), (staff, None), (None, None)):
        client = Client()
        if person:
            client.force_login(person)
        store(state)
        # Sentences are cached, and new events are marked as seen. Forms alone refuse to be read, whatever the cards.
        paths = [*about, *desk] if person == staff else about
        paths = [path for path in paths if client.get(path).status_code != 405]
        true = dict(pages(client, paths))
        assert f"/match/{match.key}/state/" in true
        store(table.rules.determinize(state.view(seat), rng))
        dealt_anew = dict(pages(client, paths))
        assert dealt_anew.keys() == true.keys()
        assert [path for path in true if dealt_anew[path] != true[path]] == []
        assert [path for path in true if match.seed in true[path]] == []
        others = table.rules.determinize(state.view(None), rng)
        if seat is not None and others.view(seat) != state.view(seat):
            store(others)
            is_seen = any(true.get(path) != text for path, text in pages(client, paths))
            assert is_seen, "what the player does see is on these pages"
