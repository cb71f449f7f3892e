"""The rummies' melds and lay-offs equal those found by trying every group of cards."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

import pytest

import games.rules
from games.engine import Zone
from tests.laws.battery import SEEDS, random_options
from tests.reference.base import JOKERS, RANKS

HIGH = RANKS + "A"


def naturals(cards: Sequence[str]) -> set[str]:
    """The cards without jokers and duplicates."""
    return {card for card in cards if card not in JOKERS}


def joker_groups(hand: Sequence[str], size: int) -> set[tuple[str, ...]]:
    """This many jokers of the hand, red before black, in every possible way."""
    jokers = sorted((card for card in hand if card in JOKERS), key=JOKERS.index)
    return set(combinations(jokers, size))


def sets(hand: Sequence[str]) -> Iterator[str]:
    """Three or four of a rank, all suits different, at least one natural card, jokers last."""
    for rank in RANKS:
        held = [rank + suit for suit in "CDHS" if rank + suit in naturals(hand)]
        for size in (3, 4):
            for jokers in range(size):
                for cards in combinations(held, size - jokers):
                    for group in joker_groups(hand, jokers):
                        yield "".join([*cards, *(f"{joker}={rank}*" for joker in group)])


def runs(hand: Sequence[str], *, ace_is_high: bool) -> Iterator[str]:
    """Three or more of a suit in sequence, each rank once, at least one natural card, jokers in their places."""
    sequences = [RANKS[low:high] for low in range(11) for high in range(low + 3, 14)]
    if ace_is_high:
        sequences += [HIGH[low:] for low in range(1, 12)]
    held = naturals(hand)
    for ranks in sequences:
        for suit in "CDHS":
            cards = [rank + suit for rank in ranks]
            missing = {at for at, card in enumerate(cards) if card not in held}
            for jokers in range(len(missing), len(cards)):
                for group in joker_groups(hand, jokers):
                    for places in combinations(range(len(cards)), jokers):
                        if missing <= set(places):
                            stands = dict(zip(places, group, strict=True))
                            yield "".join(
                                f"{stands[at]}={card}" if at in stands else card for at, card in enumerate(cards)
                            )


def single_lay_offs(hand: Sequence[str], zone: Zone, kind: str, *, ace_is_high: bool) -> Iterator[str]:
    """Every single card of the hand that a set or run on the table accepts."""
    number = zone.id.removeprefix("meld:")
    stands_for = [card.rpartition("=")[2] for card in zone.cards or ()]
    if kind == "set":
        if len(stands_for) < 4:
            rank = stands_for[0][0]
            yield from (f"lay:{joker}={rank}*@{number}" for joker in set(hand) & set(JOKERS))
            yield from (f"lay:{card}@{number}" for card in naturals(hand) if card[0] == rank and card not in stands_for)
        return
    suit, ranks = stands_for[0][1], [card[0] for card in stands_for]
    ends = []
    if ranks[0] != "A":
        ends.append(RANKS[RANKS.index(ranks[0]) - 1])
    if ranks[-1] != "A" and (ace_is_high or ranks[-1] != "K"):
        ends.append(HIGH[RANKS.index(ranks[-1]) + 1])
    for card in {rank + suit for rank in ends if rank not in ranks}:
        yield from (f"lay:{joker}={card}@{number}" for joker in set(hand) & set(JOKERS))
        yield from (f"lay:{card}@{number}" for own in naturals(hand) if own == card)


def is_single(move: str) -> bool:
    """Whether a lay-off names one card."""
    cards = move.removeprefix("lay:").partition("@")[0]
    return len(cards) == 2 or (cards[2] == "=" and len(cards) == 5)


@pytest.mark.parametrize("slug", ["basic-rummy", "rummy-500"])
@pytest.mark.parametrize("number", range(2 * SEEDS))
def test_melds_and_lay_offs_are_all_found_and_no_others(slug: str, number: int):
    rules = games.rules.get(slug)
    ace_is_high = slug == "rummy-500"
    rng = Random(f"melds/{slug}/{number}")
    seats = rng.choice(list(rules.seats))
    state = rules.deal(seats, random_options(rules, seats, rng), f"{rng.getrandbits(128):032x}")
    compared = 0
    for _entry in range(250):
        if not state.to_move():
            break
        (seat,) = state.to_move()
        view = state.view(seat)
        facts = view.facts
        # A player who must use a card at once, or is going rummy, has fewer options.
        if view.phase == "play" and not facts.get("must") and not facts["rummy"]:
            hand = [card for card in view.zone(f"hand:{seat}").cards or () if card]
            melds = {move for move in view.moves if move.startswith("meld:")}
            if not facts["melded"]:
                expected = {f"meld:{meld}" for meld in (*sets(hand), *runs(hand, ace_is_high=ace_is_high))}
                assert melds == expected, f"{hand}"
            for meld in facts["melds"]:
                zone = view.zone(f"meld:{meld['n']}")
                offered = {move for move in view.moves if move.startswith("lay:") and move.endswith(f"@{meld['n']}")}
                if meld["kind"] in ("set", "run"):
                    expected = set(single_lay_offs(hand, zone, meld["kind"], ace_is_high=ace_is_high))
                    assert set(filter(is_single, offered)) == expected, f"{hand} {zone}"
            compared += 1
        moves = view.moves
        hurrying = [move for move in moves if move.startswith(("draw", "take", "discard"))]
        state.apply(seat, rng.choice(hurrying if hurrying and rng.random() < 0.3 else moves))
    assert compared > 20
