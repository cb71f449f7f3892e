"""Emails that aren't about a turn: matches that begin or end, invitations, offered seats, autoplay."""

from collections.abc import Callable, Sequence
from typing import Any

from django.core.mail import EmailMultiAlternatives
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.links import absolute
from accounts.models import User
from games.mail.models import Correspondence, Discretion, Kind, Notice
from games.mail.outgoing.email_builder import build_email, message_id, thread_headers
from games.mail.outgoing.turn_email import begun_matches, title
from games.mail.times import span
from games.mail.turn_summary import absence_lines
from games.matches import service
from games.matches.models import Incident, Match, Seat
from games.matches.presets import AUTOPILOT_AFTER, OFFERED_AFTER, PRESETS
from games.table.clock_text import weekends
from games.table.labels import TEXTS


def is_current(notice: Notice) -> bool:
    """Whether the notice is still true, and news to its reader."""
    match = notice.match
    seats = Seat.objects.filter(match=match)
    mine = seats.filter(player=notice.user_id).first()
    if notice.kind == Kind.BEGINS:
        # A player who is asked meanwhile gets the turn's own email.
        is_running = match.status == Match.Status.RUNNING
        return is_running and mine is not None and mine.looked_at is None and mine.asked_version is None
    if notice.kind == Kind.OVER:
        has_seen = mine is not None and mine.looked_version is not None and mine.looked_version >= match.version
        return match.status == Match.Status.OVER and mine is not None and not has_seen
    if notice.kind in _ABSENCE:
        is_mine = mine is not None and not mine.ai_level
        return match.status == Match.Status.RUNNING and _ABSENCE[notice.kind](notice, mine if is_mine else None)
    if notice.kind == Kind.INVITATION:
        return match.status == Match.Status.OPEN and mine is None and seats.filter(player_name="", ai_level="").exists()
    offered = seats.select_related("match").filter(offered_at__isnull=False)
    return match.status == Match.Status.RUNNING and bool(service.takeable(offered, notice.user))


def _has_looked(notice: Notice, mine: Seat) -> bool:
    return mine.looked_version is not None and mine.looked_version >= notice.version


#: By kind of notice: whether it still applies to the seat, which is None once given away.
_ABSENCE: dict[str, Callable[[Notice, Seat | None], bool]] = {
    Kind.MISSED: lambda notice, mine: mine is not None and not mine.autopilot_at and not _has_looked(notice, mine),
    Kind.AWAY: lambda _notice, mine: mine is not None and mine.autopilot_at is not None,
    Kind.OFFERED: lambda _notice, mine: mine is not None and mine.offered_at is not None,
    Kind.REPLACED: lambda _notice, mine: mine is None,
}


def compose(notice: Notice, discretion: str, begun: Sequence[int] = ()) -> EmailMultiAlternatives:
    """Write the email of a notice, at the reader's level of discretion; ``begun``: ids of other matches it names."""
    match, user = notice.match, notice.user
    seats = list(match.seats.order_by("number"))
    names = [seat.name or _("a free seat") for seat in seats]
    own = next((seat.number for seat in seats if seat.player_id == user.pk), -1)
    shows_game = discretion != Discretion.NONE
    whole = title(match, names, own)
    subject, news = _WORDS[notice.kind](notice, user, seats, whole)
    correspondence = Correspondence.objects.filter(user=user, match=match).first()
    headers = {"Message-ID": message_id(notice.kind, match.pk, user.pk, notice.version)}
    if correspondence is not None and correspondence.last_id and shows_game:
        headers = thread_headers(correspondence, headers["Message-ID"])
        correspondence.save(update_fields=["first_id", "last_id"])
    context = {
        "kind": notice.kind,
        "shows_game": shows_game,
        "title": whole,
        "news": news if shows_game else _("There's news from one of your matches."),
        "lines": absence_lines(match, own) if notice.kind == Kind.OVER and shows_game else [],
        "places": _places(seats) if notice.kind == Kind.OVER and shows_game else [],
        "begun": begun_matches(user, begun, shows_game=shows_game),
        "terms": _terms(match, notice.kind),
        "match_url": absolute(match.get_absolute_url()),
        "replay_url": absolute(reverse("replay", args=[match.key])) if notice.kind == Kind.OVER else "",
        "seal": match.seed_hash if shows_game and notice.kind == Kind.BEGINS else "",
    }
    if not shows_game:
        subject = _("News from Armani")
    return build_email(user, notice.kind, subject, "news", context, match_id=match.pk, headers=headers)


def _begins(notice: Notice, user: User, seats: list[Seat], whole: str) -> tuple[str, str]:
    news = _("The match has begun. You'll hear from us when it's your turn.")
    return _("%(title)s has begun") % {"title": whole}, news


def _over(notice: Notice, user: User, seats: list[Seat], whole: str) -> tuple[str, str]:
    mine = next(seat for seat in seats if seat.player_id == user.pk)
    winners = [seat.name for seat in seats if seat.place == 1]
    if mine.place == 1:
        news = _("You won!") if len(winners) == 1 else _("You share first place.")
    elif mine.place:
        news = _("%(names)s won. You finished %(place)s.") % {
            "names": ", ".join(winners),
            "place": TEXTS[f"ordinal_{mine.place}"],
        }
    else:
        news = _("The match is over.")
    return _("%(title)s is over") % {"title": whole}, news


def _invitation(notice: Notice, user: User, seats: list[Seat], whole: str) -> tuple[str, str]:
    match = notice.match
    host = match.host.name if match.host else match.game_name
    news = _("%(name)s invites you to play %(game)s.") % {"name": host, "game": match.game_name}
    return _("%(name)s invites you to %(game)s") % {"name": host, "game": match.game_name}, news


def _offer(notice: Notice, user: User, seats: list[Seat], whole: str) -> tuple[str, str]:
    match = notice.match
    gone = ", ".join(seat.name for seat in seats if seat.offered_at is not None)
    news = _("%(name)s is away from a match of %(game)s. You can take over their seat.")
    return (
        _("A seat is free in a match of %(game)s") % {"game": match.game_name},
        news % {"name": gone, "game": match.game_name},
    )


def _missed(notice: Notice, user: User, seats: list[Seat], whole: str) -> tuple[str, str]:
    news = _(
        "You ran out of time, so autoplay made a safe move for you. If you miss your next turn too, it "
        "plays on until you come back."
    )
    return _("%(title)s: we played a turn for you") % {"title": whole}, news


def _away(notice: Notice, user: User, seats: list[Seat], whole: str) -> tuple[str, str]:
    news = _("You missed two turns in a row, so autoplay makes safe moves for you. To stop it, make a move.")
    return _("%(title)s: autoplay is on") % {"title": whole}, news


def _offered(notice: Notice, user: User, seats: list[Seat], whole: str) -> tuple[str, str]:
    news = _("You've been away for a while, so we're offering your seat to others. To keep it, make a move.")
    return _("%(title)s: we're offering your seat to others") % {"title": whole}, news


def _replaced(notice: Notice, user: User, seats: list[Seat], whole: str) -> tuple[str, str]:
    kinds = (Incident.Kind.REPLACED, Incident.Kind.TAKEN)
    given = notice.match.incidents.filter(version=notice.version, kind__in=kinds, name=user.name).last()
    words = {"title": whole, "name": given.other if given else _("an AI player")}
    if given is not None and given.kind == Incident.Kind.TAKEN:
        news = _("You were away for a long time, so %(name)s took over your seat. The result counts for them.")
    else:
        news = _("You were away for a long time, so %(name)s, an AI player, finishes the match for you.")
    return _("%(title)s: %(name)s has your seat now") % words, news % words


_WORDS: dict[str, Any] = {
    Kind.BEGINS: _begins,
    Kind.OVER: _over,
    Kind.INVITATION: _invitation,
    Kind.OFFER: _offer,
    Kind.MISSED: _missed,
    Kind.AWAY: _away,
    Kind.OFFERED: _offered,
    Kind.REPLACED: _replaced,
}


def _places(seats: list[Seat]) -> list[tuple[str, str]]:
    """The result: a line for each seat, best first."""
    found = sorted((seat for seat in seats if seat.place), key=lambda seat: (seat.place, seat.number))
    return [
        (
            f"{seat.place}. {seat.name}",
            ngettext("%(n)s point", "%(n)s points", round(seat.points or 0)) % {"n": f"{seat.points or 0:g}"},
        )
        for seat in found
    ]


def _terms(match: Match, kind: str) -> str:
    """The main terms of the match's clock, in one sentence."""
    preset = PRESETS.get(match.clock)
    if kind in (Kind.MISSED, Kind.OFFERED, Kind.REPLACED):
        return ""
    if kind == Kind.AWAY:
        turns = OFFERED_AFTER - AUTOPILOT_AFTER
        text = ngettext(
            "After %(n)d such turn, or a day of your playing times, we offer your seat to others.",
            "After %(n)d such turns, or a day of your playing times, we offer your seat to others.",
            turns,
        )
        return text % {"n": turns}
    if preset is None:
        return _("There's no clock.")
    text = _("You begin with %(start)s. Each turn adds %(increment)s, up to %(cap)s.") % {
        "start": span(preset.start),
        "increment": span(preset.increment),
        "cap": span(preset.cap),
    }
    return f"{text} {weekends()}" if match.weekends_rest else text
