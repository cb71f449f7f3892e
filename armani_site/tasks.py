"""Old task names, so that tasks queued before the packages were renamed still run after that upgrade.

Kept for one release; nothing queues a task by these names any more.
"""

from celery import shared_task

from games.lobby.tasks import tidy_open_tables
from games.matches.tasks import ai_move, ai_turn, sweep
from games.operations.tasks import watch_sweep

for _task in (ai_turn, ai_move, sweep, watch_sweep, tidy_open_tables):
    shared_task(name=f"games.tasks.{_task.__name__}")(_task.run)
