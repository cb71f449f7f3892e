"""Demo data for the other lists of the desk: slaps, emails, AI players, names, second factors, outages.

Matches are played through the match service, so they precede everything written in one transaction.
"""

import random
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import cast

from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.utils import timezone

from accounts import renames
from accounts.models import User
from accounts.moderation import audit, sanctions
from games.ai.players import choose
from games.ai_reports import reports as ai_reports
from games.ai_reports.models import AiCase
from games.engine import SlapState
from games.mail.models import Notice
from games.matches import service
from games.matches.live_match import LiveMatch
from games.matches.models import Match, Move, Outage
from games.matches.slap_points import segments
from games.matches.slap_points.models import SlapPoint
from games.matches.tasks import ai_luck
from games.moderation import person_file
from games.operations.models import values_of
from games.site_status import state
from games.site_status.models import Announcement
from games.slaps.flags import is_slappable
from games.slaps.models import Flag

#: Cards turned at the table with slaps, and moves at the one with an AI player.
MOST_CARDS, MOST_MOVES = 120, 16


def play(rng: random.Random, people: Sequence[User]) -> list[Match]:
    """Play a finished match with slaps, two turn-based ones, one of them over, and one with reported AI moves."""
    slapped = _begin(people[:3], "armani", clock="table")
    _slap(rng, slapped, people)
    by_email = _begin(people[4:6], "armani", clock="daily")
    _watch(by_email)
    over = _begin(people[6:8], "basic-rummy", clock="daily")
    _choose(over, 6)
    with_ai = service.open_table(people[8], "basic-rummy", 2, {}, ai={1: "medium"})
    service.start(with_ai, people[8])
    _choose(with_ai, MOST_MOVES)
    _report_moves(with_ai, people[8])
    for match, player in (*((slapped, person) for person in people[:3]), (over, people[6]), (with_ai, people[8])):
        match.refresh_from_db()
        if match.status == Match.Status.RUNNING:
            service.resign(match, player)
    return [slapped, over]


def fill(people: Sequence[User], moderators: Mapping[str, User], played: Sequence[Match]) -> None:
    """Create rows that don't come from matches, if possible through the code that writes them in use."""
    _flag(people, played[0])
    _rename(people, moderators["Anna"])
    _decide(people, moderators, played)
    _announce(moderators["Olga"])
    now = timezone.now()
    failed = Notice.objects.order_by("pk").first()
    if failed is not None:
        failed.failures, failed.error = 3, "SMTPServerDisconnected: Connection unexpectedly closed"
        failed.save()
    for days, minutes in ((5, 4), (2, 11)):
        since = now - timedelta(days=days)
        Outage.objects.create(since=since, until=since + timedelta(minutes=minutes), is_credited=True)
    for person in people[6:8]:
        TOTP.activate(person, generate_totp_secret())
        RecoveryCodes.activate(person)


def _begin(people: Sequence[User], slug: str, *, clock: str) -> Match:
    """Start a match of these people."""
    match = service.open_table(people[0], slug, len(people), {}, clock=clock)
    for person in people[1:]:
        service.join(match, person)
    service.start(match, people[0])
    return match


def _choose(match: Match, moves: int) -> LiveMatch:
    """Make this many choices as AI players would, up to the next card that everyone watches."""
    players = {seat.number: seat.player for seat in match.seats.select_related("player")}
    table = service.load(match.pk)
    for _n in range(moves):
        if table.at_slap_point or table.forced_step() or not table.state.to_move():
            break
        seat = table.state.to_move()[0]
        move = choose(table.state.view(seat), "easy", ai_luck(match.seed, table.version, seat))
        player = players[seat]
        source = Move.Source.AI if player is None else Move.Source.PLAYER
        name = f"ai:{table.version}:{seat}" if player is None else f"demo{table.version}"
        service.act(match.pk, seat, move, request_id=name, player=player, source=source)
        table.enter(seat, move, name)
    return table


def _slap(rng: random.Random, match: Match, people: Sequence[User]) -> None:
    """Turn cards, and let people slap most slappable cards and a few others."""
    for _n in range(MOST_CARDS):
        table = _choose(match, MOST_MOVES)
        if table.forced_step() is None:
            return
        right = table.card is not None and is_slappable(table)
        for seat, person in enumerate(people[: match.seat_count]):
            may = table.card is not None and "slap" in table.state.legal_moves(seat)
            if may and rng.random() < (0.8 if right else 0.02):
                _press(match, person, seat, table.version, rng.gauss(420, 60))
        service.step(match.pk, table.version)


def _press(match: Match, player: User, seat: int, card: int, reaction: float) -> None:
    """Press over a connection with 40 ms latency."""
    service.submit(
        service.RecordPress(
            match.pk,
            seat=seat,
            card=card,
            elapsed=reaction + 40,
            claimed=reaction,
            ping=40,
            cap=48,
            player_id=player.pk,
        )
    ).result()


def _watch(match: Match) -> None:
    """Complete one slap point that everyone has watched, and open the next."""
    _choose(match, MOST_MOVES)
    point = SlapPoint.objects.get(match=match, settled_at=None)
    cards = len(segments.ahead(cast(SlapState, service.load(match.pk).state)).moves)
    for watch in point.watches.all():
        session = f"demo{watch.seat}"
        service.begin_watch(match.pk, watch.seat, session)
        for cursor in range(1, cards + 1):
            service.show_move(point.pk, session, cursor)
        service.finish_watch(match.pk, watch.seat, session)
    _choose(match, MOST_MOVES)


def _report_moves(match: Match, player: User) -> None:
    """Report two moves of the AI player, and settle one report."""
    notes = ("It threw away the card that it needed.", "Why not take the king?")
    for move, note in zip(ai_reports.reportable(match, player), notes, strict=False):
        case = ai_reports.report(match, move.number, player, note)
    AiCase.objects.filter(pk=case.pk).update(is_settled=True)


def _flag(people: Sequence[User], match: Match) -> None:
    now = timezone.now()
    for person, kind, figure, cards, days in (
        (people[1], Flag.Kind.MEDIAN, 187.0, 20, 1),
        (people[1], Flag.Kind.STEADY, 21.0, 20, 1),
        (people[5], Flag.Kind.TOO_FAST, 4.0, 20, 3),
        (people[9], Flag.Kind.AT_CAP, 0.72, 44, 9),
    ):
        at = now - timedelta(days=days)
        Flag.objects.create(
            player=person, kind=kind, figure=figure, cards=cards, matches=[match.key],
            last=f"{match.key} {match.version}", first_at=at, found_at=at,
        )  # fmt: skip


def _rename(people: Sequence[User], moderator: User) -> None:
    """Rename two players; a moderator removes one of the names."""
    renames.change_name(people[7], "Hugo Hartmann")
    renames.change_name(people[8], "Card Shop 24")
    sanctions.impose(moderator, people[8], "rename", "name", "A name is no place for advertising.")


def _decide(people: Sequence[User], moderators: Mapping[str, User], played: Sequence[Match]) -> None:
    """Make decisions that wait for a second moderator, request a second look, and add a note."""
    anna, rolf, mila = moderators["Anna"], moderators["Rolf"], moderators["Mila"]
    for moderator, person, match in zip((anna, rolf), (people[0], people[6]), played, strict=True):
        sanctions.impose(moderator, person, "annulled", "fair", "Two of you played as one.", match=match)
    sanctions.impose(mila, people[10], "closed", "spam", "This account is there for advertising only.")
    person_file.ask_for_similar(mila, people[10], "The same shop as an account that was closed last week.")
    person_file.add_note(anna, people[3], "Was friendly when I asked. The page with the shop is gone now.")


def _announce(operator: User) -> None:
    """Add an expired announcement, a current one, and a future one."""
    now = timezone.now()
    for text, start, end in (
        ("The site rests on Sunday from 4 to 5 in the morning.", -9, -7),
        ("New cards are here: larger and calmer.", -1, 13),
        ("The spring tournament begins in a week.", 20, None),
    ):
        announcement = Announcement.objects.create(
            text=text, starts_at=now + timedelta(days=start), ends_at=None if end is None else now + timedelta(days=end)
        )
        after = values_of(announcement, "text", "starts_at", "ends_at")
        audit.record(operator, "announce", announcement, after=after)
    state.changed()
