"""The games application."""

from django.apps import AppConfig
from django.conf import settings
from django.utils.translation import gettext

from games.engine import text


class GamesConfig(AppConfig):
    """Matches, tables and everything around them."""

    name = "games"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let the rules speak the reader's language, where there is more than one."""
        if len(settings.LANGUAGES) > 1:
            text.set_translator(gettext)
