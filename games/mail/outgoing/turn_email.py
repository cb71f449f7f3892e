"""The email that says it's a player's turn, with everything needed to decide."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.core.mail import EmailMultiAlternatives
from django.db.models import F
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

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

#: Lines of moves that are written out with their numbers; the decision page has all of them.
MOST_MOVES = 40
#: Other matches that are listed.
MOST_OTHERS = 30


#: What a reminder and a last call begin with.
_CALLS = {
    Stage.REMINDER: gettext_lazy("Reminder: %(left)s left."),
    Stage.LAST: gettext_lazy("Last call: %(left)s left."),
}


class Waiting(NamedTuple):
    """Another match that waits for the same person."""

    title: str
    until: str
    left: str
    url: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as it is told: what the seat's player may know of the match, and how much of that an email shows."""

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
        """The version that is told of."""
        return self.news.table.version

    @property
    def asked_version(self) -> int:
        """The version at which the seat was asked."""
        return self.seat.asked_version or 0

    @property
    def names(self) -> list[str]:
        """The names of the seats."""
        return self.news.table.names


def read_turn(seat: Seat, discretion: str) -> Turn:
    """The turn of ``seat``, which is asked, as it stands now. Raises ``ValueError`` for a seat without a player."""
    if seat.player is None:
        raise ValueError("nobody sits there who could be told")
    news = since_last_turn(seat.match, seat.number, shows_hand=discretion == Discretion.FULL)
    view = news.table.state.view(seat.number)
    return Turn(seat, seat.player, news, view, discretion, timezone.now())


def title(match: Match, names: Sequence[str], own: int) -> str:
    """A match as its player speaks of it: ``Rummy 500 with Ben and Chidi``."""
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
    """The seats at which ``user`` is asked, those first whose time ends first."""
    seats = Seat.objects.filter(player=user, ai_level="", asked_version__isnull=False, match__status="running")
    return list(seats.select_related("match").order_by(F("due_at").asc(nulls_last=True), "asked_at"))


def unseen(seats: Sequence[Seat]) -> list[Seat]:
    """Those at which the player has not looked since being asked."""
    return [seat for seat in seats if has_not_looked(seat)]


def has_not_looked(seat: Seat) -> bool:
    """Whether the player of ``seat``, who is asked, has not looked at the match since."""
    return seat.looked_version is None or seat.looked_version < (seat.asked_version or 0)


def waiting_elsewhere(user: User, but: int | None, zone: ZoneInfo, *, shows_game: bool = True) -> list[Waiting]:
    """The other matches that wait for ``user``, who lives in ``zone``, by links to their decision pages."""
    seats = [seat for seat in turns_of(user) if seat.match_id != but][:MOST_OTHERS]
    if not seats:
        return []
    titles = titles_apart(seats, shows_game=shows_game)
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
    """Matches of ``user`` that have begun, by title and address."""
    if not match_ids:
        return []
    seats = list(Seat.objects.filter(player=user, match_id__in=match_ids).select_related("match").order_by("match_id"))
    titles = titles_apart(seats, shows_game=shows_game)
    return [(titles[seat.match_id], absolute(seat.match.get_absolute_url())) for seat in seats]


def titles_apart(seats: Sequence[Seat], *, shows_game: bool = True) -> dict[int, str]:
    """The titles of some matches by their ids; of those that have the same one, with the day on which they began.

    Without ``shows_game`` all are called the same, and no names are told.
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
            titles[seat.match_id] = _with_day(titles[seat.match_id], seat.match)
    return titles


def _with_day(called: str, match: Match) -> str:
    """A title that another match has, too, with the day on which this one began."""
    if match.started_at is None:
        return called
    return _("%(title)s, begun %(day)s") % {"title": called, "day": date_format(match.started_at, _("j F, H:i"))}


def _subject(turn: Turn) -> str:
    """A subject that no other running match of this player has, or mail programs would put both into one thread."""
    called = title(turn.match, turn.names, turn.seat.number)
    others = Correspondence.objects.filter(user=turn.user, match__status=Match.Status.RUNNING).exclude(match=turn.match)
    subject = _("%(title)s – your turn")
    if others.filter(subject=subject % {"title": called}).exists():
        called = _with_day(called, turn.match)
    return subject % {"title": called}


def turn_mail(
    turn: Turn, stage: Stage, correspondence: Correspondence, begun: Sequence[int] = ()
) -> EmailMultiAlternatives:
    """The email about ``turn``; ``correspondence`` is brought up to date with it, and is yet to be saved.

    Args:
        turn: what there is to tell.
        stage: which email about it this is: the first one, a reminder, the last call.
        correspondence: the thread that it belongs to.
        begun: the ids of other matches that have begun, which it tells of beside the turn.
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
    """What the templates of the turn email show, in the order in which they do."""
    seat, view = turn.seat, turn.view
    zone = zone_of(turn.user)
    shows_game = turn.discretion != Discretion.NONE
    shows_hand = turn.discretion == Discretion.FULL
    table_view = view if shows_hand else turn.news.table.state.view(None)
    is_watch = turn.news.table.at_slap_point
    asked = what_is_asked(view, at_slap_point=is_watch)
    # What is watched is pressed while it is seen; there is nothing to choose from.
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
        # What a list of emails shows: the time that is left goes before what happened.
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
    """Of the seats whose players are on leave, until when."""
    people = {sitter.player_id: sitter.seat for sitter in turn.news.table.sitters if sitter.player_id is not None}
    away = calendars.away(people, turn.at)
    return {people[pk]: _("on leave until %(until)s") % {"until": moment(until, zone)} for pk, until in away.items()}


def hand_of(view: View) -> Sequence[str]:
    """The cards of the own hand as its player has it, if there is one that its player sees."""
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
