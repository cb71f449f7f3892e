"""Scripts have no circular imports: otherwise hashed names would be impossible."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

from armani_site.static_storage import HashedStaticFiles
from tests.factories.site_process import ROOT

SCRIPTS = ROOT / "static" / "js"
IMPORT = re.compile(r'(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"')


def imports() -> dict[Path, list[Path]]:
    return {
        script: [(script.parent / name).resolve() for name in IMPORT.findall(script.read_text())]
        for script in sorted(SCRIPTS.rglob("*.js"))
    }


def test_no_script_imports_itself_through_others_and_the_chains_are_short_enough_to_be_hashed() -> None:
    graph = imports()
    assert sum(map(len, graph.values())) > 50
    depths: dict[Path, int] = {}
    for script in TopologicalSorter(graph).static_order():
        depths[script] = 1 + max((depths[other] for other in graph[script]), default=0)
    assert max(depths.values()) < HashedStaticFiles.max_post_process_passes
