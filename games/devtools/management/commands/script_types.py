"""``manage.py script_types``: write the types that scripts are checked against, from the server's messages."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from games.devtools import script_types

FILE = "types/messages.d.ts"


class Command(BaseCommand):
    help = f"Rewrite {FILE} after a message, a view or an intent has changed."
    requires_system_checks = ()  # needs no site

    def handle(self, *args: Any, **options: Any) -> None:
        Path(settings.BASE_DIR, FILE).write_text(script_types.source())
