"""Marks: a short code for what a page shows, so its socket can tell whether it has missed something."""

from django.utils.crypto import salted_hmac

LENGTH = 12


def of(*facts: object) -> str:
    """A mark that changes with ``facts`` without revealing them: some are internal."""
    return salted_hmac("games.live.marks", repr(facts), algorithm="sha256").hexdigest()[:LENGTH]
