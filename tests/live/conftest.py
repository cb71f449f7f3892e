"""Tests of sockets do not wait for timers."""

from collections.abc import Iterator

import pytest

from . import clock


@pytest.fixture(autouse=True)
def _waits_are_leapt_over() -> Iterator[None]:
    with clock.leaping():
        yield
