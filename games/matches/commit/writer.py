"""The writer thread of a process: it stores one batch while the commands of the next come in."""

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import connection, transaction

from games.matches.commit.batch import MAX_BATCH, BatchCommitter, fail
from games.matches.commit.changeset import Command, RemoteCommit

log = logging.getLogger(__name__)

#: Seconds between checks of the database connection.
LOOK_EVERY = 1.0


def _is_on_loop() -> bool:
    """Whether this thread runs an event loop: there, nothing uses the database, and asking about it takes longer."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class Writer:
    """Hand commands to a :class:`BatchCommitter`: in batches after :meth:`start`, one by one before.

    A serving process starts it, so that concurrent moves share a transaction; a command, a worker
    process or a test commits in its own thread.
    """

    def __init__(self, committer: BatchCommitter) -> None:
        self.committer = committer
        self.waiting: queue.SimpleQueue[Command[Any] | RemoteCommit | None] = queue.SimpleQueue()
        self.thread: threading.Thread | None = None
        self.lock = threading.Lock()

    def submit(self, command: Command[Any]) -> None:
        """Have ``command`` decided and stored; its answer is a future."""
        if self.thread is None:
            with self.lock:
                self.committer.commit([command])
        elif not _is_on_loop() and connection.in_atomic_block:
            # Part of the caller's transaction: another thread would wait for its locks, and it may be rolled back.
            committer = BatchCommitter(lambda change: transaction.on_commit(partial(self.committer.announce, change)))
            committer.commit([command])
        else:
            self.waiting.put(command)

    def apply_remote_commit(self, news: RemoteCommit) -> None:
        """Pass on moves that another process stored; without :meth:`start` there is no cache to keep up to date."""
        if self.thread is not None:
            self.waiting.put(news)

    def start(self) -> None:
        """Start collecting batches; does nothing if already started, and doesn't wait for a commit in progress."""
        if self.thread is not None:
            return
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(target=self._run, name="writer", daemon=True)
                self.thread.start()

    def stop(self) -> None:
        """Store what has come in, and stop collecting."""
        thread = self.thread
        if thread is not None:
            self.waiting.put(None)
            thread.join()
            with self.lock:
                self.thread = None
                # Commands that came in after the thread's last look.
                self._handle(self._taken(0))

    def forget_all(self) -> None:
        """Drop all cached states, for tests that reset the database."""
        with self.lock:
            self.committer.forget_all()

    def _run(self) -> None:
        is_stopping = False
        looked_at = time.monotonic()
        while not is_stopping:
            first = self.waiting.get()
            # A failed connection is closed at once; a busy one need not be checked every time.
            if connection.errors_occurred or time.monotonic() - looked_at > LOOK_EVERY:
                connection.close_if_unusable_or_obsolete()
                looked_at = time.monotonic()
            with self.lock:
                batch = [first, *self._taken(MAX_BATCH - 1)]
                try:
                    self._handle(batch)
                except Exception as error:
                    # Without this thread every move of the process would wait for ever.
                    log.exception("a batch of %d commands failed", len(batch))
                    self.committer.forget_all()
                    fail([item for item in batch if isinstance(item, Command) and not item.answer.done()], error)
            is_stopping = None in batch
        connection.close()

    def _taken(self, most: int) -> list[Command[Any] | RemoteCommit | None]:
        """Up to ``most`` of the waiting commands; 0 means all."""
        taken: list[Command[Any] | RemoteCommit | None] = []
        with contextlib.suppress(queue.Empty):  # these are all
            while not most or len(taken) < most:
                taken.append(self.waiting.get_nowait())
        return taken

    def _handle(self, batch: Sequence[Command[Any] | RemoteCommit | None]) -> None:
        for item in batch:
            if isinstance(item, RemoteCommit):
                self.committer.apply_remote_commit(item)
        self.committer.commit([item for item in batch if isinstance(item, Command)])
