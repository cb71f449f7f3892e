"""The broker's transport over Redis; a site without Redis doesn't load it."""

from typing import Any

from kombu.transport import redis as transport
from redis.exceptions import ConnectionError as LineLost


class Channel(transport.Channel):
    """A channel for tasks that end after their connection was lost, and can't be acknowledged.

    Kombu would fail on the missing client and end the whole worker. A connection error, it handles.
    """

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        if self.connection is None or self.connection.client is None:
            raise LineLost("this line to the broker was lost")
        untyped: Any = super()
        params: dict[str, Any] = untyped._connparams(asynchronous)
        return params


class Transport(transport.Transport):
    """Redis transport with these channels."""

    Channel = Channel
