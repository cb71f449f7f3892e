"""What each seat may see of Game: Armani, and the states consistent with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from games.engine import Seat, SeatView, View, Zone, places
from games.engine.cards import Card, decode, encode

from .tables import BETS, DEALERS, NO_SEAT, NO_SIDE, OVER, PACK, STAGE1, colour_of

if TYPE_CHECKING:
    from .rules import ArmaniState


def show(state: ArmaniState, game: str, seat: Seat | None) -> View:
    """What ``seat`` may see of a match of ``game``; ``None`` is a spectator."""
    outcome = state.outcome()
    place = (None,) * state.seats if outcome is None else places(outcome.ranking, sides=True)
    public = View(
        game=game,
        seat=None,
        phase=state.phase,
        to_move=list(state.to_move()),
        seats=[
            SeatView(
                seat=at,
                team=int(at in state.sides[1]) if state.sides else None,
                place=place[at],
                points=state.side_points(at),
            )
            for at in range(state.seats)
        ],
        zones=_zones(state),
        facts=_facts(state),
        moves=[],
    )
    return public if seat is None else show_to(state, seat, public)


def show_to(state: ArmaniState, seat: Seat, public: View) -> View:
    """What ``seat`` may see, which differs from the ``public`` view in its own draw."""
    own = {"own_draw": encode(state.draws[seat])} if state.phase in (BETS, STAGE1) else {}
    return public.for_seat(seat, list(state.legal_moves(seat)), facts={**public.facts, **own})


def _zones(state: ArmaniState) -> list[Zone]:
    """Stacks and won cards as counts; the face-up pile open; the fans open until they are shuffled."""
    zones = [Zone(f"stack:{seat}", seat, len(stack), None) for seat, stack in enumerate(state.stacks)]
    zones.append(Zone("pile", None, len(state.pile), encode(state.pile)))
    zones.extend(Zone(f"won:{seat}", seat, len(cards), None) for seat, cards in enumerate(state.won))
    shuffled = state.phase == DEALERS
    zones.extend(
        Zone(f"fan:{side}", None, len(fan), None if shuffled else encode(fan)) for side, fan in enumerate(state.fans)
    )
    return zones


def _facts(state: ArmaniState) -> dict[str, Any]:
    return {
        "options": state.options(),
        "dealer": state.dealer,
        "bets": [list(bids) for bids in state.bets],
        "folded": list(state.folded),
        "bettor": _or_none(state.bettor),
        "colours": [list(told) for told in state.colours],
        "teams": [list(side) for side in state.sides] or None,
        "turn": _or_none(state.turn),
        "duel": None if state.duel_by == NO_SEAT else {"by": state.duel_by, "chances": state.chances},
        "winning": _or_none(state.winning),
        "winning_by": state.winning_by,
        "last": _or_none(state.last),
        "burned": state.burned,
        "flips": state.flips,
        "flips2": state.flips2,
        "lockout": [max(0, lock - state.flips) for lock in state.locks],
        "final_lap": state.final_lap,
        "stage1": list(state.stage1) or None,
        "power": _or_none(state.power),
        "captains": list(state.captains) or None,
        "to_take": state.to_take,
        "dealers": list(state.dealers),
        "final": list(state.final) or None,
        "reason": state.reason,
    }


def imagine(state: ArmaniState, view: View, rng: Random) -> None:
    """Turn the empty table ``state`` into a random one that shows exactly ``view`` to the view's seat."""
    state.phase = view.phase
    state.turn = view.to_move[0] if view.to_move else NO_SEAT
    _restore(state, view.facts)
    if view.phase == OVER:
        state.winner = next(seat.team for seat in view.seats if seat.place == 1 and seat.team is not None)
    _place_cards(state, view, rng)


def _restore(state: ArmaniState, facts: Mapping[str, Any]) -> None:
    """Copy everything in ``facts`` into ``state``, except cards."""
    state.bets = tuple(tuple(bids) for bids in facts["bets"])
    state.folded = tuple(facts["folded"])
    state.bettor = _or_no_seat(facts["bettor"])
    state.colours = tuple(tuple(told) for told in facts["colours"])
    state.sides = tuple(tuple(side) for side in facts["teams"] or ())
    if facts["duel"] is not None:
        state.duel_by, state.chances = facts["duel"]["by"], facts["duel"]["chances"]
    state.winning = _or_no_seat(facts["winning"])
    state.winning_by = facts["winning_by"]
    state.last = _or_no_seat(facts["last"])
    state.burned = facts["burned"]
    state.flips = facts["flips"]
    state.flips2 = facts["flips2"]
    state.locks = [state.flips + cards for cards in facts["lockout"]]
    state.final_lap = facts["final_lap"]
    state.stage1 = tuple(facts["stage1"] or ())
    state.power = NO_SIDE if facts["power"] is None else facts["power"]
    state.captains = tuple(facts["captains"] or ())
    state.to_take = facts["to_take"]
    state.dealers = tuple(facts["dealers"])
    state.final = tuple(facts["final"] or ())
    state.reason = facts["reason"]


def _place_cards(state: ArmaniState, view: View, rng: Random) -> None:
    """Place the visible cards of ``view``, and the hidden ones at random where possible."""
    shown: dict[str, list[Card]] = {}
    places_left: list[str] = []
    for zone in view.zones:
        if zone.cards is None:
            places_left += [zone.id] * zone.count
        else:
            shown[zone.id] = decode([code for code in zone.cards if code is not None])
    seen = {card for cards in shown.values() for card in cards}
    own_draw = decode(view.facts.get("own_draw", ()))
    # A card that this seat looked at is in its own stack, among the cards won since, or visible.
    kept = sorted(set(own_draw) - seen)
    homes = [at for at, zone_id in enumerate(places_left) if zone_id == f"stack:{view.seat}" or zone_id[:3] == "won"]
    at_home = dict(zip(rng.sample(homes, len(kept)), kept, strict=True))
    others = [card for card in PACK if card not in seen and card not in kept]
    rng.shuffle(others)
    laid: dict[str, list[Card]] = {zone.id: [] for zone in view.zones} | shown
    for at, zone_id in enumerate(places_left):
        laid[zone_id].append(at_home[at] if at in at_home else others.pop())
    state.pile = laid["pile"]
    state.fans = tuple(tuple(laid[f"fan:{side}"]) for side in (0, 1))
    state.stacks = [laid[f"stack:{seat}"] for seat in range(state.seats)]
    state.won = [tuple(laid[f"won:{seat}"]) for seat in range(state.seats)]
    if view.phase in (BETS, STAGE1):
        state.draws = tuple(
            tuple(own_draw) if seat == view.seat else tuple(_a_card(state.stacks[seat], told, rng) for told in colours)
            for seat, colours in enumerate(state.colours)
        )


def _a_card(stack: Sequence[Card], colour: str, rng: Random) -> Card:
    """A card of ``colour`` that another seat may have looked at: from its stack if there is one."""
    candidates = [card for card in stack if colour_of(card) == colour]
    return rng.choice(candidates or [card for card in PACK if colour_of(card) == colour])


def _or_none(number: int) -> int | None:
    """Turn a seat or side into a fact: the table, ``NO_SEAT`` and ``NO_SIDE`` become ``None``."""
    return number if number >= 0 else None


def _or_no_seat(seat: Seat | None) -> Seat:
    return NO_SEAT if seat is None else seat
