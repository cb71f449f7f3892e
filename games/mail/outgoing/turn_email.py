"""The email that tells players it's their turn, with everything needed to decide."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.core.mail import EmailMultiAlternatives
from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.compiled import compiled
from accounts.links import absolute
from accounts.models import User
from accounts.playing_times import calendars
from games import rules
from games.engine import View
from games.mail import tokens
from games.mail.decision_page.prompts import what_is_asked
from games.mail.models import Correspondence, Discretion, Kind
from games.mail.moves import numbered, rows
from games.mail.outgoing.email_builder import build_email, message_id, thread_headers
from games.mail.schedule import Stage
from games.mail.table_summary import TableSummary, standing
from games.mail.times import moment, span, zone_of
from games.mail.turn_summary import TurnSummary, since_last_turn
from games.matches.models import Match, Seat
from games.matches.presets import is_by_hours

#: Numbered moves listed in an email; the decision page has all of them.
MOST_MOVES = 40
#: Maximum other matches listed.
MOST_OTHERS = 30


#: The first words of a reminder and of a last call.
_CALLS = {
    Stage.REMINDER: gettext_lazy("Reminder: %(left)s left."),
    Stage.LAST: gettext_lazy("Last call: %(left)s left."),
}


class Waiting(NamedTuple):
    """Another match waiting for the same person."""

    title: str
    until: str
    left: str
    url: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as described in an email: what the player may know, and how much of it is shown."""

    seat: Seat
    user: User
    news: TurnSummary
    view: View
    discretion: str
    at: datetime

    @property
    def match(self) -> Match:
        return self.seat.match

    @property
    def version(self) -> int:
        """The version the email describes."""
        return self.news.table.version

    @property
    def asked_version(self) -> int:
        """The version at which the seat was asked."""
        return self.seat.asked_version or 0

    @property
    def names(self) -> list[str]:
        return self.news.table.names


def read_turn(seat: Seat, discretion: str) -> Turn:
    """The current turn of ``seat``, which is asked. Raises ``ValueError`` for a seat without a player."""
    if seat.player is None:
        raise ValueError("nobody sits there who could be told")
    news = since_last_turn(seat.match, seat.number, shows_hand=discretion == Discretion.FULL)
    view = news.table.state.view(seat.number)
    return Turn(seat, seat.player, news, view, discretion, timezone.now())


def title(match: Match, names: Sequence[str], own: int) -> str:
    """The title of a match for one player: ``Rummy 500 with Ben and Chidi``."""
    others = [name for number, name in enumerate(names) if number != own]
    if len(others) > 3:
        listed = ngettext("%(names)s and %(n)d other", "%(names)s and %(n)d others", len(others) - 2) % {
            "names": ", ".join(others[:2]),
            "n": len(others) - 2,
        }
    elif len(others) > 1:
        listed = _("%(names)s and %(last)s") % {"names": ", ".join(others[:-1]), "last": others[-1]}
    else:
        listed = others[0] if others else ""
    return _("%(game)s with %(names)s") % {"game": match.game_name, "names": listed}


def turns_of(user: User) -> list[Seat]:
    """The seats where it's the turn of ``user``, ending soonest first."""
    return _turns_of(user.pk)


@compiled
def _turns_of(user_id: int) -> QuerySet[Seat]:
    seats = Seat.objects.filter(player=user_id, ai_level="", asked_version__isnull=False, match__status="running")
    whole = seats.select_related("match").defer("match__snapshot")
    return whole.order_by(F("due_at").asc(nulls_last=True), "asked_at")


def unseen(seats: Sequence[Seat]) -> list[Seat]:
    """Turns that the player hasn't looked at since they began."""
    return [seat for seat in seats if has_not_looked(seat)]


def has_not_looked(seat: Seat) -> bool:
    """Whether the player of ``seat``, who is asked, hasn't looked at the match since."""
    return seat.looked_version is None or seat.looked_version < (seat.asked_version or 0)


def waiting_elsewhere(user: User, but: int | None, zone: ZoneInfo, *, shows_game: bool = True) -> list[Waiting]:
    """The other matches waiting for ``user``, in time zone ``zone``, with links to their decision pages."""
    seats = [seat for seat in turns_of(user) if seat.match_id != but][:MOST_OTHERS]
    if not seats:
        return []
    titles = titles_apart(seats, zone, shows_game=shows_game)
    return [
        Waiting(
            titles[seat.match_id],
            moment(seat.due_at, zone) if seat.due_at else "",
            span(seat.due_at - timezone.now()) if seat.due_at else "",
            tokens.turn_url(seat, seat.asked_version or 0),
        )
        for seat in seats
    ]


def begun_matches(user: User, match_ids: Sequence[int], *, shows_game: bool) -> list[tuple[str, str]]:
    """Started matches of ``user``, with title and URL."""
    if not match_ids:
        return []
    seats = list(Seat.objects.filter(player=user, match_id__in=match_ids).select_related("match").order_by("match_id"))
    titles = titles_apart(seats, zone_of(user), shows_game=shows_game)
    return [(titles[seat.match_id], absolute(seat.match.get_absolute_url())) for seat in seats]


def titles_apart(seats: Sequence[Seat], zone: ZoneInfo, *, shows_game: bool = True) -> dict[int, str]:
    """The titles of some matches by id; equal ones get the day on which they began, in ``zone``.

    Without ``shows_game``, all have the same title, without names.
    """
    if not shows_game:
        return dict.fromkeys([seat.match_id for seat in seats], _("A match"))
    names: dict[int, list[str]] = {}
    for place in Seat.objects.filter(match_id__in=[seat.match_id for seat in seats]).order_by("number"):
        names.setdefault(place.match_id, []).append(place.name)
    titles = {seat.match_id: title(seat.match, names[seat.match_id], seat.number) for seat in seats}
    often = Counter(titles.values())
    for seat in seats:
        if often[titles[seat.match_id]] > 1:
            titles[seat.match_id] = _with_day(titles[seat.match_id], seat.match, zone)
    return titles


def _with_day(called: str, match: Match, zone: ZoneInfo) -> str:
    """A title that another match also has, with the day on which this one began."""
    if match.started_at is None:
        return called
    begun = timezone.localtime(match.started_at, zone)
    return _("%(title)s, begun %(day)s") % {"title": called, "day": date_format(begun, _("j F, H:i"))}


def _subject(turn: Turn) -> str:
    """A subject unique among this player's running matches, so that mail programs keep threads apart."""
    called = title(turn.match, turn.names, turn.seat.number)
    others = Correspondence.objects.filter(user=turn.user, match__status=Match.Status.RUNNING).exclude(match=turn.match)
    subject = _("%(title)s – your turn")
    if others.filter(subject=subject % {"title": called}).exists():
        called = _with_day(called, turn.match, zone_of(turn.user))
    return subject % {"title": called}


def turn_mail(
    turn: Turn, stage: Stage, correspondence: Correspondence, begun: Sequence[int] = ()
) -> EmailMultiAlternatives:
    """Write the email about ``turn``; ``correspondence`` is updated, but not saved.

    Args:
        turn: the turn to describe.
        stage: which email about it this is: the first one, a reminder, or the last call.
        correspondence: the thread it belongs to.
        begun: ids of other started matches it mentions.
    """
    shows_game = turn.discretion != Discretion.NONE
    if shows_game:
        correspondence.subject = correspondence.subject or _subject(turn)
    subject = correspondence.subject if shows_game else _("Your turn at Armani")
    new_id = message_id("turn", turn.match.pk, turn.user.pk, turn.asked_version, stage)
    return build_email(
        turn.user,
        Kind.TURN,
        subject,
        "turn",
        {
            **context_of(turn, stage),
            "begun": begun_matches(turn.user, begun, shows_game=shows_game),
            "reply_subject": f"Re: {subject}",
        },
        match_id=turn.match.pk,
        headers=thread_headers(correspondence, new_id),
        reply_to=tokens.reply_address(turn.seat, turn.asked_version, turn.version),
    )


def context_of(turn: Turn, stage: Stage) -> dict[str, Any]:
    """The context of the turn email's templates, in the order in which it is shown."""
    seat, view = turn.seat, turn.view
    zone = zone_of(turn.user)
    shows_game = turn.discretion != Discretion.NONE
    shows_hand = turn.discretion == Discretion.FULL
    table_view = view if shows_hand else turn.news.table.state.view(None)
    is_watch = turn.news.table.at_slap_point
    asked = what_is_asked(view, at_slap_point=is_watch)
    # Cards at a slap point are watched, so there is nothing to choose.
    moves = [] if is_watch else rows(view.game, numbered(view, turn.names))
    match_url = absolute(turn.match.get_absolute_url())
    watch_url = absolute(reverse("watch", args=[turn.match.key]))
    reply_address = tokens.reply_address(seat, turn.asked_version, turn.version)
    left = span(seat.due_at - turn.at) if seat.due_at else ""
    call = _CALLS[stage] % {"left": left} if stage in _CALLS and left else ""
    news = (turn.news.headline or asked) if shows_game else _("A match is waiting for you.")
    return {
        "discretion": turn.discretion,
        "shows_game": shows_game,
        "shows_hand": shows_hand,
        # The preview in a list of emails: time left comes before what happened.
        "preheader": f"{call} {news}".strip(),
        "call": call,
        "game": turn.match.game_name,
        "title": title(turn.match, turn.names, seat.number),
        "asked": asked,
        "version": turn.version,
        "until": moment(seat.due_at, zone) if seat.due_at else "",
        "left": left,
        "otherwise": _otherwise(seat),
        "hand": hand_of(view) if shows_hand else [],
        "rows": moves[:MOST_MOVES] if shows_hand else [],
        "more_moves": max(0, len(moves) - MOST_MOVES),
        "news": turn.news.lines if shows_game else [],
        "standing": standing(table_view, seat.number, turn.names, _away(turn, zone))
        if shows_game
        else TableSummary([], [], []),
        "others": waiting_elsewhere(turn.user, turn.match.pk, zone, shows_game=shows_game),
        "is_watch": is_watch,
        "turn_url": watch_url if is_watch else tokens.turn_url(seat, turn.asked_version),
        "match_url": match_url,
        "reply_address": reply_address,
        "seal": turn.match.seed_hash if shows_game else "",
    }


def _away(turn: Turn, zone: ZoneInfo) -> dict[int, str]:
    """The leave of other players at the table, with end dates."""
    people = {sitter.player_id: sitter.seat for sitter in turn.news.table.sitters if sitter.player_id is not None}
    away = calendars.away(people, turn.at)
    return {people[pk]: _("on leave until %(until)s") % {"until": moment(until, zone)} for pk, until in away.items()}


def hand_of(view: View) -> Sequence[str]:
    """The player's hand in their own order, if there is one they can see."""
    zones = [zone for zone in view.zones if zone.id == f"hand:{view.seat}"]
    hand = [code for zone in zones for code in zone.cards or () if code is not None]
    return rules.presentation(view.game).in_order(hand)


def _otherwise(seat: Seat) -> str:
    """What happens if the player doesn't answer in time."""
    if seat.due_at is None:
        return _("This match has no clock. The others are waiting for you.")
    if seat.missed:
        return _("If you miss this turn too, autoplay goes on until you come back.")
    if seat.is_excused:
        return _("After that, autoplay makes a safe move for you.")
    if is_by_hours(seat.match.clock):
        return _("After that, we use your leave, then your one extension. Then autoplay makes a safe move.")
    return _("After that, we use your one extension. Then autoplay makes a safe move.")
