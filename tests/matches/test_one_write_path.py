"""Only the batch committer writes the rows of a running match: nothing else in the site does."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.structure import ROOT, nodes_of

pytestmark = pytest.mark.source

#: The rows of a match, and their columns that tables show.
MODELS = {
    "Match", "Seat", "Move", "SlapAttempt", "Incident", "MissedTurn", "Departure", "SlapPoint", "Watch", "Attendance",
    "Pause", "EndOffer",
}  # fmt: skip
WRITES = {
    "save", "create", "delete", "bulk_create", "bulk_update", "get_or_create", "update_or_create", "select_for_update"
}  # fmt: skip
#: Names of match rows in other packages.
ROWS = {"match", "matches", "seat", "seats", "place", "places", "move", "moves", "watch", "point", "table"}

BEFORE_THE_DEAL = "tables that have not started keep row locks"
NOT_RUNNING = "the match is over, or of a new one that is being made"
IN_A_COMMAND = "called by the committer, in the transaction of the command that asked for it"
OWN_ROW = "one statement on one row that guards itself and that no match waits for"
#: Exceptions that may write, with reasons.
ALLOWED = {
    "games/matches/models.py": {"save": "what the others call"},
    "games/matches/commands/seating.py": {
        **dict.fromkeys(
            ("open_table", "join", "leave", "set_ai", "start", "begin", "attend", "close_unattended"),
            BEFORE_THE_DEAL,
        ),
        **dict.fromkeys(("_lock_open", "_rename_namesake", "take_seats"), BEFORE_THE_DEAL),
        "seating_changed": NOT_RUNNING,
    },
    "games/matches/commands/beginnings.py": dict.fromkeys(("play_on", "begin_lesson", "_begin_with"), NOT_RUNNING),
    "games/matches/commands/rematch.py": dict.fromkeys(("rematch", "_open_rematch"), NOT_RUNNING),
    "games/matches/commands/endings.py": dict.fromkeys(("_store", "_forget_offers"), IN_A_COMMAND),
    "games/matches/commands/live_sessions.py": {"_store": IN_A_COMMAND},
    "games/matches/commands/names.py": {
        "_forget": IN_A_COMMAND, "forget_names": NOT_RUNNING, "follow_name": NOT_RUNNING
    },
    "games/matches/commands/absence.py": {"_go_on": "of an outage"},
    "games/matches/slap_points/opening.py": {"store": IN_A_COMMAND},
    "games/matches/slap_points/watching.py": {"_write": IN_A_COMMAND},
    "games/matches/slap_points/commands.py": {"_store_settled": IN_A_COMMAND, "advance": OWN_ROW},
    "games/matches/tasks.py": {"sweep": "a lease of the row, so that of several sweeps one takes a match up"},
}  # fmt: skip


def writers() -> Iterator[tuple[str, str]]:
    """File and function of everything that may write match rows, in modules that use these models."""
    for file in sorted([*(ROOT / "games").rglob("*.py"), *(ROOT / "accounts").rglob("*.py")]):
        name = file.relative_to(ROOT).as_posix()
        if "/migrations/" in name or name.startswith(("games/devtools/", "games/matches/commit/")):
            continue
        nodes = nodes_of(file)
        imported = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
        if not imported & MODELS:
            continue
        for function in nodes:
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                is_kernel = name.startswith("games/matches/")
                yield from ((name, function.name) for node in ast.walk(function) if writes(node, is_kernel=is_kernel))


def writes(node: ast.AST, *, is_kernel: bool) -> bool:
    """Whether this call may change match rows; a dictionary's ``update`` names no columns."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr not in WRITES and not (node.func.attr == "update" and node.keywords):
        return False
    owner = ast.unparse(node.func.value)
    manager = re.match(r"(\w+)\.(_default_manager|objects)\b", owner)
    if manager is not None:
        return manager[1] in MODELS
    if owner == "cache":
        return False
    # Outside the kernel, a row is recognized by its name.
    return is_kernel or re.split(r"\W", owner)[0] in ROWS


def test_nothing_but_the_committer_writes_the_rows_of_a_running_match() -> None:
    allowed = {(file, function) for file, functions in ALLOWED.items() for function in functions}
    found = set(writers())
    assert found - allowed == set(), "not by a command"
    assert allowed - found == set(), "allowed, and not there"


def test_the_check_finds_a_write_outside_the_match_service() -> None:
    def found(line: str, *, is_kernel: bool = False) -> bool:
        return any(writes(node, is_kernel=is_kernel) for node in ast.walk(ast.parse(line)))

    assert found("Match.objects.filter(pk=1).update(due_at=None)")
    assert found("match.seats.filter(number=1).update(place=None)")
    assert found("Seat.objects.select_for_update().get(pk=1)")
    assert found("seat.save(update_fields=['due_at'])")
    assert found("anything.save()", is_kernel=True)
    assert not found("Plan.objects.filter(pk=1).update(ending='')")
    assert not found("match.facts.update(found)")
