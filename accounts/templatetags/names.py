"""Template tags for names."""

from django import template

register = template.Library()


@register.filter
def initials(name: str) -> str:
    """The initials of a name's badge: "A" for Ada, "GO" for Guest Otter 48; the table's scripts compute the same."""
    return "".join(word[0] for word in name.split()[:2]).upper()
