"""The page's pure script modules, run by Node without a browser, on data from the server."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

import games.rules
from armani_site.static_storage import as_sent
from games.ai.policy import policy_for
from games.engine import Event, Rules
from games.replays.positions import Viewpoint
from games.table.labels import move_label, script_words
from games.table.projection import event_to_json
from tests.factories.site_process import ROOT

pytestmark = pytest.mark.process

BIN = Path(sys.executable).parent
NAMES = ("Ada", "Boris", "Chiara", "Dumisani", "Edda", "Farid", "Greta", "Hugo")
#: Number of moves dealt again, enough for every kind of deal in each game.
LONGEST = 700
SHORT = {"armani": {"stage2_flips": 52}, "basic-rummy": {"target": 50}, "rummy-500": {"target": 100}}
#: Modules of which 90 % of the lines must be covered.
PURE = ("fragment", "replay/chance", "replay/redeal")
PURE += tuple(
    f"table/{name}" for name in ["clock", "moves", "picker", "queue", "sounds", "steps", "stepper", "store", "words"]
)


def game_data(rules: Rules) -> dict[str, Any]:
    """The texts of a game's page, and labels and data of matches."""
    labels: dict[str, str] = {}
    matches = [played(rules, seats, labels) for seats in sorted({min(rules.seats), max(rules.seats)})]
    told = messages(rules, matches[0])
    return {"words": script_words(rules.slug), "names": NAMES, "labels": labels, "matches": matches, "messages": told}


def messages(rules: Rules, match: dict[str, Any]) -> list[dict[str, Any]]:
    """Seat 0's messages in a match: the view before and after each move, and its events."""
    state = rules.deal(match["seats"], match["options"], match["seed"])
    told, before = [], state.view(0).to_json()
    for made in match["moves"]:
        events: list[Event] = []
        state.apply(made["seat"], made["move"], events.append)
        after = state.view(0).to_json()
        heard = [event_to_json(event, "") for event in events if event.is_for(0)]
        told.append({"before": before, "after": after, "events": heard})
        before = after
    return told


def played(rules: Rules, seats: int, labels: dict[str, str]) -> dict[str, Any]:
    """A match in the form the deal check reads; labels of its moves are added to ``labels``."""
    seed = f"{seats:032x}"
    rng = Random(seed)
    chosen = SHORT.get(rules.slug, {})
    options = {option.name: chosen.get(option.name, option.default) for option in rules.options}
    state = rules.deal(seats, options, seed)
    views, moves = [Viewpoint(is_open=True).view(state, seats)], []
    while len(moves) < LONGEST and (awaited := state.to_move()):
        seat = awaited[0]
        legal = state.legal_moves(seat)
        labels.update((move, move_label(rules.slug, move, NAMES)) for move in legal if seat >= 0)
        if seat < 0 or len(legal) == 1:
            move = legal[0]
        elif "slap" in legal and rng.random() < 0.1:
            move = "slap"
        else:
            move = policy_for(rules.slug).choose(state.view(seat), "easy", rng)
        before = chance_number(state)
        state.apply(seat, move)
        moves.append({"seat": seat, "move": move, "chances": chance_number(state) - before})
        views.append(Viewpoint(is_open=True).view(state, seats))
    return {"seats": seats, "options": options, "seed": seed, "moves": moves, "views": views}


def chance_number(state: Any) -> int:
    chance = getattr(state, "chance", None)
    return chance.number if chance is not None else 0


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("scripts") / "data.json"
    file.write_text(json.dumps({rules.slug: game_data(rules) for rules in games.rules.all()}))
    return file


@pytest.fixture(scope="session")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every script as browsers get it from a deployed site, by its path."""
    file = tmp_path_factory.mktemp("scripts") / "sent.json"
    paths = {str(script.relative_to(ROOT / "static")): script for script in (ROOT / "static" / "js").rglob("*.js")}
    file.write_text(json.dumps({path: as_sent(path, script.read_bytes()).decode() for path, script in paths.items()}))
    return file


def test_the_pure_modules_do_what_their_tests_say_and_nine_lines_in_ten_are_run(data: Path, sent: Path) -> None:
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"SCRIPT_DATA": str(data), "SCRIPTS_AS_SENT": str(sent)}
    locked, installed = ROOT / "package-lock.json", ROOT / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < locked.stat().st_mtime:
        subprocess.run(["npm", "ci"], cwd=ROOT, env=environment, check=True)
    command = ["node", "--test", "--experimental-test-coverage", "--test-coverage-lines=90"]
    command += [f"--test-coverage-include=static/js/{name}.js" for name in PURE]
    done = subprocess.run(
        [*command, *sorted(map(str, (ROOT / "tests/js").glob("*.test.js")))],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-12000:] + done.stderr[-2000:]
