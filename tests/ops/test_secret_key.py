"""The key created at the first start: a single one, even if processes start together, readable by its user only."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.factories.site_process import ROOT

pytestmark = pytest.mark.process

#: Makes a process wait before it creates a key, and print the key it then has.
START = """
import secrets, sys
draw = secrets.token_urlsafe
def wait(length):
    print("draws", flush=True)
    sys.stdin.readline()
    return draw(length)
secrets.token_urlsafe = wait
from armani_site import settings
print(settings.SECRET_KEY)
"""


def started(folder: Path) -> "subprocess.Popen[str]":
    env = {name: value for name, value in os.environ.items() if name != "SECRET_KEY"}
    return subprocess.Popen(
        [sys.executable, "-c", START],
        cwd=ROOT,
        env={**env, "DATA_DIR": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_two_processes_that_start_at_once_in_a_new_folder_have_one_key(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with started(folder) as first, started(folder) as second:
        for process in (first, second):
            assert process.stdout is not None
            assert process.stdout.readline() == "draws\n"
        keys = [process.communicate("go on\n")[0].strip() for process in (first, second)]
    key = folder / "secret_key"
    assert keys == [key.read_text()] * 2
    assert len(keys[0]) > 50
    assert key.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == ["secret_key"]
