"""Ready-made answers to who has reported something; moderators change them as they like."""

from django.utils.translation import gettext_lazy as _

ANSWERS = {
    "done": _("You were right, and we have acted. Thank you for telling us."),
    "warned": _("We have spoken with this player. If it happens again, please tell us."),
    "nothing": _("We have looked at it and found nothing against the rules."),
    "unclear": _("We could not find out what happened. If you see it again, report the very move or line."),
    "luck": _("We have checked the match: the cards were dealt by its seed, and the moves are within the rules."),
    "block": _("It is not against the rules, but you need not meet them: block them on their page."),
}
