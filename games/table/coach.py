"""The coach: in the first matches of a game, full sentences and marks show what a player can do."""

from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.compiled import compiled
from games import rules
from games.matches.models import Match, Seat

#: Number of matches of a game in which its player counts as new to it.
FIRST_MATCHES = 3


def is_coached(match: Match, user_id: int | None) -> bool:
    """Whether this is one of the person's first matches of its game; guests count, too."""
    if user_id is None or match.lesson is not None:
        return False
    return match.started_at is None or len(_begun_before(user_id, match.slug, match.started_at)) < FIRST_MATCHES


@compiled
def _begun_before(user_id: int, slug: str, at: datetime) -> QuerySet[Seat, int]:
    played = Seat.objects.filter(player=user_id, match__slug=slug, match__started_at__lt=at)
    return played.filter(match__lesson__isnull=True).values_list("pk", flat=True)[:FIRST_MATCHES]


def sentences(slug: str) -> list[tuple[tuple[str, ...], str]]:
    """The coach's sentences for a game in the reader's language, by the verbs of the legal moves."""
    return [(needed, _(sentence)) for needed, sentence in rules.presentation(slug).coach.items()]
