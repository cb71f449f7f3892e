"""Deployment files match the code: ``.env.example``, Procfile, Dockerfile and ``compose.yaml``."""

import ast
import importlib
import re
import shlex
from itertools import pairwise
from typing import Any

import pytest
from celery.schedules import crontab
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.test import Client

from armani_site.schedules import Every
from tests.factories.site_process import ROOT

SETTINGS = (ROOT / "armani_site" / "settings.py").read_text()
EXAMPLE = (ROOT / ".env.example").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = (ROOT / "compose.yaml").read_text()
PROCFILE = (ROOT / "Procfile").read_text()

#: Read by the programs that start the site, not by the site.
OF_PROCFILE, OF_COMPOSE = {"HOST", "AI_PROCESSES"}, {"DB_PASSWORD", "SITE_HOST"}
#: Set by callers: honcho increments ports, pytest numbers its processes.
SET_BY_OTHERS = {"PORT", "PYTEST_XDIST_WORKER"}


def asked() -> dict[str, ast.Call]:
    """The names the settings read from the environment, with the calls that do."""
    calls = [node for node in ast.walk(ast.parse(SETTINGS)) if isinstance(node, ast.Call)]
    named = [call for call in calls if re.fullmatch(r"env(\.\w+)?", ast.unparse(call.func))]
    return {ast.literal_eval(call.args[0]): call for call in named}


def shown() -> dict[str, str]:
    """The names the example explains, with their values."""
    return dict(re.findall(r"^#?([A-Z][A-Z_]+)=(.*)$", EXAMPLE, re.MULTILINE))


def test_the_example_has_every_setting_and_no_other():
    assert set(shown()) == (set(asked()) - SET_BY_OTHERS) | OF_PROCFILE | OF_COMPOSE


def test_the_example_shows_the_defaults():
    shows = shown()
    literals = {}
    for name, call in asked().items():
        (default,) = (keyword.value for keyword in call.keywords if keyword.arg == "default")
        if isinstance(default, ast.Constant | ast.List):
            literals[name] = ast.literal_eval(default)
    compared = [name for name, value in literals.items() if value and name in shows]
    assert len(compared) > 8
    for name in compared:
        assert shows[name] == _as_text(literals[name]), name


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def variables(text: str) -> set[str]:
    return set(re.findall(r"\$\{?([A-Z_]+)", text))


def test_the_settings_of_procfile_and_compose_are_explained():
    known = set(shown()) | SET_BY_OTHERS
    assert variables(PROCFILE) <= known
    assert variables(COMPOSE) <= known
    assert variables(COMPOSE) >= OF_COMPOSE
    assert variables(PROCFILE) >= OF_PROCFILE
    given = set(re.findall(r"^    ([A-Z_]+): ", COMPOSE, re.MULTILINE))
    assert given <= set(asked())


def commands() -> list[list[str]]:
    """The commands started by Procfile, ``compose.yaml`` and Dockerfile, word by word."""
    lines = re.findall(r"^\w+: exec (.+)$", PROCFILE, re.MULTILINE)
    lines += re.findall(r"^    command: (.+)$", COMPOSE, re.MULTILINE)
    lines += re.findall(r"manage\.py [a-z]+[^\\&\n]*", DOCKERFILE)
    filled = [re.sub(r"\$\{?\w+(:-(\w[\w.]*)\})?\}?", lambda part: part[2] or "8000", line) for line in lines]
    return [*map(shlex.split, filled), ast.literal_eval(re.search(r"^CMD (\[.+\])$", DOCKERFILE, re.MULTILINE)[1])]


def test_every_command_of_the_site_exists_and_takes_its_arguments():
    called = [words[words.index("manage.py") + 1 :] for words in commands() if "manage.py" in words]
    assert {words[0] for words in called} == {"serve", "migrate", "collectstatic"}
    for name, *arguments in called:
        command = load_command_class(get_commands()[name], name)
        command.create_parser("manage.py", name).parse_args(arguments)


def test_every_queue_has_its_worker_everywhere():
    wanted = {"default"} | {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}
    for text in (PROCFILE, COMPOSE):
        workers = re.findall(r"celery -A (\w+) worker .*-Q (\w+)", text)
        assert {queue for _app, queue in workers} == wanted
        assert {app for app, _queue in workers} == {"armani_site"}
        assert "celery -A armani_site beat" in text
    assert importlib.import_module("armani_site").celery_app is not None


def test_every_task_that_beat_sends_exists():
    from armani_site.celery import app

    app.loader.import_default_modules()
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert entry["task"] in app.tasks
    for pattern in settings.CELERY_TASK_ROUTES:
        assert any(name.startswith(pattern.rstrip("*")) for name in app.tasks)


def test_no_two_tasks_of_beat_begin_together():
    schedules = [entry["schedule"] for entry in settings.CELERY_BEAT_SCHEDULE.values()]
    # Those of the clock begin with a minute, the others each at its own fraction of a second.
    minutes = [minute for each in schedules if isinstance(each, crontab) for minute in each.minute]
    assert len(minutes) == len(set(minutes)) > 1
    often = [each for each in schedules if isinstance(each, Every)]
    assert len(schedules) == len(minutes) + len(often)
    assert all(each.seconds % 1 == 0 for each in often)
    fractions = {0.0, *(each.at for each in often)}
    assert len(fractions) == len(often) + 1
    assert all(later - earlier > 0.1 for earlier, later in pairwise(sorted(fractions)))


def test_the_image_copies_what_is_there_and_listens_where_the_proxy_asks():
    for path in re.findall(r"requirements/[\w.]+", DOCKERFILE):
        assert (ROOT / path).is_file()
    given = set(re.findall(r"\b([A-Z_]+)=\S+", DOCKERFILE.partition("WORKDIR")[0])) - {"PYTHONUNBUFFERED"}
    assert given <= set(asked())
    (port,) = re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE)
    assert f'"--port", "{port}"' in DOCKERFILE
    assert f"reverse_proxy web:{port} {{" in COMPOSE
    (path,) = re.findall(rf"127\.0\.0\.1:{port}(/\w+)", DOCKERFILE)
    assert Client().get(path).status_code == 200


@pytest.mark.parametrize("name", sorted(OF_COMPOSE | {"SECRET_KEY"}))
def test_compose_says_what_is_missing(name: str):
    assert f"${{{name}:?}}" in COMPOSE
