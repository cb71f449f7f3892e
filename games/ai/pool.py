"""Child processes in which AI players think, so that thinking never holds up the site.

The embedded server starts the pool. A Celery worker process is such a child itself, so without a pool ``submit``
computes immediately. Functions must be importable by name, and their arguments small and picklable: a view and a level,
never a match.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

#: The niceness of the children: how far they yield to the web process on a busy machine.
NICENESS = 10
#: Seconds after which a thought counts as endless: many times what a search takes, and the queue before it.
LONGEST = 30

_executor: ProcessPoolExecutor | None = None
_workers = 0
_lock = threading.Lock()


def start(workers: int = 1) -> None:
    """Open the pool with ``workers`` children and wait until they are ready to think."""
    global _executor, _workers
    with _lock:
        _workers = workers
        _executor = _open(workers)


def stop() -> None:
    """End the children at once; unfinished results are lost, but their rows are still due."""
    global _executor, _workers
    with _lock:
        executor, _executor, _workers = _executor, None, 0
    if executor is not None:
        _end(executor)


def submit(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
    """Compute ``function(*args, **kwargs)`` in a child and return its future.

    Without a pool it is computed before this returns. If a child died (out of memory, killed), the pool is replaced;
    what the child was computing fails with ``BrokenProcessPool`` and may be submitted again.
    """
    global _executor
    with _lock:
        if _executor is not None:
            try:
                return _executor.submit(function, *args, **kwargs)
            except BrokenProcessPool:
                _executor = _open(_workers)
                return _executor.submit(function, *args, **kwargs)
    return _computed(function, *args, **kwargs)


def result(future: "Future[T]") -> T:
    """Wait for a result; after ``LONGEST`` raise ``TimeoutError`` and replace the children, so that others can think.

    A Celery worker computes without a pool, so it needs a time limit for its tasks instead.
    """
    executor = _executor
    try:
        return future.result(LONGEST)
    except TimeoutError:
        _replace(executor)
        raise


def _replace(executor: ProcessPoolExecutor | None) -> None:
    """End these children and start others, unless another thread has done so already."""
    global _executor
    with _lock:
        if executor is not None and executor is _executor:
            _end(executor)
            _executor = _open(_workers)


def _computed(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
    """The finished future of a call made immediately."""
    future: Future[T] = Future()
    try:
        future.set_result(function(*args, **kwargs))
    except Exception as error:  # the caller that asks for the result gets any error
        future.set_exception(error)
    return future


def _end(executor: ProcessPoolExecutor) -> None:
    executor.shutdown(wait=False, cancel_futures=True)
    for child in multiprocessing.active_children():  # the server has no other children
        child.kill()


def _open(workers: int) -> ProcessPoolExecutor:
    executor = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_begin)
    executor.submit(os.getpid).result()
    return executor


def _begin() -> None:
    """Set up a child: the parent handles Ctrl-C, and the child ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    threading.Thread(target=_die_with_parent, name="parent-watch", daemon=True).start()


def _die_with_parent() -> None:
    """Exit as soon as the parent is gone, even if it was killed without warning.

    The pipe watched here closes with the parent process. Linux's death signal would follow the *thread* that created
    this child, which may end long before its process.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
