"""The form of a plan: moves in order, or a maximum bet."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from games import rules
from games.engine import View
from games.plans.models import Habit, Plan
from games.plans.preconditions import MOST_STEPS, can_bid, candidates, highest_bid, own_hand
from games.table.labels import move_label

#: Steps offered in games whose hand size doesn't suggest a number.
_STEPS = 4


class PlanForm(forms.Form):
    """Everything that can be planned in this view, filled in with the current plan."""

    def __init__(self, view: View, names: list[str], plan: Plan | None, data: Any = None) -> None:
        super().__init__(data)
        self.is_bidding = can_bid(view)
        if self.is_bidding:
            self.fields["maximum"] = forms.IntegerField(
                label=_("Bet for me up to"),
                min_value=1,
                max_value=highest_bid(view),
                initial=plan.maximum if plan else None,
                help_text=_(
                    "On your turn we bet as little as we can, and fold above this number. The others don't see it."
                ),
            )
            return
        choices = [("", "–"), *((move, move_label(view.game, move, names)) for move in candidates(view))]
        left = plan.left if plan and plan.is_active else []
        steps = min(MOST_STEPS, len(own_hand(view))) if rules.presentation(view.game).plans_whole_hand else _STEPS
        for step in range(max(steps, len(left)) if len(choices) > 1 else 0):
            self.fields[f"step{step}"] = forms.ChoiceField(
                label=_("First") if step == 0 else _("Then"),
                choices=choices,
                required=False,
                initial=left[step] if step < len(left) else "",
            )

    @property
    def moves(self) -> list[str]:
        """The chosen moves in order, without gaps."""
        return [move for name, move in self.cleaned_data.items() if name.startswith("step") and move]

    @property
    def maximum(self) -> int | None:
        """The maximum bet, during bidding."""
        return self.cleaned_data.get("maximum")


class HabitForm(forms.ModelForm):
    """A player's settings for automatic moves."""

    class Meta:
        model = Habit
        fields = ["plays_forced"]
        help_texts = {
            "plays_forced": _(
                "In turn-based matches: if you have only one legal move, we play it for you after a few "
                "minutes. The delay varies, so the others can't tell. It stops when you miss a turn."
            )
        }
