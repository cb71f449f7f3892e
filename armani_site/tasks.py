"""Old task names, so that tasks queued before a rename still run after that upgrade.

Kept for one release; nothing queues a task by these names any more.
"""

from celery import shared_task

from games.lobby.tasks import close_stale_tables
from games.matches.tasks import ai_move, ai_turn, sweep
from games.operations.tasks import watch_sweep

for _name, _task in {
    "games.tasks.ai_turn": ai_turn,
    "games.tasks.ai_move": ai_move,
    "games.tasks.sweep": sweep,
    "games.tasks.watch_sweep": watch_sweep,
    "games.tasks.tidy_open_tables": close_stale_tables,
    "games.lobby.tasks.tidy_open_tables": close_stale_tables,
}.items():
    shared_task(name=_name)(_task.run)
