"""Nothing is lost or sent twice, wherever the process dies: emails are counted against turns."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import timedelta
from unittest import mock

import pytest
import time_machine
from django.core.mail import EmailMultiAlternatives
from django.db import connection
from django.utils import timezone

from accounts import outbox
from accounts.models import OutgoingMail, User
from games.mail import dispatch
from games.mail.models import Kind, Notice, Preferences, Timing
from games.matches import service
from games.matches.models import Match, Seat
from tests.factories.mail_server import Mailbox, mail_server
from tests.factories.site_process import ROOT
from tests.factories.turns import asked

#: Number of moves after which a test ends.
ENOUGH = 8


class Killed(BaseException):
    """The process dies here: nothing catches this."""


class Killer:
    """Makes calls die, before or after their work, one time in ``one_in``."""

    def __init__(self, seed: int, one_in: int) -> None:
        self.rng = random.Random(seed)
        self.one_in = one_in
        self.kills = 0

    def _strike(self) -> None:
        if self.rng.randrange(self.one_in) == 0:
            self.kills += 1
            raise Killed

    def around(self, target: object, name: str, *, after: bool = True):
        work = getattr(target, name)

        def dying(*args, **kwargs):
            self._strike()
            result = work(*args, **kwargs)
            if after:
                self._strike()
            return result

        return mock.patch.object(target, name, dying)


def matches_of_strangers(number: int, start_by_mail) -> list[Match]:
    """Matches of two people each, who play nothing else and want immediate emails."""
    made = []
    for each in range(number):
        pair = [User.objects.create_user(f"p{each}{side}@example.org", name=f"P{each}{side}") for side in "ab"]
        for user in pair:
            Preferences.objects.create(user=user, timing=Timing.AT_ONCE)
        made.append(start_by_mail("normal-cards", *pair, deals=1))
    return made


def play_turn(match: Match, seat: Seat, rng: random.Random) -> None:
    """Make moves until the seat is no longer asked: the winner of a trick leads to the next one in the same turn."""
    while seat.asked_version is not None:
        table = service.load(match.pk)
        move = rng.choice(table.state.legal_moves(seat.number))
        service.act(match.pk, seat.number, move, request_id=f"m{table.version}", player=seat.player)
        asked_at, _ = seat.asked_version, seat.refresh_from_db()
        if seat.asked_version != asked_at:
            break


def play_by_mail(matches: list[Match], server: Mailbox, rng: random.Random, seen: set[str]) -> None:
    """Let people move only after the email about their turn has arrived."""
    arrived = {mail["Message-ID"] for mail in server.mails} - seen
    for match in matches:
        match.refresh_from_db()
        if match.status != Match.Status.RUNNING:
            continue
        seat = asked(match)
        name = f"<turn.{match.pk}.{seat.player_id}.{seat.asked_version}.mail@"
        if any(each.startswith(name) for each in arrived):
            play_turn(match, seat, rng)
    seen |= arrived


@pytest.mark.django_db
def test_wherever_a_worker_dies_every_turn_has_its_email_and_only_one(settings, start_by_mail):
    seed = 1
    rng = random.Random(seed)
    killer = Killer(seed, one_in=12)
    seen: set[str] = set()
    with time_machine.travel("2026-11-23T11:00:00Z", tick=False) as clock, mail_server(settings) as server:
        matches = matches_of_strangers(2, start_by_mail)
        for _round in range(150):
            clock.shift(timedelta(minutes=11))
            if rng.randrange(10) == 0:
                clock.shift(-timedelta(minutes=7))  # the machine's clock is corrected
            try:
                with (
                    killer.around(outbox, "enqueue"),
                    killer.around(dispatch, "_write_turn"),
                    killer.around(dispatch, "_pass"),
                    killer.around(dispatch, "read_turn"),
                    killer.around(outbox, "claim"),
                    killer.around(outbox, "_sent"),
                    # After its work would be between the server's reply and our record of it: see the test below.
                    killer.around(EmailMultiAlternatives, "send", after=False),
                ):
                    dispatch.send_due()
                    outbox.send_due()
            except Killed:
                continue
            play_by_mail(matches, server, rng, seen)
            if all(match.version >= ENOUGH for match in matches):
                break
        assert all(match.version >= ENOUGH for match in matches), "a match waits for a mail that never came"
        assert killer.kills > 5
        # Current turns have just begun: their emails are on their way.
        turns = Notice.objects.filter(kind=Kind.TURN).count() - len(matches)
        first = Counter(mail["Message-ID"] for mail in server.mails if ".mail@" in mail["Message-ID"])
        assert turns <= len(first) <= turns + len(matches)
        # A process that dies between the server's reply and the record can't know: the same Message-ID is sent again.
        assert sum(first.values()) - len(first) <= killer.kills


def let_time_go_by() -> None:
    """Half a minute for immediate emails; ten minutes for leases and the gap between two emails."""
    before = timezone.now() - timedelta(seconds=30)
    OutgoingMail.objects.filter(status=OutgoingMail.Status.SENDING).update(next_try_at=before)
    Preferences.objects.update(mailed_at=None)
    Notice.objects.filter(mails=0).update(next_at=before, created_at=before)


#: Prints the process id of a new worker for each line that it reads; it has done the slow part of their start.
WORKERS = """
import os, sys
from accounts import outbox
from games.mail import dispatch as sweep
print("ready", flush=True)
for line in sys.stdin:
    worker = os.fork()
    while not worker:
        sweep.send_due()
        outbox.send_due()
    print(worker, flush=True)
    os.waitpid(worker, 0)
"""


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_killed_again_and_again_sends_each_email_and_none_twice(settings, start_by_mail):
    """With ``kill -9``, real processes and a real mail server."""
    rng = random.Random(4)
    seen: set[str] = set()
    kills = before = 0
    life = 1.0
    with mail_server(settings) as server:
        matches = matches_of_strangers(4, start_by_mail)
        let_time_go_by()
        database = connection.settings_dict
        env = {
            **os.environ,
            "EMAIL_URL": f"smtp://{settings.EMAIL_HOST}:{settings.EMAIL_PORT}",
            "DATABASE_URL": "postgres://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(**database),
        }
        end = time.monotonic() + 300
        with subprocess.Popen(
            [sys.executable, "manage.py", "shell", "-v", "0", "-c", WORKERS],
            cwd=ROOT,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        ) as workers:
            assert workers.stdin
            assert workers.stdout
            assert workers.stdout.readline() == b"ready\n"
            while time.monotonic() < end and sum(match.version for match in matches) <= ENOUGH:
                workers.stdin.write(b"another\n")
                worker = int(workers.stdout.readline())
                time.sleep(rng.uniform(0, life))
                os.kill(worker, signal.SIGKILL)
                kills += 1
                # Sometimes before anything is done, sometimes between emails, on fast and slow machines.
                life *= 1.6 if len(server.raw) == before else 0.8
                before = len(server.raw)
                play_by_mail(matches, server, rng, seen)
                let_time_go_by()
            workers.stdin.close()
        turns = {
            f"<turn.{match}.{user}.{version}.mail@localhost>"
            for match, user, version in Notice.objects.filter(mails__gt=0).values_list("match", "user", "version")
        }
        first = Counter(mail["Message-ID"] for mail in server.mails if ".mail@" in mail["Message-ID"])
        assert sum(match.version for match in matches) > ENOUGH, "a match waits for a mail that never came"
        assert kills >= 3
        assert set(first) <= turns
        assert sum(first.values()) - len(first) <= kills
