"""Numbers in what people and browsers send."""

import pytest

from games.engine.numbers import number_in


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("999999999", 999_999_999), (5, 5)])
def test_digits_are_read_as_a_number(text: object, number: int) -> None:
    assert number_in(text) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.5", " 1", "1_000", "²", "٣", "1234567890", "9" * 5000, None, True])
def test_anything_but_digits_is_read_as_none(text: object) -> None:
    assert number_in(text) is None


def test_the_number_of_digits_can_be_another() -> None:
    assert (number_in("1234567890", digits=10), number_in("12", digits=1)) == (1_234_567_890, None)
