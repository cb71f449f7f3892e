"""The beginning of a deal, common to all games."""

from typing import Any

from .chance import Chance
from .options import Options, check_dealer, check_seats, fill, read_seed
from .protocol import Rules, Seat


def begin_deal(
    rules: Rules, seats: int, options: Options, seed: str, dealer: Seat | None
) -> tuple[dict[str, Any], Chance, Seat]:
    """Check the arguments of a deal. Returns the options with defaults, the chance, and the dealer.

    A dealer is drawn even if one is given, so that the cards stay the same. Raises
    :class:`~games.engine.options.BadOptions` with the reason.
    """
    check_seats(rules.seats, seats)
    check_dealer(seats, dealer)
    filled = fill(rules.options, options)
    chance = Chance(read_seed(seed))
    drawn = chance.below(seats)
    return filled, chance, drawn if dealer is None else dealer
