"""Names of the AI players. Their level is always shown beside them."""

from random import Random

NAMES = ("Ada", "Boris", "Chiara", "Dumisani", "Edda", "Farid", "Greta", "Hugo", "Ines", "Jun", "Kofi", "Lena")


def name_for(match_key: str, seat: int) -> str:
    """The name of the AI player on ``seat``: another one on every seat of a match."""
    names = list(NAMES)
    Random(match_key).shuffle(names)  # noqa: S311 - a name is no secret
    return names[seat % len(names)]
