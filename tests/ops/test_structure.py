"""How the code hangs together: what the linters of imports do not count."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("accounts", "armani_site", "games")


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Every import of the project, those inside functions, too."""
    return grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)


def circles(graph: grimp.ImportGraph) -> Iterator[list[str]]:
    """Groups of modules of which each leads to each (Tarjan's strongly connected components)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []

    def visit(module: str) -> Iterator[list[str]]:
        order[module] = lowest[module] = len(order)
        path.append(module)
        for other in sorted(graph.find_modules_directly_imported_by(module)):
            if other not in order:
                yield from visit(other)
            if other in path:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == order[module]:
            at = path.index(module)
            if len(path) - at > 1:
                yield path[at:]
            del path[at:]

    for module in sorted(graph.modules):
        if module not in order:
            yield from visit(module)


def test_no_module_imports_itself_by_way_of_others(graph: grimp.ImportGraph) -> None:
    assert list(circles(graph)) == []


def test_a_circle_would_be_found() -> None:
    graph = grimp.ImportGraph()
    for importer, imported in (("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")):
        graph.add_import(importer=importer, imported=imported)
    assert [sorted(circle) for circle in circles(graph)] == [["b", "c"]]


def test_games_itself_holds_addresses_and_packages_only() -> None:
    assert sorted(path.name for path in (ROOT / "games").glob("*.py")) == ["__init__.py", "urls.py"]


def test_every_import_inside_a_function_says_why_it_is_there() -> None:
    """Only where an application begins, and in commands, may an import wait until it is needed."""
    found = []
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            name = file.relative_to(ROOT).as_posix()
            if file.name == "apps.py" or "/management/" in name or name.startswith("games/devtools/"):
                continue
            for function in ast.walk(ast.parse(file.read_text())):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    found += [
                        f"{name}:{node.lineno}"
                        for node in ast.walk(function)
                        if isinstance(node, ast.Import | ast.ImportFrom)
                    ]
    assert found == []


def test_the_ways_through_the_code_are_as_the_page_tells() -> None:
    """Each ``file:function`` of docs/architecture.md is there."""
    told = re.findall(r"`([\w/]+\.py):(\w+)`", (ROOT / "docs" / "architecture.md").read_text())
    assert len(told) > 20
    for file, function in told:
        defined = {
            node.name
            for node in ast.walk(ast.parse((ROOT / file).read_text()))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert function in defined, f"{file}:{function}"
