"""Seeded chance that anybody can repeat.

Chance number n of a match is the byte stream HMAC-SHA256(seed, "n/0"), HMAC-SHA256(seed, "n/1"), …
read as big-endian 32-bit words; ``below(k)`` takes the next word under the largest multiple of k and
reduces it modulo k. A shuffle is one chance: from the last item down to item 1, swap with an item below.
"""

import hmac
import struct

_WORDS = struct.Struct(">8I")
#: Words at or above ``_LIMIT[k]`` are passed over, so that each remainder modulo k is equally likely.
_LIMIT = (0, *(2**32 - 2**32 % k for k in range(1, 513)))


class Chance:
    """The numbered chances of one match, in the order in which the rules draw them.

    ``seed`` is the match's seed as bytes; ``number`` is the number of the next chance.
    """

    __slots__ = ("number", "seed")

    def __init__(self, seed: bytes, number: int = 0) -> None:
        self.seed = seed
        self.number = number

    def copy(self) -> "Chance":
        """An independent continuation of the same chances."""
        return Chance(self.seed, self.number)

    def _block(self, number: int, block: int) -> tuple[int, ...]:
        return _WORDS.unpack(hmac.digest(self.seed, b"%d/%d" % (number, block), "sha256"))

    def below(self, k: int) -> int:
        """One whole chance: an int in [0, k)."""
        number = self.number
        self.number = number + 1
        limit = _LIMIT[k]
        block = 0
        while True:
            for word in self._block(number, block):
                if word < limit:
                    return word % k
            block += 1

    def shuffle(self, items: list[int]) -> None:
        """Shuffle ``items`` in place as one chance; uses up its number for 0 or 1 items too."""
        number = self.number
        self.number = number + 1
        limits = _LIMIT
        words: tuple[int, ...] = ()
        block = 0
        at = 8
        for i in range(len(items) - 1, 0, -1):
            limit = limits[i + 1]
            while True:
                if at == 8:
                    words = self._block(number, block)
                    block += 1
                    at = 0
                word = words[at]
                at += 1
                if word < limit:
                    break
            j = word % (i + 1)
            items[i], items[j] = items[j], items[i]
