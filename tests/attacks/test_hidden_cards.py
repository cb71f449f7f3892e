"""No page about a running match depends on cards hidden from its reader, in any game.

The hidden cards are dealt again, without any visible change; then every page must stay the same. Sentences about moves
are read and cached before: which of them a player may read is covered by a law of the rules.
"""

import re
from random import Random

import pytest
from django.test import Client
from django.urls import resolve, reverse

from games import rules
from games.matches import service
from games.matches.models import Match
from tests.factories.addresses import addresses, bare

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


def pages(client: Client, key: str, more: list[str]) -> dict[str, str]:
    """The responses of every URL about the match."""
    about = [path for _name, path in addresses() if resolve(path).kwargs.get("key") == "x" and "/match/" in path]
    found = {}
    for path in [*(path.replace("/match/x/", f"/match/{key}/") for path in about), *more]:
        answer = client.get(path)
        if answer.status_code == 200:
            text = bare(answer) if answer["Content-Type"].startswith("text") else repr(answer.content)
            found[path] = re.sub(r'name="id" value="[0-9a-f]{32}"', "", text)  # the random id of the form's next move
    return found


@pytest.mark.parametrize("slug", GAMES)
def test_no_page_depends_on_a_card_that_its_reader_does_not_see(
    slug, ada, ben, make_player, make_moderator, start_match, time_machine
):
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
    for person, seat in ((ada, 0), (ben, 1), (make_player("Quinn"), None), (staff, None), (None, None)):
        client = Client()
        if person:
            client.force_login(person)
        more = desk if person == staff else []
        store(state)
        pages(client, match.key, more)  # sentences are cached, and new events are marked as seen
        true = pages(client, match.key, more)
        assert f"/match/{match.key}/state/" in true
        store(table.rules.determinize(state.view(seat), rng))
        dealt_anew = pages(client, match.key, more)
        assert dealt_anew.keys() == true.keys()
        assert [path for path in true if dealt_anew[path] != true[path]] == []
        assert [path for path in true if match.seed in true[path]] == []
        others = table.rules.determinize(state.view(None), rng)
        if seat is not None and others.view(seat) != state.view(seat):
            store(others)
            assert pages(client, match.key, more) != true, "what the player does see is on these pages"
