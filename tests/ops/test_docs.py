"""Documents can be read in a narrow window, compared line by line, and tell only of what exists."""

import re
from functools import cache

import pytest

from tests.factories.site_process import ROOT

pytestmark = pytest.mark.source

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WIDTH = 100
#: Names that are not this project's: settings of PostgreSQL and Postfix.
OF_OTHERS = {"max_connections", "recipient_delimiter"}
#: Stands for any game, file, ..., or is to be written by the reader.
EXAMPLE = re.compile(r"[<*]|high[_-]card|well-known|DATA_DIR")
#: Files that define no name: documents and translations use them, and pictures, recorded games and the like hold none.
NAMELESS = {".gz", ".jpg", ".jsonl", ".md", ".mo", ".png", ".po", ".wav", ".woff2"}
BLOCK = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_line_of_text_is_longer_than_a_window_is_wide(page):
    text = BLOCK.sub("", page.read_text())
    # Table rows and URLs can't be broken.
    lines = [line for line in text.splitlines() if not line.startswith("|") and " " in line.strip()[:WIDTH]]
    assert [line for line in lines if len(line) > WIDTH] == []


@cache
def stored() -> tuple[list[str], set[str]]:
    """The repository's files, and every word in them and in their names; documents use words, but define none."""
    tops = [top for top in ROOT.iterdir() if top.name not in {"data", "node_modules"}]
    inside = [path for top in tops if top.is_dir() and top.name[0] != "." for path in top.rglob("*.*")]
    files = [path for path in [*tops, *inside] if path.is_file() and "__pycache__" not in path.parts]
    names = [path.relative_to(ROOT).as_posix() for path in files]
    defining = [path for path in files if path.suffix not in NAMELESS and path.name != "test_docs.py"]
    texts = [path.read_text(errors="ignore") for path in defining]
    words = set(re.findall(r"\w+", " ".join([*names, *texts])))
    return names, words | {f"{word}_total" for word in words}  # as Prometheus calls a counter


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_and_name_that_a_document_mentions_exists(page):
    files, words = stored()
    ends = tuple(f"/{name}" for name in files)
    missing = []
    for code in re.findall(r"`([^`]+)`", BLOCK.sub("", page.read_text())):
        for told in (each.rstrip("./") for each in re.findall(r"[\w./*<>-]+", code)):
            if EXAMPLE.search(told) or told in OF_OTHERS or told.startswith("/"):
                continue
            if re.search(r"\w\.(py|js|ts|css|html|md|json|yaml)$|/.*\.\w+$", told):
                is_there = any(end.endswith(f"/{told}") for end in ends)
            else:
                is_name = re.fullmatch(r"[\w.]+", told) and re.search(r"[a-z]_|\w\.\w", told)
                is_there = not is_name or all(part in words for part in told.split(".") if part)
            if not is_there:
                missing.append(told)
    assert missing == []
