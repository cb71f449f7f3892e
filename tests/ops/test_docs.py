"""Documents can be read in a narrow window, and compared line by line."""

import re

import pytest

from tests.factories.site_process import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WIDTH = 100


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_line_of_text_is_longer_than_a_window_is_wide(page):
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    # Table rows and URLs can't be broken.
    lines = [line for line in text.splitlines() if not line.startswith("|") and " " in line.strip()[:WIDTH]]
    assert [line for line in lines if len(line) > WIDTH] == []
