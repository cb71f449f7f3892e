"""The cache while Redis is down: pages are shown, and limits still count."""

from collections.abc import Iterator

import pytest
import redis
from django.conf import settings
from django.core.cache import caches
from django.test import Client, override_settings

from armani_site import caching
from armani_site.caching import LastingCache

#: Nothing listens there.
NOWHERE = "redis://127.0.0.1:1/0"
CACHES = {
    "default": {
        "BACKEND": "armani_site.caching.LastingCache",
        "LOCATION": NOWHERE,
        "KEY_PREFIX": "armani-away",
        "OPTIONS": {"pool_class": "armani_site.caching.SharedPool"},
    }
}


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(LastingCache, "away_until", 0.0, raising=True)
    with override_settings(CACHES=CACHES):
        caches["default"].clear()
        yield
        caches["default"].clear()


@pytest.mark.usefixtures("away")
def test_this_process_remembers_meanwhile() -> None:
    cache = caches["default"]
    assert cache.get("a", 5) == 5
    assert cache.add("a", 1)
    assert not cache.add("a", 2)
    cache.set_many({"b": 2, "c": 3})
    assert cache.get_many(["a", "b", "nothing"]) == {"a": 1, "b": 2}
    assert (cache.incr("a"), cache.get_or_set("d", 4), "d" in cache) == (2, 4, True)
    cache.delete("b")
    cache.delete_many(["c", "d"])
    assert cache.get_many(["a", "b", "c", "d"]) == {"a": 2}


@pytest.mark.usefixtures("away")
@pytest.mark.django_db
def test_pages_are_there_and_guessing_passwords_is_limited(client: Client) -> None:
    for _try in range(10):
        assert client.post("/accounts/login/", {"login": "ada@example.org", "password": "x"}).status_code == 200
    page = client.post("/accounts/login/", {"login": "ada@example.org", "password": "x"}).content.decode()
    assert "Too many failed attempts" in page


@pytest.mark.usefixtures("away")
def test_redis_is_tried_again_after_a_second_and_not_for_each_page(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, now = [], [1000.0]
    monkeypatch.setattr(caching.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(LastingCache, "away_until", 0.0)

    def get(*_arguments: object) -> str:
        asked.append(1)
        if len(asked) < 3:
            raise redis.ConnectionError
        return "from redis"

    monkeypatch.setattr(caching.RedisCache, "get", get)
    cache = caches["default"]
    for _look in range(5):
        assert cache.get("a") is None
    now[0] += caching.AWAY
    assert (cache.get("a"), cache.get("a"), len(asked)) == (None, None, 2)
    now[0] += caching.AWAY
    assert cache.get("a") == "from redis"


@pytest.mark.services
def test_what_another_release_stored_and_this_one_cannot_read_counts_as_missing() -> None:
    cache = caches["default"]
    cache.set_many({"old": "of a class that has moved", "good": 1})
    with redis.from_url(settings.REDIS_URL) as client:
        client.set(cache.make_key("old"), b"cgames.no_such_module\nState\n.")
        assert cache.get_many(iter(["old", "good"])) == {"good": 1}
        client.set(cache.make_key("old"), b"cgames.no_such_module\nState\n.")
        assert cache.get("old", "nothing") == "nothing"
        assert not client.exists(cache.make_key("old"))
    assert cache.add("old", "new")
    cache.delete_many(["old", "good"])
