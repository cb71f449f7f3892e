"""The site: settings read from the environment, addresses, ASGI and Celery; nothing else."""

from .celery import app as celery_app

__all__ = ["celery_app"]
