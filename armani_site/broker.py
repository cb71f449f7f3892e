"""The connection to the broker; it handles a lost Redis better than Celery does."""

from typing import Any

from celery.app import amqp
from kombu import connection

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
