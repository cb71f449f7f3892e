"""The site's dependencies are exactly what the running site uses."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.factories.site_process import ROOT
from tests.structure import nodes_of

pytestmark = pytest.mark.source

#: Used without an import, with the place that says so.
NAMED = {
    "argon2-cffi": ("armani_site/settings.py", "Argon2PasswordHasher"),
    "django-permissions-policy": ("armani_site/settings.py", "django_permissions_policy."),
    "psycopg": (".env.example", "postgres://"),
    "httptools": ("armani_site/serving/uvicorn_protocols.py", "httptools_impl"),
    "uvloop": ("armani_site/serving/uvicorn_server.py", 'loop="uvloop"'),
    "honcho": ("docs/operations.md", "honcho start"),
}


@cache
def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {re.split(r"[\[<>=~ ]", each)[0].lower() for each in project["dependencies"]}


@cache
def used() -> set[str]:
    """Distributions imported by the site's modules, except developers' tools."""
    of_module = packages_distributions()
    return {
        distribution.lower().replace("_", "-")
        for folder in ("accounts", "armani_site", "games")
        for path in (ROOT / folder).rglob("*.py")
        if "devtools" not in path.parts
        for module in imports_of(path)
        for distribution in of_module.get(module.partition(".")[0], ())
    }


def imports_of(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module


def test_every_dependency_of_the_site_is_used_by_it() -> None:
    assert len(declared()) > 20
    assert declared() - used() == NAMED.keys()
    for path, name in NAMED.values():
        assert name in (ROOT / path).read_text()


def test_everything_that_the_site_imports_is_installed_with_it() -> None:
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements" / "run.txt").read_text(), re.MULTILINE))
    assert declared() <= locked
    assert used() <= locked


def locked(name: str) -> dict[str, Version]:
    """The packages pinned by a lock file."""
    text = (ROOT / "requirements" / name).read_text()
    return {each: Version(version) for each, version in re.findall(r"^([\w.-]+)==([\w.+!]+)", text, re.MULTILINE)}


@pytest.mark.parametrize("name", ["run.txt", "test.txt", "uv.txt", "fuzz.txt"])
def test_every_locked_file_is_known_by_its_hash_and_comes_from_no_address(name: str) -> None:
    text = (ROOT / "requirements" / name).read_text()
    pins = re.findall(r"^[\w.-]+==.*(?:\n {4}--hash=sha256:[0-9a-f]{64}(?: \\)?)+", text, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^\w", text, re.MULTILINE))
    assert not re.search(r"https?://|git\+|file:|--(?:extra-)?index", text)


def test_the_lock_file_matches_the_declared_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    for name, wanted in (
        ("run.txt", project["project"]["dependencies"]),
        ("test.txt", [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]),
        ("fuzz.txt", project["dependency-groups"]["fuzz"]),
    ):
        pins = locked(name)
        for requirement in map(Requirement, wanted):
            assert requirement.specifier.contains(pins[requirement.name.lower()]), requirement
    assert locked("run.txt").items() <= locked("test.txt").items(), "tests run what the site runs"
