"""The contents of feeds: when turns end, and news. No cards, because other sites' servers read them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db.models import Prefetch
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from icalendar import Alarm, Calendar, Event

from accounts.links import absolute
from accounts.models import User
from accounts.playing_times import calendars
from games.mail.models import Discretion, Kind, Notice, Preferences
from games.mail.outgoing.email_builder import domain
from games.mail.outgoing.turn_email import title
from games.mail.times import moment, zone_of
from games.matches.models import Match, Seat
from games.matches.presets import deadline, is_by_hours, ticked

#: How often a program should refresh.
REFRESH = timedelta(minutes=15)
#: How long before the end of a turn the alarm goes off.
CALL_BEFORE = timedelta(hours=1)
#: Number of news items in a feed.
MOST_NEWS = 50
_WITH_SEATS = Prefetch("match__seats", Seat.objects.order_by("number"))


def calendar(user: User) -> bytes:
    """The ends of turns that wait for ``user``, as iCalendar (RFC 5545)."""
    found = Calendar()
    found.add("prodid", f"-//Armani//{domain()}//EN")
    found.add("version", "2.0")
    found.add("method", "PUBLISH")
    found.add("x-wr-calname", _("Armani: my turns"))
    found.add("name", _("Armani: my turns"))
    found.add("refresh-interval", REFRESH, parameters={"value": "DURATION"})
    found.add("x-published-ttl", REFRESH)
    is_discreet = Preferences.of(user).discretion == Discretion.NONE
    seats = Seat.objects.filter(
        player=user, ai_level="", asked_version__isnull=False, due_at__isnull=False, match__status=Match.Status.RUNNING
    )
    with_matches = seats.select_related("match").defer("match__snapshot").prefetch_related(_WITH_SEATS)
    waiting = list(with_matches.order_by("due_at", "pk"))
    since = min((seat.asked_at for seat in waiting if seat.asked_at), default=timezone.now())
    hours = calendars.of([user.pk], since)[user.pk]
    for seat in waiting:
        match = seat.match
        event = Event()
        # The same turn keeps its UID, so that a later end moves the event.
        event.add("uid", f"turn-{match.key}-{seat.number}-{seat.asked_version}@{domain()}")
        event.add("dtstamp", seat.asked_at or timezone.now())
        event.add("dtstart", seat.due_at)
        event.add(
            "summary",
            _("Your turn ends") if is_discreet else _("Your turn ends: {title}").format(title=_title(match, user)),
        )
        event.add("url", absolute(match.get_absolute_url()))
        event.add("transp", "TRANSPARENT")
        event.add_component(_alarm(hours, seat, str(event["summary"])))
        found.add_component(event)
    return found.to_ical()


def _alarm(hours: calendars.Hours, seat: Seat, text: str) -> Alarm:
    """An alarm before the end of a turn: an hour of the clock's running time, or half of a shorter turn."""
    asked_at, due_at = seat.asked_at, seat.due_at
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", text)
    if asked_at is None or due_at is None:
        return alarm
    match = seat.match
    runs = hours.at(asked_at, weekends_rest=match.weekends_rest) if is_by_hours(match.clock) else None
    allowed = ticked(asked_at, due_at, runs)
    alarm.add("trigger", deadline(asked_at, max(allowed - CALL_BEFORE, allowed / 2), runs))
    return alarm


def news(user: User, own_url: str) -> bytes:
    """The latest notices to ``user``, as Atom (RFC 4287)."""
    is_discreet = Preferences.of(user).discretion == Discretion.NONE
    feed = Atom1Feed(
        title=_("Armani: news for {name}").format(name=user.name),
        link=absolute("/my/"),
        description="",
        feed_url=own_url,
        feed_guid=f"tag:{domain()},2026:news/{user.pk}",
        language=get_language(),
    )
    zone = zone_of(user)
    notices = Notice.objects.filter(user=user).select_related("match", "match__host").defer("match__snapshot")
    for notice in notices.prefetch_related(_WITH_SEATS).order_by("-created_at", "-pk")[:MOST_NEWS]:
        match = notice.match
        due_at = next((seat.due_at for seat in match.seats.all() if _is_told(notice, seat)), None)
        text = _text(notice.kind) if is_discreet else f"{_text(notice.kind)}: {_title(match, user)}"
        feed.add_item(
            title=text,
            link=absolute(match.get_absolute_url()),
            description=_("until %(until)s") % {"until": moment(due_at, zone)} if due_at else "",
            unique_id=f"tag:{domain()},2026:notice/{notice.pk}",
            pubdate=notice.created_at,
            updateddate=notice.created_at,
        )
    return feed.writeString("utf-8").encode()


def _is_told(notice: Notice, seat: Seat) -> bool:
    """Whether a notice is about the seat's current turn."""
    return notice.kind == Kind.TURN and seat.player_id == notice.user_id and seat.asked_version == notice.version


def _text(kind: str) -> str:
    texts: dict[str, Any] = {
        Kind.TURN.value: _("Your turn"),
        Kind.BEGINS.value: _("A match has begun"),
        Kind.OVER.value: _("A match is over"),
        Kind.INVITATION.value: _("You're invited"),
        Kind.OFFER.value: _("You can take over a seat"),
    }
    return str(texts.get(kind, _("News")))


def _title(match: Match, user: User) -> str:
    seats: Sequence[Seat] = list(match.seats.all())
    own = next((seat.number for seat in seats if seat.player_id == user.pk), -1)
    # Free seats have no name yet.
    named = [seat for seat in seats if seat.name or seat.number == own]
    return title(
        match, [seat.name for seat in named], next((at for at, seat in enumerate(named) if seat.number == own), -1)
    )
