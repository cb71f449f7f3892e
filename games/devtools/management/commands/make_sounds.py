"""``manage.py make_sounds``: regenerate the sounds of the table."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from games.devtools import sounds


class Command(BaseCommand):
    help = "Rewrite the files of static/sounds after games/devtools/sounds.py has changed."
    requires_system_checks = ()  # needs no site

    def handle(self, *args: Any, **options: Any) -> None:
        sounds.write(Path(settings.BASE_DIR, "static", "sounds"))
