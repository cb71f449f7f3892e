"""Absence is reported: to the absent player in emails of their own, to the others in their next one."""

import random
from datetime import datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts import outbox
from accounts.models import OutgoingMail, User
from accounts.playing_times.models import Leave, LeaveAccount
from games.devtools.bench import email_figures
from games.mail import dispatch
from games.mail.models import Notice, Preferences, Timing
from games.mail.turn_summary import MOST_LINES, names_by
from games.matches import service
from games.matches.models import Incident, Match, Move
from games.matches.stored import Made
from games.table import clock_text

pytestmark = pytest.mark.django_db


@pytest.fixture
def clock(settings):
    settings.MAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    with time_machine.travel("2026-11-23T11:00:00Z", tick=False) as traveller:
        yield traveller


class Table:
    """A match by email: each player waits for their email, except those who have vanished."""

    def __init__(self, match: Match, clock, *gone: User) -> None:
        self.match, self._clock, self._gone, self._rng = match, clock, gone, random.Random(4)

    def texts(self, user: User, prefix: str = "") -> list[str]:
        mails = OutgoingMail.objects.filter(to=user.email, key__startswith=prefix).order_by("pk")
        return [" ".join(mail.text.split()) for mail in mails]

    def go_on(self, half_hours: int) -> None:
        next_due = timezone.now()
        for _half_hour in range(half_hours):
            self._clock.shift(timedelta(minutes=31))
            if timezone.now() < next_due:
                continue
            self.match.refresh_from_db()
            if self.match.status != Match.Status.RUNNING:
                return
            dispatch.send_due()
            outbox.send_due()
            if self.match.due_at and self.match.due_at <= timezone.now():
                service.time_out(self.match.pk)
            next_due = self._next_due()
            for seat in self.match.seats.filter(asked_version__isnull=False, ai_level="").select_related("player"):
                has_mail = OutgoingMail.objects.filter(
                    key__startswith=f"turn:{self.match.pk}:{seat.player_id}:{seat.asked_version}:"
                ).exists()
                if has_mail and seat.player not in self._gone:
                    table = service.load(self.match.pk)
                    move = self._rng.choice(table.state.legal_moves(seat.number))
                    name = f"t{table.version}"
                    service.act(self.match.pk, seat.number, move, request_id=name, player=seat.player)
                    next_due = timezone.now()  # a trick's winner leads to the next one without another email

    def _next_due(self) -> datetime:
        """When the sweeps find something to do again."""
        self.match.refresh_from_db(fields=["due_at"])
        at = [self.match.due_at, *Notice.objects.values_list("next_at", flat=True)]
        at += OutgoingMail.objects.values_list("next_try_at", flat=True)
        return min(filter(None, at), default=timezone.now())


@pytest.fixture
def people(make_player) -> list[User]:
    found = [make_player(name) for name in ("Ada", "Ben", "Cleo", "Dan")]
    for user in found:
        LeaveAccount.objects.create(user=user, days=0, counted_at=timezone.now())
        Preferences.objects.create(user=user, timing=Timing.AT_ONCE)
    return found


@pytest.mark.long
def test_absent_and_present_players_are_notified_of_each_step(clock, people, start_by_mail):
    ada, ben, cleo, _dan = people
    match = start_by_mail("normal-cards", ada, ben, cleo, deals=10)
    table = Table(match, clock, ben)
    while not match.incidents.filter(kind=Incident.Kind.REPLACED).exists():
        table.go_on(24)
        assert match.incidents.count() < 30
    table.go_on(12)
    for kind, words in {
        "missed": "autoplay made a safe move for you.",
        "away": "You missed two turns in a row, so autoplay makes safe moves for you.",
        "offered": "so we're offering your seat to others.",
        "replaced": "finishes the match for you.",
    }.items():
        (told,) = table.texts(ben, f"{kind}:")
        assert words in told
    told = set(match.incidents.values_list("kind", flat=True))
    assert told == {"excused", "stand_in", "autopilot", "offered", "replaced"}
    for user in (ada, cleo):
        read = " ".join(table.texts(user, "turn:"))
        for words in (
            "Ben ran out of time and got their one extension.",
            "Ben ran out of time, so autoplay made a safe move.",
            "Ben missed two turns in a row. Autoplay plays on until they're back.",
            "Ben has been away for a long time, so you can take over the seat.",
            "an AI player, plays on for Ben.",
        ):
            assert words in read, (user, words)
        assert "Autoplay for Ben plays" in read
    # Autoplay's moves are never attributed to Ben.
    made = Move.objects.filter(match=match, seat=match.seats.get(player=ben).number)
    assert set(made.values_list("source", flat=True)) <= {Move.Source.STAND_IN, Move.Source.AI}
    assert not any(" Ben plays" in text.replace("for Ben plays", "") for text in table.texts(ada) + table.texts(cleo))


def test_a_player_whose_seat_was_taken_over_learns_who_has_it(clock, people, start_by_mail):
    ada, ben, cleo, dan = people
    match = start_by_mail("normal-cards", ada, ben, cleo, deals=10)
    table = Table(match, clock, ben)
    while not match.seats.filter(offered_at__isnull=False).exists():
        table.go_on(4)
    clock.shift(timedelta(days=1))
    while True:
        try:
            service.take_seat(match, match.seats.get(player=ben).number, dan)
            break
        except service.Refused:
            clock.shift(timedelta(hours=6))
    table.go_on(8)
    (told,) = table.texts(ben, "replaced:")
    assert "Dan took over your seat." in told
    mail = OutgoingMail.objects.get(key__startswith="replaced:")
    assert mail.subject.endswith("Dan has your seat now")
    assert "Dan has taken over the seat of Ben." in " ".join(table.texts(ada, "turn:"))
    assert "You took over the seat of Ben." in table.texts(dan, "turn:")[0]


def test_no_incident_is_cut_off_however_many_there_were(clock, people, start_by_mail):
    """Three of four vanish and one plays on: more happens than an email has lines for."""
    ada, *gone = people
    match = start_by_mail("normal-cards", ada, *gone, deals=10)
    table = Table(match, clock, *gone)
    while not match.incidents.filter(kind=Incident.Kind.UNRATED).exists():
        table.go_on(24)
    table.go_on(24)
    told = [text.partition("SINCE YOUR LAST TURN")[2].partition("THE TABLE")[0] for text in table.texts(ada, "turn:")]
    sentences = {clock_text.say(each.kind, each.name, each.other) for each in match.incidents.all()}
    counts = [sum(text.count(sentence) for sentence in sentences) for text in told]
    assert max(counts) >= MOST_LINES, "no email had so much to tell that its lines are full"
    assert all("Autoplay for" in text or " plays " in text for text in told if text), "nothing is said of moves"
    figures = dict(email_figures.lines(4, 7))
    heard, incidents = figures["incidents told in the next email of each player"].split(" of ")
    assert heard == incidents
    assert int(incidents) >= match.incidents.count()


def test_a_player_who_has_seen_a_first_miss_gets_no_email_about_it(clock, people, start_by_mail):
    ada, ben, *_rest = people
    match = start_by_mail("normal-cards", ada, ben, deals=10)
    seat = match.seats.exclude(asked_version=None).get()
    table = Table(match, clock, seat.player)
    while not match.incidents.filter(kind=Incident.Kind.STAND_IN).exists():
        clock.shift(timedelta(hours=3))
        service.time_out(match.pk)
    match.refresh_from_db()
    service.looked(match.pk, seat.player, match.version)
    table.go_on(2)
    assert table.texts(seat.player, "missed:") == []


def test_a_player_on_leave_is_marked_beside_their_name(clock, people, start_by_mail):
    ada, ben, *_rest = people
    match = start_by_mail("normal-cards", ada, ben)
    seat = match.seats.exclude(asked_version=None).get()
    other = next(user for user in (ada, ben) if user != seat.player)
    now = timezone.now()
    Leave.objects.create(user=other, starts_at=now, ends_at=now + timedelta(days=3), days=3)
    Table(match, clock, ada, ben).go_on(1)
    (text,) = Table(match, clock).texts(seat.player, "turn:")
    assert f"{other.name}: on leave until Thursday 26 November, 11:00 (UTC)" in text


def test_autoplay_is_named_only_for_moves_that_it_made():
    def told(made, you):
        return [f"{name:* draws|You draw}" for name in names_by(made, ["Ada", "Ben"], you)]

    by_autoplay = Made(3, 1, "play:2C", "x", Move.Source.STAND_IN)
    assert told(by_autoplay, 0) == ["You draw", "Autoplay for Ben draws"]
    assert told(by_autoplay, 1) == ["Ada draws", "Autoplay for you draws"]
    for source in (Move.Source.PLAYER, Move.Source.AI):
        assert told(Made(3, 1, "play:2C", "x", source), 1) == ["Ada draws", "You draw"]
    assert told(None, 1) == ["Ada draws", "You draw"]
