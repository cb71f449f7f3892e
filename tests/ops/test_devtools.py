"""Developers' tools are not part of the running site."""

import subprocess
import sys

import pytest

from tests.factories.site_process import ROOT, SiteProcess

LOADED = "print([name for name in sys.modules if name.startswith('games.devtools')])"


@pytest.mark.process
@pytest.mark.parametrize(
    "program",
    [
        (
            "from django.core.management import ManagementUtility\n"
            "django.setup()\n"
            "ManagementUtility(sys.argv).fetch_command('serve')\n"
            "import armani_site.asgi"
        ),
        "from armani_site.celery import app\napp.loader.import_default_modules()",
    ],
    ids=["server", "worker"],
)
def test_neither_a_server_nor_a_worker_loads_it(program: str) -> None:
    code = (
        "import os, sys\nsys.argv = ['manage.py', 'serve']\n"
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'armani_site.settings'\nimport django\n"
        f"{program}\n{LOADED}\nprint(django.apps.apps.is_installed('games.devtools'))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["[]", "False"], done.stderr


@pytest.mark.process
def test_manage_py_knows_the_commands_of_developers() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "help", "--commands"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert {"bench_live", "ladder", "playout", "seed_demo", "serve", "check_matches"} <= set(done.stdout.split())


@pytest.mark.process
def test_demo_people_can_be_added_to_a_site_that_has_counted_its_days() -> None:
    with SiteProcess() as site:
        site.manage("shell", "-v", "0", "-c", "from games.operations import daily_stats; daily_stats.count_days()")
        assert "12 people, 1 finished and 4 running matches." in site.manage("seed_demo", "--matches", "1")
        with pytest.raises(subprocess.CalledProcessError):
            site.manage("seed_demo", "--matches", "1")
