"""Tests of lessons don't wait for timers."""

from collections.abc import Iterator

import pytest

from tests.factories import waits


@pytest.fixture(autouse=True)
def _waits_are_leapt_over() -> Iterator[None]:
    with waits.leapt_over():
        yield
