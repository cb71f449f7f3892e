"""The Celery application: AI turns, emails, and sweeps over everything that is due."""

import os
import sys
import time
from datetime import datetime
from typing import Any

from celery import Celery
from celery.signals import before_task_publish, task_postrun, task_prerun
from django.db import close_old_connections
from prometheus_client import Histogram

from games.realtime import log_context

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "armani_site.settings")

app = Celery("armani_site", amqp="armani_site.broker:AMQP")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Celery would close the database connection before and after each task; reopening it took a third of a task's time.
app.conf["CELERY_DB_REUSE_MAX"] = sys.maxsize
app.autodiscover_tasks()

_AGE = Histogram(
    "armani_task_age_seconds",
    "From a task being queued, or from the time that it was queued for, to its beginning",
    ["task"],
    buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300),
)


@before_task_publish.connect
def _stamp(headers: dict[str, Any], **_more: Any) -> None:
    """Stamp a message with the time it was queued."""
    headers["queued_at"] = time.time()


@task_prerun.connect
def _begin(task: Any, task_id: str, **_more: Any) -> None:
    """Note how long a task has waited, name it in its log lines, and drop a broken database connection."""
    close_old_connections()
    log_context.begin(task=task.name, task_id=task_id)
    queued_at = getattr(task.request, "queued_at", None)
    if queued_at is not None:  # a task that is called directly, or was queued by an older release, has none
        eta = task.request.eta
        due_at = max(queued_at, datetime.fromisoformat(eta).timestamp()) if eta else queued_at
        _AGE.labels(task.name).observe(max(0.0, time.time() - due_at))


@task_postrun.connect
def _end(**_more: Any) -> None:
    """Clean up after a task, so the thread is free for another."""
    log_context.begin()
