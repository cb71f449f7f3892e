"""``./run``: each possible problem on a new machine is explained in one clear line."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.factories.site_process import ROOT

#: Runs the script with a changed part of Python, as on another machine; unless changed, Python is the system's.
CHANGED = (
    "import runpy, sys; sys.base_prefix = '/usr'; sys.argv[0] = {script!r}; {change}; "
    "runpy.run_path({script!r}, run_name='__main__')"
)
#: A change: Python without one of its modules.
HIDE = (
    "import importlib.util as u; find = u.find_spec; "
    "u.find_spec = lambda name: None if name == {module!r} else find(name)"
)


def run(*arguments: str, script: Path = ROOT / "run", change: str = "pass", **env: str) -> tuple[int, str]:
    """The exit status of ``./run`` and its output."""
    done = subprocess.run(
        [sys.executable, "-c", CHANGED.format(script=str(script), change=change), *arguments],
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """The script on a machine where nothing is installed yet."""
    script = tmp_path / "armani" / "run"
    script.parent.mkdir()
    script.write_bytes((ROOT / "run").read_bytes())
    (script.parent / "requirements").symlink_to(ROOT / "requirements")
    return script


@pytest.mark.process
def test_a_taken_port_prints_one_line_and_installs_nothing(bare: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        status, output = run("--port", str(port), "--data", str(tmp_path / "data"), script=bare)
    assert status == 1
    assert output == (
        f"run: Can't listen on 127.0.0.1 port {port}: Address already in use. Choose another with --port.\n"
    )
    assert not (bare.parent / ".venv").exists()


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--host", "192.0.2.1", "--port", "0"], "Cannot assign requested address"),
        (["--port", "70000"], "port must be 0-65535"),
    ],
)
def test_an_address_of_another_machine_is_reported_in_one_line(
    arguments: list[str], reason: str, tmp_path: Path
) -> None:
    status, output = run(*arguments, "--data", str(tmp_path))
    assert status == 1
    assert output.count("\n") == 1
    assert reason in output


@pytest.mark.process
def test_a_folder_that_cannot_be_created_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    status, output = run("--port", "0", "--data", str(tmp_path / "file" / "data"))
    assert status == 1
    assert output == (
        f"run: Can't write to the folder {tmp_path / 'file' / 'data'}: Not a directory. Choose another with --data.\n"
    )


@pytest.mark.process
def test_a_folder_without_write_permission_is_reported_in_one_line(tmp_path: Path) -> None:
    """Even root may not write into /proc."""
    status, output = run("--port", "0", "--data", "/proc/armani")
    assert status == 1
    assert output.startswith("run: Can't write to the folder /proc/armani: ")
    assert output.count("\n") == 1


@pytest.mark.process
def test_an_old_python_prints_the_version_that_is_needed() -> None:
    status, output = run(change="sys.version_info = (3, 9, 2, 'final', 0)")
    assert status == 1
    assert output == "run: The site needs Python 3.11 or newer; this is 3.9.\n"


@pytest.mark.process
@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_missing_module_of_python_is_named_with_its_cure(bare: Path, module: str, tmp_path: Path) -> None:
    """Debian's python3 comes without them."""
    status, output = run(
        "--port", "0", "--data", str(tmp_path), script=bare, change=HIDE.format(module=module), PATH="/nowhere"
    )
    assert status == 1
    assert output.splitlines()[1:] == [f"run: Python's {module} module is missing; on Debian: apt install python3-venv"]


@pytest.mark.process
def test_a_failed_installation_prints_one_line_and_is_tried_again_next_time(bare: Path, tmp_path: Path) -> None:
    (bare.parent / "requirements").unlink()
    (bare.parent / "requirements").mkdir()
    for name in ("run", "test", "uv"):
        (bare.parent / "requirements" / f"{name}.txt").write_text("armani-nowhere==1 --hash=sha256:" + "0" * 64)
    offline = {"PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "PIP_CONFIG_FILE": os.devnull, "PATH": "/nowhere"}
    for _ in range(2):
        status, output = run("--port", "0", "--data", str(tmp_path / "data"), script=bare, **offline)
        assert status == 1
        lines = output.splitlines()
        assert lines[0] == "Installing the requirements of the site into .venv, once."
        assert lines[1].startswith("run: pip could not install uv (is there a network?): ERROR: ")
        assert len(lines) == 2


@pytest.mark.process
@pytest.mark.parametrize(
    ("options", "able", "is_used"),
    [
        ("'--enable-shared'", "true", True),
        ("'--enable-shared'", "false", False),
        ("'--enable-shared'", None, False),
        ("'--enable-optimizations' '--enable-shared'", "true", False),
    ],
)
def test_the_systems_python_replaces_one_compiled_without_optimizations(
    bare: Path, tmp_path: Path, options: str, able: str | None, is_used: bool
) -> None:
    """Neither can make an environment here, and the complaint shows which was asked to."""
    system = tmp_path / "python3"
    if able is not None:
        system.write_text(f'#!/bin/sh\nif [ "$1" = -c ]; then {able}; else echo no room; false; fi\n')
        system.chmod(0o755)
    bare.write_text(bare.read_text().replace('"/usr/bin/python3"', f'"{system}"'))
    change = f"import sysconfig; sys.base_prefix = '/elsewhere'; sysconfig.get_config_var = lambda name: {options!r}"
    status, output = run("test", script=bare, change=f"{change}; {HIDE.format(module='venv')}", PATH="/nowhere")
    assert status == 1
    assert output.splitlines()[1:] == (
        [
            f"Using {system}, because {sys.executable} was compiled without optimizations.",
            "run: Python could not make .venv: no room",
        ]
        if is_used
        else ["run: Python's venv module is missing; on Debian: apt install python3-venv"]
    )


@pytest.mark.process
def test_an_unknown_argument_shows_the_usage() -> None:
    status, output = run("--prot", "8000")
    assert status == 2
    assert output.startswith("usage: ./run")


def test_the_script_is_readable_for_pythons_that_are_too_old() -> None:
    """Otherwise they would answer with a SyntaxError instead."""
    import ast

    ast.parse((ROOT / "run").read_text(), feature_version=(3, 7))
