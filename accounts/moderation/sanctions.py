"""Sanctions: impose, confirm and lift them, with immediate effect everywhere."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any, cast

from django.db import transaction
from django.db.models import Exists, Model, Q, QuerySet
from django.utils import formats, timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import guests, names, renames
from accounts.languages import speaking_to
from accounts.models import User
from accounts.moderation import restrictions
from accounts.moderation.audit import entries_of_row, one_at_a_time, record
from accounts.moderation.models import Appeal, AppealMessage, Report, Rule, Sanction
from accounts.signals import (
    moderator_decides,
    moderators_wrote,
    restrictions_changed,
    sanction_imposed,
    sanction_lifted,
)

Kind = Sanction.Kind

#: The power that each kind of sanction needs.
POWER = {
    Kind.WARNING: "moderation.handle_talk",
    Kind.PHRASES: "moderation.handle_talk",
    Kind.SILENCE: "moderation.handle_talk",
    Kind.HIDDEN: "moderation.handle_talk",
    Kind.RENAME: "moderation.handle_accounts",
    Kind.REMOVED: "moderation.handle_results",
    Kind.ANNULLED: "moderation.handle_results",
    Kind.SUSPENDED: "moderation.handle_accounts",
    Kind.CLOSED: "moderation.handle_accounts",
}


class SanctionError(Exception):
    """A sanction that can't be imposed, confirmed or lifted; the text is for the moderator."""


def may_impose(moderator: User, kind: str) -> bool:
    """Whether this moderator's roles include that kind; every role may warn."""
    if kind == Kind.WARNING:
        return any(moderator.has_perm(power) for power in set(POWER.values()))
    return kind in POWER and moderator.has_perm(POWER[Kind(kind)])


def _require_distance(moderator: User, person_id: int | None) -> None:
    """Raise :class:`SanctionError` if the moderator is the person, or too close to them."""
    if person_id is not None:
        if person_id == moderator.pk:
            raise SanctionError(_("You can't decide about yourself."))
        looked = moderator_decides.send(sender=Sanction, moderator=moderator, person_id=person_id)
        if not looked:  # no package is installed that knows friends and partners
            raise SanctionError(_("We can't tell how close you are to this person. Ask the site's operators."))


def impose(
    moderator: User,
    person: User,
    kind: str,
    rule: str,
    reason: str,
    *,
    until: datetime | None = None,
    match: Model | None = None,
    report: Report | None = None,
) -> Sanction:
    """Impose a sanction on ``person``; a grave one waits for a second moderator. Raises :class:`SanctionError`.

    ``until`` ends a lasting sanction; None is for good. ``match`` is required for kinds that concern one.
    """
    reason = " ".join(reason.split())
    if not may_impose(moderator, kind):
        raise SanctionError(_("Your roles don't allow this."))
    _require_distance(moderator, person.pk)
    if person.is_superuser or (person.is_staff and not moderator.is_superuser):
        raise SanctionError(_("This person is on the team. Ask the site's operators."))
    if rule not in Rule.values or not reason:
        raise SanctionError(_("Name the rule, and give a reason that the person can understand."))
    if kind in (Kind.REMOVED, Kind.ANNULLED) and match is None:
        raise SanctionError(_("Choose the match this is about."))
    if until is not None and (kind not in Sanction.LASTING or until <= timezone.now()):
        raise SanctionError(_("Choose an end date in the future."))
    with transaction.atomic():
        one_at_a_time(moderator)
        if _stands(person, kind, rule, reason, report):
            raise SanctionError(_("This has already been decided. To decide again, first take that decision back."))
        sanction = Sanction.objects.create(
            person=person,
            person_name=person.name,
            kind=kind,
            rule=rule,
            reason=reason,
            report=report,
            match=cast(Any, match),  # its class belongs to a package that this one may not import
            imposed_by=moderator,
            until=until,
        )
        record(moderator, "impose", sanction, after=_summary(sanction), note=reason)
        if kind not in Sanction.GRAVE:
            _put_in_force(sanction, moderator)
    return sanction


def _stands(person: User, kind: str, rule: str, reason: str, report: Report | None) -> bool:
    """Whether this decision already exists: from this report or, without one, as an unread warning."""
    same = Sanction.objects.filter(_lasting(), person=person, kind=kind, report=report, lifted_at=None)
    return (same if report else same.filter(rule=rule, reason=reason, read_at=None)).exists()


def confirm(moderator: User, sanction: Sanction) -> None:
    """Confirm another moderator's grave decision, which then takes effect. Raises :class:`SanctionError`."""
    if not may_impose(moderator, sanction.kind):
        raise SanctionError(_("Your roles don't allow this."))
    with transaction.atomic():
        sanction = Sanction.objects.select_for_update().get(pk=sanction.pk)
        if not sanction.waits_for_second:
            raise SanctionError(_("There's nothing to confirm."))
        if sanction.imposed_by_id == moderator.pk:
            raise SanctionError(_("Another moderator has to confirm your decision."))
        _require_distance(moderator, sanction.person_id)
        sanction.confirmed_by = moderator
        _put_in_force(sanction, moderator)
        record(moderator, "confirm", sanction, after=_summary(sanction))


def lift(moderator: User | None, sanction: Sanction, note: str = "", *, says_why: bool = False) -> None:
    """Lift a sanction; if it was in force, tell the person.

    ``note`` is for the log, and for the person if ``says_why``. Raises :class:`SanctionError` if nothing is left to
    lift.
    """
    if moderator is not None and not may_impose(moderator, sanction.kind):
        raise SanctionError(_("Your roles don't allow this."))
    with transaction.atomic():
        sanction = Sanction.objects.select_for_update().get(pk=sanction.pk)
        if sanction.lifted_at is not None:
            raise SanctionError(_("It has already been lifted."))
        if moderator is not None:
            _require_distance(moderator, sanction.person_id)
        before = _summary(sanction)
        sanction.lifted_at, sanction.lifted_by = timezone.now(), moderator
        sanction.save(update_fields=["lifted_at", "lifted_by"])
        if sanction.in_force_at is not None:
            sanction_lifted.send(sender=Sanction, sanction=sanction)
            undo = _UNDOES.get(Kind(sanction.kind))
            if undo is not None:
                undo(sanction)
        record(moderator, "lift", sanction, before=before, after=_summary(sanction), note=note)
        _changed(sanction)
        if sanction.in_force_at is not None:
            with speaking_to(sanction.person):
                _write(
                    sanction.person,
                    f"lifted:{sanction.pk}",
                    _("A decision about you was taken back"),
                    [
                        _("The decision was: %(kind)s. It no longer applies to you.")
                        % {"kind": sanction.get_kind_display()},
                        *([_("Reason: %(reason)s") % {"reason": note}] if says_why else []),
                    ],
                )


def stands_elsewhere(lifted: Sanction, **about: Any) -> bool:
    """Whether another decision of the same kind ``about`` the same still has the effect that ``lifted`` had."""
    same = Sanction.objects.filter(_lasting(), kind=lifted.kind, in_force_at__isnull=False, lifted_at=None, **about)
    return same.exclude(pk=lifted.pk).exists()


def reopen_due(now: datetime) -> None:
    """Open each account that was closed until a time that has passed, and tell its owner.

    That happens once for each decision: an account that operators deactivate later stays so.
    """
    ended = Sanction.objects.filter(kind=Kind.CLOSED, in_force_at__isnull=False, lifted_at=None, until__lte=now)
    waiting = ended.filter(~Exists(entries_of_row(Sanction, "reopen")), person__is_active=False)
    for pk in waiting.values_list("pk", flat=True):
        with transaction.atomic():
            sanction = waiting.select_for_update(of=("self",)).filter(pk=pk).first()
            if sanction is None or sanction.person is None or stands_elsewhere(sanction, person=sanction.person):
                continue
            for each in waiting.filter(person=sanction.person):
                record(None, "reopen", each)
            _reopen(sanction)
            _changed(sanction)
            with speaking_to(sanction.person):
                subject = _("Your account is open again")
                _write(sanction.person, f"reopened:{pk}", subject, [_("You can log in and play again.")])


def _lasting() -> Q:
    """Decisions whose end hasn't come."""
    return Q(until=None) | Q(until__gt=timezone.now())


def visible_to(person: User) -> QuerySet[Sanction]:
    """The decisions that ``person`` knows about, without those that wait for a second moderator."""
    return Sanction.objects.filter(person=person, in_force_at__isnull=False)


def read(person: User, sanction_id: int) -> None:
    """Mark a decision as read, so that the person may play on if nothing else forbids it."""
    if visible_to(person).filter(pk=sanction_id, read_at=None).update(read_at=timezone.now()):
        restrictions.forget(person.pk)


def appeal(person: User, sanction: Sanction, text: str) -> Appeal:
    """Appeal against a decision, or add a message to the appeal. Raises :class:`SanctionError`."""
    text = text.strip()
    if sanction.person_id != person.pk or sanction.in_force_at is None:
        raise SanctionError(_("We can't find this decision about you."))
    if not 0 < len(text) <= 2000:
        raise SanctionError(_("Tell us why you think so, in up to 2,000 characters."))
    with transaction.atomic():
        thread, _is_new = Appeal.objects.select_for_update().get_or_create(sanction=sanction)
        if thread.decision:
            raise SanctionError(_("This appeal has already been decided."))
        if not _said_last(thread, person, text):
            AppealMessage.objects.create(appeal=thread, author=person, text=text)
    return thread


def _said_last(thread: Appeal, author: User, text: str) -> bool:
    """Whether a thread's last message is this one by ``author``: a double click sends it twice."""
    last = thread.messages.order_by("pk").last()
    return last is not None and last.author_id == author.pk and last.text == text


def answer(moderator: User, thread: Appeal, text: str, decision: str = "") -> None:
    """Write in an appeal's thread, and decide the appeal if ``decision`` is given. Raises :class:`SanctionError`.

    The moderator who imposed the sanction may explain it, but another one decides.
    """
    sanction = thread.sanction
    if not may_impose(moderator, sanction.kind):
        raise SanctionError(_("Your roles don't allow this."))
    if decision and has_part(moderator, sanction):
        raise SanctionError(_("A moderator who wasn't involved has to decide this."))
    if decision:
        _require_distance(moderator, sanction.person_id)
    if decision and decision not in Appeal.Decision.values:
        raise SanctionError(_("This decision doesn't exist."))
    if not text.strip():
        raise SanctionError(_("Write an answer."))
    with transaction.atomic():
        Appeal.objects.select_for_update().get(pk=thread.pk)
        if not decision and _said_last(thread, moderator, text.strip()):
            return
        message = AppealMessage.objects.create(appeal=thread, author=moderator, is_moderators=True, text=text.strip())
        if decision:
            decided = Appeal.objects.filter(pk=thread.pk, decision="").update(
                decision=decision, decided_by=moderator, decided_at=timezone.now()
            )
            if not decided:
                raise SanctionError(_("This appeal has already been decided."))
            record(moderator, f"appeal {decision}", sanction, note=text.strip())
            if decision == Appeal.Decision.GRANTED and sanction.lifted_at is None:
                lift(moderator, sanction, note=_("appeal granted"))
        with speaking_to(sanction.person):
            _write(sanction.person, f"appeal:{message.pk}", _("An answer to your appeal"), [text.strip()])


def has_part(moderator: User, sanction: Sanction) -> bool:
    """Whether a moderator took part in a decision, and so can't judge an appeal against it."""
    return moderator.pk in (sanction.imposed_by_id, sanction.confirmed_by_id, sanction.person_id)


def _put_in_force(sanction: Sanction, moderator: User) -> None:
    """Put the sanction in force from now on."""
    sanction.in_force_at = timezone.now()
    sanction.save(update_fields=["in_force_at", "confirmed_by"])
    sanction_imposed.send(sender=Sanction, sanction=sanction)
    does = _DOES.get(Kind(sanction.kind))
    if does is not None:
        does(sanction, moderator)
    _changed(sanction)
    with speaking_to(sanction.person):
        # People who can't log in any more don't see the account status page.
        appeal_here = (
            _("If you think this is wrong, you can appeal. Just reply to this email.")
            if sanction.kind == Kind.CLOSED
            else _("If you think this is wrong, you can appeal on your account status page.")
        )
        _write(
            sanction.person,
            f"sanction:{sanction.pk}",
            _("A decision of the moderators"),
            [_told(sanction), *_why(sanction), *_new_name(sanction), appeal_here],
        )


def _write(person: User | None, key: str, subject: str, paragraphs: list[str]) -> None:
    """Notify the person, once for each ``key``."""
    moderators_wrote.send(sender=Sanction, person=person, key=key, subject=subject, paragraphs=paragraphs)


def in_words(sanction: Sanction) -> list[str]:
    """What a page says below the name of the kind: how long it lasts, if it does, the rule and the reason."""
    if not sanction.is_lasting:
        return _why(sanction)
    what = _("%(what)s until %(end)s") % {"what": capfirst(sanction.get_kind_display()), "end": _end(sanction)}
    return [f"{what}.", *_why(sanction)]


def _why(sanction: Sanction) -> list[str]:
    return [
        _("Rule: %(rule)s") % {"rule": sanction.get_rule_display()},
        _("Reason: %(reason)s") % {"reason": sanction.reason},
    ]


def _end(sanction: Sanction) -> str:
    if sanction.until is None:
        return _("further notice")
    return formats.date_format(timezone.localtime(sanction.until), f"{_('j F Y, H:i')} (e)")


def _told(sanction: Sanction) -> str:
    """The decision as one sentence to the person, for their email."""
    return str(_TOLD[Kind(sanction.kind)]) % {"end": _end(sanction)}


def _new_name(sanction: Sanction) -> list[str]:
    """The new name in place of a removed one."""
    if sanction.kind != Kind.RENAME or sanction.person is None:
        return []
    return [_("Your name is now %(name)s.") % {"name": sanction.person.name}]


def _summary(sanction: Sanction) -> dict[str, object]:
    """The parts of a sanction that the log keeps."""
    return {
        "person": sanction.person_name,
        "kind": sanction.kind,
        "rule": sanction.rule,
        "until": sanction.until.isoformat() if sanction.until else None,
        "match": sanction.match.key if sanction.match else None,
        "in_force": sanction.in_force_at is not None,
        "lifted": sanction.lifted_at is not None,
    }


def _changed(sanction: Sanction) -> None:
    """Tell every process, and every open page of the person, that their restrictions have changed."""
    if sanction.person_id is not None:
        pk = sanction.person_id
        restrictions.forget(pk)
        transaction.on_commit(partial(restrictions.forget, pk))
        transaction.on_commit(partial(restrictions_changed.send, None, user_id=pk))


def _rename(sanction: Sanction, moderator: User) -> None:
    """Give the person a neutral name until they choose a better one."""
    person = sanction.person
    if person is not None:
        name = next(name for name in guests.free_names() if not User.objects.filter(name_key=names.key(name)).exists())
        renames.change_name(person, name, by=moderator)


def _close(sanction: Sanction, _moderator: User) -> None:
    if sanction.person is not None:
        sanction.person.is_active = False
        sanction.person.save(update_fields=["is_active"])


def _reopen(sanction: Sanction) -> None:
    if sanction.person is not None and not stands_elsewhere(sanction, person=sanction.person):
        sanction.person.is_active = True
        sanction.person.save(update_fields=["is_active"])


#: What an email says to the person about each kind.
_TOLD = {
    Kind.WARNING: gettext_lazy("This is a warning."),
    Kind.PHRASES: gettext_lazy("You can chat only in ready-made phrases until %(end)s."),
    Kind.SILENCE: gettext_lazy("You can't write in the chat until %(end)s."),
    Kind.HIDDEN: gettext_lazy("We've hidden your profile text until %(end)s."),
    Kind.RENAME: gettext_lazy("We've removed your name."),
    Kind.REMOVED: gettext_lazy("We've removed you from a table."),
    Kind.ANNULLED: gettext_lazy("We've annulled the result of one of your matches."),
    Kind.SUSPENDED: gettext_lazy("Your account is suspended until %(end)s."),
    Kind.CLOSED: gettext_lazy("We've closed your account until %(end)s."),
}
#: Effects of a kind on the account itself, when it comes into force and when it is lifted.
_DOES: dict[Kind, Callable[[Sanction, User], None]] = {Kind.RENAME: _rename, Kind.CLOSED: _close}
_UNDOES: dict[Kind, Callable[[Sanction], None]] = {Kind.CLOSED: _reopen}
