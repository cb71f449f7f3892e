"""Outages: processes leave a heartbeat, and every clock that ran gets the time of a gap back.

A forward jump of the machine's clock looks the same and is treated the same. While a gap is not credited yet, or no
process serves people, the sweep doesn't count time against players.
"""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import Error, connection, transaction
from django.utils import timezone

from games.matches.models import Heartbeat, Outage

log = logging.getLogger(__name__)

#: Seconds between two heartbeats of one process.
BEAT_EVERY = 10.0
#: A longer silence is an outage.
LONGEST_SILENCE = timedelta(seconds=60)


def beat() -> None:
    """Record that the site is serving people; a longer silence before becomes an outage, to be credited."""
    with transaction.atomic():
        heart, is_new = Heartbeat.objects.select_for_update().get_or_create(pk=1, defaults={"at": timezone.now()})
        if is_new:
            return
        now = timezone.now()
        if now - heart.at > LONGEST_SILENCE:
            Outage.objects.create(since=heart.at, until=now)
            log.warning("the site was down for %s: all clocks are credited", now - heart.at)
        # After the machine's clock was put back, this also lowers a heartbeat that lies in the future.
        Heartbeat.objects.filter(pk=1).update(at=now)


def is_served(now: datetime) -> bool:
    """Whether people can play, so that their clocks may run out; true for a site that never had a heartbeat."""
    last = Heartbeat.objects.filter(pk=1).values_list("at", flat=True).first()
    return last is None or (now - last <= LONGEST_SILENCE and not Outage.objects.filter(is_credited=False).exists())


class HeartbeatThread(threading.Thread):
    """Records this process's heartbeat until it is told to stop, and calls ``credit`` for outages."""

    def __init__(self, credit: Callable[[], object]) -> None:
        super().__init__(name="heart", daemon=True)
        self._credit = credit
        self._stopping = threading.Event()

    def run(self) -> None:
        while True:
            try:
                beat()
                self._credit()
            except Error as error:
                # The database is unreachable, so no one can play: the next successful heartbeat finds the gap.
                log.warning("no heartbeat: %r", error)
            finally:
                connection.close()
            if self._stopping.wait(BEAT_EVERY):
                return

    def stop(self) -> None:
        """Stop before the next heartbeat."""
        self._stopping.set()
        self.join(BEAT_EVERY)
