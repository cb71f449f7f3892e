"""Preset phrases: friendly, without hints about a hand, and in every reader's own language."""

from django.utils.translation import pgettext_lazy

PHRASES = {
    "hello": pgettext_lazy("table talk", "Hello"),
    "good_luck": pgettext_lazy("table talk", "Good luck"),
    "well_played": pgettext_lazy("table talk", "Well played"),
    "thanks": pgettext_lazy("table talk", "Thank you"),
    "oops": pgettext_lazy("table talk", "Oops"),
    "wow": pgettext_lazy("table talk", "Wow"),
    "sorry": pgettext_lazy("table talk", "Sorry"),
    "moment": pgettext_lazy("table talk", "One moment, please"),
    "back": pgettext_lazy("table talk", "I'm back"),
    "must_go": pgettext_lazy("table talk", "I have to go soon"),
    "again": pgettext_lazy("table talk", "Another match?"),
    "good_match": pgettext_lazy("table talk", "Good match"),
    "bye": pgettext_lazy("table talk", "Goodbye"),
}
