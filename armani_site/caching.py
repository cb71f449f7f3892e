"""Connections to the cache."""

from functools import cache
from typing import Any

import redis


class SharedPool(redis.ConnectionPool):
    """One pool a server for the whole process.

    Django makes one in every thread that asks the cache, and each request has a thread of its own: its connection
    would stay open until the garbage collector came by.
    """

    @classmethod
    @cache
    def from_url(cls, url: str, **options: Any) -> "SharedPool":
        """The pool of connections to ``url``."""
        return super().from_url(url, **options)
