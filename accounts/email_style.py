"""Format every email: inline its styles, and wrap its text."""

import textwrap
from collections.abc import Iterable

import css_inline

WIDTH = 72
#: Media queries stay: they provide the email's dark mode.
_inliner = css_inline.CSSInliner(keep_style_tags=True, keep_at_rules=True, load_remote_stylesheets=False)


def inlined(html: str) -> str:
    """An HTML part with its styles inlined, for mail programs that ignore style sheets."""
    return str(_inliner.inline(html))


def wrapped(text: str) -> str:
    """A text part: lines of at most ``WIDTH`` (addresses stay whole), no double blank lines, no trailing spaces.

    Continuation lines are indented in lists: if a line begins with a dash, or with a number and a full stop.
    """
    lines: list[str] = []
    for line in text.strip().splitlines():
        line = line.rstrip()
        if not line:
            if lines and lines[-1]:
                lines.append("")
            continue
        lines += _wrapped(line)
    return "\n".join(lines) + "\n"


def _wrapped(line: str) -> Iterable[str]:
    indent = len(line) - len(line.lstrip())
    first = line.split(maxsplit=1)[0]
    if first in ("-", "*") or (first[-1] == "." and first[:-1].isdigit()):
        indent += len(first) + 1
    return textwrap.wrap(
        line,
        WIDTH,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
