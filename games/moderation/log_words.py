"""Words of the moderation log: it stores each action as a short key, the same in every language."""

from django.utils.translation import gettext_lazy as _

#: Each continues a sentence that begins with the actor's name or "The site".
ACTIONS = {
    "agree to similar accounts": _("agreed to a look at similar accounts"),
    "announce": _("wrote or changed an announcement"),
    "appeal denied": _("denied the appeal"),
    "appeal granted": _("granted the appeal"),
    "ask": _("asked one side a question"),
    "ask for similar accounts": _("asked for a look at similar accounts"),
    "cancel quick decision": _("stopped a quick decision before it happened"),
    "claim report": _("claimed the report"),
    "close report": _("closed the report"),
    "confirm": _("confirmed the sanction"),
    "delete account": _("deleted the account"),
    "hand over report": _("handed the report over"),
    "impose": _("imposed a sanction"),
    "lift": _("took the sanction back"),
    "look at all hands": _("looked at all hands"),
    "look at sessions": _("looked at where the person is logged in"),
    "look at table": _("looked at the table"),
    "mail again": _("allowed emails to the address again"),
    "merge reports": _("merged reports to decide them together"),
    "release report": _("released the report"),
    "remind moderators": _("reminded the moderators"),
    "reopen": _("opened the account again, because its time was over"),
    "replay check": _("checked the match by playing it again"),
    "second look": _("took a second look at the closed report"),
    "send again": _("sent the email again"),
    "snooze report": _("put the report aside"),
    "switch": _("changed the switches"),
    "take announcement away": _("removed the announcement"),
    "take second factor away": _("removed a second factor"),
    "take up": _("got the match going again"),
    "tell again": _("sent the notice again"),
}


def action_in_words(action: str) -> str:
    """The action, as the end of a sentence that begins with the actor's name."""
    return str(ACTIONS.get(action, action))


def action_of(words: str) -> str:
    """The key of the action that a search names in words; other words are returned unchanged."""
    return next((key for key, text in ACTIONS.items() if str(text).casefold() == words.casefold()), words)
