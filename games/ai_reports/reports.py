"""Report a move of an AI player: which moves can be reported, and what is stored."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.models import User
from games import engine
from games.ai_reports.models import AiCase
from games.engine import Event
from games.engine.text import Name, names_for
from games.matches import history
from games.matches.models import AiLevel, Match, Move
from games.matches.service import Refused
from games.matches.tasks import ai_luck

#: Moves listed on the page of reports.
OFFERED = 20
NOTE_LENGTH = AiCase._meta.get_field("note").max_length or 0


@dataclass(frozen=True, slots=True)
class Reportable:
    """A move of an AI player as a person at the table saw it."""

    number: int
    name: str
    sentence: str
    is_reported: bool


def reportable(match: Match, player: User) -> list[Reportable]:
    """The latest moves of AI players at the table of ``player``, newest first, in the words ``player`` read.

    Raises :class:`Refused` for a user who does not sit there.
    """
    viewer = _seat_of(match, player)
    last = list(match.moves.filter(source=Move.Source.AI).order_by("-number").values_list("number", "seat")[:OFFERED])
    if not last:
        return []
    wanted = {number for number, _seat in last}
    sentences: dict[int, list[str]] = {}
    names: list[Name] = []

    def collect(version: int, event: Event) -> None:
        if version in wanted and event.is_for(viewer):
            sentences.setdefault(version, []).append(match.rules.say(event, names))

    names += names_for([seat.name for seat in match.seats.all()], viewer)
    table = history.last(match, collect)
    reported = set(AiCase.objects.filter(match=match, number__in=wanted).values_list("number", flat=True))
    return [
        Reportable(number, table.names[seat], sentences[number][0], number in reported)
        for number, seat in last
        if sentences.get(number)
    ]


def report(match: Match, number: int, player: User, note: str = "") -> AiCase:
    """Store move ``number`` of ``match`` as a case, or return its existing case.

    Raises :class:`Refused` for a user who does not sit there, for a move that no AI player made or that does not exist,
    and after the match for one without a choice.
    """
    _seat_of(match, player)
    made = match.moves.filter(number=number, source=Move.Source.AI).first()
    if made is None:
        raise Refused("not_ai", _("Here you can only report moves of AI players."))
    thought_at = _thought_at(made)
    moves = list(match.moves.filter(number__lte=thought_at))
    table = history.last(match, upto=thought_at)
    sitter = table.sitters[made.seat]
    view = table.state.view(made.seat)
    # Before the end, this would reveal the AI player's cards.
    if match.status == Match.Status.OVER and len(view.moves) < 2:
        raise Refused("forced", _("{name} had no choice there.").format(name=sitter.name))
    record = engine.Match(
        match.slug,
        match.rules_version,
        match.seat_count,
        match.options,
        match.seed,
        [(move.seat, move.move) for move in moves],
    )
    case, _created = AiCase.objects.get_or_create(
        match=match,
        number=number,
        defaults={
            "seat": made.seat,
            # A seat that changed hands belonged to an AI player at this move.
            "level": sitter.ai_level or AiLevel.EASY,
            "name": sitter.name,
            "move": made.move,
            "record": record.to_json(),
            "view": view.to_json(),
            "luck": ai_luck(match.seed, thought_at, made.seat),
            "reporter": player,
            "note": note.strip()[:NOTE_LENGTH],
        },
    )
    return case


def _seat_of(match: Match, player: User) -> int:
    for seat in match.seats.all():
        if seat.player_id == player.pk:
            return seat.number
    raise Refused("not_seated", _("You have no seat here."))


def _thought_at(made: Move) -> int:
    """The version on which an AI player chose: possibly before a sealed choice of another seat was stored."""
    version = made.request_id.split(":")[1:2]
    return int(version[0]) if version and version[0].isdigit() else made.number - 1
