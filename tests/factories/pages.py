"""Pages as tests read them: wherever a template breaks its lines, the text is the same."""

import re


def in_one_line(page: str) -> str:
    """The page with one blank where it has white space, and none at either end of an element."""
    page = re.sub(r"[ \n]+", " ", page)
    return re.sub(r" (?=</)", "", re.sub(r"(<[a-z][^>]*>) ", r"\1", page))
