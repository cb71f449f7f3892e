"""Names as pages show them."""

from django import template

register = template.Library()


@register.filter
def initials(name: str) -> str:
    """The letters of a round mark: "A" for Ada, "GO" for Guest Otter 48; the table's scripts make them alike."""
    return "".join(word[0] for word in name.split()[:2]).upper()
