"""The leak test: while a slap point is open, no response contains a card that its reader hasn't been shown.

Cards are searched by code in machine-readable data, and by name in text.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.core import signing
from django.core.management import call_command
from django.db.models import F
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse
from django.utils import timezone

from accounts.models import OutgoingMail, User
from accounts.personal_data import export
from games.chat import lines
from games.feeds.models import Feed
from games.live.consumers import slap_page
from games.lobby import invitations
from games.mail import dispatch, push, tasks, tokens
from games.mail.models import Discretion, Kind, Preferences, PushSubscription, Timing
from games.mail.outgoing.email_builder import Link
from games.mail.outgoing.turn_email import read_turn
from games.matches import service
from games.matches.live_match import FLIP
from games.matches.models import Match, Seat, SlapAttempt
from games.matches.slap_points import segments
from games.matches.slap_points.models import Watch
from games.moderation import reports
from games.realtime import process
from games.rules.wording import card_name
from games.slaps.flags import flag_slaps
from games.slaps.models import Flag
from tests.factories.clients import QuickClient
from tests.factories.slap_points import SlapPageBrowser, choose, see, segment_of, slappable
from tests.factories.sockets import Browser, run

pytestmark = pytest.mark.django_db(transaction=True)
#: Ben's two reactions in ms, in any output.
HANDS = re.compile(r"(?<![\w.])(412913|577251)(?!\w)")
#: Nonces and signatures: they are random, and sometimes contain a card's two characters between hyphens.
RANDOM = re.compile(r"(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{20,}")
SNAPSHOT = re.compile(rb'<script id="snapshot" type="application/json">(.*?)</script>', re.DOTALL)


class Secret:
    """The cards of an open segment, and how many of them each viewer may know."""

    def __init__(self, match: Match) -> None:
        table = service.load(match.pk)
        segment = segments.ahead(table.state)
        self.match = match
        self.cards = [
            (at, now.view(None).zone("pile").cards[-1])
            for at, now in segments.walk(table.state, segment)
            if segment.moves[at - 1][1] == FLIP
        ]
        assert len(self.cards) >= 8

    def ahead_of(self, cursor: int) -> list[str]:
        """The cards hidden from a viewer who was shown ``cursor`` moves."""
        return [code for at, code in self.cards if at > cursor]

    def assert_hidden(self, text: str, cursor: int, *, where: str) -> None:
        """Check that no response contains a card ahead of the cursor."""
        # The texts of the page and its coach name cards; they are the same in every match.
        text = re.sub(r'<script id="(words|coach)".*?</script>', "", text, flags=re.DOTALL)
        hidden = self.ahead_of(cursor)
        # Few texts contain such two characters at all; only these are split into words.
        is_split = any(code in text for code in hidden)
        words = set(re.findall("[A-Za-z0-9]+", RANDOM.sub("", text))) if is_split else set()
        found = [code for code in hidden if code in words or card_name(code) in text]
        assert not found, (where, found)


@pytest.fixture
def secret(begin, monkeypatch) -> Secret:
    monkeypatch.setattr(slap_page, "WINDOW", (60, 80))
    monkeypatch.setattr(slap_page, "HANDED_OVER", 10)
    # No player has looked at a card of their own, as happens if colours decide the teams.
    return Secret(slappable(begin, 4, least=12, teams="alternate"))


#: Pages without a match: their cards are examples, or parts of country names.
EXAMPLES = {"rules_page", "ai_players", "account_settings_profile"}
#: Forms that create or delete something or end the visitor's session.
EMPTY = re.compile(r"_(add|delete)$|:logout$")


@dataclass(frozen=True, slots=True)
class Address:
    """One URL of the site, with the name of its page."""

    name: str
    path: str


def addresses(match: Match) -> list[Address]:
    """Every URL with content: one per pattern, with this match and its people as arguments."""
    asked = Seat.objects.get(match=match, number=2)
    player = Seat.objects.get(match=match, number=0).player
    token = {
        "mail_stop": Link(player.pk, Kind.TURN, match.pk).token,
        "calendar_feed": Feed.objects.create(user=player, kind=Feed.Kind.CALENDAR).url.rpartition("/")[2][:-4],
        "news_feed": Feed.objects.create(user=player, kind=Feed.Kind.NEWS).url.rpartition("/")[2][:-5],
        "turn": tokens.turn_url(asked, asked.asked_version).rstrip("/").rpartition("/")[2],
        "invitation": signing.dumps([match.key, "who@example.org"], salt=invitations.SALT),
    }
    token["invitation_no_more"] = token["invitation"]
    values = {
        "key": match.key,
        "slug": match.slug,
        "name_key": player.name_key,
        "name": "befriend",
        "number": 1,
        "pk": 1,
        "id": 1,
        "kind": "match",
        "ref": match.key,
        "uidb36": "1",
        "app_label": "games",
        "url": "nowhere/",
        "content_type_id": 1,
    }
    models = {
        f"{model._meta.app_label}_{model._meta.model_name}": model
        for model in apps.get_models()
        if admin.site.is_registered(model)
    }
    found = []
    for name, arguments in patterns(get_resolver().url_patterns):
        if EMPTY.search(name):
            continue
        model = models.get(name.removeprefix("admin:").rpartition("_")[0])
        rows = list(model._default_manager.values_list("pk", flat=True)) if model and "object_id" in arguments else [1]
        for row in rows:
            given = {**values, "object_id": row, "token": token.get(name, "")}
            path = reverse(name, kwargs={argument: given[argument] for argument in arguments})
            found.append(Address(name, path))
    return list({address.path: address for address in found}.values())


def patterns(entries: Iterable[Any], names: tuple[str, ...] = (), space: str = "") -> Iterator[tuple[str, list[str]]]:
    """The name of each page, with its arguments."""
    for entry in entries:
        arguments = (*names, *(getattr(entry.pattern, "converters", None) or entry.pattern.regex.groupindex))
        if isinstance(entry, URLResolver):
            yield from patterns(
                entry.url_patterns, arguments, f"{space}{entry.namespace}:" if entry.namespace else space
            )
        elif entry.name is not None:
            yield f"{space}{entry.name}", list(arguments)


def text_of(client: Client, path: str) -> str:
    response = client.get(path)
    if response.get("Content-Type", "").startswith("image/"):
        # Drawn from the same view as the page; its bytes contain no text.
        return ""
    content = b"".join(response.streaming_content) if response.streaming else response.content
    return content.decode(errors="replace")


def clients(people: Iterable[User]) -> dict[str, Client]:
    found = {"nobody": Client()}
    for person in people:
        found[person.name] = QuickClient()
        found[person.name].force_login(person)
    return found


@pytest.mark.long
def test_no_page_feed_or_admin_list_contains_a_future_card(secret, people, make_player, capsys):
    match = secret.match
    ada, ben, cem, _dora = people
    cursor = secret.cards[4][0]
    service.begin_watch(match.pk, 0, "ada")
    for at in range(1, cursor + 1):
        assert service.show_move(Watch.objects.get(seat=0).point_id, "ada", at)
    see(match, 1, (secret.cards[1][0], 412_912.75), (secret.cards[-1][0], 577_251.25))
    lines.say(match, ben, text="What a card")
    reports.file(cem, reports.find(cem, "match", match.key), "fair", "He knows what comes")
    chief = make_player("Chief")
    chief.is_staff = chief.is_superuser = True
    chief.save()
    Flag.objects.create(player=ben, kind=Flag.Kind.TOO_FAST, figure=3, cards=20, matches=[match.key], last=match.key)
    call_command("judge_slaps", match.key)
    assert capsys.readouterr().out == "1 matches judged again: 0 differences\n"
    flag_slaps()
    told = addresses(match)
    assert {"match_state", "watch", "replay_moments", "turn", "news_feed", "admin:slaps_flag_change"} <= {
        each.name for each in told
    }
    everybody = clients([ada, ben, cem, make_player("Eve"), chief])
    for name, client in everybody.items():
        for address in told:
            # Everyone opens the match's pages; of the others, the chief moderator opens the desk, and one player the
            # rest.
            own = "Chief" if address.name.startswith("admin:") else "Cem"
            if name != own and match.key not in address.path:
                continue
            text = text_of(client, address.path)
            # Ben, who has seen everything, sees it only on the watch page; Ada sees as far as she has watched.
            seen = {"Ada": cursor, "Ben": 10**6}.get(name, 0) if address.name == "watch" else 0
            if address.name not in EXAMPLES:
                secret.assert_hidden(text, seen, where=f"{name} at {address.path}")
            if (name, address.name) != ("Ben", "watch"):
                assert not HANDS.search(text), (name, address.path)


def test_no_email_digest_or_push_contains_a_future_card(secret, people, time_machine, monkeypatch):
    match = secret.match
    see(match, 1, (secret.cards[1][0], 412_912.75), (secret.cards[-1][0], 577_251.25))
    Preferences.objects.create(user=people[0], discretion=Discretion.FULL)
    Preferences.objects.create(user=people[2], discretion=Discretion.FULL, timing=Timing.DIGEST)
    for person in people:
        PushSubscription.objects.create(user=person, endpoint=f"https://push.example/{person.pk}", p256dh="", auth="")
    pushed: list[str] = []
    monkeypatch.setattr(tasks.send_pushes, "delay", tasks.send_pushes)
    monkeypatch.setattr(push, "send", lambda user, payload: pushed.append(json.dumps(payload)) or 1)
    begun = timezone.now()
    for hours in range(0, 50, 2):
        time_machine.move_to(begun + timedelta(hours=hours), tick=False)
        dispatch.send_due()
    letters = [f"{mail.subject} {mail.text} {mail.html} {mail.headers}" for mail in OutgoingMail.objects.all()]
    assert len(letters) >= 5
    assert len(pushed) >= 3
    for text in (*letters, *pushed):
        secret.assert_hidden(text, 0, where="told")
        assert not HANDS.search(text)
    for seat in Seat.objects.filter(match=match, asked_version__isnull=False).select_related("player", "match"):
        view = read_turn(seat, Discretion.FULL).view
        secret.assert_hidden(json.dumps(view.to_json()), 0, where="what a mail is made of")


def test_no_export_holds_a_slap_on_a_card_ahead(begin, people):
    """Neither the player's own, nor those of the AI player that has the seat after a resignation."""
    match = slappable(begin, 4, least=12)
    see(match, 1, (len(segment_of(match).moves), 412_912.75))
    service.resign(match, people[0])
    ahead = SlapAttempt.objects.filter(match=match, version__gt=match.version)
    assert ahead.filter(seat=1).exists()
    assert slaps_in_export(people[1]) == []
    for seat in (2, 3):
        see(match, seat)
    match.refresh_from_db()
    assert slaps_in_export(people[1]) == [412_912.75]
    while not match.slaps.filter(seat=0, version__lte=F("match__version")).exists():
        choose(match)
        for seat in match.seats.filter(ai_level=""):
            see(match, seat.number)
    assert slaps_in_export(people[0]) == []


def slaps_in_export(player: User) -> list[float]:
    return [row["reaction"] for part in export(player) if part.key == "games.SlapAttempt" for row in part.rows]


def test_no_socket_message_contains_a_future_card_under_reloads_and_on_two_devices(secret, people, make_player):
    match = secret.match
    eve = make_player("Eve")
    heard: list[tuple[str, str, int]] = []

    async def cursor_of(seat: int) -> int:
        return await process.in_thread(lambda: Watch.objects.get(seat=seat).cursor)

    async def go() -> None:
        onlookers = [Browser(match), Browser(match, eve), Browser(match, people[1]), SlapPageBrowser(match, eve)]
        for onlooker in onlookers:
            await onlooker.__aenter__()
        phone = SlapPageBrowser(match, people[0])
        async with phone:
            await phone.receive("watch", state="ready")
            await phone.go()
            for _reload in range(6):
                await phone.receive("moved")
                async with SlapPageBrowser(match, people[0]) as desk, Browser(match, people[0]) as table:
                    for each, name in ((desk, "desk"), (table, "table")):
                        await each.receive("snapshot")
                        seen = await cursor_of(0) if name == "desk" else 0
                        heard.extend((name, raw, seen) for raw in each.raw)
            while phone.received[-1].get("state") != "seen":
                await phone.receive("watch")
        for raw in phone.raw:
            message = json.loads(raw)
            version = message["v"] if message["t"] == "moved" else match.version + (await cursor_of(0))
            heard.append(("phone", raw, version - match.version))
        for onlooker in onlookers:
            await onlooker.say("{")
            await onlooker.receive("rejected")
            heard.extend(("onlooker", raw, 0) for raw in onlooker.raw)
            await onlooker.__aexit__()

    run(go)
    assert len(heard) > 20
    for name, raw, cursor in heard:
        secret.assert_hidden(raw, cursor, where=name)


def test_the_page_contains_what_was_shown_and_no_more(secret, people):
    client = QuickClient()
    client.force_login(people[0])
    service.begin_watch(secret.match.pk, 0, "ada")
    point_id = Watch.objects.get(seat=0).point_id
    for at in range(1, 5):
        assert service.show_move(point_id, "ada", at)
    response = client.get(reverse("watch", args=[secret.match.key]))
    found = SNAPSHOT.search(response.content)
    assert found
    snapshot = json.loads(found[1])
    assert snapshot["v"] == secret.match.version + 4
    assert snapshot["card"] is None
    assert snapshot["view"]["moves"] in ([], ["slap"])


def test_the_check_finds_a_leak(secret):
    """A hidden card is found by code and by name, so the other tests can fail."""
    code = secret.cards[-1][1]
    for text in (json.dumps({"cards": [code]}), f"Ada plays {card_name(code)}."):
        with pytest.raises(AssertionError):
            secret.assert_hidden(text, 3, where="here")
    secret.assert_hidden(json.dumps({"cards": [secret.cards[0][1]]}), 3, where="here")
    secret.assert_hidden(f'<style nonce="nB7-{code}-hmR_x1cVlqN0tg">', 3, where="here")
