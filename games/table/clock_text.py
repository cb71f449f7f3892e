"""Texts about clocks and absence, for pages, logs and emails."""

from collections.abc import Sequence
from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.engine import Event
from games.matches import presets as clocks
from games.matches.live_match import LiveMatch
from games.matches.models import Incident, Match
from games.matches.presets import PRESETS, Preset
from games.matches.turn_clock import SeatClock
from games.table import messages

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def span(length: timedelta) -> str:
    """A length of time in its largest whole unit: ``3 days``, ``20 minutes``."""
    if length >= 2 * DAY and not length % DAY:
        return ngettext("%(n)d day", "%(n)d days", length // DAY) % {"n": length // DAY}
    if length >= HOUR and not length % HOUR:
        return ngettext("%(n)d hour", "%(n)d hours", length // HOUR) % {"n": length // HOUR}
    if length >= MINUTE and not length % MINUTE:
        return ngettext("%(n)d minute", "%(n)d minutes", length // MINUTE) % {"n": length // MINUTE}
    seconds = round(length.total_seconds())
    return ngettext("%(n)d second", "%(n)d seconds", seconds) % {"n": seconds}


def weekends() -> str:
    """What a table with free weekends says about them."""
    return _("Weekends off: no clock runs on your Saturday and Sunday.")


def contract(clock: str, *, weekends_rest: bool = False) -> Sequence[str]:
    """Everything a clock of this name asks of a player, in a few sentences, shown before a player joins."""
    preset = PRESETS.get(clock)
    if preset is None:
        return [
            _("No clock: take the time you need. Autoplay never steps in."),
            _("Only for friends with the link. The match isn't rated."),
        ]
    sentences = [
        _("You begin with %(start)s. Every finished turn adds %(increment)s, up to %(cap)s.")
        % {"start": span(preset.start), "increment": span(preset.increment), "cap": span(preset.cap)},
    ]
    if preset.by_hours:
        sentences += [
            _("Your clock runs only in your playing times, and not on your rest days. You can always play."),
            *([weekends()] if weekends_rest else []),
            _("At zero, your leave is used by the hour, but not if all others are AI players."),
        ]
    else:
        sentences.append(_("The clock runs all the time."))
    sentences += [
        _("After that, once per match, you get %(excuse)s more. The others are told.")
        % {"excuse": span(preset.excuse)},
        _("After that, autoplay makes a safe move. Miss two turns in a row and it plays on until you return."),
        _(
            "After %(turns)d such turns, or a day of your playing times, we offer your seat to others. "
            "With fewer than two people left, AI players finish the match. Then it isn't rated."
        )
        % {"turns": clocks.OFFERED_AFTER - clocks.AUTOPILOT_AFTER},
        _("If the site goes down, all clocks get that time back."),
    ]
    return sentences


def presets() -> list[tuple[str, str, Sequence[str]]]:
    """Every clock with its label and its contract, for the form of a new table."""
    return [(choice.value, str(choice.label), contract(choice.value)) for choice in Match.Clock]


def clocks_to_json(table: LiveMatch) -> list[messages.SeatClock]:
    """The clocks of the people at a table, visible to all there. Moments are timestamps."""
    return [_clock_to_json(sitter.seat, table.clocks[sitter.seat]) for sitter in table.sitters if not sitter.is_ai]


def _clock_to_json(seat: int, clock: SeatClock) -> messages.SeatClock:
    return {
        "seat": seat,
        "bank": clock.bank_seconds,
        "due": clock.due_at.timestamp() if clock.due_at else None,
        "missed": clock.missed,
        "autopilot": clock.autopilot_at is not None,
        "offered": clock.offered_at is not None,
    }


def clock_to_json(preset: Preset | None) -> messages.ClockRules | None:
    """What a browser must know of a match's clock; None without one."""
    return None if preset is None else {"by_hours": preset.by_hours, "cap": preset.cap.total_seconds()}


def say(kind: str, name: str, other: str) -> str:
    """One sentence of the log about something other than a move."""
    words = {"name": name, "other": other}
    match kind:
        case Incident.Kind.EXCUSED:
            text = _("%(name)s ran out of time and got their one extension.")
        case Incident.Kind.STAND_IN:
            text = _("%(name)s ran out of time, so autoplay made a safe move.")
        case Incident.Kind.AUTOPILOT:
            text = _("%(name)s missed two turns in a row. Autoplay plays on until they're back.")
        case Incident.Kind.RETURNED:
            text = _("%(name)s is back.")
        case Incident.Kind.OFFERED:
            text = _("%(name)s has been away for a long time, so you can take over the seat.")
        case Incident.Kind.TAKEN:
            text = _("%(other)s has taken over the seat of %(name)s.")
        case Incident.Kind.REPLACED:
            text = _("%(other)s, an AI player, plays on for %(name)s.")
        case _:
            text = _("Fewer than two people are left. AI players finish this match, and it isn't rated.")
    return text % words


def event_of(seat: int) -> Event:
    """The public event that a sentence of :func:`say` belongs to in the log."""
    return Event("incident", seat, {}, None)
