"""Long walks of the state machine, in parts: ``python -m tests.matches.walk [--steps 200000] [--done FILE]``.

Each part is a run of ``test_state_machine.py`` with its own seed; FILE records the number of parts and steps, so that a
stopped walk can be continued. The first failing part ends the walk and prints its seed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.factories.site_process import ROOT

TEST = "tests/matches/test_state_machine.py"
#: Walks per part, and steps per walk.
WALKS, STEPS = "50", "100"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200_000, help="how many in all (default: %(default)s)")
    parser.add_argument("--done", type=Path, default=ROOT / "data" / "walk.json", help="default: %(default)s")
    options = parser.parse_args()
    done = json.loads(options.done.read_text()) if options.done.exists() else {"parts": 0, "steps": 0}
    while done["steps"] < options.steps:
        taken = _part(done["parts"])
        if taken is None:
            sys.stdout.write(
                f"Found with --hypothesis-seed={done['parts']}, STATE_WALKS={WALKS}, STATE_STEPS={STEPS}.\n"
            )
            return 1
        done = {"parts": done["parts"] + 1, "steps": done["steps"] + taken}
        options.done.parent.mkdir(exist_ok=True)
        options.done.write_text(json.dumps(done))
        sys.stdout.write(f"{done['steps']} of {options.steps} steps\n")
    return 0


def _part(seed: int) -> int | None:
    """The number of steps in one part; None if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        count = Path(folder) / "steps"
        run = subprocess.run(
            f"{sys.executable} -m pytest -q -n 0 -p no:randomly --hypothesis-seed={seed} {TEST}".split(),
            cwd=ROOT,
            env={**os.environ, "STATE_WALKS": WALKS, "STATE_STEPS": STEPS, "STATE_COUNT": str(count)},
            stdout=subprocess.PIPE,
            text=True,
        )
        if run.returncode:
            sys.stdout.write(run.stdout)
            return None
        return int(count.read_text())


if __name__ == "__main__":
    sys.exit(main())
