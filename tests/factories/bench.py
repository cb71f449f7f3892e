"""The bench of live tables, run as a command."""

import json
import os
import subprocess
import sys
from typing import Any

from tests.factories.site_process import ROOT

SERVICES = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL") if name in os.environ}


def bench(*arguments: str, budget: bool = False) -> dict[str, Any]:
    """Run ``manage.py bench_live`` on the services under test; it fails by itself if a move was lost."""
    done = subprocess.run(
        [
            sys.executable,
            "manage.py",
            "bench_live",
            "--json",
            "--runs=1",
            "--warm-up=0",
            *arguments,
            *([] if budget else ["--no-budget"]),
        ],
        cwd=ROOT,
        env={**os.environ, **SERVICES},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report
