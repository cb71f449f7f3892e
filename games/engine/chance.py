"""Seeded, reproducible chance.

Chance number n of a match is the byte stream HMAC-SHA256(seed, "n/0"), HMAC-SHA256(seed, "n/1"), …
read as big-endian 32-bit words; ``below(k)`` takes the next word under the largest multiple of k and
reduces it modulo k. A shuffle is one chance: from the last item down to item 1, swap with an item below.
"""

import struct
from hashlib import sha256

_MOST = 512
#: Words at or above ``_LIMIT[k]`` are skipped, so that each remainder modulo k is equally likely.
_LIMIT = (0, *(2**32 - 2**32 % k for k in range(1, _MOST + 1)))
#: A word below this is below every limit.
_UNDER_ALL = min(_LIMIT[1:])
_WORDS = tuple(struct.Struct(f">{8 * blocks}I") for blocks in range(_MOST // 8 + 1))
#: Names of blocks, far more than a chance can need: about one word in ten million is skipped.
_BLOCK_NAMES = tuple(b"%d" % block for block in range(4 * _MOST))

# HMAC is written out (RFC 2104), because hmac.digest takes two and a half times as long, and some games spend half
# their time shuffling.
_BLOCK_SIZE = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


class Chance:
    """The numbered chances of one match, in the order in which the rules draw them.

    ``seed`` is the match's seed as bytes; ``number`` is the number of the next chance.
    """

    __slots__ = ("_inner", "_outer", "number", "seed")

    def __init__(self, seed: bytes, number: int = 0) -> None:
        self.seed = seed
        self.number = number
        key = (sha256(seed).digest() if len(seed) > _BLOCK_SIZE else seed).ljust(_BLOCK_SIZE, b"\0")
        self._inner = key.translate(_INNER)
        self._outer = key.translate(_OUTER)

    def copy(self) -> "Chance":
        """An independent continuation of the same chances."""
        twin = Chance.__new__(Chance)
        twin.seed = self.seed
        twin.number = self.number
        twin._inner = self._inner
        twin._outer = self._outer
        return twin

    def words(self, number: int, start: int, stop: int) -> tuple[int, ...]:
        """The words of blocks ``start`` to ``stop`` (exclusive) of chance ``number``."""
        inner = self._inner + b"%d/" % number
        outer = self._outer
        blocks = [sha256(outer + sha256(inner + name).digest()).digest() for name in _BLOCK_NAMES[start:stop]]
        return _WORDS[stop - start].unpack(b"".join(blocks))

    def below(self, k: int) -> int:
        """One whole chance: an int in [0, k)."""
        number = self.number
        self.number = number + 1
        limit = _LIMIT[k]
        block = 0
        while True:
            for word in self.words(number, block, block + 1):
                if word < limit:
                    return word % k
            block += 1

    def shuffle(self, items: list[int]) -> None:
        """Shuffle ``items`` in place as one chance; uses up its number for 0 or 1 items too."""
        number = self.number
        self.number = number + 1
        size = len(items)
        if size < 2:
            return
        words = self.words(number, 0, (size + 6) // 8)
        if max(words) >= _UNDER_ALL:
            words = self._fair_words(number, size)
        k = size
        for word in words[: size - 1]:
            j = word % k
            k -= 1
            items[k], items[j] = items[j], items[k]

    def _fair_words(self, number: int, size: int) -> tuple[int, ...]:
        """The words used by a shuffle of ``size`` items, without skipped ones."""
        fair: list[int] = []
        block = 0
        while True:
            for word in self.words(number, block, block + 1):
                if word < _LIMIT[size - len(fair)]:
                    fair.append(word)
                    if len(fair) == size - 1:
                        return tuple(fair)
            block += 1
