"""Describe errors without naming cards."""

import re
import traceback

from games.matches.models import Match

_FRAME = re.compile(r'File "(?:[^"]*/)?([^"/]+/[^"/]+)", line (\d+), in (\w+)')


def place_of(error: Exception) -> str:
    """The type of an error and where it was raised, without its message, which may name hidden cards.

    An error of a child process carries the place there as the text of its cause.
    """
    remote = _FRAME.findall(str(error.__cause__)) if error.__cause__ is not None else []
    local = _FRAME.findall("".join(traceback.format_tb(error.__traceback__)))
    frames = remote or local
    where = " in {}, line {}, {}".format(*frames[-1]) if frames else ""
    return f"{type(error).__name__}{where}"


def fault_in_words(match: Match, fault: str) -> str:
    """A fault of the replay check; of a running match without its details, which may name hidden cards."""
    return fault.partition(":")[0] if match.status == Match.Status.RUNNING else fault
