"""No game is named outside its own files: differences between games are in their presentations."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import games.rules
from tests.structure import ROOT, nodes_of

pytestmark = pytest.mark.source

SLUGS = frozenset(rules.slug for rules in games.rules.all())
#: Places that may name games: their rules and AI players, developers' tools, and migrations.
THEIRS = re.compile(r"^games/(rules|ai|devtools)/|/migrations/")
#: Replays every game's deal, to check the rules.
SECOND_OPINION = "static/js/replay/redeal.js"
QUOTED = re.compile(rf"""(["'`])({"|".join(sorted(SLUGS))})\1""")


def named(file: Path) -> Iterator[str]:
    """The slugs that are complete string literals in a file."""
    if file.suffix == ".py":
        nodes = nodes_of(file)
        parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in nodes:
            if isinstance(node, ast.Constant) and node.value in SLUGS and id(node) not in parts:
                yield str(node.value)
    else:
        for found in QUOTED.finditer(file.read_text()):
            yield found[2]


def is_a_games_own(file: Path) -> bool:
    """Whether a file is named after its game, like a layout script or a rules page."""
    return file.stem in SLUGS and file.suffix != ".py"


def files() -> Iterator[Path]:
    """Python files, templates and scripts of the site."""
    for folder in ("accounts", "armani_site", "games", "static", "templates"):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in {".py", ".html", ".txt", ".js"} and "vendor" not in file.parts:
                yield file


def test_no_game_is_named_outside_its_own_files() -> None:
    found = {
        f"{name}: {slug}"
        for file in files()
        if not THEIRS.search(name := file.relative_to(ROOT).as_posix())
        and name != SECOND_OPINION
        and not is_a_games_own(file)
        for slug in named(file)
    }
    assert found == set()


def test_the_check_finds_the_name_of_a_game(tmp_path: Path) -> None:
    for ending, text in (
        ("py", "x = ['armed']"),
        ("html", "{% url 'quick_match' 'armed' %}"),
        ("js", 'if (slug === "armed")'),
    ):
        file = tmp_path / f"page.{ending}"
        file.write_text(text)
        assert list(named(file)) == ["armed"]
    assert len(list(files())) > 500
