"""Which tests run: by default those that take a minute or two, by name a part, and with ``--all`` everything."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

#: Requirements of pyproject.toml's marks that a machine may lack.
NEEDS = {
    "browser": ("Chromium", lambda: shutil.which("chromium") is not None),
    "services": (
        "PostgreSQL and Redis (DATABASE_URL and REDIS_URL)",
        lambda: {"DATABASE_URL", "REDIS_URL"} <= os.environ.keys(),
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run every test, and say what could not be run")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Let ``--all`` run what the default leaves out, as far as this machine can."""
    if config.getoption("--all"):
        lacking = [mark for mark, (_name, there) in NEEDS.items() if not there()]
        config.option.markexpr = " and ".join(f"not {mark}" for mark in lacking)
        config.option.lacking = lacking


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Use no workers for a few files, which finish before a worker has started; otherwise one per core."""
    return 0 if all(Path(argument.partition("::")[0]).is_file() for argument in config.args) else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests come in random order, but browser tests together, so that Chromium starts once.

    Those that start processes come first: they wait half of their time, in which the others run, and are long. Of each
    kind, files with long ones come first: at the end, others would wait for them.
    """
    with_long_ones = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: (_turn(item), item.path not in with_long_ones))


def _turn(item: pytest.Item) -> int:
    if item.get_closest_marker("browser"):
        return 2
    return 0 if any(item.get_closest_marker(mark) for mark in ("services", "process")) else 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print in one line what ``--all`` could not run."""
    lacking: Sequence[str] = getattr(config.option, "lacking", ())
    if lacking:
        missing = "; ".join(f"no {NEEDS[mark][0]}: -m {mark}" for mark in lacking)
        terminalreporter.write_line(f"Not run, for want of what they need: {missing}", yellow=True)
