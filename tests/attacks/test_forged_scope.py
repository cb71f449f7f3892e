"""Values in a request decide neither where links lead nor who the visitor is.

Daphne takes ``root_path`` from the header ``Daphne-Root-Path``, which anyone can send; ``test_forged_headers.py`` sends
that header to the real server.
"""

from datetime import timedelta

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.backends.db import SessionStore
from django.core.asgi import get_asgi_application
from django.http import HttpResponse
from django.urls import resolve, reverse
from django.utils import timezone

from accounts.models import OutgoingMail, User
from accounts.moderation import sanctions
from accounts.moderation.middleware import RestrictionsMiddleware
from accounts.moderation.models import Report
from accounts.people.models import Friendship
from armani_site.asgi import application as whole_site
from armani_site.asgi_middleware import CleanScope, OwnPages
from games.matches import service
from tests.factories.visitors import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

FORGED = ["https://evil.example", "//evil.example", "@evil.example", ".evil.example"]


@pytest.fixture(autouse=True)
def _outbox(settings) -> None:
    settings.EMAIL_BACKEND = "accounts.outbox.OutboxBackend"
    settings.SITE_URL = "https://play.example.org"


@pytest.fixture(params=[0, 1], ids=["open to the network", "behind a proxy"])
def site(request, monkeypatch) -> CleanScope:
    monkeypatch.setattr(whole_site, "proxies", request.param)
    return whole_site


def said(mail: OutgoingMail) -> str:
    """Text and HTML of an email, which must have a link, and only to the site's own address."""
    text = f"{mail.text}\n{mail.html}"
    assert "evil.example" not in text
    assert "https://play.example.org/" in text
    return text


@pytest.mark.parametrize("forged", FORGED)
def test_a_reset_leads_to_the_site(site, ada: User, forged: str) -> None:
    asked = Visitor(site, root_path=forged).post("/accounts/password/reset/", {"email": ada.email})
    assert asked.status == 302
    assert "https://play.example.org/accounts/password/reset/key/" in said(OutgoingMail.objects.get())


@pytest.mark.parametrize("host", ["127.0.0.1:1337", "[::1]:8000"])
def test_the_host_that_a_visitor_names_is_in_no_email(site, ada: User, host: str) -> None:
    Visitor(site).post("/accounts/password/reset/", {"email": ada.email}, host=host)
    Visitor(site).post("/accounts/password/reset/", {"email": "nobody@example.org"}, host=host)
    reset, unknown = OutgoingMail.objects.order_by("pk")
    assert host not in said(reset) + said(unknown)


@pytest.mark.parametrize("forged", FORGED)
def test_a_confirmation_leads_to_the_site(site, ada: User, forged: str) -> None:
    for email in ("victim@example.org", ada.email):
        form = {"email": email, "name": f"Vic {len(email)}", "password1": "seven brass lamps"}
        assert Visitor(site, root_path=forged).post("/accounts/signup/", form).status == 302
    confirmation, there_already = OutgoingMail.objects.order_by("pk")
    assert "https://play.example.org/accounts/confirm-email/" in said(confirmation)
    assert "https://play.example.org/accounts/password/reset/" in said(there_already)


@pytest.mark.parametrize("forged", FORGED)
def test_an_invitation_leads_to_the_site(site, ada: User, forged: str) -> None:
    table = service.open_table(ada, "armed", 2, {})
    invite = reverse("match_invite", args=[table.key])
    assert Visitor(site, ada, root_path=forged).post(invite, {"who": "dora@example.org"}).status == 302
    assert "https://play.example.org/invitation/" in said(OutgoingMail.objects.get())


@pytest.mark.parametrize("forged", FORGED)
def test_a_rematch_leads_to_the_site(site, ada: User, ben: User, start_match, forged: str) -> None:
    match = start_match("basic-rummy", ada, ben)
    service.resign(match, ada)
    forger = Visitor(site, ada, root_path=forged)
    answer = forger.post(reverse("match_rematch", args=[match.key]), accept="application/json")
    match.refresh_from_db()
    shown = forger.get(reverse("match_state", args=[match.key]))
    assert answer.json()["url"] == shown.json()["rematch"]["url"] == f"/match/{match.rematch.key}/"


def suspend(person: User) -> None:
    """Suspend a person who has already read the decision."""
    boss = User.objects.create_superuser("boss@example.org", name="Boss")
    until = timezone.now() + timedelta(days=3)
    decision = sanctions.impose(boss, person, "suspended", "respect", "You insulted Ben.", until=until)
    sanctions.read(person, decision.pk)


def test_a_suspended_person_is_kept_out_at_every_path(site, ada: User, ben: User, make_player) -> None:
    mia = make_player("Mia")
    suspend(ada)
    form = {"rule": "respect", "sentence": "He shouts."}
    paths = ("/player/ben/befriend/", f"/report/player/{ben.name_key}/")
    for path in paths:
        Visitor(site, ada).post(path, form)
        Visitor(site, ada, root_path="/accounts").post(f"/accounts{path}", form)
    assert (Friendship.objects.count(), Report.objects.count()) == (0, 0)
    for path in paths:  # so it is not the forms
        Visitor(site, mia).post(path, form)
    assert (Friendship.objects.count(), Report.objects.count()) == (1, 1)


def test_the_view_decides_who_may_act_and_not_the_beginning_of_its_path(ada: User, ben: User, rf) -> None:
    suspend(ada)
    path = reverse("player_action", args=[ben.name_key, "befriend"])
    request = rf.post(path)
    request.path = f"/accounts{path}"
    request.COOKIES["sessionid"] = "x"
    request.user, request.resolver_match = ada, resolve(path)
    request.session = SessionStore()
    MessageMiddleware(lambda _request: HttpResponse()).process_request(request)
    answer = RestrictionsMiddleware(lambda _request: HttpResponse()).process_view(request, None, (), {})
    assert answer is not None
    assert answer.url == reverse("my_standing")
    request.resolver_match = resolve("/accounts/email/")
    assert RestrictionsMiddleware(lambda _request: HttpResponse()).process_view(request, None, (), {}) is None


@pytest.mark.parametrize("path", ["/admin/login/", "/accounts/login/", "/lobby/"])
def test_a_forged_root_path_reaches_no_page(site, path: str) -> None:
    """So a proxy that blocks a path blocks everything at it."""
    assert Visitor(site, root_path="/x").get(f"/x{path}").status == 404


async def test_a_forged_root_path_reaches_no_socket(site) -> None:
    headers = [(b"origin", b"http://localhost"), (b"host", b"localhost")]
    forged = WebsocketCommunicator(site, "/x/ws/lobby/", headers)
    forged.scope["root_path"] = "/x"
    connected, _code = await forged.connect(timeout=5)
    assert not connected


@pytest.mark.parametrize("path", ["@evil.example/", ".evil.example/lobby/", "http://evil.example/lobby/"])
def test_a_request_line_without_a_path_leads_nowhere_else(settings, path: str) -> None:
    settings.SECURE_SSL_REDIRECT = True
    site = CleanScope(get_asgi_application(), proxies=0)  # it reads that setting at start-up
    assert Visitor(site).get(path).headers["Location"] == f"https://localhost:8000/{path}"


@pytest.mark.parametrize("path", ["/match/%00/", "/player/a%00b/", "/lobby/?game=%00", "/lobby/?%00=1"])
def test_an_address_with_a_nul_character_is_refused(site, path: str) -> None:
    assert Visitor(site).get(path).status == 400


@pytest.mark.parametrize(
    ("host", "origin", "https", "is_let_in"),
    [
        ("play.example.org", "https://play.example.org", True, True),
        ("play.example.org", "http://play.example.org", True, False),
        ("play.example.org", "https://play.example.org:8443", True, True),  # SITE_URL
        ("play.example.org", "https://other.example.org", True, False),
        ("evil.example", "https://evil.example", True, False),
        ("", "https://play.example.org", True, False),
        ("play.example.org:1", "http://play.example.org:1", False, True),
    ],
)
async def test_sockets_are_for_pages_of_the_same_origin(settings, host, origin, https, is_let_in) -> None:
    settings.ALLOWED_HOSTS, settings.HTTPS = ["play.example.org"], https
    settings.SITE_URL = "https://play.example.org:8443"

    async def accept(_scope, _receive, send) -> None:
        await send({"type": "websocket.accept"})

    headers = [(b"host", host.encode()), (b"origin", origin.encode())]
    connected, _ = await WebsocketCommunicator(OwnPages(accept), "/ws/lobby/", headers).connect()
    assert connected is is_let_in


def scope_of(*headers: tuple[bytes, bytes], **more: object) -> dict[str, object]:
    return {"type": "http", "path": "/", "scheme": "http", "client": ["192.0.2.1", 5], "headers": list(headers), **more}


def cleaned(proxies: int, *headers: tuple[bytes, bytes], **more: object) -> dict[str, object]:
    return dict(CleanScope(whole_site, proxies).cleaned(scope_of(*headers, **more)))


@pytest.mark.parametrize(
    ("proxies", "forwarded", "client"),
    [
        (0, [b"198.51.100.7"], "192.0.2.1"),
        (1, [], "192.0.2.1"),
        (1, [b"198.51.100.7"], "198.51.100.7"),
        (1, [b"203.0.113.1, 198.51.100.7"], "198.51.100.7"),
        (1, [b"203.0.113.1", b"198.51.100.7"], "198.51.100.7"),
        (2, [b"203.0.113.1, 198.51.100.7, 10.0.0.1"], "198.51.100.7"),
        (2, [b"198.51.100.7"], "192.0.2.1"),
        (1, [b"2001:db8::1"], "2001:db8::1"),
        (1, [b"\xff\xfe"], "192.0.2.1"),
        (1, [b"unknown"], "192.0.2.1"),
        (1, [b""], "192.0.2.1"),
    ],
)
def test_the_address_is_the_one_that_the_outermost_proxy_saw(proxies, forwarded, client) -> None:
    scope = cleaned(proxies, *((b"x-forwarded-for", value) for value in forwarded))
    assert scope["client"][0] == client


def test_the_scheme_is_the_one_that_the_last_proxy_saw() -> None:
    both = (b"x-forwarded-proto", b"http, https")
    assert cleaned(1, both)["scheme"] == "https"
    assert cleaned(0, both)["scheme"] == "http"
    assert cleaned(1, (b"x-forwarded-proto", b"gopher"))["scheme"] == "http"


@pytest.mark.parametrize("name", [b"daphne-root-path", b"Daphne-Root-Path", b"x_forwarded_for", b"host_"])
def test_headers_that_no_one_sends_in_good_faith_are_dropped(name: bytes) -> None:
    assert cleaned(1, (name, b"x"), (b"accept", b"*/*"))["headers"] == [(b"accept", b"*/*")]


def test_limits_count_the_address_that_the_proxy_saw(site, monkeypatch) -> None:
    """Prepending addresses to the header gives no one new attempts."""
    monkeypatch.setattr(site, "proxies", 1)
    answers = [
        Visitor(site)
        .post(
            "/accounts/password/reset/",
            {"email": f"nobody{number}@example.org"},
            x_forwarded_for=f"203.0.113.{number}, 198.51.100.7",
        )
        .status
        for number in range(22)
    ]
    assert answers == [302] * 20 + [429] * 2
