"""Matches with the same cards each time."""

from typing import Any

from accounts.models import User
from games.matches import service
from games.matches.models import Match, Seat, hash_of
from games.matches.stored import seats_of

#: The seed of every match that tests start: the same cards each time.
SEED = "5eed" * 8


def begin(
    slug: str, people: tuple[User, ...], options: dict[str, Any], *, ai: dict[int, str] | None = None, **chosen: Any
) -> Match:
    """Start a match between ``people``, and AI players on the seats of ``ai``.

    Only the host sits down through the service; writing the other seats directly is faster.
    """
    host, *others = people
    match = service.open_table(host, slug, len(people) + len(ai or {}), options, ai=ai, **chosen)
    free = [seat for seat in seats_of(match.pk) if seat.is_free] if others else []
    for seat, person in zip(free, others, strict=True):
        Seat.objects.filter(pk=seat.pk).update(player=person, player_name=person.name)
    Match.objects.filter(pk=match.pk).update(seed=SEED, seed_hash=hash_of(SEED))
    service.start(match, host)
    return match
