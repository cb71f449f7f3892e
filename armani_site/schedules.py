"""When periodic tasks run."""

from datetime import datetime, timedelta
from typing import Any

from celery.schedules import schedstate, schedule


class Every(schedule):
    """Every ``seconds``, by the clock and not by the last run: tasks with another ``at`` never begin together.

    Tasks that begin together stay together with Celery's own schedules; on a site that is one process they compete
    with the tables for the interpreter.

    Args:
        seconds: between two runs.
        at: seconds within this period at which the task runs.
    """

    def __init__(self, seconds: float, at: float = 0.0, **options: Any) -> None:
        super().__init__(seconds, **options)
        self.at = at

    def remaining_estimate(self, last_run_at: datetime) -> timedelta:
        """The time until the next run; negative if it's late."""
        last: datetime = self.maybe_make_aware(last_run_at)
        since = (last.timestamp() - self.at) % self.seconds
        return last + timedelta(seconds=self.seconds - since) - self.maybe_make_aware(self.now())

    def is_due(self, last_run_at: datetime) -> schedstate:
        """Whether to run now, and the seconds until the next look."""
        remaining = self.remaining_estimate(last_run_at).total_seconds()
        if remaining > 0:
            return schedstate(is_due=False, next=remaining)
        return schedstate(is_due=True, next=self.remaining_estimate(self.now()).total_seconds())

    def __reduce__(self) -> tuple[Any, ...]:
        return self.__class__, (self.seconds, self.at)
