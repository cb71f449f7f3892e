"""The mail that says that it is somebody's turn, with all that is needed to decide."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.core.mail import EmailMultiAlternatives
from django.db.models import F
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.links import absolute
from accounts.models import User
from games.engine import View
from games.mail import tokens
from games.mail.decision_page.prompts import what_is_asked
from games.mail.models import Correspondence, Discretion, Kind
from games.mail.moves import numbered
from games.mail.news import News, since_last_turn
from games.mail.outgoing.email_builder import letter, message_id, thread_headers
from games.mail.schedule import Stage
from games.mail.standing import Standing, standing
from games.mail.times import moment, span, zone_of
from games.matches.models import Match, Seat
from games.matches.presets import is_by_hours

#: Moves that are written out with their numbers; the decision page has all of them.
MOST_MOVES = 40
#: Other matches that are listed.
MOST_OTHERS = 8


class Waiting(NamedTuple):
    """Another match that waits for the same person."""

    title: str
    until: str
    url: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as it is told: what the seat's player may know of the match, and how much of that a mail shows."""

    seat: Seat
    user: User
    news: News
    view: View
    discretion: str
    at: datetime

    @property
    def match(self) -> Match:
        """The match."""
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


def waiting_elsewhere(user: User, but: int | None, zone: ZoneInfo) -> list[Waiting]:
    """The other matches that wait for ``user``, who lives in ``zone``."""
    seats = [seat for seat in turns_of(user) if seat.match_id != but][:MOST_OTHERS]
    if not seats:
        return []
    by_match: dict[int, list[str]] = {}
    for place in Seat.objects.filter(match_id__in=[seat.match_id for seat in seats]).order_by("number"):
        by_match.setdefault(place.match_id, []).append(place.name)
    return [
        Waiting(
            title(seat.match, by_match[seat.match_id], seat.number),
            moment(seat.due_at, zone) if seat.due_at else "",
            absolute(seat.match.get_absolute_url()),
        )
        for seat in seats
    ]


def turn_mail(turn: Turn, stage: Stage, correspondence: Correspondence) -> EmailMultiAlternatives:
    """The mail about ``turn``; ``correspondence`` is brought up to date with it, and is yet to be saved.

    Args:
        turn: what there is to tell.
        stage: which mail about it this is: the first one, a reminder, the last call.
        correspondence: the thread that it belongs to.
    """
    shows_game = turn.discretion != Discretion.NONE
    usual = _("%(title)s – your turn") % {"title": title(turn.match, turn.names, turn.seat.number)}
    if shows_game:
        correspondence.subject = correspondence.subject or usual
    subject = correspondence.subject if shows_game else _("Your turn at Armani")
    new_id = message_id("turn", turn.match.pk, turn.user.pk, turn.asked_version, stage)
    return letter(
        turn.user,
        Kind.TURN,
        subject,
        "turn",
        context_of(turn, stage),
        match_id=turn.match.pk,
        headers=thread_headers(correspondence, new_id),
        reply_to=tokens.reply_address(turn.seat, turn.asked_version, turn.version),
    )


def context_of(turn: Turn, stage: Stage) -> dict[str, Any]:
    """What the templates of the turn mail show, in the order in which they do."""
    seat, view = turn.seat, turn.view
    zone = zone_of(turn.user)
    shows_game = turn.discretion != Discretion.NONE
    shows_hand = turn.discretion == Discretion.FULL
    table_view = view if shows_hand else turn.news.table.state.view(None)
    is_watch = turn.news.table.at_slap_point
    asked = what_is_asked(view, at_slap_point=is_watch)
    # What is watched is pressed while it is seen; there is nothing to choose from.
    moves = [] if is_watch else numbered(view, turn.names)
    match_url = absolute(turn.match.get_absolute_url())
    watch_url = absolute(reverse("watch", args=[turn.match.key]))
    reply_address = tokens.reply_address(seat, turn.asked_version, turn.version)
    headline = turn.news.headline or asked
    return {
        "discretion": turn.discretion,
        "shows_game": shows_game,
        "shows_hand": shows_hand,
        "preheader": headline if shows_game else _("A match waits for you."),
        "game": turn.match.game_name,
        "title": title(turn.match, turn.names, seat.number),
        "asked": asked,
        "stage": stage,
        "until": moment(seat.due_at, zone) if seat.due_at else "",
        "left": span(seat.due_at - turn.at) if seat.due_at else "",
        "otherwise": _otherwise(seat),
        "hand": _hand(view) if shows_hand else [],
        "moves": moves[:MOST_MOVES] if shows_hand else [],
        "more_moves": max(0, len(moves) - MOST_MOVES),
        "news": turn.news.lines if shows_game else [],
        "standing": standing(table_view, seat.number, turn.names) if shows_game else Standing([], [], []),
        "others": waiting_elsewhere(turn.user, turn.match.pk, zone) if shows_game else [],
        "is_watch": is_watch,
        "turn_url": watch_url if is_watch else tokens.turn_url(seat, turn.asked_version),
        "match_url": match_url,
        "can_reply": bool(reply_address and moves),
        "seal": turn.match.seed_hash if shows_game else "",
    }


def _hand(view: View) -> Sequence[str]:
    """The cards of the own hand, if there is one that its player sees."""
    zones = [zone for zone in view.zones if zone.id == f"hand:{view.seat}"]
    return [code for zone in zones for code in zone.cards or () if code is not None]


def _otherwise(seat: Seat) -> str:
    """What happens if nobody answers in time."""
    if seat.due_at is None:
        return _("There is no clock in this match: the others wait for you.")
    if seat.missed:
        return _("If you miss this turn, too, a stand-in goes on playing for you until you come back.")
    if seat.is_excused:
        return _("After that a stand-in makes a cautious move for you.")
    if is_by_hours(seat.match.clock):
        return _(
            "After that your leave is spent, if you have any, then you are excused once in a match;"
            " then a stand-in makes a cautious move for you."
        )
    return _("After that you are excused once in a match; then a stand-in makes a cautious move for you.")
