"""Prometheus metrics: who gets them, what they count, and that dashboard and alarms use existing ones."""

import asyncio
import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from celery.signals import task_postrun, task_prerun
from django.core.mail import EmailMessage
from prometheus_client import REGISTRY

from accounts import outbox
from accounts.models import User
from armani_site import asgi
from armani_site.celery import app
from armani_site.logs import KeyValueFormatter
from games.matches import service
from games.realtime import log_context
from tests.factories.site_process import ROOT, SiteProcess

#: Names in docs/alerts/queries.yml, and the name of a job.
OF_OTHERS = r"armani_(?!readyz|emails_failed|slaps_flagged)\w+"


def count(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


async def ask(token: str | None) -> tuple[int, bytes]:
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [] if token is None else [(b"authorization", f"Bearer {token}".encode())]
    await asgi.http({"path": "/metrics", "headers": headers}, asyncio.Event().wait, send)  # type: ignore[arg-type]  # never asked
    return sent[0]["status"], sent[1]["body"]


async def test_the_figures_need_the_token(settings: Any) -> None:
    settings.METRICS_TOKEN = "s3cret"
    assert (await ask("s3cret"))[0] == 200
    assert [(await ask(token))[0] for token in (None, "", "s3cre", "S3cret")] == [404] * 4


async def test_the_page_does_not_exist_if_no_token_is_set(settings: Any) -> None:
    settings.METRICS_TOKEN = ""
    assert [(await ask(token))[0] for token in (None, "", "x")] == [404] * 3


def asked() -> Iterator[str]:
    rules = yaml.safe_load((ROOT / "docs" / "alerts" / "prometheus.yml").read_text())
    board = json.loads((ROOT / "docs" / "dashboards" / "armani.json").read_text())
    yield from (rule["expr"] for group in rules["groups"] for rule in group["rules"])
    yield from (target["expr"] for panel in board["panels"] for target in panel["targets"])


def test_alarms_and_dashboard_ask_for_all_figures_and_for_nothing_else() -> None:
    told = {
        name if metric.type == "histogram" else f"{name}_total"
        for metric in REGISTRY.collect()
        if (name := metric.name).startswith("armani_")
    }
    names = {re.sub(r"_(bucket|count|sum)$", "", name) for text in asked() for name in re.findall(OF_OTHERS, text)}
    assert names == told
    assert len(told) == 8
    page = (ROOT / "docs" / "operations.md").read_text()
    assert all(f"`{name}`" in page for name in told)


@pytest.mark.django_db(transaction=True)
def test_a_command_is_counted_once_with_its_transaction(ada: User, ben: User, start_match: Any) -> None:
    match = start_match("normal-cards", ada, ben)
    table = service.load(match.pk)
    seat = table.state.to_move()[0]
    names = ("armani_command_written_seconds_count", "armani_batch_commands_count", "armani_batch_commands_sum")
    before = [count(name) for name in names]
    move = table.state.legal_moves(seat)[0]
    service.act(match.pk, seat, move, request_id="m1", player=(ada, ben)[seat])
    assert [count(name) for name in names] == [number + 1 for number in before]


@pytest.mark.django_db(transaction=True)
def test_an_email_is_counted_when_it_is_sent() -> None:
    outbox.enqueue(EmailMessage("Hello", "text", "a@example.org", ["b@example.org"]))
    before = count("armani_email_age_seconds_count")
    sent = outbox.send_due()
    assert count("armani_email_age_seconds_count") == before + sent


@pytest.mark.django_db
def test_a_task_reports_how_long_it_waited_and_its_log_lines_name_it() -> None:
    lines = []

    @app.task(name="tests.note", ignore_result=True)
    def note() -> None:
        lines.append(dict(log_context.bound()))

    before = count("armani_task_age_seconds_count", task="tests.note")
    try:
        # As a worker runs it, with the headers of its message.
        note.push_request(queued_at=0.0, eta="2026-01-01T00:00:00+00:00", id="1")
        task_prerun.send(sender=note, task=note, task_id="1")
        note.run()
        task_postrun.send(sender=note, task=note, task_id="1")
    finally:
        note.pop_request()
        app.tasks.pop("tests.note")
    assert lines == [{"task": "tests.note", "task_id": "1"}]
    assert log_context.bound() == {}
    assert count("armani_task_age_seconds_count", task="tests.note") == before + 1


def test_a_log_line_has_its_context_and_its_own_values_take_precedence() -> None:
    log_context.begin(match="k3h8pzq2vt", user=7)
    try:
        record = logging.makeLogRecord({"name": "armani", "levelname": "INFO", "msg": "moved", "user": 8})
        assert KeyValueFormatter().format(record).endswith("armani moved match=k3h8pzq2vt user=8")
    finally:
        log_context.begin()


@pytest.mark.process
def test_processes_that_share_a_folder_share_their_figures(tmp_path: Path) -> None:
    code = (
        "import django; django.setup()\nfrom accounts import outbox\nfrom armani_site import metrics\n"
        "from prometheus_client import Histogram\n"
        "metric = Histogram('armani_shared_seconds', 'x', buckets=(1,))\nmetric.observe(0.5)\n"
        "print(metrics.figures().decode())"
    )
    env = {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "armani_site.settings"}
    env["DATA_DIR"] = str(tmp_path)
    for processes in (1, 2):
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True)
        assert f"armani_shared_seconds_count {processes}.0" in done.stdout, done.stderr


@pytest.mark.process
def test_a_server_reports_its_figures_and_the_tasks_it_ran() -> None:
    with SiteProcess({"METRICS_TOKEN": "s3cret"}) as site:
        curl = ["curl", "-s", "-H", "Authorization: Bearer s3cret", f"{site.url}/metrics"]
        for _look in range(100):
            told = subprocess.run(curl, capture_output=True, text=True, check=True).stdout
            if re.search(r'armani_task_age_seconds_count\{task="[\w.]*sweep[\w.]*"\} [1-9]', told):
                break
            subprocess.run(["sleep", "0.3"], check=True)
        else:
            raise AssertionError(told)
        assert "armani_command_written_seconds_count 0.0" in told
