"""Style sheets: each class named in one is used somewhere, and the mark of the turn stands out on every cloth."""

import re
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from django.contrib import admin

import games.rules
from tests.factories.site_process import ROOT

pytestmark = pytest.mark.source

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


def selectors(text: str) -> list[str]:
    found = re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    return [selector.strip() for selector in found if "@" not in selector]


def classes(sheet: Path) -> set[str]:
    """The classes in its selectors."""
    return {name for selector in selectors(sheet.read_text()) for name in re.findall(r"\.([a-zA-Z][\w-]*)", selector)}


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


def of_any_sibling(text: str) -> list[str]:
    """Selectors that match any element, or any of one kind, beside another."""
    return [selector for selector in selectors(text) if re.search(r"[+~] (\*|[a-z]+)(?![-\w.#\[:])", selector)]


def test_no_style_sheet_of_the_table_styles_siblings_of_any_kind() -> None:
    """For such a rule the browser styles everything beside a new element again."""
    pages = [
        (ROOT / "templates" / page).read_text() for page in ("base.html", "games/table.html", "replays/replay.html")
    ]
    names = set(re.findall(r"css/([\w-]+\.css)", "".join(pages)))
    names |= {f"{style}.css" for rules in games.rules.all() for style in games.rules.presentation(rules.slug).styles}
    assert {"base.css", "table.css", "centre.css", "slaps.css", "melds.css"} <= names
    assert {
        name: found for name in names if (found := of_any_sibling((ROOT / "static" / "css" / name).read_text()))
    } == {}


def test_the_check_finds_a_rule_for_any_sibling() -> None:
    text = (
        ".a > * + * {}\n.b li + li, .c { }\nlegend ~ * {}\n.d + .e {} .f ~ p.g {} .h + #i {} .j li:not(:first-child) {}"
    )
    assert of_any_sibling(text) == [".a > * + *", ".b li + li, .c", "legend ~ *"]


def colours(sheet: str) -> dict[str, str]:
    """The colours that a style sheet names, in light and dark: "brass light"."""
    found = {}
    for variable, value in re.findall(r"--([\w-]+): ([^;]+);", sheet):
        light, _comma, dark = value.removeprefix("light-dark(").removesuffix(")").partition(", ")
        if re.fullmatch("#[0-9a-f]{6}", light):
            found |= {f"{variable} light": light, f"{variable} dark": dark or light}
    return found


def linear(colour: str) -> list[float]:
    """Red, green and blue of "#rrggbb" as amounts of light."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(amounts: list[float]) -> float:
    return sum(part * weight for part, weight in zip(amounts, (0.2126, 0.7152, 0.0722), strict=True))


def brightest(cloth: str, white: float) -> float:
    """The luminance of a cloth that is mixed with that much white in OKLab.

    There the lightness of a grey is the cube root of its luminance; for colours as dark as cloths that is exact enough.
    """
    lightness = (1 - white) * luminance(linear(cloth)) ** (1 / 3) + white
    return lightness**3


def contrast(one: float, other: float) -> float:
    """The contrast of two luminances, as in WCAG 2."""
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_mark_of_the_turn_has_contrast_to_every_cloth(scheme: str) -> None:
    tokens, table = ((ROOT / "static" / "css" / name).read_text() for name in ("tokens.css", "table.css"))
    brass = luminance(linear(colours(table)[f"lit {scheme}"]))
    # The middle of the table is the brightest.
    white = int(re.findall(r"var\(--felt-of-game\), white (\d+)%", table)[0]) / 100
    ratios = {
        rules.slug: contrast(brass, brightest(colours(tokens)[f"cloth-{rules.slug} {scheme}"], white))
        for rules in games.rules.all()
    }
    assert {slug: ratio for slug, ratio in ratios.items() if ratio < 3} == {}
