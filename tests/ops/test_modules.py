"""No script imports itself in a circle, or hashed names would be impossible; and a table names what it needs first."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import games.rules
from armani_site.static_storage import HashedStaticFiles
from games.engine import Rules
from games.table.page import END_SCRIPTS, FIRST_SCRIPTS, LATER_SCRIPTS
from tests.factories.site_process import ROOT

pytestmark = pytest.mark.source

SCRIPTS = ROOT / "static" / "js"
IMPORT = re.compile(r'(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"')
#: One that is loaded with its importer, and not only when it is called.
STATIC_IMPORT = re.compile(r'^(?:import|export)\b[^"]*"(\.[^"]+)";$', re.MULTILINE)


def imports(pattern: re.Pattern[str] = IMPORT) -> dict[Path, list[Path]]:
    return {
        script: [(script.parent / name).resolve() for name in pattern.findall(script.read_text())]
        for script in sorted(SCRIPTS.rglob("*.js"))
    }


def loaded_with(names: set[str]) -> set[str]:
    """The named scripts, and all that they import before they run."""
    graph = imports(STATIC_IMPORT)
    found: set[Path] = set()
    waiting = [SCRIPTS / f"{name}.js" for name in names]
    while waiting:
        if (script := waiting.pop()) not in found:
            found.add(script)
            waiting += graph[script]
    return {str(script.relative_to(SCRIPTS).with_suffix("")) for script in found}


def test_no_script_imports_itself_through_others_and_the_chains_are_short_enough_to_be_hashed() -> None:
    graph = imports()
    assert sum(map(len, graph.values())) > 50
    depths: dict[Path, int] = {}
    for script in TopologicalSorter(graph).static_order():
        depths[script] = 1 + max((depths[other] for other in graph[script]), default=0)
    assert max(depths.values()) < HashedStaticFiles.max_post_process_passes


@pytest.mark.parametrize("rules", games.rules.all(), ids=lambda rules: rules.slug)
def test_the_page_of_a_table_names_all_scripts_of_its_first_move_and_no_other(rules: Rules) -> None:
    layouts = {f"table/{name}" for name in games.rules.presentation(rules.slug).scripts}
    assert loaded_with({"table/table"} | layouts) == set(FIRST_SCRIPTS) | layouts
    if games.rules.presentation(rules.slug).has_slaps:
        assert loaded_with({"table/point"}) <= set(FIRST_SCRIPTS) | layouts | {"table/point"}
    assert loaded_with(set(LATER_SCRIPTS)) <= set(FIRST_SCRIPTS) | set(LATER_SCRIPTS)
    assert loaded_with(set(END_SCRIPTS)) <= set(FIRST_SCRIPTS) | set(LATER_SCRIPTS) | set(END_SCRIPTS)
