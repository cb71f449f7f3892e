"""The figures on a player's page, in a fixed number of queries."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from accounts import presence, social
from accounts.compiled import compiled
from accounts.models import User
from games import rules
from games.matches.models import Match, Seat
from games.table import match_cards

#: Running matches listed on a player's page.
RUNNING_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Tally:
    """Finished matches of one game: played and won."""

    played: int = 0
    won: int = 0

    @property
    def percent(self) -> int:
        """The percentage of matches won."""
        return round(100 * self.won / self.played) if self.played else 0


@dataclass(frozen=True, slots=True)
class GameResults:
    """One game's results against people, and against AI players alone."""

    slug: str
    name: str
    people: Tally
    ai: Tally


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Matches of two people at one table, and who placed higher."""

    mine: int
    level: int
    theirs: int

    @property
    def total(self) -> int:
        """The number of all matches."""
        return self.mine + self.level + self.theirs


@dataclass(frozen=True, slots=True)
class Friend:
    """A friend, whether they are online, and a public match they are playing."""

    user: User
    is_here: bool
    match: Match | None


def results(user: User) -> list[GameResults]:
    """The finished matches of ``user`` by game, most played first; without lessons and continued replays.

    A player who resigned hasn't won, even if the AI player that took over their seat has.
    """
    tallies = {(slug, people): Tally(played, won) for slug, people, played, won in _results(user.pk)}
    found = [
        GameResults(
            game.slug, game.name, tallies.get((game.slug, True), Tally()), tallies.get((game.slug, False), Tally())
        )
        for game in rules.all()
    ]
    played = [each for each in found if each.people.played + each.ai.played]
    return sorted(played, key=lambda each: -(each.people.played + each.ai.played))


@compiled
def _results(user_id: int) -> QuerySet[Seat, tuple[str, bool, int, int]]:
    others = Seat.objects.filter(match=OuterRef("match")).exclude(player_name="").exclude(number=OuterRef("number"))
    played = Seat.objects.filter(player=user_id, match__status=Match.Status.OVER, place__isnull=False)
    return (
        played.filter(match__is_annulled=False, match__lesson__isnull=True, match__continuation__isnull=True)
        .annotate(against_people=Exists(others))
        .values_list("match__slug", "against_people")
        .annotate(played=Count("pk"), won=Count("pk", filter=Q(place=1, has_resigned=False)))
        .order_by()
    )


def head_to_head(me: User, other: User) -> HeadToHead:
    """The record of ``me`` against ``other``; partners count as equal."""
    theirs = Seat.objects.filter(match=OuterRef("match"), player=other).values("place")[:1]
    counts = (
        Seat.objects.filter(player=me, match__status=Match.Status.OVER, match__is_annulled=False, place__isnull=False)
        .annotate(their_place=Subquery(theirs))
        .filter(their_place__isnull=False)
        .aggregate(
            mine=Count("pk", filter=Q(place__lt=F("their_place"))),
            level=Count("pk", filter=Q(place=F("their_place"))),
            theirs=Count("pk", filter=Q(place__gt=F("their_place"))),
        )
    )
    return HeadToHead(**counts)


def visible_matches(person: User, viewer: User | None) -> QuerySet[Match]:
    """The matches of ``person`` that ``viewer`` may see: public ones, and those with the viewer."""
    may_see = Q(is_public=True)
    if viewer is not None:
        may_see |= Q(pk__in=Seat.objects.filter(player=viewer).values("match_id"))
    return Match.objects.filter(
        may_see, lesson__isnull=True, pk__in=Seat.objects.filter(player=person).values("match_id")
    )


def finished(person: User, viewer: User | None) -> QuerySet[Match]:
    """Finished matches, newest first."""
    return match_cards.short(visible_matches(person, viewer).filter(status=Match.Status.OVER).order_by("-finished_at"))


def running(person: User, viewer: User | None) -> QuerySet[Match]:
    """Running matches, newest first."""
    return match_cards.short(
        visible_matches(person, viewer).filter(status=Match.Status.RUNNING).order_by("-started_at")
    )


def playing_now(user_ids: Collection[int]) -> dict[int, Match]:
    """For each of these people who plays in public, the match with the latest move."""
    seats = (
        Seat.objects.filter(player__in=user_ids, has_resigned=False, ai_level="")
        .filter(match__status=Match.Status.RUNNING, match__is_public=True)
        .select_related("match")
        .defer("match__snapshot")
        .order_by("match__turn_since")
    )
    return {seat.player_id: seat.match for seat in seats if seat.player_id is not None}


def friends_of(user: User) -> Sequence[Friend]:
    """The friends of ``user``, online ones first."""
    people = list(User.objects.filter(pk__in=social.friend_ids(user), is_active=True).order_by("name_key"))
    here = presence.here(_ids(people))
    playing = playing_now(here) if here else {}
    friends = [Friend(each, each.pk in here, playing.get(each.pk)) for each in people]
    return sorted(friends, key=lambda friend: not friend.is_here)


def _ids(people: Iterable[User]) -> list[int]:
    return [person.pk for person in people]
