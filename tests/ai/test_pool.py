"""The processes of the AI players."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool

import pytest

from games.ai import pool as ai_pool


@pytest.fixture
def pool() -> Iterator[None]:
    ai_pool.start()
    yield
    ai_pool.stop()


def own_death() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_without_a_pool_it_is_computed_on_the_spot() -> None:
    assert ai_pool.submit(os.getpid).result() == os.getpid()


def test_without_a_pool_an_error_waits_for_its_caller() -> None:
    future = ai_pool.submit(divmod, 1, 0)
    with pytest.raises(ZeroDivisionError):
        future.result()


def test_with_a_pool_it_is_computed_in_a_nice_child_that_ignores_ctrl_c(pool: None) -> None:
    assert ai_pool.submit(os.getpid).result() != os.getpid()
    assert ai_pool.submit(os.nice, 0).result() == min(19, os.nice(0) + ai_pool.NICENESS)
    assert ai_pool.submit(signal.getsignal, signal.SIGINT).result() is signal.SIG_IGN


def test_a_child_that_dies_is_replaced(pool: None) -> None:
    first = ai_pool.submit(os.getpid).result()
    with pytest.raises(BrokenProcessPool):
        ai_pool.submit(own_death).result()
    assert ai_pool.submit(os.getpid).result() not in {first, os.getpid()}


def test_a_child_that_thinks_without_end_is_replaced(pool: None, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ai_pool.submit(os.getpid).result()
    endless, next_one = ai_pool.submit(signal.pause), ai_pool.submit(os.getpid)
    with monkeypatch.context() as soon:
        soon.setattr(ai_pool, "LONGEST", 0.1)
        with pytest.raises(TimeoutError):
            ai_pool.result(endless)
    with pytest.raises((BrokenProcessPool, CancelledError)):
        ai_pool.result(next_one)
    assert ai_pool.result(ai_pool.submit(os.getpid)) not in {first, os.getpid()}


def test_stopping_waits_for_no_thought(pool: None) -> None:
    endless = ai_pool.submit(signal.pause)
    ai_pool.stop()
    # Whether or not a child had started it.
    with pytest.raises((BrokenProcessPool, CancelledError)):
        endless.result(timeout=5)
