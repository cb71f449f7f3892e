"""The cache: its connections, and a substitute while it is down."""

import logging
import pickle
import threading
import time
from collections.abc import Iterable
from typing import Any, ClassVar

import redis
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache

log = logging.getLogger(__name__)

#: For how many seconds an unreachable server isn't tried again.
AWAY = 1.0
#: What reading a value raises that another release has stored, whose class is elsewhere now or has other fields.
UNREADABLE = (pickle.UnpicklingError, ImportError, AttributeError, TypeError)


class SharedPool(redis.ConnectionPool):
    """One connection pool per server for the whole process: Django would make one per thread that uses the cache."""

    _pools: ClassVar[dict[str, "SharedPool"]] = {}
    _choosing = threading.Lock()

    @classmethod
    def from_url(cls, url: str, **options: Any) -> "SharedPool":
        """The pool of connections to ``url``."""
        with cls._choosing:
            if url not in cls._pools:
                cls._pools[url] = super().from_url(url, **options)
            return cls._pools[url]


class LastingCache(BaseCache):
    """Redis, or this process's own memory while Redis is down: limits keep counting, and pages are still served."""

    #: Until when Redis isn't tried, for all threads.
    away_until: ClassVar[float] = 0.0

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._redis = RedisCache(server, params)
        self._memory = LocMemCache("while redis is away", {**params, "OPTIONS": {"MAX_ENTRIES": 100_000}})

    def _ask(self, name: str, *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() >= LastingCache.away_until:
            try:
                return getattr(self._redis, name)(*args, **kwargs)
            except (redis.ConnectionError, redis.TimeoutError) as error:
                LastingCache.away_until = time.monotonic() + AWAY
                log.warning("the cache is unavailable: %s", type(error).__name__)
        return getattr(self._memory, name)(*args, **kwargs)

    def add(self, *args: Any, **kwargs: Any) -> bool:
        """Store the value unless the key exists."""
        return bool(self._ask("add", *args, **kwargs))

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """The stored value, or ``default``; a value that this release can't read is deleted."""
        try:
            return self._ask("get", key, default, version)
        except UNREADABLE as error:
            log.warning("the cached %s can't be read: %r", key, error)
            self.delete(key, version)
            return default

    def set(self, *args: Any, **kwargs: Any) -> None:
        self._ask("set", *args, **kwargs)

    def touch(self, *args: Any, **kwargs: Any) -> bool:
        """Extend the lifetime of a key."""
        return bool(self._ask("touch", *args, **kwargs))

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        """Delete a key."""
        return bool(self._ask("delete", *args, **kwargs))

    def incr(self, *args: Any, **kwargs: Any) -> int:
        """Increment a counter."""
        return int(self._ask("incr", *args, **kwargs))

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        """The stored values of these keys, in one request."""
        keys = list(keys)
        try:
            return dict(self._ask("get_many", keys, version))
        except UNREADABLE:
            # Each by itself, which finds out the one that can't be read.
            return dict(BaseCache.get_many(self, keys, version))

    def set_many(self, *args: Any, **kwargs: Any) -> list[str]:
        return list(self._ask("set_many", *args, **kwargs))

    def delete_many(self, *args: Any, **kwargs: Any) -> None:
        """Delete these keys."""
        self._ask("delete_many", *args, **kwargs)

    def has_key(self, *args: Any, **kwargs: Any) -> bool:
        """Whether the key exists."""
        return bool(self._ask("has_key", *args, **kwargs))

    def clear(self) -> None:
        self._ask("clear")
