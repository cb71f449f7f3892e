"""The site itself: settings from the environment, URLs, ASGI and Celery."""

from .celery import app as celery_app

__all__ = ["celery_app"]
