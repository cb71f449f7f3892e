"""The Celery application: AI turns, mail, and sweeps over whatever is due."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "armani_site.settings")

app = Celery("armani_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
