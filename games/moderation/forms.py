"""Players' forms: a report and an appeal."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.moderation.models import SENTENCE_LENGTH, Rule


class ReportForm(forms.Form):
    """The rule that was broken, and a sentence about it."""

    rule = forms.ChoiceField(label=_("Which rule was broken?"), choices=Rule.choices, widget=forms.RadioSelect)
    sentence = forms.CharField(
        label=_("What happened?"),
        max_length=SENTENCE_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("A sentence is enough. The match, the move and the chat are added automatically."),
    )


class AppealForm(forms.Form):
    """Why a decision is wrong, or a further message about it."""

    text = forms.CharField(label=_("Your message"), max_length=2000, widget=forms.Textarea(attrs={"rows": 4}))
