"""The mailbox page of development, and the admin's view of the outbox."""

import os
import runpy
import subprocess
import sys
from unittest import mock

import pytest
from django.conf import settings as site_settings
from django.contrib.admin import site as admin_site
from django.core.mail import EmailMultiAlternatives
from django.http import Http404, HttpResponse
from django.test import AsyncRequestFactory, Client, override_settings
from django.urls import Resolver404, URLResolver, include, path, reverse
from django.urls.resolvers import RegexPattern

from accounts import outbox
from accounts.mailbox import on_this_machine
from accounts.models import OutgoingMail, User
from tests.factories.addresses import refuse_plainly
from tests.factories.people import PASSWORD
from tests.factories.site_process import ROOT

pytestmark = pytest.mark.django_db
HOSTILE = '<script>alert(1)</script><p onclick="alert(2)">Hello</p><img src="https://evil.example/pixel.gif">'


@pytest.fixture(scope="module", autouse=True)
def mailbox():
    """The site's URLs including the mailbox, whatever the settings of this run.

    Module scope, because Django reads all URLs again whenever they change.
    """
    urls = __import__(site_settings.ROOT_URLCONF, fromlist=["urlpatterns"])
    patterns = (*urls.urlpatterns, path("dev/mailbox/", include("accounts.mailbox")))
    with override_settings(MAILBOX=True, ROOT_URLCONF=patterns):
        yield "/dev/mailbox/"


@pytest.fixture
def client() -> Client:
    """A browser on the same machine."""
    return Client(headers={"host": "localhost:8000"})


@pytest.fixture
def letter():
    message = EmailMultiAlternatives(
        "Confirm <b>it</b>", "Open http://testserver/accounts/x/ please", None, ["ada@example.org"]
    )
    message.attach_alternative(HOSTILE, "text/html")
    return outbox.enqueue(message)[0]


def test_an_empty_mailbox_says_so(client, mailbox):
    assert "No email yet" in client.get(mailbox).content.decode()


def test_emails_are_listed_newest_first_and_opened_with_links_to_press(client, mailbox, letter):
    outbox.enqueue(EmailMultiAlternatives("Second", "text", None, ["ben@example.org"]))
    page = client.get(mailbox).content.decode()
    assert page.index("Second") < page.index("Confirm &lt;b&gt;it")
    opened = client.get(f"{mailbox}{letter.pk}/").content.decode()
    assert 'href="http://testserver/accounts/x/"' in opened
    assert "<b>it</b>" not in opened
    assert client.get(f"{mailbox}9999/").status_code == 404


def test_the_html_part_is_shown_in_a_sandbox(client, mailbox, letter):
    page = client.get(f"{mailbox}{letter.pk}/")
    assert HOSTILE not in page.content.decode()
    assert "frame-src 'self'" in page["Content-Security-Policy"]
    assert "allow-scripts" not in page.content.decode()
    part = client.get(f"{mailbox}{letter.pk}/html/")
    policy = part["Content-Security-Policy"]
    assert "sandbox allow-popups" in policy
    assert "default-src 'none'" in policy
    assert "img-src data:" in policy  # no external content
    for never in ("script-src", "allow-scripts", "allow-same-origin", "allow-forms"):
        assert never not in policy
    assert part["X-Frame-Options"] == "SAMEORIGIN"


def test_the_mailbox_is_emptied_by_a_post_alone(client, mailbox, letter):
    assert client.get(f"{mailbox}clear/").status_code == 405
    assert OutgoingMail.objects.exists()
    client.post(f"{mailbox}clear/")
    assert not OutgoingMail.objects.exists()


SITES = pytest.mark.parametrize(
    ("env", "there"),
    [
        ({}, True),
        ({"DEV_TOOLS": "0"}, False),
        ({"DEV_TOOLS": "1"}, True),
        ({"REDIS_URL": "redis://127.0.0.1:6379/0"}, False),
        # A site with an address is public, whatever else is set.
        ({"SITE_URL": "https://play.example.org"}, False),
        ({"ALLOWED_HOSTS": "play.example.org"}, False),
        ({"HTTPS": "1"}, False),
        ({"TRUSTED_PROXY_COUNT": "1"}, False),
        ({"SITE_URL": "https://play.example.org", "DEV_TOOLS": "1"}, False),
        ({"ALLOWED_HOSTS": "play.example.org", "DEV_TOOLS": "1"}, False),
    ],
)


@SITES
def test_the_mailbox_is_only_there_on_a_site_for_trying_out(env, there, tmp_path, settings, monkeypatch):
    """Settings and URLs are created again, as when a site starts in this environment."""
    monkeypatch.setattr(admin_site, "login", admin_site.login)  # the URLs register a check
    with mock.patch.dict(os.environ, {"DATA_DIR": str(tmp_path), **env}, clear=True):
        made = runpy.run_path(str(ROOT / "armani_site" / "settings.py"))
    for name in ("MAILBOX", "MAIL_WEBHOOKS"):
        setattr(settings, name, made[name])
    addresses = URLResolver(RegexPattern(r"^/"), runpy.run_path(str(ROOT / "armani_site" / "urls.py"))["urlpatterns"])
    try:
        addresses.resolve("/dev/mailbox/")
    except Resolver404:
        assert not there
    else:
        assert there


@pytest.mark.process
@SITES
def test_the_mailbox_is_only_there_in_a_process_for_trying_out(env, there, tmp_path):
    ask = (
        "import django; django.setup(); from django.urls import resolve, Resolver404\n"
        "try: resolve('/dev/mailbox/'); print('there')\n"
        "except Resolver404: print('absent')"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask],
        env={"DJANGO_SETTINGS_MODULE": "armani_site.settings", "DATA_DIR": str(tmp_path), **env},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == ("there" if there else "absent")


@pytest.fixture
def admin(client):
    root = User.objects.create_superuser("root@example.org", PASSWORD, name="Root")
    client.force_login(root, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_the_admin_lists_emails_but_never_shows_what_they_say(admin, letter):
    listed = admin.get(reverse("admin:accounts_outgoingmail_changelist"), {"q": "ada@example.org"}).content.decode()
    assert "ada@example.org" in listed
    opened = admin.get(reverse("admin:accounts_outgoingmail_change", args=[letter.pk])).content.decode()
    assert "ada@example.org" in opened
    assert "/accounts/x/" not in opened
    assert admin.get(reverse("admin:accounts_outgoingmail_add")).status_code == 403


def test_the_admin_sends_failed_emails_again_and_leaves_waiting_ones(admin, letter):
    waiting = outbox.enqueue(EmailMultiAlternatives("Second", "text", None, ["ben@example.org"]))[0]
    OutgoingMail.objects.filter(pk=letter.pk).update(status="failed", attempts=9, last_error="x")
    OutgoingMail.objects.filter(pk=waiting.pk).update(attempts=3)
    chosen = {"action": "send_again", "_selected_action": [letter.pk, waiting.pk]}
    admin.post(reverse("admin:accounts_outgoingmail_changelist"), chosen)
    letter.refresh_from_db()
    waiting.refresh_from_db()
    assert (letter.status, letter.attempts, letter.last_error) == ("waiting", 0, "")
    assert waiting.attempts == 3


def test_the_admin_makes_and_finds_users_who_can_log_in(admin, person):
    admin.post(
        reverse("admin:accounts_user_add"),
        {
            "email": "Carol@example.org",
            "name": "Carol",
            "usable_password": "true",
            "password1": PASSWORD,
            "password2": PASSWORD,
        },
    )
    assert "Carol" in admin.get(reverse("admin:accounts_user_changelist"), {"q": "carol@"}).content.decode()
    browser = Client()
    browser.post(reverse("account_login"), {"login": "carol@example.org", "password": PASSWORD})
    assert browser.session["_auth_user_id"] == str(User.objects.get(name="Carol").pk)


def test_the_admin_can_change_a_user_but_not_take_a_name(admin, ada):
    url = reverse("admin:accounts_user_change", args=[ada.pk])
    assert admin.get(url).status_code == 200
    admin.post(url, {"email": "countess@example.org", "name": "Countess", "is_active": "on"})
    ada.refresh_from_db()
    assert (ada.email, ada.name) == ("countess@example.org", "Countess")
    assert ada.emailaddress_set.get().email == "countess@example.org"
    answer = admin.post(url, {"email": "countess@example.org", "name": "ROOT", "is_active": "on"})
    assert "This name is taken" in answer.content.decode()


@pytest.mark.parametrize(("address", "status"), [("127.0.0.1", 200), ("::1", 200), ("192.0.2.7", 404), ("", 404)])
def test_the_mailbox_is_for_browsers_on_the_machine_itself(client, mailbox, address, status):
    assert client.get(mailbox, REMOTE_ADDR=address).status_code == status


@pytest.mark.parametrize(
    "header",
    [
        "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Original-Forwarded-For", "Forwarded", "Via",
        "X-Real-IP", "X-Client-IP", "True-Client-IP", "CF-Connecting-IP", "X-Cluster-Client-IP",
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", ["203.0.113.9", "127.0.0.1"])
def test_the_mailbox_is_for_no_one_behind_a_proxy_on_the_same_machine(
    client, mailbox, letter, header, value, monkeypatch
):
    refuse_plainly(monkeypatch)
    for page in (mailbox, f"{mailbox}{letter.pk}/", f"{mailbox}{letter.pk}/html/"):
        assert client.get(page).status_code == 200
        assert client.get(page, headers={header: value}).status_code == 404
    assert client.post(f"{mailbox}clear/", headers={header: value}).status_code == 404
    assert OutgoingMail.objects.count() == 1


@pytest.mark.parametrize(
    ("host", "status"),
    [("127.0.0.1:9000", 200), ("[::1]:8000", 200), ("localhost", 200), ("play.example.org", 404)],
)
def test_the_mailbox_needs_the_machines_own_name_as_host(client, mailbox, settings, host, status):
    settings.ALLOWED_HOSTS = ["*"]
    assert client.get(mailbox, headers={"host": host}).status_code == status


def test_there_is_no_mailbox_if_the_server_is_set_up_for_a_proxy(client, mailbox, settings):
    settings.MAILBOX = False
    assert client.get(mailbox).status_code == 404


@pytest.mark.parametrize(("version", "status"), [("1.0", 404), ("1.1", 200), ("2", 200)])
def test_the_mailbox_refuses_requests_as_a_badly_configured_proxy_sends_them(settings, version, status):
    settings.MAILBOX = True
    request = AsyncRequestFactory().get("/dev/mailbox/")
    request.META["HTTP_HOST"] = "localhost:8000"
    request.scope["http_version"] = version
    guarded = on_this_machine(lambda _request: HttpResponse())
    try:
        answered = guarded(request).status_code
    except Http404:
        answered = 404
    assert answered == status
