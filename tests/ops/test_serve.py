"""``manage.py serve``: which processes run, and that none remain."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.factories.site_process import ROOT, SiteProcess

pytestmark = pytest.mark.process


@pytest.fixture(scope="module", params=["daphne", "uvicorn"])
def site(request: pytest.FixtureRequest) -> Iterator[SiteProcess]:
    with SiteProcess({"SERVER": request.param}) as site:
        yield site
        assert site.stop(signal.SIGTERM) == 0


def get(site: SiteProcess, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(site.url + path, timeout=10) as answer:  # noqa: S310  our own server
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def eventually(holds: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return holds()


def test_says_that_it_is_alive_and_ready(site: SiteProcess) -> None:
    assert get(site, "/healthz") == (200, "ok\n")
    assert get(site, "/readyz") == (200, '{"database_and_sweep": true, "channel_layer": true}')


def test_pages_find_their_style_without_collecting_it(site: SiteProcess) -> None:
    status, css = get(site, "/static/css/tokens.css")
    assert status == 200
    assert "--" in css


def test_a_request_is_one_log_line_without_its_query(site: SiteProcess) -> None:
    get(site, "/healthz?token=abc")
    assert eventually(lambda: "path=/healthz?***" in site.log, 2)
    assert "token=abc" not in site.log


def test_a_second_server_on_the_same_data_is_refused_in_one_line(site: SiteProcess) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "serve", "--port", "0"], cwd=ROOT, env=site.env, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.strip() == (
        f"CommandError: Another server already uses {site.data_dir}. Stop it, or give this one its own data folder."
    )


def test_a_taken_port_is_reported_in_one_line(site: SiteProcess) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "serve", "--port", str(site.port)],
        cwd=ROOT,
        env=site.env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.strip() == (
        f"CommandError: Can't listen on 127.0.0.1 port {site.port}: Address already in use. Choose another with --port."
    )


def test_celery_really_runs_the_beat_and_its_tasks(site: SiteProcess) -> None:
    """An email waiting in the outbox is sent automatically."""
    site.manage(
        "shell", "-c", "from django.core.mail import send_mail; send_mail('Hello', 'x', None, ['a@example.org'])"
    )
    with sqlite3.connect(site.data_dir / "armani.sqlite3") as database:
        sent = "select count(*) from accounts_outgoingmail where status = 'sent'"
        assert eventually(lambda: database.execute(sent).fetchone() == (1,), 15), site.log


def test_nothing_is_left_of_a_killed_or_stopped_server_and_the_next_one_finds_its_data() -> None:
    with SiteProcess() as site:
        assert site.children(), "the AI players' process"
        site.kill()
        assert eventually(lambda: not site.children(), 2)

        site.start()
        assert get(site, "/readyz")[0] == 200
        assert site.children()
        start = time.monotonic()
        assert site.stop(signal.SIGINT) == 0
        assert time.monotonic() - start < 5
        assert eventually(lambda: not site.children(), 2)
        assert "Traceback" not in site.log


def test_ctrl_c_reaches_a_background_job_of_a_script() -> None:
    """Shells start background jobs with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with SiteProcess() as site:
            assert site.stop(signal.SIGINT) == 0
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_server_that_a_bench_started_ends_with_it(tmp_path: Path) -> None:
    """However it died: the server's standard input is closed."""
    server = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--prepare", "--port=0", "--until-eof"],
        cwd=ROOT,
        env={**os.environ, "DATA_DIR": str(tmp_path), "DEV_TOOLS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert b"Armani is at" in server.stdout.readline()
        assert server.poll() is None
        server.stdin.close()
        assert server.wait(10) == 0


def test_files_that_the_server_writes_are_private_to_its_user(tmp_path: Path) -> None:
    """The database contains the seeds of running matches, sessions and password hashes."""
    old = tmp_path / "armani.sqlite3"
    old.touch(mode=0o644)
    with SiteProcess(data_dir=tmp_path) as site:
        files = [path for path in tmp_path.rglob("*") if path.is_file() and path != site.log_path]
        assert old in files
        assert {path.name: oct(path.stat().st_mode & 0o077) for path in files if path.stat().st_mode & 0o077} == {}


def of_settings(name: str, *program: str, **env: str) -> str:
    """A setting in a site process started with this environment."""
    script = f"import sys; sys.argv = {list(program)}; from armani_site import settings; print({name})"
    env = {**os.environ, "SECRET_KEY": "only-for-this-test", **env}
    return subprocess.check_output([sys.executable, "-c", script], cwd=ROOT, env=env, text=True).strip()


def test_servers_and_workers_limit_the_time_of_a_statement_and_commands_do_not() -> None:
    options, url = "settings.DATABASES['default'].get('OPTIONS')", "postgres://postgres@127.0.0.1:5432/armani"
    for program in (["celery", "worker"], ["manage.py", "serve"]):
        assert "statement_timeout=60000" in of_settings(options, *program, DATABASE_URL=url)
    assert "statement_timeout" not in of_settings(options, "manage.py", "migrate", DATABASE_URL=url)


def test_cookies_of_a_site_with_https_are_for_this_host_alone() -> None:
    names = "settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, settings.SESSION_COOKIE_SECURE"
    assert of_settings(names, "celery", HTTPS="1") == "__Host-sessionid __Host-csrftoken True"
    assert of_settings(names, "celery", HTTPS="0") == "sessionid csrftoken False"


def test_an_embedded_site_loads_neither_redis_nor_what_sends_pushes() -> None:
    """They would make each start a tenth longer, and each process 13 MB larger."""
    code = (
        "import django, sys\ndjango.setup()\nfrom armani_site.serving import site\n"
        "site.celery_app.loader.import_default_modules()\nassert site.celery_app.amqp\n"
        "print(sorted({'aiohttp', 'pywebpush', 'redis'} & set(sys.modules)))"
    )
    env = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    env["DJANGO_SETTINGS_MODULE"] = "armani_site.settings"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr


def test_an_unknown_server_is_reported_in_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "serve", "--port", "0"],
        cwd=ROOT,
        env={**os.environ, "DATA_DIR": str(tmp_path), "DEV_TOOLS": "1", "SERVER": "apache"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.strip().endswith("There is no server 'apache'. Set SERVER to one of: daphne, uvicorn.")
