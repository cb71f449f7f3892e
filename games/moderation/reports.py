"""Reports: made by players, claimed and closed by moderators."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.languages import speaking_to
from accounts.models import User
from accounts.moderation.audit import record
from accounts.moderation.models import SENTENCE_LENGTH, Report, Rule
from games.chat import lines
from games.chat.models import Line
from games.engine.numbers import number_in
from games.matches.models import Departure, Match, Move, Seat
from games.moderation import queue
from games.moderation.answers import ANSWERS, written_for
from games.moderation.conflict_of_interest import Known, first_reason, known_to
from games.moderation.models import ANSWER_LENGTH, QUESTION_LENGTH, Question, QuickDecision, SecondLook
from games.moderation.notify import email_person

#: Chat messages kept before and after a reported one.
AROUND = 8
#: The weight of a reporter who has no closed report yet.
NEW = 0.5
#: Added to the counts of closed reports: one right and one wrong.
WEIGHT = (Count("pk", filter=Q(outcome=Report.Outcome.UPHELD)) + 1.0) / (Count("pk") + 2.0)


class ReportError(Exception):
    """A report that can't be made, claimed or closed; the text is for the user who tried."""


@dataclass(frozen=True, slots=True)
class Thing:
    """The subject of a report, found by kind and reference."""

    kind: str
    ref: str
    accused: User | None
    match: Match | None = None
    move_number: int | None = None
    line: Line | None = None

    @property
    def name(self) -> str:
        """The key of the subject; each person may have one open report on it."""
        return f"{self.kind}:{self.ref}"


def find(person: User, kind: str, ref: str) -> Thing:
    """Find the subject of that kind, if ``person`` may see it.

    ``ref`` is the name key of a ``player``, the key of a ``match``, or ``KEY-NUMBER`` of a ``move`` or ``line``. A
    match's key opens it to watch; a number alone, which could be counted through, opens nothing. Raises
    :class:`ReportError`, in the same words if the subject doesn't exist and if ``person`` may not see it.
    """
    found: Thing | None = None
    if kind == Report.Kind.PLAYER:
        user = User.objects.filter(name_key=ref, is_active=True).first()
        found = Thing(kind, ref, user) if user else None
    elif kind == Report.Kind.MATCH:
        match = Match.objects.filter(key=ref).first()
        found = Thing(kind, ref, None, match, match.version) if match else None
    elif kind in (Report.Kind.LINE, Report.Kind.MOVE):
        key, _dash, digits = ref.rpartition("-")
        match = Match.objects.filter(key=key).first()
        number = number_in(digits, digits=15)
        if match is not None and number is not None:
            found = _line(person, match, number) if kind == Report.Kind.LINE else _move(match, number)
    if found is None:
        raise ReportError(_("What you want to report is no longer there."))
    return found


def _line(person: User, match: Match, pk: int) -> Thing | None:
    """A chat message that the table's page shows to ``person``, perhaps further up."""
    readable = lines.readable(match, person, lines.chat_filter_of(person.pk))
    line = readable.select_related("author").filter(pk=pk).first()
    return Thing(Report.Kind.LINE, str(pk), line.author, match, line.version, line) if line else None


def _move(match: Match, number: int) -> Thing | None:
    """A move of a person's seat; every spectator sees who made it, whatever else is hidden."""
    move = match.moves.filter(number=number, seat__gte=0).first()
    return Thing(Report.Kind.MOVE, f"{match.key}-{number}", _maker(move), match, number) if move else None


def _maker(move: Move) -> User | None:
    """The player who made a move, even if they have left the seat since; None for a program's move."""
    if move.source != Move.Source.PLAYER:
        return None
    left = Departure.objects.filter(match=move.match_id, seat=move.seat, at__gte=move.at).order_by("at", "pk").first()
    return (left or Seat.objects.get(match=move.match_id, number=move.seat)).player


def file(reporter: User, thing: Thing, rule: str, sentence: str) -> Report:
    """Make a report, with everything known at this moment. Raises :class:`ReportError`."""
    sentence = " ".join(sentence.split())
    if thing.accused == reporter:
        raise ReportError(_("You can't report yourself. If something needs correcting, write to us."))
    if rule not in Rule.values or not 0 < len(sentence) <= SENTENCE_LENGTH:
        raise ReportError(_("Choose the rule, and say in a sentence what happened."))
    try:
        with transaction.atomic():
            return Report.objects.create(
                kind=thing.kind,
                rule=rule,
                thing=thing.name,
                reporter=reporter,
                reporter_name=reporter.name,
                accused=thing.accused,
                accused_name=thing.accused.name if thing.accused else "",
                match=thing.match,
                move_number=thing.move_number,
                line=thing.line,
                sentence=sentence,
                context=_context(thing),
                due_at=queue.due_at(rule, weights({reporter.pk})[reporter.pk], timezone.now()),
            )
    except IntegrityError:
        raise ReportError(_("You've already reported this. We're looking into it.")) from None


def _context(thing: Thing) -> dict[str, Any]:
    """The surroundings of the subject, stored because they may be gone when a moderator looks."""
    context: dict[str, Any] = {}
    if thing.match is not None:
        seats = thing.match.seats.order_by("number")
        context["match"] = {
            "key": thing.match.key,
            "slug": thing.match.slug,
            "version": thing.match.version,
            "seats": [{"seat": seat.number, "name": seat.name, "ai": seat.ai_level} for seat in seats],
        }
    if thing.line is not None:
        context["talk"] = [_said(line) for line in around(thing.line)]
    if thing.kind == Report.Kind.PLAYER and thing.accused is not None:
        profile = getattr(thing.accused, "profile", None)
        context["profile"] = {"name": thing.accused.name, "about": profile.about if profile else ""}
    return context


def around(line: Line) -> list[Line]:
    """A chat message with those before and after it at the same table, oldest first."""
    same = Line.objects.filter(match=line.match_id)
    before = list(same.filter(pk__lte=line.pk).order_by("-pk")[: AROUND + 1])[::-1]
    return [*before, *same.filter(pk__gt=line.pk).order_by("pk")[:AROUND]]


def _said(line: Line) -> dict[str, Any]:
    return {
        "id": line.pk,
        "name": line.author_name,
        "seat": line.seat,
        "text": str(line.words),
        "at": line.at.isoformat(),
    }


def weights(reporters: set[int]) -> dict[int, float]:
    """How often these reporters were right, from 0 to 1; a new reporter counts one half. One query for all."""
    closed = Report.objects.filter(reporter__in=reporters).exclude(outcome="")
    found = dict(closed.values_list("reporter").annotate(weight=WEIGHT))
    return {pk: found.get(pk, NEW) for pk in reporters}


def weight_of_reporter() -> Coalesce:
    """The weight of the reporter of a row."""
    closed = Report.objects.filter(reporter=OuterRef("reporter")).exclude(outcome="").order_by().values("reporter")
    return Coalesce(Subquery(closed.annotate(weight=WEIGHT).values("weight")), NEW)


def why_not(moderator: User, report: Report) -> str:
    """Why this moderator must leave the report to others; empty if they may handle it."""
    return why_not_with(moderator, known_to(moderator, *people_of(report)).values())


def why_not_with(moderator: User, people: Collection[Known]) -> str:
    """Why this moderator must leave a report on these people to others; empty if they may handle it."""
    if any(known.person == moderator for known in people):
        return _("This report is about you or by you.")
    return first_reason(people)


def people_of(report: Report) -> tuple[list[int], int | None]:
    """Both sides of a report; if it names no player, also the match, for everyone who sat at the table."""
    sides = [pk for pk in (report.accused_id, report.reporter_id) if pk is not None]
    return sides, report.match_id if report.accused_id is None else None


def claim(moderator: User, report: Report) -> None:
    """Claim a report. Raises :class:`ReportError` if another moderator has it, or this one must not handle it."""
    reason = why_not(moderator, report)
    if reason:
        raise ReportError(reason)
    with transaction.atomic():
        if lock(moderator, report).claimed_by_id != moderator.pk:
            cancel_press(moderator, report)
            record(moderator, "claim report", report)
        Report.objects.filter(pk=report.pk).update(claimed_by=moderator, claimed_at=timezone.now())


def release(moderator: User, report: Report) -> None:
    """Return a claimed report to the queue; a pending quick decision is cancelled."""
    with transaction.atomic():
        if Report.objects.filter(pk=report.pk, claimed_by=moderator, closed_at=None).update(claimed_by=None):
            cancel_press(moderator, report)
            record(moderator, "release report", report)


def lock(moderator: User, report: Report) -> Report:
    """Lock the row of an open report that this moderator may work on, until the end of the transaction.

    Raises :class:`ReportError` if other moderators have changed it meanwhile.
    """
    row = Report.objects.select_for_update().get(pk=report.pk)
    if row.closed_at is not None:
        raise ReportError(_("This report is already closed."))
    if row.merged_into_id is not None:
        raise ReportError(_("This report will be decided together with another one. Open that one."))
    if row.desk != report.desk:
        raise ReportError(_("Another moderator has just handed this report over."))
    if row.claimed_by_id != moderator.pk and not queue.is_free(row, timezone.now()):
        raise ReportError(_("Another moderator is working on it."))
    return row


def lock_claimed(moderator: User, report: Report) -> None:
    """Lock a report that the moderator has claimed and that has no pending quick decision."""
    if lock(moderator, report).claimed_by_id != moderator.pk:
        raise ReportError(_("Claim the report first."))
    require_no_press(report)


def require_no_press(report: Report) -> None:
    """Raise :class:`ReportError` while a quick decision is pending."""
    if QuickDecision.objects.filter(report=report, problem="").exists():
        raise ReportError(_("This report was already decided with one click. Undo that first."))


def cancel_press(moderator: User, report: Report) -> None:
    """Cancel a pending quick decision, with an entry in the log."""
    for decision in QuickDecision.objects.filter(report=report).select_related("moderator"):
        decision.delete()
        pressed = {"decision": decision.preset, "by": decision.moderator.name}
        record(moderator, "cancel quick decision", report, before=pressed)


def close(moderator: User, report: Report, outcome: str, answer: str = "", *, ready: str = "") -> None:
    """Close a claimed report and those merged into it, and tell each reporter. Raises :class:`ReportError`.

    ``answer`` is the moderator's own text; without it, ``ready`` is the key of one in each reporter's language.
    """
    reason = why_not(moderator, report)
    if reason:
        raise ReportError(reason)
    if outcome not in Report.Outcome.values or not (answer.strip() or ready in ANSWERS):
        raise ReportError(_("Choose an outcome, and write an answer to the reporter."))
    if outcome == Report.Outcome.UPHELD and report.sanctions.filter(in_force_at=None, lifted_at=None).exists():
        raise ReportError(_("Your decision waits for a second moderator. Close the report once it's in force."))
    with transaction.atomic():
        lock_claimed(moderator, report)
        cancel_press(moderator, report)
        for each in Report.objects.filter(Q(pk=report.pk) | Q(merged_into=report), closed_at=None):
            _close(moderator, each, outcome, written_for(each.reporter, answer, ready, ANSWERS))


def _close(moderator: User, report: Report, outcome: str, answer: str) -> None:
    Report.objects.filter(pk=report.pk).update(
        closed_at=timezone.now(), closed_by=moderator, outcome=outcome, answer=answer
    )
    if SecondLook.is_due_for(report):
        SecondLook.objects.create(report=report)
    record(moderator, "close report", report, after={"outcome": outcome, "answer": answer})
    with speaking_to(report.reporter):
        email_person(
            report.reporter,
            f"report:{report.pk}",
            _("About your report"),
            [_thanks(report), answer],
            "my_reports",
        )


def _thanks(report: Report) -> str:
    return _("You reported %(thing)s. Thank you.") % {"thing": report.accused_name or _("a match")}


def ask(moderator: User, report: Report, person: User, text: str) -> Question:
    """Ask one side of a report a question before deciding; they are notified. Raises :class:`ReportError`.

    A question that is still unanswered is not asked again.
    """
    text = text.strip()
    if person.pk not in (report.reporter_id, report.accused_id):
        raise ReportError(_("You can ask only the reporter or the person the report is about."))
    if not 0 < len(text) <= QUESTION_LENGTH:
        raise ReportError(_("Write a question, in up to 1,000 characters."))
    with transaction.atomic():
        lock_claimed(moderator, report)
        question, is_new = Question.objects.get_or_create(
            report=report, asked=person, text=text, answered_at=None, defaults={"moderator": moderator}
        )
        if not is_new:
            return question
        record(moderator, "ask", report, after={"of": person.name, "text": text})
        with speaking_to(person):
            # Only the reporter is told which report it is: the other side may not know of it.
            about = [_thanks(report)] if person.pk == report.reporter_id else []
            subject = _("A question from the moderators")
            email_person(person, f"question:{question.pk}", subject, [text, *about], "my_reports", asks=True)
    return question


def answer_question(person: User, pk: int, text: str) -> None:
    """Answer a moderators' question, once. Raises :class:`ReportError`."""
    text = text.strip()
    if not 0 < len(text) <= ANSWER_LENGTH:
        raise ReportError(_("Write an answer, in up to 2,000 characters."))
    open_ones = Question.objects.filter(pk=pk, asked=person, answered_at=None)
    if not open_ones.update(answer=text, answered_at=timezone.now()):
        raise ReportError(_("This question isn't open any more."))
