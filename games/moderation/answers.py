"""Ready-made texts for moderators: reasons for decisions, and answers to reporters.

These two are stored by key and written in the language of the person who reads them, not of the moderator.
"""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from accounts.languages import speaking_to
from accounts.models import User
from accounts.moderation.models import Rule

#: Short names of the rules, for lists.
RULE_WORDS = {
    Rule.RESPECT: _("respect"),
    Rule.FAIR: _("fair play"),
    Rule.STALL: _("stalling"),
    Rule.NAME: _("name or profile"),
    Rule.SPAM: _("advertising"),
    Rule.OTHER: _("other"),
}
#: Answers to reporters.
ANSWERS = {
    "done": _("You were right, and we've acted. Thank you for telling us."),
    "warned": _("We've spoken with this player. If it happens again, please tell us."),
    "nothing": _("We looked into it and found nothing against the rules."),
    "unclear": _("We couldn't find out what happened. If you see it again, report that move or message."),
    "luck": _("We checked the match: its seed dealt the cards, and every move follows the rules."),
    "block": _("It isn't against the rules, but you don't have to meet them: block them on their page."),
}
#: Reasons for decisions, written for the person concerned.
REASONS = {
    "insult": _("You insulted another player in the chat."),
    "harass": _("You kept writing to a player after they asked you to stop."),
    "profile": _("Your name or profile hurts other people."),
    "spam": _("You advertised in the chat or on your profile."),
    "stall": _("You kept other players waiting on purpose."),
    "together": _("You worked together with another player against the others at the table."),
    "accounts": _("You played from more than one account at the same table."),
    "program": _("A program made moves or slaps for you."),
}


def rule_word(rule: str) -> str:
    """The short name of a rule."""
    return str(RULE_WORDS[Rule(rule)])


def written_for(person: User | None, own: str, ready: str, texts: Mapping[str, object]) -> str:
    """The moderator's own text, or else the ready-made one in the language of ``person``; empty if there is neither."""
    with speaking_to(person):
        return own.strip() or str(texts.get(ready, ""))
