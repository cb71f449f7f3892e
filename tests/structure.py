"""The size and structure of the site's parts; ``python -m tests.structure`` prints it."""

import ast
import gc
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("accounts", "armani_site", "games")


def lines_of_files() -> dict[str, int]:
    """Lines of each Python, CSS and JavaScript file of the site, by path; Django's migrations are left out."""
    python = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    written = [file for file in python if file.parent.name != "migrations"]
    found = [*written, *(ROOT / "static").rglob("*.css"), *(ROOT / "static").rglob("*.js")]
    return {file.relative_to(ROOT).as_posix(): len(file.read_text().splitlines()) for file in found}


@cache
def nodes_of(file: Path) -> Sequence[ast.AST]:
    """The nodes of a file's syntax tree, cached because several tests read the same ones."""
    nodes = tuple(ast.walk(ast.parse(file.read_text())))
    # They stay, and garbage collection, which would look for cycles among millions, took longer than parsing.
    gc.freeze()
    return nodes


def lines_of_functions() -> dict[str, int]:
    """Lines of each function of the site, from its ``def`` to its last line, by file and name."""
    found: dict[str, int] = {}
    for file in lines_of_files():
        if file.endswith(".py"):
            for node in nodes_of(ROOT / file):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    name = f"{file}:{node.name}"
                    found[name] = max(found.get(name, 0), (node.end_lineno or node.lineno) - node.lineno + 1)
    return found


def graph() -> grimp.ImportGraph:
    """Every import of the project, including those inside functions."""
    return grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)


def cycles(graph: grimp.ImportGraph) -> Iterator[list[str]]:
    """Groups of modules that import each other (Tarjan's strongly connected components)."""
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


def upward_imports(graph: grimp.ImportGraph) -> list[str]:
    """Imports of a package by one below or beside it, by the layers for the import linter in pyproject.toml."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    beside = [{each.strip() for each in layer.split("|")} for layer in layers]
    found = graph.find_illegal_dependencies_for_layers(layers=beside)
    return sorted(f"{each.importer} imports {each.imported}" for each in found)


#: Names with a leading underscore that are documented by Python or Django.
DOCUMENTED = {"_meta", "_default_manager", "_base_manager", "_replace", "_asdict"}


def nodes_of_tests() -> dict[str, Sequence[ast.AST]]:
    """The nodes of the syntax trees of all test files."""
    files = sorted((ROOT / "tests").rglob("*.py"))
    return {file.relative_to(ROOT).as_posix(): nodes_of(file) for file in files}


def imports_of_tests(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Lines that import from a test: shared code belongs in tests/factories."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{each.name}" for each in node.names}
            if any(name.startswith("tests.") and ".test_" in name for name in names):
                yield node.lineno


def private_accesses(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Lines that access a private name of another module, on an object or by its name in quotes."""
    for node in nodes:
        if isinstance(node, ast.Attribute):
            if not node.attr.startswith("_") or ast.unparse(node.value) in ("self", "cls", "super()"):
                continue
            names = [node.attr]
        elif isinstance(node, ast.ImportFrom):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("attr"):
            told = [each.value for each in node.args if isinstance(each, ast.Constant)]
            names = [each.rpartition(".")[2] for each in told if isinstance(each, str)]
        else:
            continue
        if any(name.startswith("_") and not name.startswith("__") for name in set(names) - DOCUMENTED):
            yield node.lineno


def main() -> None:
    """Print the largest file of each kind, the largest function, and problems with imports."""
    files, functions = lines_of_files(), lines_of_functions()
    for kind in (".py", ".css", ".js"):
        largest = max((name for name in files if name.endswith(kind)), key=lambda name: files[name])
        print(f"largest {kind}: {files[largest]} lines, {largest}")
    largest = max(functions, key=lambda name: functions[name])
    print(f"largest function: {functions[largest]} lines, {largest}")
    imports = graph()
    upward, cyclic = upward_imports(imports), list(cycles(imports))
    print(f"upward imports: {len(upward)}", *upward, sep="\n  ")
    print(f"cycles of imports: {len(cyclic)}", *map(" ".join, cyclic), sep="\n  ")


if __name__ == "__main__":
    main()
