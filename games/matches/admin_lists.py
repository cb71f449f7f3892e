"""Admin lists of rows that belong to a match: search and seat columns. Shared parts are in ``accounts.admin_kit``."""

from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.admin_kit import people
from games.matches.models import Match


def match_of(term: str) -> int | None:
    """The id of the match with this key."""
    return Match.objects.filter(key=term).values_list("pk", flat=True).first()


def at_match(term: str, match: str = "match") -> Q:
    """Rows of the match with that key."""
    found = match_of(term)
    return Q(pk__in=[]) if found is None else Q(**{match: found})


def at_match_or_of(term: str, match: str, *persons: str) -> Q:
    """Rows of the match with that key; otherwise rows whose person, in one of those columns, matches the term."""
    found = match_of(term)
    if found is not None:
        return Q(**{match: found})
    ids = people(term)
    by = Q(pk__in=[])
    for column in persons:
        by |= Q(**{f"{column}__in": ids})
    return by if ids else Q(pk__in=[])


class SeatColumn:
    """A column that shows the seat of a row."""

    @admin.display(description=_("seat"))
    def place_at_table(self, row: Any) -> str:
        """The seat number as people count: from 1."""
        return "–" if row.seat is None else str(row.seat + 1)


BY_MATCH = _("Search by the key of a match.")
BY_MATCH_OR_PERSON = _("Search by the key of a match, an address, or the start of a name.")
