"""One-player matches that don't begin at a fresh deal: continued from a replay, or arranged as a lesson.

Only ``games.matches.service`` calls it.
"""

from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from games import engine, rules
from games.matches import events, history
from games.matches.commands.moves import require_may_play
from games.matches.commands.seating import begin, filled, require_open, seat_ai, seat_person, take_seats
from games.matches.commit.changeset import Refused
from games.matches.models import AiLevel, Match, Move, Seat


def play_on(match: Match, player: User, *, version: int, seat: int, level: str) -> Match:
    """Begin a match for ``player`` alone with the first ``version`` moves of a finished one.

    AI players of that level have all other seats. Raises :class:`Refused` if ``match`` is not over, or there is
    no such moment, seat or level, or nothing is left to be played.
    """
    require_open()
    require_may_play(player)
    if match.status != Match.Status.OVER:
        raise Refused("running", _("This match isn't over yet."))
    if match.lesson is not None:
        raise Refused("bad_options", _("This was a lesson. Learn it again instead."))
    if level not in AiLevel.values or seat not in range(match.seat_count) or not 0 <= version <= match.version:
        raise Refused("bad_options", _("There's no such position, seat or AI player."))
    with transaction.atomic():
        begun = Match.objects.create(
            slug=match.slug,
            rules_version=match.rules_version,
            seat_count=match.seat_count,
            options=match.options,
            seed=match.seed,
            host=player,
            is_public=False,
            pace=match.pace,
            clock=Match.Clock.NONE,
            is_rated=False,
        )
        seats = [Seat(match=begun, number=number) for number in range(match.seat_count)]
        for place in seats:
            if place.number == seat:
                seat_person(place, player)
            else:
                seat_ai(place, level, [player.name, *(other.ai_name for other in seats)])
        Seat.objects.bulk_create(seats)
        events.record(events.MatchContinued(begun, match, version))
        _begin_with(begun, match.moves.filter(number__lte=version), version)
    return begun


def begin_lesson(player: User, lesson: engine.Lesson, parent: Match | None = None, version: int = 0) -> Match:
    """Begin a match that gives ``lesson`` to ``player``, or continues ``parent`` after its first ``version`` moves."""
    version = max(version, lesson.opens_at)
    require_open()
    require_may_play(player)
    with transaction.atomic():
        begun = Match.objects.create(
            slug=lesson.game,
            rules_version=lesson.rules_version,
            seat_count=lesson.seats,
            options=filled(rules.get(lesson.game, lesson.rules_version), lesson.options),
            seed=engine.SEED,
            lesson={"key": lesson.key, "deck": list(lesson.deck), "dealer": lesson.dealer},
            host=player,
            is_public=False,
            pace=lesson.pace,
            clock=Match.Clock.NONE,
            is_rated=False,
        )
        take_seats(begun, player, dict.fromkeys(range(1, lesson.seats), AiLevel.EASY.value))
        _begin_with(begun, parent.moves.filter(number__lte=version) if parent else _made_before(lesson), version)
    return begun


def _made_before(lesson: engine.Lesson) -> Iterable[Move]:
    """The moves that are already made when a lesson opens."""
    now = timezone.now()
    for number, made in enumerate(lesson.made_before, 1):
        name, source = f"lesson:{number}", Move.Source.TABLE
        yield Move(number=number, seat=made.seat, move=made.move, at=now, source=source, request_id=name)


def _begin_with(begun: Match, moves: Iterable[Move], version: int) -> None:
    """Start ``begun`` after the first ``version`` moves of another match."""
    first = list(moves)
    for move in first:
        move.pk, move.match = None, begun
    Move.objects.bulk_create(first)
    begun.version = version
    table = history.last(begun)
    if table.state.outcome() is not None:
        raise Refused("over", _("There's nothing left to play from here."))
    begin(begun, begun.seats.all(), table, timezone.now())
