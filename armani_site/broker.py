"""The connection to the broker: handles Redis going away and coming back better than Celery does."""

from typing import Any

from celery.app import amqp
from kombu import connection
from kombu.transport import redis as transport
from redis.exceptions import ConnectionError as LineLost

#: Seconds between two tries to reach the broker: at first, how much longer each time, and at the most.
SOON, LONGER, AT_MOST = 1, 1, 5


class Connection(connection.Connection):
    """A connection that retries soon: Celery waits up to 30 s, and no AI player moves meanwhile."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> "Connection":
        """Return when there is a connection."""
        patience = {"interval_start": SOON, "interval_step": LONGER, "interval_max": AT_MOST}
        super().ensure_connection(*args, **patience | kwargs)  # type: ignore[no-untyped-call]  # Kombu's method is untyped
        return self


class AMQP(amqp.AMQP):
    """Makes connections of this kind."""

    Connection = Connection


class Channel(transport.Channel):
    """A task that ends after its line was lost can't be acknowledged over it.

    Kombu stumbles there over the client that is gone, which ends the whole worker; a line that is lost it bears.
    """

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        if self.connection is None or self.connection.client is None:
            raise LineLost("this line to the broker was lost")
        params: dict[str, Any] = super()._connparams(asynchronous)  # type: ignore[no-untyped-call]  # Kombu's
        return params


class Transport(transport.Transport):
    """Redis with such channels."""

    Channel = Channel
