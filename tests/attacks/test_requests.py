"""Cross-site requests, and requests no browser sends, are refused all over the site."""

import logging
import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from armani_site.logs import DemoteClientErrors
from tests.factories.addresses import addresses, refuse_plainly, stay_logged_in

pytestmark = pytest.mark.django_db

#: These are sent without a page of ours: the token in the URL alone gives access, and nothing changes for the logged-in
#: user.
WITHOUT_TOKEN = {
    "mail_stop": "a mail program leaves a list by one POST (RFC 8058)",
    "turn": "an answer from a mail's page, in a program without cookies",
}


def test_requests_without_a_token_of_our_pages_are_refused(monkeypatch):
    refuse_plainly(monkeypatch)
    strict = Client(enforce_csrf_checks=True)
    taken = {name for name, path in addresses(with_admin=True) if strict.post(path).status_code != 403}
    assert taken == set(WITHOUT_TOKEN)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://testserver.evil.example"])
def test_requests_from_other_sites_pages_are_refused_even_with_a_token(origin):
    strict = Client(enforce_csrf_checks=True)
    page = strict.get(reverse("account_login")).content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
    data = {"csrfmiddlewaretoken": token, "theme": "dark"}
    assert strict.post(reverse("set_theme"), data, headers={"origin": origin}).status_code == 403
    assert strict.post(reverse("set_theme"), data, headers={"origin": "http://testserver"}).status_code == 302


@pytest.mark.parametrize(
    "host", ["evil.example", "testserver.evil.example", "testserver@evil.example", "testserver:80:80"]
)
def test_other_hosts_are_refused(client, host, ada):
    for name in ("home", "account_login", "account_reset_password"):
        assert client.get(reverse(name), headers={"host": host}).status_code == 400
    assert (
        client.post(reverse("account_reset_password"), {"email": ada.email}, headers={"host": host}).status_code == 400
    )


def test_a_nul_character_is_refused_in_every_form(client, make_player, monkeypatch):
    """PostgreSQL doesn't accept it, and any form that passed it on answered 500."""
    refuse_plainly(monkeypatch)
    client.force_login(quinn := make_player("Quinn"))
    for _name, path in addresses(with_admin=True):
        stay_logged_in(client, quinn)
        assert client.post(path, {"note": "a\0b"}).status_code == 400
    json = client.post(reverse("push_subscribe"), '{"endpoint": "\\u0000"}', content_type="application/json")
    assert json.status_code == 400


def test_requests_of_strangers_cause_no_error_line(client, caplog, ada):
    client.get(reverse("home"), headers={"host": "evil.example"})
    client.cookies["sessionid"] = "x" * 32
    client.cookies["messages"] = "forged"
    client.get(reverse("account_login"))
    client.post(reverse("account_login"), {f"field {number}": "x" for number in range(2000)})
    seen = [record for record in caplog.records if record.name.startswith("django.security")]
    assert seen
    for record in seen:
        assert DemoteClientErrors().filter(record)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_no_browser_stores_pages_of_logged_in_players(client, make_player):
    assert "no-store" not in client.get(reverse("rules_index")).headers.get("Cache-Control", "")
    client.force_login(make_player("Quinn"))
    for name in ("home", "my_matches", "lobby", "account_settings_account", "account_settings"):
        assert "no-store" in client.get(reverse(name)).headers["Cache-Control"], name


def test_a_forwarded_host_changes_no_link(client, ada, mailoutbox):
    client.post(reverse("account_reset_password"), {"email": ada.email}, headers={"x-forwarded-host": "evil.example"})
    assert "evil.example" not in " ".join(message.body for message in mailoutbox)


@pytest.mark.parametrize("text", ["[" * 3000, '[{"a":' * 1000])
def test_nested_json_is_refused_before_it_is_read(client, ada, text):
    """allauth parses it recursively, so a visitor logging in by passkey could cause an error."""
    client.raise_request_exception = False
    assert client.post(reverse("mfa_login_webauthn"), {"credential": text}).status_code == 400
    client.force_login(ada)
    assert client.post(reverse("push_subscribe"), text, content_type="application/json").status_code == 400


ELSEWHERE = [
    "https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "http:evil.example",
    "\\\\evil.example", "///evil.example", "/\t/evil.example", "\t//evil.example", "https:/evil.example",
    "https:evil.example", "https://testserver@evil.example/", "//testserver:80@evil.example",
    "https://evil.example#@testserver/", "data:text/html,x", "HTTPS://EVIL.EXAMPLE", " https://evil.example",
    "//[::1]/",
]  # fmt: skip
#: Not a URL, except in ``redirect`` names of views or namespaces, which may not exist.
NO_PAGES = ["x", "a:b", "games.lobby", "http://testserver/rules/"]


def test_no_form_leads_elsewhere(client, make_player, monkeypatch, settings):
    """Forms with ``next`` are found by sending them a page of ours; then others are tried."""
    refuse_plainly(monkeypatch)
    settings.ACCOUNT_RATE_LIMITS = False  # each is sent often
    quinn = make_player("Quinn")

    def leads_to(path: str, page: str) -> str:
        stay_logged_in(client, quinn)
        return client.post(path, {"next": page, "theme": "dark", "language": "de"}).get("Location", "")

    followers = {path for _name, path in addresses() if leads_to(path, "/rules/") == "/rules/"}
    assert {reverse(name) for name in ("set_theme", "set_language", "try_guest", "account_logout")} <= followers
    led = {(path, page): leads_to(path, page) for path in followers for page in [*ELSEWHERE, *NO_PAGES]}
    assert not {where: to for where, to in led.items() if not re.match(r"/(?![/\\])", to)}


@pytest.mark.parametrize("page", [*ELSEWHERE, *NO_PAGES])
def test_log_in_and_sign_up_go_on_to_pages_of_ours_only(client, ada, page):
    ada.set_password("seven brass lamps")
    ada.save()
    for name in ("account_login", "account_signup"):
        assert client.get(reverse(name), {"next": page}).status_code == 200
    data = {"login": ada.email, "password": "seven brass lamps", "next": page}
    assert client.post(reverse("account_login"), data)["Location"] == reverse("my_matches")
    for name in ("account_login", "account_signup"):  # who is logged in is led on
        assert client.get(reverse(name), {"next": page})["Location"] == reverse("my_matches")


def test_a_session_given_by_someone_else_is_not_the_one_that_logs_in():
    User.objects.create_user("ada@example.org", "seven brass lamps", name="Ada")
    attacker = Client()
    attacker.post(reverse("set_theme"))
    session = attacker.session
    session["mine"] = "planted"
    session.save()
    attacker.cookies["sessionid"] = session.session_key
    victim = Client()
    victim.cookies["sessionid"] = session.session_key
    victim.post(reverse("account_login"), {"login": "ada@example.org", "password": "seven brass lamps"})
    assert victim.session["_auth_user_id"]
    assert victim.session.session_key != session.session_key
    assert (victim.cookies["sessionid"]["httponly"], victim.cookies["sessionid"]["samesite"]) == (True, "Lax")
    assert attacker.get(reverse("account_settings")).status_code == 302
    made_up = Client()
    made_up.cookies["sessionid"] = "a" * 32
    made_up.post(reverse("account_login"), {"login": "ada@example.org", "password": "seven brass lamps"})
    assert made_up.session.session_key != "a" * 32


def test_endless_bodies_are_refused(client):
    answer = client.post(
        reverse("set_theme"), {"theme": "x" * 3_000_000}, content_type="application/x-www-form-urlencoded"
    )
    assert answer.status_code in (400, 413)


def test_too_many_fields_are_refused(client):
    assert client.post(reverse("set_theme"), {f"f{n}": "" for n in range(1500)}).status_code == 400


def test_no_form_accepts_files(client, make_player, monkeypatch):
    """There are no uploads: no form has a file field, and no model stores one."""
    refuse_plainly(monkeypatch)
    from django.apps import apps
    from django.db.models import FileField

    columns = [column for model in apps.get_models() for column in model._meta.concrete_fields]
    assert not [column for column in columns if isinstance(column, FileField)]
    client.force_login(make_player("Quinn"))
    pages = (client.get(path) for _name, path in addresses())
    texts = (
        page.content for page in pages if page.get("Content-Type", "").startswith("text/html") and not page.streaming
    )
    assert not [text for text in texts if b'type="file"' in text or b"multipart/form-data" in text]
