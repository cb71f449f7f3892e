"""A player's progress: completed lessons, and matches of unfinished ones."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from accounts.compiled import compiled
from accounts.models import User
from games import rules
from games.engine import Lesson, Rules
from games.lessons.models import Done
from games.matches.commit.changeset import ChangeSet
from games.matches.models import Match
from games.table.pitch import pitch

#: How long an unfinished lesson can be continued.
KEPT = timedelta(days=1)


class Entry(NamedTuple):
    """A lesson in the list: whether it is done, and whether it can be continued."""

    lesson: Lesson
    is_done: bool
    is_begun: bool

    @property
    def title(self) -> str:
        """The title, in the reader's language."""
        return gettext(self.lesson.title)


class GameLessons(NamedTuple):
    """One game's lessons, its summary, and the number of completed lessons."""

    rules: Rules
    pitch: str
    entries: Sequence[Entry]
    done: int

    @property
    def has_slaps(self) -> bool:
        """Whether its slaps can be practised."""
        return rules.presentation(self.rules.slug).has_slaps

    @property
    def next(self) -> Lesson:
        """The first lesson that is not done, or the first of all."""
        return next((entry.lesson for entry in self.entries if not entry.is_done), self.entries[0].lesson)


def follow(change: ChangeSet) -> None:
    """Record the lesson as done when a committed change ends it."""
    table = change.table
    lesson = table.lesson
    if lesson is not None and lesson.at(table.version) is None:
        people = [sitter.player_id for sitter in table.sitters if sitter.player_id is not None]
        Done.objects.bulk_create([Done(user_id=pk, lesson=lesson.key) for pk in people], ignore_conflicts=True)


def import_guest_progress(guest: User, user: User, **_signal: object) -> None:
    """Copy the completed lessons of ``guest`` to ``user``."""
    there = Done.objects.filter(user=guest)
    Done.objects.bulk_create([Done(user=user, lesson=done.lesson, at=done.at) for done in there], ignore_conflicts=True)


def overview(user: User | None) -> list[GameLessons]:
    """All lessons by game, Game: Armani first; at most three queries."""
    done = set(_done_by(user.pk)) if user else set()
    begun = {match.lesson_key for match in _matches_of(user.pk) if not _is_over(match)} if user else set()
    found = []
    for game in sorted(rules.all(), key=lambda game: not rules.presentation(game.slug).is_namesake):
        entries = [
            Entry(lesson, lesson.key in done, lesson.key in begun) for lesson in rules.lessons(game.slug).values()
        ]
        if entries:
            found.append(GameLessons(game, pitch(game.slug), entries, sum(entry.is_done for entry in entries)))
    return found


def begun_match(user: User, lesson: Lesson) -> Match | None:
    """The match in which ``user`` can continue ``lesson``: the newest, unless it is over."""
    found = next((match for match in _matches_of(user.pk) if match.lesson_key == lesson.key), None)
    return found if found is not None and not _is_over(found) else None


def after(lesson: Lesson) -> Lesson | None:
    """The next lesson of the same game."""
    there = list(rules.lessons(lesson.game).values())
    at = there.index(lesson) + 1
    return there[at] if at < len(there) else None


def delete_old() -> int:
    """Delete lesson matches that began more than a day ago; returns their number."""
    old = Match.objects.filter(lesson__isnull=False, created_at__lt=timezone.now() - KEPT)
    return old.delete()[1].get(Match._meta.label, 0)


@compiled
def _done_by(user_id: int) -> QuerySet[Done, str]:
    return Done.objects.filter(user=user_id).values_list("lesson", flat=True)


@compiled
def _matches_of(user_id: int) -> QuerySet[Match]:
    """A person's lesson matches, newest first."""
    lessons = Match.objects.filter(lesson__isnull=False, host=user_id)
    return lessons.defer("snapshot").order_by("-created_at", "-pk")


def _is_over(match: Match) -> bool:
    """Whether the lesson has no moves left."""
    if match.status != Match.Status.RUNNING:
        return True
    try:
        return rules.lesson(match.lesson_key).at(match.version) is None
    except KeyError:
        return True
