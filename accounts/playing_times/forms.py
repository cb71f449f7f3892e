"""Forms of playing times and leave."""

from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from django import forms
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import names
from accounts.models import User
from accounts.playing_times import calendars
from accounts.playing_times.models import Deputy, PlayingTimes
from accounts.widgets import LongSelect


def zone_choices() -> list[tuple[str, str]]:
    """Time zones by their usual names, without technical ones."""
    found = sorted(zone for zone in calendars.known_zones() if "/" in zone and not zone.startswith(("Etc/", "posix")))
    return [("UTC", "UTC"), *((zone, zone.replace("_", " ")) for zone in found)]


class PlayingTimesForm(forms.Form):
    """Time zone, hours and rest days."""

    zone = forms.ChoiceField(label=gettext_lazy("Time zone"), choices=zone_choices, widget=LongSelect)
    wake_from = forms.TimeField(
        label=gettext_lazy("My day begins at"), widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    )
    wake_to = forms.TimeField(
        label=gettext_lazy("My day ends at"),
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
        help_text=gettext_lazy("At least ten hours. It can end after midnight."),
    )
    rest_days = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Rest days"),
        coerce=int,
        choices=list(WEEKDAYS.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy("Up to two. Your clock stops on these days, but you can still play."),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        self.user = user
        row = calendars.current(user)
        initial = {
            "zone": row.zone,
            "wake_from": row.wake_from,
            "wake_to": row.wake_to,
            "rest_days": sorted(row.rest_day_numbers),
        }
        super().__init__(*args, **kwargs)
        self.initial = initial
        # A browser may have given a zone by a name that isn't in the list.
        zone = cast(forms.ChoiceField, self.fields["zone"])
        if row.zone not in dict(zone_choices()):
            zone.choices = [(row.zone, row.zone.replace("_", " ")), *zone_choices()]

    def save(self) -> PlayingTimes | None:
        """Save the choice; None, with the reason in the form, if it isn't allowed."""
        data = self.cleaned_data
        try:
            return calendars.change(self.user, data["zone"], data["wake_from"], data["wake_to"], data["rest_days"])
        except calendars.PlayingTimesError as error:
            self.add_error(None, str(error))
            return None


class LeaveForm(forms.Form):
    """A span of leave to book, in the person's own time zone."""

    prefix = "leave"

    starts_at = forms.DateTimeField(
        label=gettext_lazy("From"), widget=forms.DateTimeInput(attrs={"type": "datetime-local"})
    )
    ends_at = forms.DateTimeField(
        label=gettext_lazy("To"), widget=forms.DateTimeInput(attrs={"type": "datetime-local"})
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def save(self) -> bool:
        """Book the leave; False, with the reason in the form, if it isn't allowed."""
        zone = ZoneInfo(calendars.current(self.user).zone)

        def own(moment: datetime) -> datetime:
            return moment.replace(tzinfo=zone)

        try:
            calendars.book(self.user, own(self.cleaned_data["starts_at"]), own(self.cleaned_data["ends_at"]))
        except calendars.PlayingTimesError as error:
            self.add_error(None, str(error))
            return False
        return True


class DeputyForm(forms.Form):
    """The person who is asked first when a seat of mine is offered."""

    prefix = "deputy"

    name = forms.CharField(label=gettext_lazy("Player's name"), required=False, max_length=names.MAX_LENGTH)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        there = Deputy.objects.filter(user=user).select_related("deputy").first()
        super().__init__(*args, **kwargs)
        self.initial = {"name": there.deputy.name if there else ""}
        self.user = user

    def clean_name(self) -> str:
        """The name of another member."""
        name: str = self.cleaned_data["name"].strip()
        self.found = None
        if name:
            self.found = User.objects.filter(name_key=names.key(name), is_guest=False, is_active=True).first()
            if self.found is None or self.found == self.user:
                raise forms.ValidationError(_("No other player has this name."))
        return name

    def save(self) -> None:
        """Store the substitute, or delete the stored one."""
        if self.found is None:
            Deputy.objects.filter(user=self.user).delete()
        else:
            Deputy.objects.update_or_create(user=self.user, defaults={"deputy": self.found})
