"""Chance is what the contract says, so anyone can repeat it in ten lines of any language."""

import hashlib
import hmac
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import Chance

SEED = "000102030405060708090a0b0c0d0e0f"


# The ten lines, written from the contract alone.
def words(seed: str, number: int):
    for block in count():
        data = hmac.new(bytes.fromhex(seed), f"{number}/{block}".encode("ascii"), hashlib.sha256).digest()
        yield from (int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4))


def below(stream, k: int) -> int:
    return next(word for word in stream if word < 2**32 - 2**32 % k) % k


def shuffled(seed: str, number: int, items: list[int]) -> list[int]:
    stream, result = words(seed, number), list(items)
    for i in range(len(result) - 1, 0, -1):
        j = below(stream, i + 1)
        result[i], result[j] = result[j], result[i]
    return result


seeds = st.binary(min_size=16, max_size=512).map(bytes.hex)


@given(seeds, st.integers(0, 500), st.integers(1, 512))
def test_a_number_below_k(seed, number, k):
    assert Chance(bytes.fromhex(seed), number).below(k) == below(words(seed, number), k)


@given(seeds, st.integers(0, 500), st.integers(0, 120))
def test_a_shuffle(seed, number, size):
    items = list(range(size))
    Chance(bytes.fromhex(seed), number).shuffle(items)
    assert items == shuffled(seed, number, list(range(size)))


@pytest.mark.parametrize("number", range(12))
def test_two_cards_are_shuffled(number):
    items = [0, 1]
    Chance(bytes.fromhex(SEED), number).shuffle(items)
    assert items == shuffled(SEED, number, [0, 1])


@pytest.mark.parametrize("size", [63, 64, 65])
def test_a_seed_as_long_as_a_block_of_the_hash(size):
    seed = "5a" * size
    assert Chance(bytes.fromhex(seed), 7).below(512) == below(words(seed, 7), 512)


def test_a_number_is_sought_block_by_block(monkeypatch):
    """In three blocks of words none is fair, which doesn't happen by chance."""
    unfair = (2**32 - 1,) * 8
    monkeypatch.setattr(Chance, "words", lambda _self, _number, first, last: (unfair * 3 + (7,))[8 * first : 8 * last])
    assert Chance(bytes.fromhex(SEED)).below(3) == 1


def test_known_values():
    """Calculated with another program: ``printf 0/0 | openssl dgst -sha256 -mac HMAC -macopt hexkey:0001…0f``."""
    first_block = "f3570b543fcdde9e1357aae15c94ec4316e45f317e0f7d4a20a6e93762332c19"
    assert hmac.digest(bytes.fromhex(SEED), b"0/0", "sha256").hex() == first_block
    assert Chance(bytes.fromhex(SEED)).below(52) == int(first_block[:8], 16) % 52
    items = list(range(8))
    chance = Chance(bytes.fromhex(SEED), 1)
    chance.shuffle(items)
    assert items == [2, 5, 1, 4, 6, 7, 3, 0]


def test_each_draw_and_each_shuffle_uses_one_number_even_of_0_or_1_cards():
    chance = Chance(bytes.fromhex(SEED))
    chance.below(6)
    chance.shuffle(list(range(52)))
    chance.shuffle([])
    chance.shuffle([7])
    chance.below(1)
    assert chance.number == 5


def test_numbers_that_would_favour_small_results_are_skipped(monkeypatch):
    """No match will ever need it: fewer than one word in ten million is so high. So the words are given."""
    high = 2**32 - 1
    given_words = [high, high, 17, high, 5, 3, 11, 8, high, 2, 1, 0, 9, 9, 9, 9]

    def blocks(self, number, start, stop):
        return tuple(given_words[8 * start : 8 * stop])

    monkeypatch.setattr(Chance, "words", blocks)
    assert Chance(b"").below(3) == 17 % 3
    # 2**32 is a multiple of 4, so nothing is skipped.
    assert Chance(b"").below(4) == high % 4
    items = list(range(6))
    Chance(b"").shuffle(items)
    expected = list(range(6))
    stream = iter(given_words)
    for i in range(5, 0, -1):
        j = below(stream, i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert items == expected


@given(seeds, st.integers(0, 500), st.integers(10, 120))
def test_a_shuffle_that_has_to_look_at_each_word_is_the_same(seed, number, size):
    words_of = Chance.words

    def with_a_high_one(self, number, start, stop):
        found = words_of(self, number, start, stop)
        # Only the first look is at several blocks.
        return found if stop - start == 1 else (*found[:-1], 2**32 - 1)

    items = list(range(size))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Chance, "words", with_a_high_one)
        Chance(bytes.fromhex(seed), number).shuffle(items)
    assert items == shuffled(seed, number, list(range(size)))


def test_how_high_a_word_may_be_depends_on_the_cards_that_are_left(monkeypatch):
    """A word below 2**32 - 2**32 % 5, but not below 2**32 - 2**32 % 7, is skipped for 7 cards and used for 5."""
    high = 2**32 - 2
    given_words = [high, 1, 2, high, *range(12)]
    monkeypatch.setattr(Chance, "words", lambda self, number, start, stop: tuple(given_words[8 * start : 8 * stop]))
    items = list(range(7))
    Chance(b"").shuffle(items)
    expected, stream = list(range(7)), iter(given_words)
    for i in range(6, 0, -1):
        j = below(stream, i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert items == expected


def test_a_copy_draws_on_alone():
    chance = Chance(bytes.fromhex(SEED))
    twin = chance.copy()
    drawn = [chance.below(1000 % 512 + 1) for _draw in range(5)]
    assert twin.number == 0
    assert [twin.below(1000 % 512 + 1) for _draw in range(5)] == drawn


@pytest.mark.parametrize("k", [2, 6, 52])
def test_all_numbers_come_up_about_equally_often(k):
    chance = Chance(bytes.fromhex(SEED))
    drawn = [chance.below(k) for _draw in range(400 * k)]
    assert all(300 < drawn.count(number) < 500 for number in range(k))
