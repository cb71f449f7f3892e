"""A worker that loses its connection to Redis continues, whatever it was doing, and soon reconnects."""

import contextlib
import logging
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from celery.worker.consumer import Consumer
from django.conf import settings
from kombu import Connection
from kombu.common import ignore_errors

from armani_site.celery import app

log = logging.getLogger(__name__)


@pytest.fixture
def connection() -> Iterator[Connection]:
    """A worker's connection, by whose name Redis knows its lines."""
    with app.connection_for_read(transport_options={"client_name": uuid.uuid4().hex}) as connection:
        yield connection


def lose(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut all sockets of ``connection``, and make Redis seem down."""
    with redis.from_url(settings.REDIS_URL) as server:
        for line in server.client_list():
            if line["name"] == connection.transport_options["client_name"]:
                server.client_kill_filter(_id=line["id"])
    monkeypatch.setattr(redis.Connection, "connect", refuse)


def refuse(_connection: redis.Connection) -> None:
    """Refuse like a server that is down."""
    raise redis.ConnectionError


@pytest.mark.services
@pytest.mark.parametrize(
    "end",
    [
        lambda connection, message: message.ack_log_error(log, connection.connection_errors),
        lambda connection, message: message.reject_log_error(log, connection.connection_errors),
        lambda connection, message: ignore_errors(connection, connection.close),
    ],
    ids=["a task ends", "a task fails", "the worker reconnects"],
)
def test_a_worker_survives_the_loss_of_the_connection_that_a_task_came_over(
    monkeypatch: pytest.MonkeyPatch, connection: Connection, end: Callable[[Connection, Any], None]
) -> None:
    queue = connection.SimpleQueue(f"lost-{uuid.uuid4().hex}", channel=connection.default_channel)
    app.control.mailbox.Node(uuid.uuid4().hex).listen(channel=connection.channel())  # as each worker does
    queue.put("a task")
    message = queue.get(timeout=5)
    with pytest.raises(queue.Empty):
        queue.get(timeout=0.1)  # as an idle worker
    lose(connection, monkeypatch)
    # As the worker does when it notices.
    with contextlib.suppress(Exception):
        connection.collect()
    end(connection, message)


def test_a_worker_tries_to_reach_redis_each_five_seconds_for_as_long_as_it_takes(
    monkeypatch: pytest.MonkeyPatch, connection: Connection
) -> None:
    told: list[Any] = []
    monkeypatch.setattr("kombu.connection.retry_over_time", lambda *how, **_more: told.extend(how))
    consumer = object.__new__(Consumer)
    consumer.app, consumer.first_connection_attempt = app, False
    assert consumer.ensure_connected(connection) is connection
    _connect, _errors, _arguments, _options, _tell, most_tries, first, longer, longest, *_more = told
    assert (most_tries, first, longer, longest) == (None, 1, 1, 5)
