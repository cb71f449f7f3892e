"""Spare the tests what Python does for long-running programs: up to a fifth of their time."""

import gc
import sys
from collections.abc import Callable, Generator
from typing import Any

import pytest


def pytest_configure() -> None:
    """Collect no garbage while tests are collected: nearly all that is made then stays."""
    gc.disable()
    # For each fixture that asks for ``request``, pytest reads the signature of an empty function: twenty times per
    # test, which is an eighth of its own work.
    fixtures = sys.modules[pytest.FixtureRequest.__module__]
    read = fixtures.getfuncargnames
    fixtures.getfuncargnames = lambda func, name="", **rest: () if name == "request" else read(func, name=name, **rest)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every other process collect the tests from the last file to the first.

    In a new clone pytest compiles them, which takes each process some seconds; this way, two compile half of them each.
    """
    report = yield
    number = getattr(collector.config, "workerinput", {}).get("workerid", "gw0").removeprefix("gw")
    if isinstance(collector, pytest.Directory) and int(number) % 2:
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests into the same order in all processes, before they are shuffled."""
    items.sort(key=lambda item: item.path)


def pytest_collection_finish() -> None:
    """Exclude everything loaded so far from garbage collection."""
    # Twisted's testing module has loaded it. As long as it's there, pytest looks up Twisted's version for each test.
    sys.modules.pop("twisted.trial.unittest", None)
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)
    gc.enable()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Search once for objects that tests leave behind, where pytest does so five times, and only if tests ran here."""
    if not session.config.pluginmanager.has_plugin("dsession"):
        gc.collect()
    gc.freeze()


def with_room(call: Callable[..., Any], *arguments: Any) -> Any:
    """Make the call in a large piece of the stack, with room for more calls in it than Python allows.

    Python otherwise maps the stack in pieces of 16 KB, and unmaps a piece as soon as the call that needed it returns
    (python/cpython#142183; newer versions keep one). Tests begin so deep in pytest that all calls of some loops need
    the next piece: 400 tests of pages mapped 500,000 pieces, which took a fifth of their time.
    """
    return call(*arguments)


#: A frame of this many words makes Python map twice as much, and the calls in it use what is left.
with_room.__code__ = with_room.__code__.replace(co_stacksize=2**16 + 1)


#: Duration in seconds from which a setup or teardown is reported, for the list of the slowest.
LONG = 0.1


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run each test with room on the stack.

    Parallel processes report each test once: pytest-xdist's six messages for each took three percent of the time.
    """
    runner = item.config.pluginmanager.get_plugin("runner")
    if not hasattr(item.config, "workerinput"):
        return with_room(runner.pytest_runtest_protocol, item, nextitem)
    for report in with_room(runner.runtestprotocol, item, False, nextitem):
        if report.when == "call" or not report.passed or report.duration > LONG:
            item.ihook.pytest_runtest_logreport(report=report)
    return True
