"""Forms to decide about a person and to close a report."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.models import Report, Rule, Sanction
from games.moderation.answers import ANSWERS, REASONS

#: Lengths of lasting decisions in hours, shortest first; 0 has no end.
LENGTHS = {
    24: gettext_lazy("a day"),
    72: gettext_lazy("three days"),
    168: gettext_lazy("a week"),
    720: gettext_lazy("thirty days"),
    2160: gettext_lazy("ninety days"),
    0: gettext_lazy("no end"),
}
#: The lengths proposed the first, second, third … time.
LADDER = (24, 72, 168, 720, 2160)


def proposed_hours(person: User | None) -> int:
    """The length to propose for the next lasting decision about ``person``."""
    return hours_after(Sanction.objects.filter(person=person) if person else [])


def hours_after(decisions: Iterable[Sanction]) -> int:
    """The length to propose for the next lasting decision about a person, given the earlier ones."""
    # A granted appeal has taken its decision back, so it doesn't count.
    lasting = sum(each.kind in Sanction.LASTING and bool(each.in_force_at) and not each.lifted_at for each in decisions)
    return LADDER[min(lasting, len(LADDER) - 1)]


class SanctionForm(forms.Form):
    """A decision about a person. A lasting one needs a length, and there is no default."""

    left_out: ClassVar[tuple[Sanction.Kind, ...]] = ()
    kind = forms.ChoiceField(label=gettext_lazy("Decision"), choices=Sanction.Kind.choices)
    hours = forms.TypedChoiceField(
        label=gettext_lazy("For how long"),
        coerce=int,
        empty_value=None,
        required=False,
        choices=[("", gettext_lazy("– choose –")), *LENGTHS.items()],
    )
    ready = forms.ChoiceField(
        label=gettext_lazy("Reason, in the person's language"), choices=[("", "–"), *REASONS.items()], required=False
    )
    reason = forms.CharField(
        label=gettext_lazy("Or in your own words"),
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, moderator: User, proposed: int, *args: Any, **kwargs: Any) -> None:
        """Set up the form; ``proposed`` is the proposed length in hours."""
        super().__init__(*args, **kwargs)
        self.auto_id = "decision_%s"
        kinds = [
            (kind, label)
            for kind, label in Sanction.Kind.choices
            if kind not in self.left_out and sanctions.may_impose(moderator, kind)
        ]
        self.fields["kind"].choices = [("", _("– choose –")), *kinds]  # type: ignore[attr-defined]  # a ChoiceField
        self.fields["hours"].help_text = _("Suggested, based on earlier decisions: %(length)s.") % {
            "length": LENGTHS[proposed]
        }

    def clean(self) -> dict[str, Any]:
        """Require a length for lasting decisions, and a reason for all."""
        data = super().clean() or self.cleaned_data
        if data.get("kind") in Sanction.LASTING and data.get("hours") is None and "hours" not in self.errors:
            self.add_error("hours", _("Say how long it lasts."))
        if not data.get("reason", "").strip() and not data.get("ready"):
            self.add_error("reason", _("Choose a reason or write one."))
        return data

    def until(self, now: datetime) -> datetime | None:
        """When a lasting decision ends; None without an end, and for one that is done once."""
        hours = self.cleaned_data["hours"]
        return now + timedelta(hours=hours) if hours and self.cleaned_data["kind"] in Sanction.LASTING else None


class PersonForm(SanctionForm):
    """A decision without a report, which therefore has to name the rule."""

    rule = forms.ChoiceField(label=gettext_lazy("Rule"), choices=Rule.choices)
    field_order = ("rule", "kind", "hours", "ready", "reason")
    #: Kinds that concern a match, which only a report names.
    left_out = (Sanction.Kind.REMOVED, Sanction.Kind.ANNULLED)


class CloseForm(forms.Form):
    """The outcome of a report, and the answer to its reporter."""

    outcome = forms.ChoiceField(label=gettext_lazy("Outcome"), choices=Report.Outcome.choices)
    ready = forms.ChoiceField(
        label=gettext_lazy("Answer, in the reporter's language"), choices=[("", "–"), *ANSWERS.items()], required=False
    )
    answer = forms.CharField(
        label=gettext_lazy("Or in your own words"),
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.auto_id = "close_%s"
