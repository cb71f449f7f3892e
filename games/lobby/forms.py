"""The form for a new table, built from the options that games declare, without code for any single game."""

import json
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from games import rules as games
from games.engine import Option, Rules, Subset
from games.matches.models import AiLevel, Match
from games.matches.presets import is_by_hours
from games.table.option_text import OptionText, in_words, value_in_words

#: What can be on a seat when a table is opened.
OPEN_SEAT = "open"
#: The clocks that the form offers first; the others are under house rules.
MAIN_CLOCKS = (Match.Clock.TABLE.value, Match.Clock.DAILY.value)


@dataclass(frozen=True, slots=True)
class OptionField:
    """An option in the form. Proposals are JSON, which the script fills in when the clock changes."""

    field: forms.BoundField
    words: OptionText
    live: str
    by_mail: str


def option_field(slug: str, option: Option) -> forms.Field:
    """The form field of an option that a game declares."""
    words = in_words(slug, option)
    common: dict[str, Any] = {"label": words.label, "help_text": words.text, "initial": option.default}
    choices = option.choices
    if isinstance(choices, range):
        low, high = choices[0], choices[-1]
        return forms.IntegerField(min_value=low, max_value=high, step_size=choices.step, **common)
    if isinstance(choices, Subset):
        common["initial"] = _proposal(option, option.default)
        return forms.MultipleChoiceField(
            choices=[(name, value_in_words(slug, name)) for name in choices.extra],
            widget=forms.CheckboxSelectMultiple,
            required=False,
            **common,
        )
    if set(choices) == {True, False}:
        return forms.BooleanField(required=False, **common)
    return forms.TypedChoiceField(
        choices=[(str(choice), value_in_words(slug, choice, option.name)) for choice in choices],
        widget=forms.RadioSelect,
        coerce=lambda text: next(choice for choice in choices if str(choice) == text),
        **common,
    )


def _proposal(option: Option, value: Any) -> Any:
    """An option's value as the form field stores it; for a list, the optional part."""
    if isinstance(option.choices, Subset):
        return [name for name in value if name not in option.choices.always]
    return value


class ClockSelect(forms.RadioSelect):
    """Clocks, of which the page's script learns which run by playing times."""

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        if is_by_hours(value):
            option["attrs"]["data-by-hours"] = ""
        return option


class TableForm(forms.Form):
    """A new table of one game: seats, options, visibility, pace."""

    seats = forms.TypedChoiceField(label=_("Players"), coerce=int, widget=forms.RadioSelect)
    is_public = forms.TypedChoiceField(
        label=_("Who can join"),
        choices=[("yes", _("anyone (listed in the lobby)")), ("no", _("only people with the link"))],
        coerce=lambda text: text == "yes",
        initial="yes",
        widget=forms.RadioSelect,
    )
    clock = forms.ChoiceField(
        label=_("Live or turn-based"),
        choices=Match.Clock.choices,
        initial="table",
        widget=ClockSelect,
        help_text=_("If your time runs out, we play a safe move for you."),
    )
    pace = forms.ChoiceField(
        label=_("Card speed"),
        choices=Match.Pace.choices,
        initial=Match.Pace.NORMAL,
        widget=forms.RadioSelect,
        help_text=_("How long you have to slap each card."),
    )
    is_calibrated = forms.BooleanField(
        label=_("Slap handicap"),
        required=False,
        initial=False,
        help_text=_(
            "For friends: slower players get a head start of up to 100 milliseconds, worked out from "
            "recent practice runs. Everyone sees it, and the match isn't rated. Live tables only."
        ),
    )

    weekends_rest = forms.BooleanField(
        label=_("Weekends off"),
        required=False,
        initial=False,
        help_text=_("No clock runs on your Saturday and Sunday. You can still play."),
    )
    starts_when_full = forms.BooleanField(
        label=_("Start as soon as all seats are taken"),
        required=False,
        initial=True,
    )
    relay = forms.BooleanField(
        label=_("Take turns watching"),
        required=False,
        initial=True,
        help_text=_(
            "In turn-based matches of four or more, one player per team watches for slaps. You wait for "
            "fewer people, and no one can whisper."
        ),
    )

    def __init__(self, rules: Rules, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._rules = rules
        counts = list(rules.seats)
        self.fields["seats"] = forms.TypedChoiceField(
            label=_("Players"),
            coerce=int,
            choices=[(count, str(count)) for count in counts],
            initial=counts[0],
            widget=forms.RadioSelect,
        )
        if not games.presentation(rules.slug).has_slaps:
            del self.fields["pace"], self.fields["is_calibrated"], self.fields["relay"]
        levels = [(OPEN_SEAT, _("Free seat"))] + [
            (level.value, _("AI player, %(level)s") % {"level": level.label}) for level in AiLevel
        ]
        # Seat 0 is the host's; the others can be given to AI players.
        for number in range(1, max(counts)):
            self.fields[f"seat_{number}"] = forms.ChoiceField(
                label=_("Seat %(number)d") % {"number": number + 1}, choices=levels, initial=OPEN_SEAT, required=False
            )
        for option in rules.options:
            self.fields[f"option_{option.name}"] = option_field(rules.slug, option)

    def seat_fields(self) -> list[forms.BoundField]:
        """The fields of the other players' seats."""
        return [self[name] for name in self.fields if name.startswith("seat_")]

    def option_fields(self) -> list[OptionField]:
        """The fields of the game's options, with the proposals for live and for turn-based matches."""
        return [
            OptionField(
                self[f"option_{option.name}"],
                in_words(self._rules.slug, option),
                json.dumps(_proposal(option, option.default)),
                json.dumps(_proposal(option, option.by_mail)),
            )
            for option in self._rules.options
        ]

    def main_clocks(self) -> list[forms.boundfield.BoundWidget]:
        """One live clock, and one with a day per move."""
        return [each for each in self["clock"] if each.data["value"] in MAIN_CLOCKS]

    def other_clocks(self) -> list[forms.boundfield.BoundWidget]:
        """All other clocks."""
        return [each for each in self["clock"] if each.data["value"] not in MAIN_CLOCKS]

    def standard(self) -> str:
        """The house rules of an unchanged form, in one line."""
        who = dict(self.fields["is_public"].choices)[self.get_initial_for_field(self.fields["is_public"], "is_public")]  # type: ignore[attr-defined]  # a choice field
        options = (in_words(self._rules.slug, option) for option in self._rules.options)
        return " · ".join([str(who), *(f"{words.label}: {words.default}" for words in options)])

    def arguments(self) -> dict[str, Any]:
        """The arguments for ``service.open_table`` from a valid form."""
        data = self.cleaned_data
        options: dict[str, Any] = {}
        for option in self._rules.options:
            value = data[f"option_{option.name}"]
            if isinstance(option.choices, Subset):
                value = [*option.choices.always, *value]
            options[option.name] = value
        ai = {
            number: data[f"seat_{number}"]
            for number in range(1, data["seats"])
            if data.get(f"seat_{number}") in AiLevel.values
        }
        return {
            "seat_count": data["seats"],
            "options": options,
            "ai": ai,
            "is_public": data["is_public"],
            "clock": data["clock"],
            "pace": data.get("pace", Match.Pace.NORMAL),
            # Turn-based matches have nothing to calibrate, so the box is ignored.
            "is_calibrated": bool(data.get("is_calibrated")) and data["clock"] == Match.Clock.TABLE,
            "relay": bool(data.get("relay", True)),
            "starts_when_full": data["starts_when_full"],
            "weekends_rest": data["weekends_rest"],
        }
