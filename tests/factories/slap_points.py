"""Turn-based slap points: their cards, and people who watch them with or without a socket."""

from django.db.models import F
from django.utils import timezone

from accounts.models import User
from games.matches import service
from games.matches.models import Match
from games.matches.slap_points import commands, segments
from games.matches.slap_points.models import SlapPoint, Watch
from games.matches.slap_points.segments import is_forced
from games.rules.armani import RULES, ArmaniState
from tests.factories.sockets import Browser
from tests.factories.tables import keep_up


def choose(match: Match) -> None:
    """Make every ordinary choice like autoplay, until cards are watched or the match is over."""
    table = service.load(match.pk)
    while not table.at_slap_point and table.status == Match.Status.RUNNING:
        seat = table.state.to_move()[0]
        sitter = table.sitters[seat]
        service.act(
            match.pk,
            seat,
            table.state.default_move(seat),
            request_id=f"choice{table.version}",
            player=None if sitter.is_ai else User.objects.get(pk=sitter.player_id),
            source="ai" if sitter.is_ai else "player",
        )
        keep_up(table)


def point_of(match: Match) -> SlapPoint:
    return SlapPoint.objects.get(match=match, settled_at=None)


def segment_of(match: Match) -> segments.Segment:
    return segments.ahead(service.load(match.pk).state)


def see(match: Match, seat: int, *presses: tuple[int, float], finish: bool = True) -> None:
    """Let ``seat`` watch the open slap point to its end, slapping the cards in ``presses``: number in segment, ms."""
    point, segment = point_of(match), segment_of(match)
    session = f"s{seat}v{point.version}"
    begun = service.begin_watch(match.pk, seat, session)
    assert begun is not None
    for at in range(begun.cursor + 1, len(segment.moves) + 1):
        assert commands.advance(point.pk, session, at)
        for number, reaction in presses:
            if number == at:
                press(match, seat, session, at, reaction, at_point=(point, segment))
    if finish:
        service.finish_watch(match.pk, seat, session)


def press_command(
    match: Match,
    seat: int,
    session: str,
    at: int,
    reaction: float,
    at_point: tuple[SlapPoint, segments.Segment] | None = None,
) -> service.RecordPress:
    """A press on a card shown in ``session``."""
    point, _segment = at_point or (point_of(match), segment_of(match))
    return service.RecordPress(
        match.pk,
        seat=seat,
        card=point.version + at,
        elapsed=reaction + 40,
        claimed=reaction,
        ping=40,
        cap=48,
        player_id=match.seats.get(number=seat).player_id,
        came_at=point.opened_at,
        session=session,
    )


def press(
    match: Match,
    seat: int,
    session: str,
    at: int,
    reaction: float,
    at_point: tuple[SlapPoint, segments.Segment] | None = None,
) -> bool:
    """Press; False if this was done before."""
    return not service.submit(press_command(match, seat, session, at, reaction, at_point)).result().repeated


def all_have_watched(match: Match) -> None:
    """Leave a match as an earlier release would whose process died before settling: all have watched."""
    Watch.objects.filter(point=point_of(match)).update(state=Watch.State.SEEN, session="")
    match.seats.update(asked_at=None, asked_version=None, due_at=None)
    Match.objects.filter(pk=match.pk).update(awaited="", due_at=timezone.now(), seating_epoch=F("seating_epoch") + 1)


def dealt(seats: int, seed: str, **options: object) -> ArmaniState:
    """A match after its bets."""
    state = RULES.deal(seats, options, seed)
    while not is_forced(state):
        state.apply(state.to_move()[0], state.default_move(state.to_move()[0]))
    return state


def slappable(begin, count: int, *, least: int = 5, **options) -> Match:
    """A match whose first slap point ends at a slappable card, at least the ``least``-th."""

    def is_it(segment: segments.Segment) -> bool:
        return segment.is_slappable and len(segment.moves) >= least

    # Found without a database.
    seeds = (f"{number:032x}" for number in range(100))
    seed = next(seed for seed in seeds if is_it(segments.ahead(dealt(count, seed, **options))))
    match = begin(count, seed=seed, **options)
    assert is_it(segment_of(match))
    return match


class SlapPageBrowser(Browser):
    """A browser on the watch page."""

    def __init__(self, match: Match, user: User | None = None) -> None:
        super().__init__(f"{match.key}/watch", user)

    async def go(self) -> None:
        await self.say({"t": "watch"})

    async def watch_all(self) -> dict:
        """Watch to the end; returns the state of the slap point."""
        await self.receive("watch", state="ready")
        await self.go()
        standing = await self.receive("watch", state="running")
        while standing["state"] == "running":
            standing = await self.receive("watch")
        return standing
