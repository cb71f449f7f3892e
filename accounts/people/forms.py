"""Forms of the settings: profile, appearance, moves."""

import unicodedata
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django_countries import countries

from accounts.people.models import ABOUT_LENGTH, Preferences, Profile
from accounts.widgets import LongSelect

#: The most lines of a profile text.
MOST_LINES = 12


class ProfileForm(forms.ModelForm):
    """What other people read about a player."""

    country = forms.ChoiceField(
        label=_("Country"),
        required=False,
        help_text=_("Optional. Shown with your name on your page."),
        choices=lambda: [("", _("Not set")), *countries],
        widget=LongSelect,
    )
    about = forms.CharField(
        label=_("About me"),
        required=False,
        max_length=ABOUT_LENGTH,
        help_text=format_lazy(
            _("Up to {most} characters. Everyone can read it, so don't share anything private."), most=ABOUT_LENGTH
        ),
        widget=forms.Textarea(attrs={"rows": 5}),
    )

    class Meta:
        model = Profile
        fields = ("country", "about")

    def clean_about(self) -> str:
        """The text without invisible characters, and no longer than a screen."""
        text = unicodedata.normalize("NFC", self.cleaned_data["about"]).replace("\r\n", "\n").strip()
        if any(unicodedata.category(letter) in ("Cc", "Cf", "Co", "Cn") and letter != "\n" for letter in text):
            raise ValidationError(_("It contains characters that can't be shown."), code="characters")
        if text.count("\n") >= MOST_LINES:
            raise ValidationError(_("At most %(most)d lines, please."), code="lines", params={"most": MOST_LINES})
        return text


class LookForm(forms.ModelForm):
    """The look of pages and cards, and the language of the site."""

    language = forms.ChoiceField(
        label=_("Language"),
        choices=settings.LANGUAGES,
        required=False,
        widget=forms.RadioSelect,
        help_text=_("For pages, rules and emails."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["language"] = get_language()

    class Meta:
        model = Preferences
        fields = ("theme", "faces", "four_colours", "suit_letters")
        widgets: ClassVar = {"theme": forms.RadioSelect, "faces": forms.RadioSelect}


class MovesForm(forms.ModelForm):
    """How a card is played, and which sounds play with it."""

    class Meta:
        model = Preferences
        fields = ("live_moves", "slow_moves", "hand_order", "hints", "sounds")
        widgets: ClassVar = {
            "live_moves": forms.RadioSelect,
            "slow_moves": forms.RadioSelect,
            "hand_order": forms.RadioSelect,
        }


class AnyPreferenceForm(forms.ModelForm):
    """One preference or several, as the table's page saves changes."""

    class Meta:
        model = Preferences
        fields = (*LookForm.Meta.fields, *MovesForm.Meta.fields, "talk")

    def __init__(self, data: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(data, *args, **kwargs)
        # Change only what was sent; an unticked box is sent as "false".
        for name in [name for name in self.fields if name not in data]:
            del self.fields[name]
