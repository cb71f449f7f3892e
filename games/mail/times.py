"""Times in the zone of an email's reader."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from accounts.playing_times import calendars


def zone_of(user: User) -> ZoneInfo:
    """The time zone of ``user``; UTC if not set."""
    return ZoneInfo(calendars.current(user).zone)


def moment(at: datetime, zone: ZoneInfo) -> str:
    """A moment in words in ``zone``: ``Tuesday 24 November, 18:00 (Europe/Berlin)``."""
    local = timezone.localtime(at, zone)
    # Translators: the format of a day and a time.
    shown = date_format(local, _("l j F, H:i"))
    return _("%(time)s (%(zone)s)") % {"time": shown, "zone": zone.key.replace("_", " ")}


def span(length: timedelta) -> str:
    """A length of time in words, by its two largest units: ``1 day 4 hours``."""
    minutes = max(0, round(length / timedelta(minutes=1)))
    days, hours, minutes = minutes // 1440, minutes % 1440 // 60, minutes % 60
    parts = [
        text % {"n": number}
        for number, text in (
            (days, ngettext("%(n)d day", "%(n)d days", days)),
            (hours, ngettext("%(n)d hour", "%(n)d hours", hours)),
            (minutes if not days else 0, ngettext("%(n)d minute", "%(n)d minutes", minutes)),
        )
        if number
    ]
    return " ".join(parts) or _("less than a minute")
