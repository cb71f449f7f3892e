"""Web push, against a push service of our own over real HTTP."""

import base64
import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO

import http_ece
import pytest
import time_machine
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.core.management import CommandError, call_command
from django.test import override_settings
from django.urls import reverse
from py_vapid import Vapid02
from urllib3.util import parse_url

from games.mail import dispatch, push, tasks
from games.mail.models import Discretion, Preferences, PushSubscription
from games.matches import service as play
from games.matches.models import Match
from tests.factories.turns import asked

pytestmark = pytest.mark.django_db


def b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class Browser:
    """The browser's side of a subscription: its keys, and decoding of received pushes."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._auth = b"0123456789abcdef"

    @property
    def subscription(self) -> dict:
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {
            "endpoint": self.endpoint,
            "expirationTime": None,
            "keys": {"p256dh": b64(point), "auth": b64(self._auth)},
        }

    def read(self, body: bytes) -> dict:
        return json.loads(http_ece.decrypt(body, private_key=self._key, auth_secret=self._auth, version="aes128gcm"))


class Service:
    """Accepts pushes, or answers with ``status``."""

    def __init__(self) -> None:
        self.status = 201
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.got.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(service.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=[0.01], daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture(scope="module")
def running_service() -> Iterator[Service]:
    found = Service()
    yield found
    found.close()


@pytest.fixture(scope="module")
def signing_key(tmp_path_factory) -> str:
    out = StringIO()
    with override_settings(DATA_DIR=tmp_path_factory.mktemp("data"), VAPID_PRIVATE_KEY=""):
        call_command("make_push_keys", stdout=out)
    return out.getvalue().strip().removeprefix("VAPID_PRIVATE_KEY=")


@pytest.fixture
def service(settings, tmp_path, running_service, signing_key) -> Service:
    """An empty push service that accepts everything."""
    settings.DATA_DIR = tmp_path
    settings.VAPID_PRIVATE_KEY = signing_key
    settings.PUSH_SERVICES = ["127.0.0.1"]
    running_service.status, running_service.got = 201, []
    return running_service


@pytest.fixture
def browser(service, client, ada) -> Browser:
    """A browser in which Ada has enabled pushes."""
    made = Browser(f"{service.url}/ada")
    client.force_login(ada)
    answer = client.post(reverse("push_subscribe"), made.subscription, content_type="application/json")
    assert answer.json() == {"browsers": 1}
    return made


@pytest.fixture
def clock():
    with time_machine.travel("2026-11-23T11:00:00Z", tick=False) as traveller:
        yield traveller


@pytest.fixture
def match(clock, ada, ben, start_by_mail, browser) -> Match:
    """A match that waits for Ada."""
    made = start_by_mail("normal-cards", ada, ben)
    if asked(made).player == ben:
        table = play.load(made.pk)
        seat = asked(made)
        play.act(made.pk, seat.number, table.state.legal_moves(seat.number)[0], request_id="m", player=ben)
    assert asked(made).player == ada
    return made


@pytest.fixture
def tell(clock, django_capture_on_commit_callbacks, monkeypatch):
    """Let time pass and pushes be sent."""
    monkeypatch.setattr(tasks.send_pushes, "delay", tasks.send_pushes)

    def later(after: timedelta) -> None:
        clock.shift(after)
        with django_capture_on_commit_callbacks(execute=True):
            dispatch.send_due()

    return later


def test_a_turn_is_pushed_within_seconds_encrypted_for_its_browser_and_signed_by_the_site(
    match, browser, service, tell
):
    tell(timedelta(seconds=6))
    ((path, headers, body),) = service.got
    assert path == "/ada"
    said = browser.read(body)
    assert said["title"] == "Normal Cards with Ben"
    assert said["url"] == match.get_absolute_url()
    assert match.game_name.encode() not in body
    assert headers["content-encoding"] == "aes128gcm"
    assert Vapid02.verify(headers["authorization"])
    assert headers["authorization"].endswith(f"k={push.public_key()}")


def test_it_is_pushed_again_at_half_of_the_time_and_shortly_before_the_end(match, browser, service, tell):
    # A day's bank runs only in playing times: it lasts until the second evening.
    for _hour in range(40):
        tell(timedelta(hours=1))
    titles = [browser.read(body)["title"] for _path, _headers, body in service.got]
    assert titles == ["Normal Cards with Ben", "Normal Cards with Ben", "Last call: Normal Cards with Ben"]


def test_a_player_who_has_looked_gets_no_push(match, ada, service, tell):
    match.refresh_from_db()
    play.looked(match.pk, ada, match.version)
    tell(timedelta(seconds=6))
    assert service.got == []


@pytest.mark.parametrize(
    ("discretion", "title", "body"),
    [
        (Discretion.CLICK, "Normal Cards with Ben", "It's your turn."),
        (Discretion.NONE, "Armani", "A match is waiting for you."),
    ],
)
def test_a_push_is_as_discreet_as_its_owner_wants(match, ada, browser, service, tell, discretion, title, body):
    Preferences.objects.create(user=ada, discretion=discretion)
    tell(timedelta(seconds=6))
    ((_path, _headers, sealed),) = service.got
    said = browser.read(sealed)
    assert (said["title"], said["body"]) == (title, body)


def test_a_push_names_no_card_of_a_hand(match, ada, browser, service, tell):
    tell(timedelta(seconds=6))
    ((_path, _headers, sealed),) = service.got
    table = play.load(match.pk)
    public = str(table.state.view(None).to_json())
    said = str(browser.read(sealed))
    for code in table.state.view(asked(match).number).zone(f"hand:{asked(match).number}").cards:
        assert code in public or code not in said


@pytest.mark.parametrize("status", [404, 410])
def test_an_expired_browser_is_deleted(match, service, tell, status):
    service.status = status
    tell(timedelta(seconds=6))
    assert not PushSubscription.objects.exists()


@pytest.mark.parametrize("status", [429, 500])
def test_a_service_that_has_trouble_costs_nothing_but_the_push(match, service, tell, status):
    service.status = status
    tell(timedelta(seconds=6))
    assert PushSubscription.objects.count() == 1
    service.status = 201
    for _hour in range(14):
        tell(timedelta(hours=1))
    assert len(service.got) == 2


def test_a_push_service_that_is_down_only_loses_the_push(match, tell):
    gone = Service()
    gone.close()
    PushSubscription.objects.update(endpoint=f"{gone.url}/ada")
    tell(timedelta(seconds=6))
    assert PushSubscription.objects.count() == 1


def test_a_player_who_looked_away_gets_a_push_about_a_live_table(service, clock, tell, browser, ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    if asked(match).player == ben:
        seat = asked(match)
        move = play.load(match.pk).state.legal_moves(seat.number)[0]
        play.act(match.pk, seat.number, move, request_id="m", player=ben)
    tell(timedelta(seconds=10))
    assert service.got == []
    tell(timedelta(seconds=11))
    assert len(service.got) == 1


def test_the_site_sends_requests_to_push_services_only(service, client, ada, settings):
    settings.PUSH_SERVICES = ["push.services.mozilla.com", "fcm.googleapis.com"]
    client.force_login(ada)
    for endpoint in (
        "https://10.0.0.1/x",
        "http://fcm.googleapis.com/x",
        "https://evilfcm.googleapis.com.example.org/x",
        "https://notfcm-googleapis.com/x",
        "https://user@fcm.googleapis.com/x",
        r"https://127.0.0.1\.fcm.googleapis.com/x",
        "https://fcm.googleapis.com:22/",
        "https://fcm.googleapis.com",
        "https://fcm.googleapis.com/x\n",
        "https://127.0.0.1#.fcm.googleapis.com/x",
        "https://127.0.0.1%2f.fcm.googleapis.com/x",
        "https://127.0.0.1\t.fcm.googleapis.com/x",
        "https://127.0.0.1/.fcm.googleapis.com/x",
        "https://ⓕcm.googleapis.com/x",
        "https://[::1].fcm.googleapis.com/x",
        "http://127.0.0.1:8000/x",
        "file:///etc/passwd",
        f"{service.url}/x",
    ):
        subscription = {**Browser(endpoint).subscription}
        assert client.post(reverse("push_subscribe"), subscription, content_type="application/json").status_code == 400
    for honest in (
        "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABm-_~x",
        "https://fcm.googleapis.com/fcm/send/abc:APA91b-_",
        "https://fcm.googleapis.com:443/wp/x?token=a%2Fb",
    ):
        assert push.is_push_service(honest)
        # The sending program parses the same host.
        assert f".{parse_url(honest).host}".endswith(tuple(f".{known}" for known in settings.PUSH_SERVICES))
    assert not PushSubscription.objects.exists()


@pytest.mark.parametrize("key", ["\ud800", "ä", "a b", ""])
def test_a_subscription_with_an_invalid_key_is_refused(service, client, ada, key):
    client.force_login(ada)
    for name in ("p256dh", "auth"):
        subscription = Browser(f"{service.url}/x").subscription
        subscription["keys"][name] = key
        answer = client.post(reverse("push_subscribe"), json.dumps(subscription), content_type="application/json")
        assert answer.status_code == 400
    assert not PushSubscription.objects.exists()


@pytest.mark.parametrize(
    "body", ["", "[]", "{}", '{"endpoint": 1, "keys": {"p256dh": "a", "auth": "b"}}', '{"endpoint": "https://x"}']
)
def test_an_invalid_subscription_is_refused(service, client, ada, body):
    client.force_login(ada)
    assert client.post(reverse("push_subscribe"), body, content_type="application/json").status_code == 400


def test_no_one_subscribes_without_being_logged_in(client, service):
    answer = client.post(reverse("push_subscribe"), Browser(service.url).subscription, content_type="application/json")
    assert answer.status_code == 302
    assert not PushSubscription.objects.exists()


def test_logging_out_ends_the_pushes_to_that_browser(browser, client):
    client.post(reverse("account_logout"))
    assert not PushSubscription.objects.exists()


def test_another_person_in_the_same_browser_takes_its_pushes_over(browser, client, ben):
    client.force_login(ben)
    client.post(reverse("push_subscribe"), browser.subscription, content_type="application/json")
    assert PushSubscription.objects.get().user == ben


def test_pushes_to_one_browser_or_to_all_can_be_turned_off(browser, client, service):
    other = Browser(f"{service.url}/other")
    client.post(reverse("push_subscribe"), other.subscription, content_type="application/json")
    assert client.post(reverse("push_forget"), {"endpoint": other.endpoint}).json() == {"browsers": 1}
    client.post(reverse("push_forget"))
    assert not PushSubscription.objects.exists()


def test_only_so_many_browsers_are_kept(browser, client, service, ada):
    for number in range(push.MOST_BROWSERS + 2):
        more = Browser(f"{service.url}/{number}")
        client.post(reverse("push_subscribe"), more.subscription, content_type="application/json")
    assert PushSubscription.objects.filter(user=ada).count() == push.MOST_BROWSERS


def test_the_key_is_made_once_and_may_be_kept_in_the_data_folder(settings, tmp_path):
    settings.VAPID_PRIVATE_KEY = ""
    settings.DATA_DIR = tmp_path
    assert push.public_key() == ""
    call_command("make_push_keys", "--write", stdout=StringIO())
    assert (tmp_path / push.KEY_FILE).stat().st_mode & 0o077 == 0
    assert len(base64.urlsafe_b64decode(push.public_key() + "==")) == 65
    with pytest.raises(CommandError):
        call_command("make_push_keys", "--write", stdout=StringIO())
