"""A page or an email reply replays a match at most once, whatever it shows."""

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.models import User
from games.mail import tokens
from games.mail.inbound import handler
from games.mail.inbound import message as incoming
from games.mail.outgoing.receipts import Result
from games.matches import history, live_match, service
from games.matches.models import Match
from games.matches.slap_points.models import Attendance
from tests.factories.replies import reply
from tests.factories.slap_points import choose
from tests.factories.turns import Players, asked, turn_path

pytestmark = pytest.mark.django_db
Start = Callable[..., Match]


@pytest.fixture(autouse=True)
def _site(settings: Any) -> None:
    settings.SITE_URL = "https://play.example.org"
    settings.REPLY_ADDRESS = "turn+{}@play.example.org"


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of the matches replayed since the list was cleared."""
    found: list[str] = []
    replay = history.replay

    def counted(match: Match, **more: Any) -> Iterator[history.Position]:
        found.append(match.key)
        return replay(match, **more)

    monkeypatch.setattr(history, "replay", counted)
    return found


def routes(patterns: list[URLPattern | URLResolver] | None = None, before: str = "") -> Iterator[str]:
    """URLs of the site that identify a match by key."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif "<slug:key>" in route:
            yield "/" + route


def of_match(route: str, match: Match) -> str:
    path = route.replace("<slug:key>", match.key)
    return re.sub(r"<(?:(\w+):)?\w+>", lambda part: "1" if part[1] == "int" else "x", path)


@pytest.fixture
def matches(ada: User, ben: User, start_match: Start, start_by_mail: Start, monkeypatch: Any) -> dict[str, Match]:
    """One match past its first snapshot, a finished one, and one at a slap point that no longer waits for Ada."""
    monkeypatch.setattr(live_match, "SNAPSHOT_EVERY", 20)
    running, over = start_by_mail("rummy-500", ada, ben), start_match("basic-rummy", ada, ben)
    Players(running, random.Random(3)).move(45)
    Players(over, random.Random(3)).move(30)
    service.resign(over, ben)
    slaps = start_by_mail("armani", ada, ben)
    choose(slaps)
    Attendance.objects.create(match=slaps, seat=0, missed=2)
    return {"running": running, "over": over, "slaps": slaps}


@pytest.mark.parametrize("name", ["running", "over", "slaps"])
def test_no_address_replays_a_match_twice(
    name: str, matches: dict[str, Match], client: Client, ada: User, replayed: list[str]
) -> None:
    client.force_login(ada)
    match, count = matches[name], {}
    for route in sorted(set(routes())):
        replayed.clear()
        answer = client.get(of_match(route, match))
        b"".join(answer.streaming_content) if answer.streaming else answer.content
        count[route] = len(replayed)
    assert {route: times for route, times in count.items() if times > 1} == {}
    table = "/" + reverse("match", args=["x"]).lstrip("/").replace("x/", "<slug:key>/")
    assert count[table] == 1
    if name == "slaps":
        assert not Attendance.objects.filter(match=match, missed__gt=0).exists(), "the visit wakes"
    else:
        assert sum(count.values()) > 1 or name == "running"


def test_the_page_of_a_turn_replays_it_once(matches: dict[str, Match], client: Client, replayed: list[str]) -> None:
    path = turn_path(asked(matches["running"]))
    for address in (path, f"{path}?choice=1&v=0"):
        replayed.clear()
        assert client.get(address).status_code == 200
        assert len(replayed) == 1


@pytest.mark.parametrize("text", ["1", "1 else 2", "nothing that is a move"])
@pytest.mark.parametrize("shown", [0, 1, 45])
def test_a_reply_replays_the_match_once(text: str, shown: int, matches: dict[str, Match], replayed: list[str]) -> None:
    """A current reply, and one to an old email, whose numbers are that email's."""
    seat = asked(matches["running"])
    assert seat.asked_version is not None
    address = tokens.reply_address(seat, seat.asked_version - shown if shown < 45 else 0, seat.asked_version)
    result = handler.receive(incoming.parse(reply(address, text).as_bytes(), (address,)))
    assert result in (Result.PLAYED, Result.REFUSED, Result.UNREADABLE, Result.LATE)
    assert len(replayed) == 1
