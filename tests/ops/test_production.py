"""The production form: hashed static files, and the Procfile's processes on PostgreSQL and Redis."""

import os
import re
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack
from email.message import Message
from hashlib import md5
from pathlib import Path

import psycopg
import pytest

from tests.factories.site_process import ROOT, SiteProcess

pytestmark = pytest.mark.process


def get(url: str, **headers: str) -> tuple[bytes, Message]:
    request = urllib.request.Request(url, headers=headers)  # noqa: S310  our own server
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - our own server
        return answer.read(), answer.headers


def test_without_collected_files_it_says_what_to_do(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "serve", "--port", "0"],
        cwd=ROOT,
        env={**os.environ, "DATA_DIR": str(tmp_path), "DEV_TOOLS": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "CommandError: The static files haven't been collected. Run `manage.py collectstatic` first."
    )


def test_static_files_have_hashed_names_that_browsers_keep_also_inside_modules() -> None:
    with SiteProcess(env={"DEV_TOOLS": "0"}) as site:
        page, _ = get(site.url + "/accounts/login/")
        files = sorted(set(re.findall(r'"(/static/[^"]+\.(?:css|js))"', page.decode())))
        assert files
        for path in files:
            text, headers = get(site.url + path)
            assert path.endswith(f".{md5(text, usedforsecurity=False).hexdigest()[:12]}{Path(path).suffix}")
            assert b"/*" not in text
            assert "immutable" in headers["Cache-Control"]
            for module in re.findall(r"""(?:from|import)\s*["'](\./[^"']+)["']""", text.decode()):
                assert re.search(r"\.[0-9a-f]{12}\.js$", module), f"{path} imports {module}"
        _, headers = get(site.url + files[0], **{"Accept-Encoding": "gzip"})
        assert headers["Content-Encoding"] == "gzip"


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a process as a supervisor does: on a busy machine, beat was once still there 20 s after the signal."""
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@pytest.mark.services
def test_the_processes_of_the_procfile_work_together(services: dict[str, str], tmp_path: Path) -> None:
    """Two web processes are ready, and beat and the worker of queue ``mail`` send the outbox."""
    commands = dict(line.split(": exec ", 1) for line in (ROOT / "Procfile").read_text().splitlines())
    with ExitStack() as running:
        sites = [SiteProcess(services, tmp_path) for _ in range(2)]
        for name in ("mail", "beat"):
            command = commands[name].replace("celery", f"{sys.executable} -m celery", 1).split()
            process = subprocess.Popen(command, cwd=ROOT, env=sites[0].env, stderr=subprocess.DEVNULL)
            running.callback(stop, process)
        for site in sites:
            running.enter_context(site)
        for site in sites:
            text, _ = get(site.url + "/readyz")
            assert text == b'{"database_and_sweep": true, "channel_layer": true}'
        sites[0].manage(
            "shell", "-c", "from django.core.mail import send_mail; send_mail('Hello', 'x', None, ['a@example.org'])"
        )
        end = time.monotonic() + 40
        status = ""
        with psycopg.connect(services["DATABASE_URL"], autocommit=True) as connection:
            while status != "sent" and time.monotonic() < end:
                (status,) = connection.execute("SELECT status FROM accounts_outgoingmail").fetchone() or ("",)
                time.sleep(0.05)
        assert status == "sent"
        assert len(list((tmp_path / "mail").iterdir())) == 1
