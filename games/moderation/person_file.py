"""The file of one person: what moderators know, and what they can do without a report."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from allauth.usersessions.models import UserSession
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.moderation.audit import one_at_a_time, record
from accounts.moderation.models import NameChange, Report, Sanction
from games.chat.models import Line
from games.matches.models import Match, Seat
from games.moderation import collusion, queue
from games.moderation.collusion import Pair
from games.moderation.conflict_of_interest import Known
from games.moderation.decision_forms import hours_after
from games.moderation.models import ANSWER_LENGTH, PersonNote, SimilarLook

#: How many rows of each kind the page shows.
SHOWN = 20
#: How long an agreed look at similar accounts stays open.
OPEN = timedelta(hours=24)
#: If this many people have addresses at a domain, sharing it says nothing.
COMMON = 50


class FileError(Exception):
    """An action that isn't possible on a person's page; the text is for the moderator."""


@dataclass(slots=True)
class PersonFile:
    """The data of the page; parts that a moderator's roles don't include stay empty."""

    person: User
    sanctions: list[Sanction] = field(default_factory=list)
    #: The proposed length of the next decision.
    proposed_hours: int = 0
    about: list[Report] = field(default_factory=list)
    by: list[Report] = field(default_factory=list)
    names: list[NameChange] = field(default_factory=list)
    matches: list[Match] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    notes: list[PersonNote] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Similar:
    """Another account, and what the two have in common."""

    person: User
    shared: list[str]


def why_not(moderator: User, known: Known) -> str:
    """Why this moderator must leave the person to others; empty if they may decide."""
    return _("This is you.") if moderator == known.person else known.why_not


def file_of(moderator: User, known: Known) -> PersonFile:
    """Everything that this moderator's roles include, in a fixed number of queries."""
    person = known.person
    mine = queue.reports_for(moderator).order_by("-created_at")
    about, by = (mine.filter(side).values("pk")[:SHOWN] for side in (Q(accused=person), Q(reporter=person)))
    reports = list(mine.filter(Q(pk__in=about) | Q(pk__in=by)))
    decisions = list(Sanction.objects.filter(person=person))
    found = PersonFile(
        person,
        sanctions=decisions[:SHOWN],
        proposed_hours=hours_after(decisions),
        about=[report for report in reports if report.accused_id == person.pk],
        by=[report for report in reports if report.reporter_id == person.pk],
        notes=list(PersonNote.objects.filter(person=person)[:SHOWN]),
        matches=list(Match.objects.filter(seats__player=person).order_by("-pk")[:SHOWN]),
    )
    if moderator.has_perm("moderation.view_namechange"):
        found.names = known.names
    if moderator.has_perm("talk.view_line"):
        playing = Seat.objects.filter(player=moderator, match__status=Match.Status.RUNNING).values("match")
        said = Line.objects.filter(author=person, phrase="").exclude(match__in=playing)
        found.lines = list(said.select_related("match").order_by("-pk")[:SHOWN])
    if moderator.has_perm("moderation.handle_results") or moderator.has_perm("moderation.handle_accounts"):
        found.pairs = collusion.frequent_pairs([person.pk])
    return found


def look_at(person: User) -> SimilarLook | None:
    """The requested or open look at similar accounts, if there is one."""
    fresh = Q(agreed_at=None) | Q(agreed_at__gt=timezone.now() - OPEN)
    looks = SimilarLook.objects.filter(fresh, person=person).select_related("person", "asked_by", "agreed_by")
    return looks.order_by("-pk").first()


def add_note(moderator: User, person: User, text: str) -> None:
    """Add a note for other moderators, unless the last note is the same. Raises :class:`FileError`."""
    text = text.strip()
    if not 0 < len(text) <= ANSWER_LENGTH:
        raise FileError(_("Write a note, in up to 2,000 characters."))
    with transaction.atomic():
        one_at_a_time(moderator)
        last = PersonNote.objects.filter(person=person).first()
        if last is None or (last.author_id, last.text) != (moderator.pk, text):
            PersonNote.objects.create(person=person, author=moderator, author_name=moderator.name, text=text)


def sessions_of(moderator: User, person: User) -> list[UserSession]:
    """The person's sessions; the look is logged. Raises :class:`FileError`."""
    _require_accounts(moderator)
    record(moderator, "look at sessions", person)
    return list(UserSession.objects.filter(user=person).order_by("-last_seen_at")[:SHOWN])


def ask_for_similar(moderator: User, person: User, reason: str) -> None:
    """Ask another moderator to agree to a look at similar accounts. Raises :class:`FileError`."""
    _require_accounts(moderator)
    reason = " ".join(reason.split())
    if not 0 < len(reason) <= 500:
        raise FileError(_("Say why you need to look."))
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).filter(pk=person.pk).first()  # two moderators may ask at once
        if SimilarLook.objects.filter(person=person, agreed_at=None).exists():
            raise FileError(_("This is already waiting for a second moderator."))
        SimilarLook.objects.create(person=person, asked_by=moderator, reason=reason)
        record(moderator, "ask for similar accounts", person, note=reason)


def agree(moderator: User, person: User) -> None:
    """Agree as second moderator to look at similar accounts. Raises :class:`FileError`."""
    _require_accounts(moderator)
    with transaction.atomic():
        look = SimilarLook.objects.select_for_update().filter(person=person, agreed_at=None).first()
        if look is None:
            raise FileError(_("There's nothing to agree to."))
        if look.asked_by_id == moderator.pk:
            raise FileError(_("Another moderator has to agree."))
        look.agreed_by, look.agreed_at = moderator, timezone.now()
        look.save(update_fields=["agreed_by", "agreed_at"])
        record(moderator, "agree to similar accounts", person, note=look.reason)


def similar_to(moderator: User, look: SimilarLook, now: datetime) -> list[Similar]:
    """Accounts that share something with the person's, for the two moderators who agreed; otherwise empty."""
    if look.agreed_at is None or look.agreed_at <= now - OPEN:
        return []
    if moderator.pk not in (look.asked_by_id, look.agreed_by_id):
        return []
    person = look.person
    shared: dict[int, list[str]] = {}
    mine = UserSession.objects.filter(user=person)
    others = UserSession.objects.exclude(user=person)
    by_address = others.filter(ip__in=mine.values("ip")).values_list("user_id", "user_agent").distinct()
    agents = set(mine.values_list("user_agent", flat=True))
    for pk, agent in by_address[:1000]:
        what = _("address and device") if agent in agents else _("address")
        shared.setdefault(pk, []).append(what)
    domain = (person.email or "").rpartition("@")[2]
    if domain:
        same = User.objects.filter(email__endswith=f"@{domain}").exclude(pk=person.pk)
        pks = list(same.values_list("pk", flat=True)[: COMMON + 1])
        for pk in pks if len(pks) <= COMMON else []:
            shared.setdefault(pk, []).append(_("email domain"))
    people = User.objects.filter(pk__in=shared).order_by("pk")
    return [Similar(each, sorted(set(shared[each.pk]))) for each in people]


def _require_accounts(moderator: User) -> None:
    if not moderator.has_perm("moderation.handle_accounts"):
        raise FileError(_("Your roles don't allow this."))
