"""The connection to the broker; it handles a lost Redis better than Celery does."""

from typing import Any

from celery.app import amqp
from kombu import connection
from kombu.transport import redis as transport
from redis.exceptions import ConnectionError as LineLost

#: Seconds between two attempts to reach the broker: at first, the increase with each attempt, and the maximum.
SOON, LONGER, AT_MOST = 1, 1, 5


class Connection(connection.Connection):
    """A connection that retries soon: Celery waits up to 30 s, during which no AI player moves."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> "Connection":
        """Wait until the connection is open."""
        patience = {"interval_start": SOON, "interval_step": LONGER, "interval_max": AT_MOST}
        super().ensure_connection(*args, **patience | kwargs)  # type: ignore[no-untyped-call]  # Kombu's method is untyped
        return self


class AMQP(amqp.AMQP):
    """Makes Celery use :class:`Connection`."""

    Connection = Connection


class Channel(transport.Channel):
    """A channel for tasks that end after their connection was lost, and can't be acknowledged.

    Kombu would fail on the missing client and end the whole worker. A connection error, it handles.
    """

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        if self.connection is None or self.connection.client is None:
            raise LineLost("this line to the broker was lost")
        params: dict[str, Any] = super()._connparams(asynchronous)  # type: ignore[no-untyped-call]  # Kombu's
        return params


class Transport(transport.Transport):
    """Redis transport with these channels."""

    Channel = Channel
