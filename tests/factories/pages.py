"""Page text that doesn't depend on a template's line breaks."""

import re


def in_one_line(page: str) -> str:
    """The page with single spaces for all white space, and none at either end of an element."""
    page = re.sub(r"[ \n]+", " ", page)
    return re.sub(r" (?=</)", "", re.sub(r"(<[a-z][^>]*>) ", r"\1", page))
