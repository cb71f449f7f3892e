"""Write chat messages, and decide who may read which."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial, reduce
from operator import or_
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import social
from accounts.compiled import compiled
from accounts.models import User
from accounts.moderation.restrictions import restrictions_of
from accounts.people.models import Preferences
from games.chat.models import TEXT_LENGTH, Line
from games.chat.phrases import PHRASES
from games.engine.numbers import number_in
from games.matches.models import Match
from games.realtime import broadcast

#: Number of messages on a new page.
SHOWN = 100
#: How long people can chat after a match.
OPEN_AFTER_END = timedelta(days=1)


class MessageRefused(Exception):
    """A message that can't be sent; the text is for the user."""


@dataclass(frozen=True, slots=True)
class ChatFilter:
    """Which messages one person sees: whether any, and without which authors."""

    is_open: bool = True
    hidden_authors: Collection[int] = frozenset()

    def shows(self, author_id: int | None) -> bool:
        """Whether messages of that author reach this person."""
        return self.is_open and (author_id is None or author_id not in self.hidden_authors)


def chat_filter_of(user_id: int | None) -> ChatFilter:
    """Read a person's filter; visitors see everything."""
    return chat_filters_of([user_id])[user_id]


def chat_filters_of(user_ids: Collection[int | None]) -> dict[int | None, ChatFilter]:
    """Read the filters of several people, in two statements."""
    known = [pk for pk in user_ids if pk is not None]
    closed = set(_without_chat(known)) if known else ()
    hidden = social.muted_or_blocked_by(known)
    return {pk: ChatFilter() if pk is None else ChatFilter(pk not in closed, hidden[pk] or ()) for pk in user_ids}


@compiled
def _without_chat(user_ids: Collection[int]) -> QuerySet[Preferences, int]:
    return Preferences.objects.filter(user__in=user_ids, talk=False).values_list("user", flat=True)


def seat_of(match: Match, user: User | None) -> int | None:
    """The seat from which ``user`` writes; None for spectators and players who were replaced by an AI player."""
    if user is None:
        return None
    return next((seat.number for seat in match.seats.all() if seat.player_id == user.pk and not seat.ai_level), None)


def is_for(line: Mapping[str, Any], status: str, seat: int | None) -> bool:
    """Whether a viewer on ``seat`` (None: a spectator) may read ``line`` at the match's current status.

    Spectators chat among themselves: players mustn't learn what they see until the match is over.
    """
    return line["seat"] is not None or seat is None or status == Match.Status.OVER


def readable(match: Match, user: User | None, chat_filter: ChatFilter) -> QuerySet[Line]:
    """The messages that ``user`` may read at this table through their filter."""
    if not chat_filter.is_open:
        return Line.objects.none()
    said = _said_by_players if _hears_only_players(match, user) else _said
    return said(match.pk, chat_filter.hidden_authors)


def visible(match: Match, user: User | None, chat_filter: ChatFilter) -> list[Line]:
    """The latest messages that ``user`` may read, oldest first, for a new page."""
    if not chat_filter.is_open:
        return []
    latest = _latest_by_players if _hears_only_players(match, user) else _latest
    return latest(match.pk, chat_filter.hidden_authors)[::-1]


def _hears_only_players(match: Match, user: User | None) -> bool:
    """Whether ``user`` plays: what spectators say might help them."""
    return match.status != Match.Status.OVER and seat_of(match, user) is not None


def _said(match_id: int, hidden_authors: Collection[int]) -> QuerySet[Line]:
    return Line.objects.filter(match=match_id, is_removed=False).exclude(author__in=hidden_authors)


def _said_by_players(match_id: int, hidden_authors: Collection[int]) -> QuerySet[Line]:
    return _said(match_id, hidden_authors).filter(seat__isnull=False)


@compiled
def _latest(match_id: int, hidden_authors: Collection[int]) -> QuerySet[Line]:
    return _said(match_id, hidden_authors).select_related("author").order_by("-id")[:SHOWN]


@compiled
def _latest_by_players(match_id: int, hidden_authors: Collection[int]) -> QuerySet[Line]:
    return _said_by_players(match_id, hidden_authors).select_related("author").order_by("-id")[:SHOWN]


def mark_of(lines: Sequence[Line]) -> str:
    """The mark of a page that shows ``lines``: the first, the last, and their number."""
    return f"{lines[0].pk}-{lines[-1].pk}-{len(lines)}" if lines else "0-0-0"


class Shown(NamedTuple):
    """The chat on someone's page, with its mark."""

    match: Match
    user: User | None
    chat_filter: ChatFilter
    mark: str

    @property
    def since(self) -> int:
        """The first message on the page."""
        return number_in(self.mark.partition("-")[0], digits=17) or 0


def marks_now(pages: Sequence[Shown]) -> list[str]:
    """The marks that pages would have if they showed the current messages from their first ones on.

    One statement, or more if pages of one match begin with different messages.
    """
    found: dict[tuple[int, int], list[tuple[int | None, int | None, int, int]]]
    found = {(page.match.pk, page.since): [] for page in pages}
    left = set(found)
    while left:
        firsts = dict(left)
        left.difference_update(firsts.items())
        are_shown = reduce(or_, (Q(match=pk, pk__gte=since) for pk, since in firsts.items()))
        lines = Line.objects.filter(are_shown, is_removed=False).order_by().values_list("match", "author", "seat")
        for pk, *group in lines.annotate(last=Max("pk"), count=Count("pk")):
            found[pk, firsts[pk]].append(tuple(group))
    return [_mark_now(page, found[page.match.pk, page.since]) for page in pages]


def _mark_now(page: Shown, groups: Iterable[tuple[int | None, int | None, int, int]]) -> str:
    seat = seat_of(page.match, page.user)
    last = number = 0
    for author, author_seat, newest, count in groups:
        if page.chat_filter.shows(author) and is_for({"seat": author_seat}, page.match.status, seat):
            last, number = max(last, newest), number + count
    return f"{page.since}-{last}-{number}"


def refusal_for(match: Match, user: User | None) -> str:
    """Why ``user`` can't write here; empty if they can."""
    if user is None:
        return _("Take a seat or log in to chat.")
    if not restrictions_of(user).may_talk:
        return _("The moderators have paused your chat.")
    if match.status == Match.Status.CANCELLED:
        return _("This table is closed.")
    if match.status == Match.Status.OPEN and seat_of(match, user) is None:
        return _("Take a seat to chat.")
    if match.finished_at is not None and timezone.now() > match.finished_at + OPEN_AFTER_END:
        return _("The chat at this table has ended.")
    return ""


def has_own_words(user: User) -> bool:
    """Whether ``user`` may write more than preset phrases: guests may not, because they can't be held responsible."""
    return not user.is_guest and not restrictions_of(user).phrases_only


def say(match: Match, user: User, *, phrase: str = "", text: str = "") -> Line:
    """Send one message at ``match``, a phrase or a text. Raises :class:`MessageRefused`."""
    reason = refusal_for(match, user)
    if reason:
        raise MessageRefused(reason)
    if phrase:
        if phrase not in PHRASES:
            raise MessageRefused(_("There's no such phrase."))
        text = ""
    else:
        text = as_stored(text)
        if not has_own_words(user):
            if user.is_guest:
                raise MessageRefused(_("Guests can use the ready-made phrases. Sign up to write your own."))
            raise MessageRefused(_("The moderators let you use only ready-made phrases for now."))
    with transaction.atomic():
        line = Line.objects.create(
            match=match,
            seat=seat_of(match, user),
            author=user,
            author_name=user.name,
            phrase=phrase,
            text=text,
            version=match.version,
        )
        transaction.on_commit(partial(broadcast.to_table, match.pk, "talk", line=to_json(line)))
    return line


def as_stored(text: str) -> str:
    """Normalize a text to one composed line. Raises :class:`MessageRefused` for one that isn't allowed."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    if not text:
        raise MessageRefused(_("Write something first."))
    if len(text) > TEXT_LENGTH:
        raise MessageRefused(_("Use at most %(most)d characters.") % {"most": TEXT_LENGTH})
    marks = 0
    for letter in text:
        category = unicodedata.category(letter)
        # Stacked marks would cover the lines above; invisible characters could hide secrets or reverse the text.
        marks = marks + 1 if category[0] == "M" else 0
        if marks > 3 or (category in ("Cc", "Cf", "Co", "Cn", "Cs") and letter not in "\u200d\u200c"):
            raise MessageRefused(_("It contains characters that can't be shown."))
    return text


def remove(line: Line) -> None:
    """Remove a message, also from open tables."""
    with transaction.atomic():
        Line.objects.filter(pk=line.pk).update(is_removed=True)
        transaction.on_commit(partial(broadcast.to_table, line.match_id, "talk_removed", line=line.pk))


def to_json(line: Line) -> dict[str, Any]:
    """A message in the form sent to processes with open tables."""
    return {
        "id": line.pk,
        "seat": line.seat,
        "author": line.author_id,
        "name": line.author_name,
        "name_key": line.author.name_key if line.author else None,
        "phrase": line.phrase,
        "text": line.text,
        "at": line.at.timestamp(),
    }
