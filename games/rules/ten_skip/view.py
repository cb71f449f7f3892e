"""What each seat may see of Ten-Skip Challenge, and the states consistent with it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from games.engine import Chance, Seat, SeatView, View, Zone, places
from games.engine.cards import CARDS, CODES, Card, encode

from .tables import GIVE, NO_SEAT, OVER, PACK, listed, set_of

if TYPE_CHECKING:
    from .rules import TenSkipState


def show(state: TenSkipState, game: str, seat: Seat | None) -> View:
    """The view of ``seat``: its own hand, known cards of others, and open cards."""
    seats = len(state.hands)
    place = places(state.ranking(), sides=False) if state.phase == OVER else (None,) * seats
    viewer = seats if seat is None else seat
    zones = []
    for owner, hand in enumerate(state.hands):
        known = hand if owner == seat else listed(state.known[owner * (seats + 1) + viewer])
        cards = [*encode(known), *[None] * (len(hand) - len(known))]
        zones.append(Zone(f"hand:{owner}", owner, len(hand), cards))
    zones.append(Zone("stock", None, len(state.stock), None))
    zones.append(Zone("discard", None, len(state.discard), encode(state.discard)))
    drawn = encode(state.drawn) if seat == state.turn else [None] * len(state.drawn)
    zones.append(Zone("drawn", state.turn if state.drawn else None, len(state.drawn), drawn))
    return View(
        game=game,
        seat=seat,
        phase=state.phase,
        to_move=list(state.to_move()),
        seats=[
            SeatView(owner, place=place[owner], points=state.scores[owner], out=state.out_in[owner] is not None)
            for owner in range(seats)
        ],
        zones=zones,
        facts={
            "options": {"limit": state.limit, "one_claim": state.one_claim},
            "round": state.round,
            "dealer": state.dealer,
            "scores": state.scores[:],
            "notice": None if state.notice < 0 else state.notice,
            "in_round": state.in_round[:],
            "shown": [encode(listed(cards)) for cards in state.shown],
            "swaps": state.swaps,
            "turn": state.turn,
            "offer": None if state.offer < 0 else CODES[state.offer],
            "exposed": None if state.exposed < 0 else state.exposed,
            "out_in": state.out_in[:],
            "known": [encode(listed(state.known[owner * (seats + 1) + seats])) for owner in range(seats)],
        },
        moves=[] if seat is None else list(state.legal_moves(seat)),
    )


def imagine(state: TenSkipState, view: View, rng: Random) -> None:
    """Turn ``state`` into a random one that shows exactly ``view`` to the view's seat.

    Exposed cards that haven't been seen since are placed in hands, preferably where they were. The other viewers know
    what everyone knows.
    """
    facts = view.facts
    seats = len(view.seats)
    state.chance = Chance(rng.randbytes(16))
    state.limit = facts["options"]["limit"]
    state.one_claim = facts["options"]["one_claim"]
    state.round = facts["round"]
    state.dealer = facts["dealer"]
    state.scores = list(facts["scores"])
    state.out_in = list(facts["out_in"])
    state.in_round = list(facts["in_round"])
    state.phase = view.phase
    state.turn = facts["turn"]
    state.victim = view.to_move[0] if view.phase == GIVE else NO_SEAT
    state.offer = -1 if facts["offer"] is None else CARDS[facts["offer"]]
    state.notice = NO_SEAT if facts["notice"] is None else facts["notice"]
    state.exposed = NO_SEAT if facts["exposed"] is None else facts["exposed"]
    state.swaps = facts["swaps"]
    state.shown = [set_of(CARDS[code] for code in codes) for codes in facts["shown"]]
    state.discard = _visible(view.zone("discard"))
    state.drawn = _visible(view.zone("drawn"))
    state.hands = [_visible(view.zone(f"hand:{seat}")) for seat in range(seats)]
    state.known = [
        set_of(state.hands[owner])
        if viewer == (seats if view.seat is None else view.seat)
        else set_of(CARDS[code] for code in facts["known"][owner])
        for owner in range(seats)
        for viewer in range(seats + 1)
    ]
    _fill_hidden(state, view, rng)


def _fill_hidden(state: TenSkipState, view: View, rng: Random) -> None:
    """Distribute the hidden cards among hands, ``drawn`` and stock."""
    hidden = sorted(set(PACK).difference(state.discard, state.drawn, *state.hands))
    rng.shuffle(hidden)
    room = [view.zone(f"hand:{seat}").count - len(hand) for seat, hand in enumerate(state.hands)]
    for seat, shown in enumerate(state.shown):
        others = [other for other in range(len(room)) if other != seat]
        rng.shuffle(others)
        for card in [card for card in hidden if shown >> card & 1]:
            for place in (seat, *others):
                if room[place]:
                    room[place] -= 1
                    state.hands[place].append(card)
                    hidden.remove(card)
                    break
    for hand, empty in zip(state.hands, room, strict=True):
        hand += [hidden.pop() for _n in range(empty)]
        hand.sort()
    while len(state.drawn) < view.zone("drawn").count:
        state.drawn.append(hidden.pop())
    state.stock = hidden


def _visible(zone: Zone) -> list[Card]:
    """The visible cards of a zone, in order."""
    return [CARDS[code] for code in zone.cards or () if code is not None]
