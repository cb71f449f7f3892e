"""The one writer thread of a process: it collects what came in while the last batch was stored."""

import contextlib
import queue
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import connection, transaction

from games.matches.commit.batch import MAX_BATCH, BatchCommitter
from games.matches.commit.changeset import Command, RemoteCommit

#: Seconds between looks whether the connection is still good.
LOOK_EVERY = 1.0


class Writer:
    """Hands commands to a :class:`BatchCommitter`, in batches once :meth:`start` was called, one by one before.

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
        elif connection.in_atomic_block:
            # A part of the caller's transaction: another thread would wait for it, and it may be taken back.
            committer = BatchCommitter(lambda change: transaction.on_commit(partial(self.committer.announce, change)))
            committer.commit([command])
        else:
            self.waiting.put(command)

    def apply_remote_commit(self, news: RemoteCommit) -> None:
        """Pass on what another process stored; a process that does not collect has nothing to keep up to date."""
        if self.thread is not None:
            self.waiting.put(news)

    def start(self) -> None:
        """Collect from now on; harmless if it does already, and no wait for what is being stored."""
        if self.thread is not None:
            return
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(target=self._run, name="writer", daemon=True)
                self.thread.start()

    def stop(self) -> None:
        """Store what has come in and stop collecting."""
        thread = self.thread
        if thread is not None:
            self.waiting.put(None)
            thread.join()
            with self.lock:
                self.thread = None
                # Whatever came in after the thread's last look.
                self._handle(self._taken(0))

    def forget_all(self) -> None:
        """Drop all cached states, for tests that put the database back."""
        with self.lock:
            self.committer.forget_all()

    def _run(self) -> None:
        is_stopping = False
        looked_at = time.monotonic()
        while not is_stopping:
            first = self.waiting.get()
            # A connection that failed is given up at once; one that is in use need not be asked each time how it is.
            if connection.errors_occurred or time.monotonic() - looked_at > LOOK_EVERY:
                connection.close_if_unusable_or_obsolete()
                looked_at = time.monotonic()
            with self.lock:
                batch = [first, *self._taken(MAX_BATCH - 1)]
                self._handle(batch)
            is_stopping = None in batch
        connection.close()

    def _taken(self, most: int) -> list[Command[Any] | RemoteCommit | None]:
        """Up to ``most`` of what is waiting now, 0: all."""
        taken: list[Command[Any] | RemoteCommit | None] = []
        with contextlib.suppress(queue.Empty):
            while not most or len(taken) < most:
                taken.append(self.waiting.get_nowait())
        return taken

    def _handle(self, batch: Sequence[Command[Any] | RemoteCommit | None]) -> None:
        for item in batch:
            if isinstance(item, RemoteCommit):
                self.committer.apply_remote_commit(item)
        self.committer.commit([item for item in batch if isinstance(item, Command)])
