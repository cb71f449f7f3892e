"""The structure of the code, beyond what import linters check."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator

import grimp
import pytest

from games import rules
from tests import structure
from tests.structure import PACKAGES, ROOT, cycles, upward_imports

pytestmark = pytest.mark.source

#: Maximum lines of a Python file; a package of rules keeps its game's state in one.
LONGEST_FILE, LONGEST_RULES = 400, 600
LONGEST_FUNCTION = 50
LONGEST_ASSET = 500
#: The width of an editor beside a file list. In plain-text templates, a line is one of the email.
LONGEST_LINE_OF_A_PAGE = 160
#: It is slow to load, and most processes never push.
SLOW_TO_LOAD = {"pywebpush"}
#: Settings are a table of data.
TABLES_OF_DATA = {"armani_site/settings.py"}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return structure.graph()


def test_no_module_imports_itself_through_others(graph: grimp.ImportGraph) -> None:
    assert list(cycles(graph)) == []


def test_the_check_finds_a_cycle() -> None:
    graph = grimp.ImportGraph()
    for importer, imported in (("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")):
        graph.add_import(importer=importer, imported=imported)
    assert [sorted(cycle) for cycle in cycles(graph)] == [["b", "c"]]


def test_no_package_imports_one_above_it(graph: grimp.ImportGraph) -> None:
    assert upward_imports(graph) == []


def test_the_check_finds_an_import_of_a_package_above(graph: grimp.ImportGraph) -> None:
    graph = structure.graph()
    graph.add_import(importer="accounts.models", imported="games.matches.models")
    assert "accounts imports games.matches" in upward_imports(graph)


def test_only_its_own_package_and_ai_players_import_a_game(graph: grimp.ImportGraph) -> None:
    named = {f"games.rules.{game.slug.replace('-', '_')}" for game in rules.all()}
    assert named < graph.modules
    importing = {
        module
        for game in named
        for part in {game, *graph.find_descendants(game)}
        for module in graph.find_modules_that_directly_import(part)
    }
    assert {module for module in importing if not module.startswith(("games.rules", "games.ai."))} == set()


def limit_of(file: str) -> int:
    if not file.endswith(".py"):
        return LONGEST_ASSET
    return LONGEST_RULES if file.startswith("games/rules/") else LONGEST_FILE


def test_no_file_is_too_long() -> None:
    found = {file for file, lines in structure.lines_of_files().items() if lines > limit_of(file)}
    assert found == TABLES_OF_DATA


def test_no_line_of_a_template_is_too_long() -> None:
    found = {
        f"{file.relative_to(ROOT)}:{number}"
        for file in (ROOT / "templates").rglob("*.html")
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if len(line) > LONGEST_LINE_OF_A_PAGE
    }
    assert found == set()


def test_no_function_is_too_long() -> None:
    functions = structure.lines_of_functions()
    assert {name for name, lines in functions.items() if lines > LONGEST_FUNCTION} == set()


def test_the_games_package_contains_only_addresses_and_packages() -> None:
    assert sorted(path.name for path in (ROOT / "games").glob("*.py")) == ["__init__.py", "urls.py"]


def test_every_import_inside_a_function_says_why_it_is_there() -> None:
    """Only the start of an application, and commands, may delay imports until they are needed, except slow ones."""
    found = []
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            name = file.relative_to(ROOT).as_posix()
            if file.name == "apps.py" or "/management/" in name or name.startswith("games/devtools/"):
                continue
            nodes = structure.nodes_of(file)
            if not any(isinstance(node, ast.Import | ast.ImportFrom) and node.col_offset for node in nodes):
                continue
            for function in nodes:
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    found += [
                        f"{name}:{node.lineno}"
                        for node in ast.walk(function)
                        if isinstance(node, ast.Import | ast.ImportFrom)
                        and getattr(node, "module", "") not in SLOW_TO_LOAD
                    ]
    assert found == []


def test_the_page_describes_the_paths_through_the_code_as_they_are() -> None:
    """Each ``file:function`` in docs/architecture.md exists."""
    told = re.findall(r"`([\w/]+\.py):(\w+)`", (ROOT / "docs" / "architecture.md").read_text())
    assert len(told) > 20
    for file, function in told:
        defined = {
            node.name
            for node in structure.nodes_of(ROOT / file)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert function in defined, f"{file}:{function}"


def found_in_tests(search: Callable[[Iterable[ast.AST]], Iterator[int]]) -> list[str]:
    return [f"{file}:{line}" for file, nodes in structure.nodes_of_tests().items() for line in search(nodes)]


def test_no_test_imports_from_another() -> None:
    assert found_in_tests(structure.imports_of_tests) == []
    assert list(structure.imports_of_tests(ast.walk(ast.parse("from tests.live.test_slaps import press")))) == [1]


def test_no_test_reaches_for_a_private_name() -> None:
    assert found_in_tests(structure.private_accesses) == []
    reaching = "from a import _b\nc._d()\nmonkeypatch.setattr('a._b', 1)\nmonkeypatch.setattr(a, '_b', 1)\nself._own"
    assert list(structure.private_accesses(ast.walk(ast.parse(reaching)))) == [1, 3, 4, 2]
