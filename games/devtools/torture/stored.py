"""Access the database of a tortured site: prepare tables, and read what is stored about them."""

import json
import random
from collections.abc import Sequence
from typing import Any

import msgspec
from django.db import transaction

from accounts.models import OutgoingMail, User
from games import rules
from games.devtools.bench.site import log_in
from games.devtools.torture.history import JUDGED, digest
from games.mail import tokens
from games.mail.decision_page import turns
from games.mail.models import Preferences, Timing
from games.matches import history, service
from games.matches.models import Match
from games.replays import check
from games.slaps.rejudge import differences

#: Games of live tables without slaps, including ones with sealed choices and hidden hands.
GAMES = ("normal-cards", "amagande", "avalanche", "ten-skip", "rummy-500", "armed", "basic-rummy")
#: Number of tables of each kind per round.
LIVE, SLAPS, WITH_AI, BY_EMAIL = 3, 2, 2, 6


def prepare(number: int) -> list[dict[str, Any]]:
    """Create the tables of round ``number`` between new people: key, and session cookies by seat; none for email."""
    rng = random.Random(number)  # noqa: S311 - which games are played is no secret
    tables = []
    with transaction.atomic():
        for at in range(LIVE):
            slug = rng.choice(GAMES)
            seats = min(rules.get(slug).seats[-1], rng.choice((2, 3, 4)))
            tables.append(_begun(f"{number}-live-{at}", slug, seats))
        options = {"slaps": list(rules.presentation("armani").patterns), "lockout": 0}
        tables += [_begun(f"{number}-slap-{at}", "armani", 3, options, pace="fast") for at in range(SLAPS)]
        tables += [_begun(f"{number}-ai-{at}", rng.choice(GAMES[:5]), 3, ai=(1, 2)[: at + 1]) for at in range(WITH_AI)]
        tables += [_begun(f"{number}-email-{at}", "normal-cards", 2, clock="daily") for at in range(BY_EMAIL)]
    return tables


def _begun(
    name: str, slug: str, seats: int, options: dict[str, Any] | None = None, *, ai: Sequence[int] = (), **more: Any
) -> dict[str, Any]:
    is_slow = "clock" in more
    people = [
        User.objects.create_user(f"{name}-{seat}@players.example" if is_slow else None, name=f"{name}-{seat}")
        for seat in range(seats)
        if seat not in ai
    ]
    if is_slow:
        Preferences.objects.bulk_create(Preferences(user=user, timing=Timing.AT_ONCE) for user in people)
    match = service.open_table(people[0], slug, seats, options or {}, ai=dict.fromkeys(ai, "easy"), **more)
    for person in people[1:]:
        service.join(match, person)
    service.start(match, people[0])
    sitting = match.seats.filter(player__isnull=False).select_related("player")
    cookies = {} if is_slow else {seat.number: log_in(seat.player) for seat in sitting if seat.player}
    return {"key": match.key, "cookies": cookies}


def read(keys: Sequence[str], answered: Sequence[str]) -> dict[str, Any]:
    """Read everything the checker needs about these matches and the answered emails, as JSON."""
    return {
        "matches": {key: _read_match(key) for key in keys},
        "answers": {address: _played(address) for address in answered},
        "sent": [
            mail.headers["Message-ID"]
            for mail in OutgoingMail.objects.filter(status=OutgoingMail.Status.SENT)
        ],
    }  # fmt: skip


def _played(address: str) -> str | None:
    ticket = tokens.read_reply(address)
    return turns.made_on(turns.find(ticket), ticket.shown_version)


@transaction.atomic
def _read_match(key: str) -> dict[str, Any]:
    # AI players continue while this is read; locking stops a match.
    match = Match.objects.select_for_update().get(key=key)
    views: dict[int, list[str]] = {}
    public = []
    names = dict(match.moves.values_list("number", "request_id"))
    made = [(move.seat, move.move) for move in match.moves.order_by("number")]
    for position in history.replay(match):
        table = position.table
        views[table.version] = [
            digest(json.loads(msgspec.json.encode(table.view(seat)))) for seat in range(match.seat_count)
        ]
        if table.version < len(made):
            public.append(table.state.public_move(*made[table.version]))
    return {
        "moves": [
            [number, *move, shown, names[number]]
            for number, (move, shown) in enumerate(zip(made, public, strict=True), start=1)
        ],
        "views": views,
        "slaps": list(match.slaps.filter(result__in=JUDGED).values_list("version", "seat", "result")),
        "faults": [*check.faults(match), *differences(match)],
    }
