"""The table in words, from one seat's view: for emails, without pictures and scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games import rules
from games.engine import View, Zone
from games.engine.text import Reader
from games.table.facts import facts
from games.table.labels import SIDE_MARKS, TEXTS, zone_title, zone_word

#: Cards of a pile listed, from its top.
MOST_CARDS = 30


@dataclass(frozen=True, slots=True)
class Pile:
    """Cards that lie together: their name, the visible ones, and words about the rest."""

    title: str
    cards: Sequence[str]
    note: str


@dataclass(frozen=True, slots=True)
class TableSummary:
    """The table of one view: facts as name and value, players, and piles."""

    facts: Sequence[tuple[str, str]]
    players: Sequence[tuple[str, str]]
    piles: Sequence[Pile]


def standing(
    view: View, you: int, names: Sequence[str], notes: Mapping[int, str] = MappingProxyType({})
) -> TableSummary:
    """Describe the table and scores for the player of seat ``you``.

    ``notes`` are additional remarks about seats. The hand is not included. ``view`` is the player's, or a spectator's
    if nothing private may be shown.
    """
    own = f"hand:{you}"
    # Scores are listed with the players, unless they are hidden until the end.
    has_points = rules.presentation(view.game).knows_points(view)
    # The number of a seat's face-down cards is listed with its player.
    piles = [
        _pile(zone, view.game, names)
        for zone in view.zones
        if zone.count and zone.id != own and (zone.owner is None or any(zone.cards or ()))
    ]
    return TableSummary(
        [(fact.label, fact.value) for fact in facts(view, names) if fact.label != _("Points")],
        [_player(view, seat, you, names, notes.get(seat, ""), has_points=has_points) for seat in range(len(names))],
        piles,
    )


def _player(view: View, seat: int, you: int, names: Sequence[str], note: str, *, has_points: bool) -> tuple[str, str]:
    standing = view.seats[seat]
    notes = [note] if note else []
    if standing.team is not None:
        notes.append(str(TEXTS["side"]).format(mark=SIDE_MARKS[standing.team]))
    if has_points:
        notes.append(ngettext("%(n)s point", "%(n)s points", round(standing.points)) % {"n": f"{standing.points:g}"})
    notes += [
        f"{zone_word(view.game, zone.id.partition(':')[0])}: {_count(zone.count)}"
        for zone in view.zones
        if zone.owner == seat and zone.count and (zone.cards is None or (zone.id == f"hand:{seat}"))
    ]
    if standing.out:
        notes.append(str(TEXTS["out"]))
    name = Reader(names[seat]) if seat == you else names[seat]
    return name, ", ".join(notes)


def _pile(zone: Zone, game: str, names: Sequence[str]) -> Pile:
    title = zone_title(game, zone.to_json(), names)
    if zone.id.startswith("meld:") and zone.owner is not None:
        title = f"{title} · {names[zone.owner]}"
    seen = [code for code in zone.cards or () if code is not None]
    if zone.id in rules.presentation(game).top_only:
        seen = seen[-1:]
    shown = seen[-MOST_CARDS:]
    hidden = zone.count - len(shown)
    if not shown:
        note = _count(zone.count)
    elif hidden and zone.id.startswith("hand:"):
        note = ngettext("and %(n)d face down", "and %(n)d face down", hidden) % {"n": hidden}
    elif hidden:
        note = ngettext("on %(n)d more card", "on %(n)d more cards", hidden) % {"n": hidden}
    else:
        note = ""
    return Pile(title, shown, note)


def _count(number: int) -> str:
    return ngettext("%(n)d card", "%(n)d cards", number) % {"n": number}
