"""A simulated week of the site: people with habits, their moves, and everything the site does."""

import heapq
import random
import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any, cast
from unittest import mock

import time_machine
from django.utils import timezone

from accounts.models import OutgoingMail, User
from accounts.playing_times import calendars
from games import engine, rules
from games.ai.players import choose
from games.devtools.bench import email_figures
from games.engine import SlapState
from games.mail import dispatch as notices
from games.mail.models import Kind, Notice, Preferences, Timing
from games.matches import service, tasks
from games.matches.models import Incident, Match, MissedTurn, Move, Seat
from games.matches.slap_points import segments
from games.matches.slap_points.models import SlapPoint
from games.operations import health

#: The virtual week starts on a Monday morning.
START = datetime(2026, 11, 23, 6, tzinfo=UTC)
#: How often the site looks for due rows and emails; in reality every few seconds.
SWEEP_EVERY = timedelta(minutes=2)
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney", "UTC")
CLOCKS = ("daily", "daily", "relaxed", "lunch")


@dataclass(frozen=True, slots=True)
class Habit:
    """When a player visits: hours between visits, the chance of skipping one, and when they vanish."""

    name: str
    share: int
    every: tuple[float, float]
    skipped: float = 0.0
    gone_after: timedelta | None = None


HABITS = (
    Habit("keen", 4, (0.5, 3)),
    Habit("daily", 8, (6, 14)),
    Habit("forgetful", 4, (10, 30), skipped=0.3),
    Habit("gone", 1, (6, 14), gone_after=timedelta(days=2)),
)


@dataclass(slots=True)
class Figures:
    """The figures of a week."""

    visits: int = 0
    habits: Counter[str] = field(default_factory=Counter)
    stuck: list[str] = field(default_factory=list)
    mails: int = 0
    latest_mail: timedelta = timedelta(0)

    def lines(self, players: int, days: int) -> Iterator[tuple[str, Any]]:
        """Name and value of each figure."""
        matches = Match.objects.all()
        turns = sum(Seat.objects.values_list("turns", flat=True)) + MissedTurn.objects.count()
        turn_mails = Notice.objects.filter(kind=Kind.TURN, mails__gt=0, mailed_at__isnull=False)
        waits = [
            (mailed - asked) / timedelta(minutes=1)
            for asked, mailed in turn_mails.values_list("created_at", "mailed_at")
            if mailed is not None
        ]
        yield "players", f"{players} ({', '.join(f'{count} {name}' for name, count in sorted(self.habits.items()))})"
        yield "days", days
        yield "visits", self.visits
        yield "moves", Move.objects.count()
        yield "turns", turns
        yield "emails", OutgoingMail.objects.count()
        yield "emails per player and day", round(OutgoingMail.objects.count() / players / days, 2)
        yield "from turn to email (median, minutes)", round(statistics.median(waits)) if waits else "-"
        yield "missed turns", MissedTurn.objects.count()
        kinds = Counter(Incident.objects.values_list("kind", flat=True))
        for kind in Incident.Kind.values:
            yield f"  {kind}", kinds[kind]
        yield "matches started", matches.exclude(started_at=None).count()
        yield "matches finished", matches.filter(status=Match.Status.OVER).count()
        for slug, count in sorted(Counter(matches.values_list("slug", flat=True)).items()):
            done = matches.filter(slug=slug, status=Match.Status.OVER).count()
            yield f"  {slug}", f"{done} of {count} finished"
        yield from email_figures.lines(players, days)
        yield "stuck", ", ".join(self.stuck) or "none"


class Week:
    """Runs the site in virtual time. Everything random depends only on ``seed``."""

    def __init__(self, players: int, days: int, seed: int, say: Callable[[str], None]) -> None:
        self.players, self.days, self.say = players, days, say
        self.chance = random.Random(seed)  # noqa: S311 - a simulation repeats itself
        self.figures = Figures()
        self.habit: dict[int, Habit] = {}
        self.visits: list[tuple[datetime, int]] = []

    def run(self) -> Figures:
        """Play the week and return its figures."""
        with time_machine.travel(START, tick=False) as clock, _inside():
            self._people()
            end = START + timedelta(days=self.days)
            now, day = START, 0
            while now < end:
                now += SWEEP_EVERY
                while self.visits and self.visits[0][0] <= now:
                    at, user_id = heapq.heappop(self.visits)
                    clock.move_to(max(at, timezone.now()), tick=False)
                    self._visit(user_id)
                clock.move_to(now, tick=False)
                tasks.sweep()
                notices.send_due()
                if (now - START).days > day:
                    day = (now - START).days
                    self.say(f"day {day}: {Move.objects.count()} moves, {OutgoingMail.objects.count()} mails")
            for _ in range(20):
                clock.move_to(timezone.now() + timedelta(seconds=tasks.LEASE + tasks.GRACE), tick=False)
                tasks.sweep()
            self.figures.stuck = list(_stuck())
        return self.figures

    def _people(self) -> None:
        for number in range(self.players):
            habit = self.chance.choices(HABITS, [habit.share for habit in HABITS])[0]
            user = User.objects.create_user(f"week{number}@example.org", name=f"Week {number}")
            zone = self.chance.choice(ZONES)
            rest = self.chance.sample(range(7), self.chance.choice((0, 0, 1, 2)))
            calendars.change(
                user, zone, time(self.chance.choice((7, 8, 9))), time(self.chance.choice((21, 22, 23))), rest
            )
            if number % 2:
                Preferences.objects.create(user=user, timing=Timing.AT_ONCE)
            self.habit[user.pk] = habit
            self.figures.habits[habit.name] += 1
            self._next_visit(user.pk)
        users = list(User.objects.filter(pk__in=self.habit))
        games = list(rules.all())
        for number in range(self.players):
            self._open(games[number % len(games)], users)

    def _open(self, game: engine.Rules, users: list[User]) -> None:
        """Start a match of two to four people."""
        count = self.chance.choice([seats for seats in game.seats if seats <= 4])
        people = self.chance.sample(users, count)
        options = {option.name: option.by_mail for option in game.options}
        match = service.open_table(
            people[0], game.slug, count, options, clock=self.chance.choice(CLOCKS), is_public=False
        )
        for person in people[1:]:
            service.join(match, person)
        service.start(match, people[0])

    def _next_visit(self, user_id: int) -> None:
        habit, now = self.habit[user_id], timezone.now()
        if habit.gone_after is not None and now - START > habit.gone_after:
            return
        at = now + timedelta(hours=self.chance.uniform(*habit.every))
        calendar = calendars.of([user_id], at)[user_id].at(at)
        awake, _asleep = next(calendar.windows(at))
        heapq.heappush(self.visits, (max(at, awake), user_id))

    def _visit(self, user_id: int) -> None:
        """Let a player visit and play wherever it's their turn."""
        self._next_visit(user_id)
        if self.chance.random() < self.habit[user_id].skipped:
            return
        self.figures.visits += 1
        seats = Seat.objects.filter(player=user_id, ai_level="", match__status=Match.Status.RUNNING)
        for seat in seats.exclude(asked_version=None).select_related("player"):
            service.looked(seat.match_id, seat.player, seat.asked_version or 0)
            try:
                self._turn(seat)
            except service.Refused as refusal:
                self.say(f"refused: {refusal}")

    def _turn(self, seat: Seat) -> None:
        for step in range(60):
            table = service.load(seat.match_id)
            clock = table.clocks[seat.number]
            if table.status != Match.Status.RUNNING or clock.asked_version is None:
                return
            if table.at_slap_point:
                self._watch(seat)
                return
            if seat.number not in table.deciders():
                return
            view = table.state.view(seat.number)
            move = choose(view, "easy", f"{self.chance.random()}")
            name = f"w{table.version}.{step}"
            service.act(
                seat.match_id, seat.number, move, request_id=name, seen_version=table.version, player=seat.player
            )

    def _watch(self, seat: Seat) -> None:
        """Watch all cards of a slap point without slapping."""
        point = SlapPoint.objects.get(match=seat.match_id, settled_at=None)
        session = f"week{seat.number}v{point.version}"
        begun = service.begin_watch(seat.match_id, seat.number, session)
        if begun is None:
            return
        state = cast(SlapState, service.load(seat.match_id).state)
        for at in range(begun.cursor + 1, len(segments.ahead(state).moves) + 1):
            service.show_move(point.pk, session, at)
        service.finish_watch(seat.match_id, seat.number, session)


def _stuck() -> Iterator[str]:
    """Matches that no process will ever continue: overdue, or running without waiting for a player."""
    now = timezone.now()
    late = health.overdue_since(now)
    if late is not None:
        yield f"something is due since {late}"
    for match in Match.objects.filter(status=Match.Status.RUNNING):
        table = service.load(match.pk)
        asked = match.seats.filter(asked_version__isnull=False, due_at__gt=now).exists()
        if not asked and match.due_at is None:
            yield f"{match} at version {match.version} waits for no seat (it should wait for {list(table.deciders())})"


@contextmanager
def _inside() -> Iterator[None]:
    """Run without a broker or sockets: the sweep finds due work, and AI players move immediately."""
    with (
        mock.patch("games.realtime.broadcast.to_table"),
        mock.patch("games.matches.tasks.think"),
        mock.patch.object(tasks.ai_turn, "delay", tasks.ai_turn),
        mock.patch("games.mail.tasks.send_pushes.delay"),
    ):
        yield
