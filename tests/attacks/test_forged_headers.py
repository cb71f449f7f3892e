"""Forged headers have no effect on the real server, whether open to the network or behind a proxy."""

import http.client
import re
import sqlite3
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.process

ADA = "from accounts.models import User; User.objects.create_user('ada@example.org', 'seven brass lamps', name='Ada')"
EVIL = {"Daphne-Root-Path": "https://evil.example"}
PUBLIC = {"HTTPS": "1", "SITE_URL": "https://play.example.org", "ALLOWED_HOSTS": "play.example.org"}
BY_PROXY = {
    "Host": "play.example.org",
    "Origin": "https://play.example.org",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-For": "198.51.100.7",
}


@pytest.fixture(scope="module", params=["open", "proxied"])
def site(request: pytest.FixtureRequest) -> Iterator[SiteProcess]:
    is_open = request.param == "open"
    with SiteProcess({} if is_open else PUBLIC, args=[] if is_open else ["--proxy-headers"]) as site:
        site.manage("shell", "-c", ADA)
        yield site


def ask(site: SiteProcess, method: str, path: str, headers: dict[str, str], form: dict[str, str] | None = None):
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=20)
    common = BY_PROXY if "SITE_URL" in site.env else {"Host": f"localhost:{site.port}"}
    content = {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
    connection.request(method, path, urlencode(form or {}), {**common, **content, **headers})
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer, body


def test_the_email_with_the_key_to_an_account_leads_to_the_site(site: SiteProcess) -> None:
    answer, page = ask(site, "GET", "/accounts/password/reset/", {})
    cookie = {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
    form = {"email": "ada@example.org", "csrfmiddlewaretoken": token}
    answer, _ = ask(site, "POST", "/accounts/password/reset/", {**EVIL, **cookie}, form)
    assert answer.status == 302
    assert "evil" not in answer.headers["Location"]
    with sqlite3.connect(site.data_dir / "armani.sqlite3") as database:
        ((text, html),) = database.execute("SELECT text, html FROM accounts_outgoingmail").fetchall()
    home = site.env.get("SITE_URL", f"http://localhost:{site.port}")
    assert f"{home}/accounts/password/reset/key/" in text
    assert "evil.example" not in text + html


def test_a_forged_root_path_reaches_no_page(site: SiteProcess) -> None:
    for path in ("/admin/login/", "/dev/mailbox/", "/lobby/"):
        answer, _ = ask(site, "GET", f"/x{path}", {"Daphne-Root-Path": "/x"})
        assert answer.status == 404
    assert ask(site, "GET", "/lobby/", {"Daphne-Root-Path": "/x"})[0].status == 200


def test_the_mailbox_is_only_for_people_at_the_machine(site: SiteProcess) -> None:
    forwarded = {"X-Forwarded-For": "127.0.0.1"}
    assert ask(site, "GET", "/dev/mailbox/", forwarded)[0].status == 404
    assert ask(site, "GET", "/dev/mailbox/", {})[0].status == (404 if "SITE_URL" in site.env else 200)


def test_the_log_names_the_address_that_asked(site: SiteProcess) -> None:
    ask(site, "GET", "/healthz?one", {"X-Forwarded-For": "203.0.113.9, 198.51.100.7"})
    line = next(line for line in site.log.splitlines() if "path=/healthz" in line)
    assert "203.0.113.9" not in line
    assert ("client=198.51.100.7:" if "SITE_URL" in site.env else "client=127.0.0.1:") in line
