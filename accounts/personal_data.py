"""What the site knows about a user: what is deleted with the account, and what an export contains.

A new model that points at a user needs its line here; ``tests/accounts/test_personal_data.py`` says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db.models import F, Field, ForeignKey, Model, OuterRef, Q, QuerySet, Subquery

from accounts.models import OutgoingMail, User

#: The name given to users who have deleted their account.
FORMER = "Former player"


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens to the rows in which one column points at a user.

    Attributes:
        goes: whether rows are deleted with the account; rows that stay lose the reference and the texts in ``blanks``.
        exports: lookups of the exported values, by the name of the section; empty if nothing is exported.
        why: why rows stay, or why they are not exported.
        names: columns that store the person's name, which become :data:`FORMER`.
        blanks: columns with texts by the person, which become empty.
    """

    goes: bool
    exports: tuple[str, ...] = ()
    why: str = ""
    names: tuple[str, ...] = ()
    blanks: tuple[str, ...] = ()


def _deleted(*exports: str, why: str = "") -> Decision:
    return Decision(goes=True, exports=exports, why=why)


def _kept(*exports: str, why: str, names: tuple[str, ...] = (), blanks: tuple[str, ...] = ()) -> Decision:
    return Decision(goes=False, exports=exports, why=why, names=names, blanks=blanks)


_MATCH = "The others' match and its result stay."
_MODERATION = "Decisions have to be open to check, and abuse to be recognised; without the name."
_DECISION = "The decision of a moderator, which others' cases rest on."
_RIGHTS = "A right in the administration; the roles stand with the account."
_MIRROR = "Another person's choice about this one, which is theirs."

#: What happens to the rows, for every column that points at a user.
TABLE: dict[str, Decision] = {
    "accounts.User_groups.user": _deleted("group__name"),
    "accounts.User_user_permissions.user": _deleted(why=_RIGHTS),
    "account.EmailAddress.user": _deleted("email", "verified"),
    "mfa.Authenticator.user": _deleted("type", "created_at", "last_used_at"),
    "usersessions.UserSession.user": _deleted("created_at", "ip", "user_agent"),
    "admin.LogEntry.user": _deleted(why="Only staff has these, and staff gives back its roles first."),
    "lessons.Done.user": _deleted("lesson", "at"),
    "hours.PlayingTimes.user": _deleted("since", "zone", "is_guess", "wake_from", "wake_to", "rest_days"),
    "hours.Leave.user": _deleted("starts_at", "ends_at", "days", "is_automatic"),
    "hours.LeaveAccount.user": _deleted("days", "counted_at"),
    "hours.Deputy.user": _deleted("deputy__name"),
    "hours.Deputy.deputy": _deleted("user__name"),
    "people.Profile.user": _deleted("country", "about"),
    "people.Preferences.user": _deleted(
        "theme",
        "faces",
        "four_colours",
        "suit_letters",
        "sounds",
        "live_moves",
        "slow_moves",
        "hand_order",
        "hints",
        "talk",
    ),
    "people.Friendship.asker": _deleted("other__name", "created_at", "accepted_at"),
    "people.Friendship.other": _deleted("asker__name", "created_at", "accepted_at"),
    "people.Block.owner": _deleted("other__name", "kind", "created_at"),
    "people.Block.other": _deleted(why=_MIRROR),
    "moderation.Report.reporter": _kept(
        "created_at",
        "kind",
        "rule",
        "sentence",
        "accused_name",
        "outcome",
        "answer",
        "closed_at",
        why=_MODERATION,
        names=("reporter_name",),
    ),
    "moderation.Report.accused": _kept(why=_MODERATION, names=("accused_name",)),
    "moderation.Report.claimed_by": _kept(why=_DECISION),
    "moderation.Report.closed_by": _kept(why=_DECISION),
    "moderation.Sanction.person": _kept(
        "kind",
        "rule",
        "reason",
        "imposed_at",
        "in_force_at",
        "until",
        "lifted_at",
        "match__key",
        why=_MODERATION,
        names=("person_name",),
    ),
    "moderation.Sanction.imposed_by": _kept(why=_DECISION),
    "moderation.Sanction.confirmed_by": _kept(why=_DECISION),
    "moderation.Sanction.lifted_by": _kept(why=_DECISION),
    "moderation.Appeal.decided_by": _kept(why=_DECISION),
    "moderation.AppealMessage.author": _kept("at", "text", why=_MODERATION, blanks=("text",)),
    "moderation.NameChange.user": _deleted("old_name", "new_name", "at"),
    "moderation_desk.QuickDecision.moderator": _deleted(why="It is carried out or undone within a minute."),
    "moderation_desk.Question.asked": _kept(
        "asked_at", "text", "answer", "answered_at", why=_MODERATION, blanks=("answer",)
    ),
    "moderation_desk.Question.moderator": _kept(why=_DECISION),
    "moderation_desk.SecondLook.looked_by": _kept(why=_DECISION),
    "moderation_desk.PersonNote.person": _deleted(why="Notes for moderators, which name others."),
    "moderation_desk.PersonNote.author": _kept(why=_DECISION, names=("author_name",)),
    "moderation_desk.SimilarLook.person": _deleted(why=_DECISION),
    "moderation_desk.SimilarLook.asked_by": _deleted(why=_DECISION),
    "moderation_desk.SimilarLook.agreed_by": _deleted(why=_DECISION),
    "games.Match.host": _kept("key", "slug", "created_at", why=_MATCH),
    "games.Seat.player": _kept(
        "match__key",
        "match__slug",
        "match__started_at",
        "match__finished_at",
        "number",
        "has_resigned",
        "place",
        "points",
        "turns",
        "missed",
        "looked_at",
        why=_MATCH,
        names=("player_name",),
    ),
    "games.MissedTurn.player": _deleted("match__key", "at"),
    "games.Departure.player": _kept("match__key", "at", why=_MATCH, names=("player_name",)),
    "talk.Line.author": _deleted("match__key", "at", "phrase", "text"),
    "lobby.Invitation.by": _deleted("match__key", "to__name", "created_at", "is_declined"),
    "lobby.Invitation.to": _deleted("match__key", "by__name", "created_at", "is_declined"),
    "lobby.EndOffer.player": _deleted("match__key", "at"),
    "mail.Preferences.user": _deleted(
        "timing",
        "delay",
        "digest_hours",
        "discretion",
        "wants_invitation",
        "wants_begins",
        "wants_over",
        "wants_offer",
        "wants_away",
        "wants_moderation",
        "wants_security",
    ),
    "mail.Correspondence.user": _deleted("match__key", "timing", "subject"),
    "mail.Notice.user": _deleted("match__key", "kind", "created_at", "mailed_at"),
    "mail.PushSubscription.user": _deleted("endpoint", "created_at", "used_at"),
    "plans.Plan.user": _deleted("seat__match__key", "moves", "laid_at"),
    "plans.Habit.user": _deleted("plays_forced"),
    "feeds.Feed.user": _deleted("kind", "made_at"),
    "slaps.Flag.player": _deleted("kind", "figure", "cards", "first_at", "found_at"),
    "slaps.PracticeRun.player": _deleted("at", "reactions", "missed", "wrong", "ping"),
    "operations.Dismissal.user": _deleted("announcement__text"),
    "cases.AiCase.reporter": _kept("match__key", "number", "note", "created_at", why="Teaches the AI players."),
}


@dataclass(frozen=True, slots=True)
class Section:
    """One kind of rows in an export."""

    key: str
    title: str
    columns: tuple[str, ...]
    rows: list[dict[str, Any]] = field(default_factory=list)

    @property
    def headings(self) -> list[str]:
        """The columns in words; programs get their names."""
        return [column.replace("_", " ").replace("  ", ": ").capitalize() for column in self.columns]

    @property
    def cells(self) -> list[list[Any]]:
        """The rows, with cells in the order of the columns."""
        return [[row[column] for column in self.columns] for row in self.rows]


def pointers() -> Iterable[tuple[type[Model], Field]]:
    """Every model and column that points at a user."""
    for model in apps.get_models(include_auto_created=True):
        for column in model._meta.concrete_fields:
            if isinstance(column, ForeignKey) and column.related_model is User:
                yield model, column


def key_of(model: type[Model], column: Field) -> str:
    """The key of a column in :data:`TABLE`."""
    return f"{model._meta.label}.{column.name}"


def export(user: User) -> list[Section]:
    """Everything the site knows about ``user`` that they may download."""
    account = ("name", "email", "language", "created_at", "last_login", "is_guest", "undeliverable")
    sections = [_section("accounts.User", "account", account, User.objects.filter(pk=user.pk))]
    for model, column in pointers():
        decision = TABLE[key_of(model, column)]
        if decision.exports:
            title = f"{model._meta.verbose_name_plural} ({column.verbose_name})"
            rows = model._default_manager.filter(**{column.name: user}).order_by("pk")
            sections.append(_section(key_of(model, column), title, decision.exports, rows))
    moves = _made(apps.get_model("games.Move").objects.filter(source="player"), user)
    # An AI player has no connection. Not everyone has seen the cards beyond the match's version.
    by_people = Q(cap__gt=0) | Q(claimed=None)
    slaps = _made(apps.get_model("games.SlapAttempt").objects.filter(by_people, version__lte=F("match__version")), user)
    sections.append(_section("games.Move", "moves", ("match__key", "number", "move", "source", "at"), moves))
    sections.append(_section("games.SlapAttempt", "slaps", ("match__key", "version", "reaction", "result"), slaps))
    if user.email:
        mails = OutgoingMail.objects.filter(to__iexact=user.email).order_by("pk")
        columns = ("created_at", "sent_at", "status", "subject")
        sections.append(_section("accounts.OutgoingMail", "emails to you", columns, mails))
    return sections


def _made(rows: QuerySet[Any], user: User) -> QuerySet[Any]:
    """Those of the moves or slaps that were made in a seat which ``user`` held at that moment."""
    later = {"match": OuterRef("match"), "seat": OuterRef("seat"), "at__gte": OuterRef("at")}
    left = apps.get_model("games.Departure").objects.filter(**later).order_by("at", "pk")
    # A match that was continued from a replay begins with the moves of others.
    rows = rows.filter(at__gte=F("match__started_at")).order_by("pk")
    known = rows.annotate(leaver=Subquery(left.values("pk")[:1])).order_by().values("pk")
    held = known.filter(match__seats__player=user, match__seats__number=F("seat"), leaver=None)
    given_up = known.filter(match__departures__player=user, leaver=F("match__departures"))
    return rows.filter(pk__in=held.union(given_up))


def _section(key: str, title: str, columns: tuple[str, ...], rows: QuerySet[Any]) -> Section:
    return Section(key, title[0].upper() + title[1:], columns, list(rows.values(*columns)))


def blank(user: User) -> None:
    """Remove the user's name and texts from rows that stay, right before the account is deleted."""
    for model, column in pointers():
        decision = TABLE[key_of(model, column)]
        changes = {**dict.fromkeys(decision.names, FORMER), **dict.fromkeys(decision.blanks, "")}
        if changes:
            model._default_manager.filter(**{column.name: user}).update(**changes)
        elif decision.goes and column.null:  # otherwise only the reference would go
            model._default_manager.filter(**{column.name: user}).delete()
