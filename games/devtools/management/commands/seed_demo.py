"""``manage.py seed_demo``: fill a demo site with people, matches, chat and reports."""

import random
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from accounts import outbox
from accounts.models import MailTrouble, OutgoingMail, User
from accounts.moderation import sanctions
from accounts.people.models import Profile
from games import rules
from games.ai.players import choose
from games.chat import lines
from games.chat.models import Line
from games.devtools import demo_lists, demo_week
from games.matches import service
from games.matches.models import Match, Move, Seat
from games.moderation import reports
from games.operations import failures
from games.operations.models import DayCount

PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Edda", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kofi", "Lena")
#: Moderators by name, with their groups.
ROLES = {
    "Tara": ("Moderators: talk",),
    "Rolf": ("Moderators: results",),
    "Anna": ("Moderators: accounts", "Moderators: results", "Moderators: talk"),
    "Olga": ("Operations",),
}
#: A second account moderator for a busy week, so that she and Anna can confirm each other's decisions.
MORE_ROLES = {"Mila": ("Moderators: accounts",)}
SAID = (
    "Hello, all",
    "Nice one",
    "You play like a wet towel",
    "Buy cheap cards at cards.example",
    "Well played",
    "Again?",
)
#: Matches are resigned after this many moves.
MOST_MOVES = 150
#: Options that make a match short.
SHORT = {"armani": {"stage2_flips": 52}, "basic-rummy": {"target": 50}, "rummy-500": {"target": 100}}


class Command(BaseCommand):
    help = "Fill a demo site with people, matches, chat, reports, sanctions and an appeal."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--password", default="play-cards-1", help="the password of all accounts (default: %(default)s)"
        )
        parser.add_argument(
            "--week", action="store_true", help="add 300 reports, and entries for every list of the moderators' desk"
        )
        parser.add_argument("--matches", type=int, default=8, help="how many finished matches (default: %(default)s)")

    def handle(self, *, password: str, matches: int, week: bool, **_options: Any) -> None:
        if not settings.DEV_TOOLS:
            raise CommandError("This command is for demo sites, and DEV_TOOLS is off here.")
        if User.objects.filter(email="ada@demo.example").exists():
            raise CommandError("This site already has the demo people.")
        rng = random.Random(2026)
        people = [self._person(name, password) for name in PEOPLE]
        roles = ROLES | MORE_ROLES if week else ROLES
        moderators = {name: self._moderator(name, password, groups) for name, groups in roles.items()}
        Profile.objects.create(user=people[3], country="DE", about="Best prices for cards: cards.example")
        finished = [self._match(rng, people, to_end=True) for _n in range(matches)]
        running = [self._match(rng, people, to_end=False) for _n in range(4)]
        played = demo_lists.play(rng, people) if week else []
        with transaction.atomic():
            self._moderate(rng, people, moderators, finished, running)
            if week:
                demo_week.fill(rng, people, list(moderators.values()), finished)
                demo_lists.fill(people, moderators, played)
        self._operate(people, running)
        staff = ", ".join(f"{name.lower()}@demo.example" for name in roles)
        self.stdout.write(f"{len(people)} people, {matches} finished and {len(running)} running matches.")
        self.stdout.write(f"Log in as ada@demo.example, or at /admin/ as {staff}; the password is {password}")

    def _person(self, name: str, password: str) -> User:
        return User.objects.create_user(f"{name.lower()}@demo.example", password, name=name)

    def _moderator(self, name: str, password: str, groups: tuple[str, ...]) -> User:
        user = User.objects.create_user(f"{name.lower()}@demo.example", password, name=name, is_staff=True)
        user.groups.set(Group.objects.filter(name__in=groups))
        return user

    def _match(self, rng: random.Random, people: list[User], *, to_end: bool) -> Match:
        """A match between two or more of ``people``, played by AI players for a while or to its end."""
        game = rng.choice(rules.all())
        seats = rng.choice([count for count in game.seats if count <= 4])
        sitting = rng.sample(people, seats)
        # A live clock: in turn-based matches each player watches each card of Game: Armani alone.
        match = service.open_table(sitting[0], game.slug, seats, SHORT.get(game.slug, {}), clock="table")
        for person in sitting[1:]:
            service.join(match, person)
        service.start(match, sitting[0])
        for said in rng.sample(SAID, 3):
            lines.say(match, rng.choice(sitting), text=said)
        table = service.load(match.pk)
        left = MOST_MOVES if to_end else rng.randrange(4, 12)
        while left and table.state.to_move():
            left -= 1
            forced = table.forced_step()
            if forced is not None:
                seat, move = forced
                service.step(match.pk, table.version)
            else:
                seat = table.state.to_move()[0]
                move = choose(table.state.view(seat), "easy", f"{match.pk}:{table.version}")
                service.act(match.pk, seat, move, request_id=f"demo{table.version}", player=sitting[seat])
            table.enter(seat, move, f"demo{table.version}")
        match.refresh_from_db()
        if to_end and match.status == Match.Status.RUNNING:
            for person in sitting:
                if match.status == Match.Status.RUNNING:
                    service.resign(match, person)
        return match

    def _moderate(
        self,
        rng: random.Random,
        people: list[User],
        moderators: dict[str, User],
        finished: list[Match],
        running: list[Match],
    ) -> None:
        """Create reports in all states, decisions of all severities, and an appeal."""
        insult = Line.objects.filter(text=SAID[2]).exclude(author=None).first()
        advert = Line.objects.filter(text=SAID[3]).exclude(author=None).first()
        for line, rule, sentence in (
            (insult, "respect", "This is no way to talk."),
            (advert, "spam", "He sells things."),
        ):
            if line is not None:
                reporter = rng.choice([person for person in people if person.pk != line.author_id])
                thing = reports.find(reporter, "line", f"{line.match.key}-{line.pk}")
                reports.file(reporter, thing, rule, sentence)
        reports.file(
            people[0], reports.find(people[0], "player", people[3].name_key), "name", "His page is an advertisement."
        )
        played = [match for match in running + finished if match.version > 2]
        if played:
            match = rng.choice(played)
            move = match.moves.filter(source=Move.Source.PLAYER).order_by("number")[1]
            accused = match.seats.get(number=move.seat).player
            other = next(person for person in people if person != accused)
            thing = reports.find(other, "move", f"{match.key}-{move.number}")
            reports.file(other, thing, "fair", "No one plays that card without seeing my hand.")
        anna = moderators["Anna"]
        done = reports.file(
            people[1], reports.find(people[1], "player", people[4].name_key), "respect", "She shouted at all of us."
        )
        reports.claim(anna, done)
        decision = sanctions.impose(
            anna,
            people[4],
            "silence",
            "respect",
            "You shouted at the table.",
            until=timezone.now() + timedelta(days=3),
            report=done,
        )
        reports.close(anna, done, "upheld", "You were right, and we have acted. Thank you for telling us.")
        sanctions.appeal(people[4], decision, "My cat walked over the keys.")
        sanctions.impose(anna, people[5], "warning", "stall", "You let others wait on purpose.")

    def _operate(self, people: list[User], running: list[Match]) -> None:
        """Create problems for the operator: a stuck match, a failed email, and a bounced address."""
        now = timezone.now()
        late = running[0]
        Match.objects.filter(pk=late.pk).update(due_at=now + timedelta(minutes=2))
        failures.note(failures.Kind.AI_TURN, late.pk, late.version, "KeyError in ai/players.py, line 31, choose")
        Seat.objects.filter(match=late, due_at__isnull=False).update(due_at=now - timedelta(hours=1))
        OutgoingMail.objects.create(
            to="lena@demo.example", sender="no-reply@localhost", subject="Your turn", text="It's your turn.",
            status=OutgoingMail.Status.FAILED, attempts=9, next_try_at=None, last_error="SMTPDataError: 452 full",
        )  # fmt: skip
        outbox.give_up("kofi@demo.example", MailTrouble.BOUNCED)
        rng = random.Random(7)
        days = [now.date() - timedelta(days=n) for n in range(1, 90)]
        for what, most in ((DayCount.What.MATCHES, 40), (DayCount.What.TURNS, 900), (DayCount.What.MAILS, 120)):
            # A running site has already counted its days.
            DayCount.objects.bulk_create(
                [DayCount(day=day, what=what, count=rng.randrange(most // 2, most)) for day in days],
                update_conflicts=True,
                unique_fields=["day", "what"],
                update_fields=["count"],
            )
