"""Celery's worker and beat as threads of the web process: the site on one machine without services.

It is a real worker with an in-memory broker. Queued tasks are lost when the process ends, which does no harm:
everything that is due is in the database, and the next sweep finds it.
"""

import threading

from celery import Celery
from celery.beat import Scheduler, Service
from celery.worker import WorkController

#: How many tasks run at the same time; they mostly wait for the database and the AI processes.
CONCURRENCY = 4
READY_SECONDS = 10


class _Worker(WorkController):
    """A worker without the signal handlers of ``celery worker``: signals belong to the web server."""

    def on_after_init(self, **options: object) -> None:
        self.ready = threading.Event()

    def on_consumer_ready(self, consumer: object) -> None:
        self.ready.set()


class EmbeddedCelery:
    """Runs worker and beat of ``app`` from ``start`` to ``stop``."""

    def __init__(self, app: Celery) -> None:
        app.finalize()
        app.set_default()
        app.loader.import_default_modules()
        queues = {"default", *(route["queue"] for route in app.conf.task_routes.values())}
        self._worker = _Worker(
            app=app,
            pool_cls="threads",
            concurrency=CONCURRENCY,
            queues=sorted(queues),
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
        )
        self._beat = Service(app, scheduler_cls=Scheduler, max_interval=1)
        self._threads = [
            threading.Thread(target=self._worker.start, name="celery-worker", daemon=True),
            threading.Thread(target=self._beat.start, name="celery-beat", daemon=True),
        ]

    def start(self) -> None:
        """Start, and return when tasks are being taken. Raises ``RuntimeError`` if the worker doesn't start."""
        for thread in self._threads:
            thread.start()
        if not self._worker.ready.wait(READY_SECONDS):
            raise RuntimeError("The Celery worker did not start; its log says why.")

    def stop(self, seconds: float) -> None:
        """Take no more tasks, and give the running ones ``seconds`` to end.

        The worker's own thread takes up to two seconds to notice, without taking tasks; this doesn't wait for it.
        """
        self._beat.stop()
        stopping = threading.Thread(target=self._worker.stop, name="celery-stop", daemon=True)
        stopping.start()
        stopping.join(seconds)
