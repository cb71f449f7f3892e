"""No style rule is unused: each class named in a style sheet is used somewhere."""

import re
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from django.contrib import admin

from tests.factories.site_process import ROOT

SHEETS = sorted((ROOT / "static" / "css").glob("*.css"))
#: Files that contain class names: pages, scripts, and Python code that writes markup.
SOURCES = [
    ("templates", "*.html"),
    ("static/js", "*.js"),
    ("games", "*.py"),
    ("accounts", "*.py"),
    ("armani_site", "*.py"),
]
#: The admin site has its own pages.
ADMIN = Path(admin.__file__).parent
#: Prefixes completed at runtime: `side--{{ team }}`, `cloth-of-${slug}`.
MADE_UP = re.compile(r"([\w-]+-)(?:\$\{|\{\{|\{%|\{\w|%[(s])")


@cache
def written() -> str:
    ours = ((ROOT / folder).rglob(pattern) for folder, pattern in SOURCES)
    files = chain(*ours, ADMIN.rglob("*.html"), ADMIN.rglob("*.py"))
    return "\n".join(file.read_text() for file in files)


@cache
def words() -> frozenset[str]:
    return frozenset(re.findall(r"[\w-]+", written()))


@cache
def beginnings() -> tuple[str, ...]:
    return tuple(set(MADE_UP.findall(written())))


def classes(sheet: Path) -> set[str]:
    """The classes in its selectors."""
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{", text)
    return {
        name for selector in selectors if "@" not in selector for name in re.findall(r"\.([a-zA-Z][\w-]*)", selector)
    }


def is_written(name: str) -> bool:
    return name in words() or name.startswith(beginnings())


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_each_class_of_a_style_sheet_is_written_somewhere(sheet: Path) -> None:
    assert {name for name in classes(sheet) if not is_written(name)} == set()


def test_the_check_finds_a_class_that_is_not_used(tmp_path: Path) -> None:
    sheet = tmp_path / "dead.css"
    sheet.write_text(".table-bar .no-such-class:hover, .side--0 { color: red } /* .comment */")
    assert classes(sheet) == {"table-bar", "no-such-class", "side--0"}
    assert [name for name in sorted(classes(sheet)) if not is_written(name)] == ["no-such-class"]
