"""Slaps at a live table, made without a socket."""

from typing import Any

from accounts.models import User
from games.engine.cards import decode
from games.matches import service
from games.matches.live_match import LiveMatch
from games.matches.models import Match, hash_of
from games.rules.armani.tables import PATTERNS
from tests.factories.tables import keep_up


def is_slappable(table: LiveMatch) -> bool:
    view = table.state.view(None)
    played = decode(view.zone("pile").cards[view.facts["burned"] :])
    return any(PATTERNS[name](played) for name in view.facts["options"]["slaps"])


def past_the_bets(match: Match) -> LiveMatch:
    table = service.load(match.pk)
    players = {} if table.forced_step() else {seat.number: seat.player for seat in match.seats.select_related("player")}
    while not table.forced_step():
        seat = table.state.to_move()[0]
        moves = table.state.legal_moves(seat)
        move = "fold" if "fold" in moves else moves[0]
        service.act(match.pk, seat, move, request_id=f"bet{table.version}", player=players[seat])
        keep_up(table)
    return table


def flip_until(match: Match, *, slappable: bool, table: LiveMatch | None = None) -> LiveMatch:
    """Let the table continue until the top card makes a pattern, or makes none; ``table`` is an earlier answer."""
    table = keep_up(table) if table else past_the_bets(match)
    while table.card is None or is_slappable(table) is not slappable:
        if table.forced_step() is None:
            raise AssertionError("the stage ended before such a card came")
        service.step(match.pk, table.version)
        keep_up(table)
    return table


def press(match: Match, player: User | None, seat: int, card: int, reaction: float, **more: Any) -> service.Acted:
    numbers = {
        "elapsed": reaction + 40,
        "claimed": reaction,
        "ping": 40,
        "cap": 48,
        "rival_cap": None,
    }
    command = service.RecordPress(
        match.pk, seat=seat, card=card, player_id=player.pk if player else None, **(numbers | more)
    )
    return service.submit(command).result()


def begin(people: list[User], seed: str, **options: Any) -> Match:
    match = service.open_table(people[0], "armani", len(people), options)
    for person in people[1:]:
        service.join(match, person)
    Match.objects.filter(pk=match.pk).update(seed=seed, seed_hash=hash_of(seed))
    service.start(match, people[0])
    past_the_bets(match)
    return match
