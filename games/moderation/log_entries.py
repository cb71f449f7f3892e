"""Show an entry of the moderation log in the reader's language, with links to pages that the reader may open.

The log stores keys and values that are the same in every language, and the target's name at that time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib import admin
from django.db.models import Model, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from accounts.models import MailTrouble, OutgoingMail, User
from accounts.moderation.models import AuditEntry, Report, Sanction
from games.mail.models import Notice
from games.moderation import queue
from games.moderation.answers import RULE_WORDS
from games.moderation.quick import PRESETS
from games.site_status.models import Level, Switches

#: Models whose rows have translated names, and the related rows to load with them.
WORDED: dict[type[Model], tuple[str, ...]] = {Report: (), Sanction: (), Notice: ("match", "user")}
#: Keys of the values before and after, in the order in which they are shown: PostgreSQL keeps none.
LABELS = {
    "person": gettext_lazy("about"),
    "kind": gettext_lazy("kind"),
    "rule": gettext_lazy("rule"),
    "text": gettext_lazy("text"),
    "starts_at": gettext_lazy("from"),
    "until": gettext_lazy("until"),
    "ends_at": gettext_lazy("until"),
    "match": gettext_lazy("match"),
    "in_force": gettext_lazy("in force"),
    "lifted": gettext_lazy("taken back"),
    "decision": gettext_lazy("decision"),
    "by": gettext_lazy("decided by"),
    "outcome": gettext_lazy("outcome"),
    "answer": gettext_lazy("answer"),
    "agrees": gettext_lazy("agrees"),
    "of": gettext_lazy("asked"),
    "desk": gettext_lazy("desk"),
    "reports": gettext_lazy("reports"),
    "seat": gettext_lazy("as seen by"),
    "version": gettext_lazy("move"),
    "signup_open": gettext_lazy("sign-ups allowed"),
    "matches_open": gettext_lazy("new matches allowed"),
    "banner": gettext_lazy("banner"),
    "banner_level": gettext_lazy("importance"),
    "type": gettext_lazy("type"),
    "last_used_at": gettext_lazy("last used"),
    "status": gettext_lazy("status"),
    "attempts": gettext_lazy("attempts"),
    "due_at": gettext_lazy("due"),
    "failures": gettext_lazy("failures"),
    "faults": gettext_lazy("faults"),
    "undeliverable": gettext_lazy("why undeliverable"),
}
#: Keys whose values are choices.
CHOICES: dict[str, Mapping[Any, object]] = {
    "banner_level": dict(Level.choices),
    "decision": {key: preset.label for key, preset in PRESETS.items()},
    "desk": {"": gettext_lazy("decided by its rule"), **queue.DESKS},
    "kind": dict(Sanction.Kind.choices),
    "outcome": dict(Report.Outcome.choices),
    "rule": RULE_WORDS,
    "seat": {"all": gettext_lazy("all hands"), None: pgettext_lazy("log", "spectators")},
    "status": dict(OutgoingMail.Status.choices),
    "type": dict(Authenticator.Type.choices),
    "undeliverable": dict(MailTrouble.choices),
}
_ORDER = {key: place for place, key in enumerate(LABELS)}
TIMES = {"due_at", "ends_at", "last_used_at", "starts_at", "until"}


@dataclass(frozen=True, slots=True)
class Shown:
    """One entry for one reader."""

    actor: str
    target: str
    before: str
    after: str


def name_targets(entries: Iterable[AuditEntry]) -> None:
    """Set ``called`` on each entry to its target's name in the reader's language, in one query per kind.

    A target that no longer exists keeps the stored name.
    """
    rows = list(entries)
    for model, related in WORDED.items():
        ids = {entry: _id_of(entry, model) for entry in rows}
        wanted = [pk for pk in ids.values() if pk is not None]
        found = model._base_manager.select_related(*related).in_bulk(wanted) if wanted else {}
        for entry, pk in ids.items():
            if pk in found:
                entry.called = str(found[pk])
    for entry in rows:
        if _id_of(entry, Switches) is not None:
            entry.called = str(Switches())


def shown_to(request: HttpRequest, entry: AuditEntry) -> Shown:
    """The entry in words, with links to pages that the reader may open."""
    name_targets([entry])
    actor = entry.actor_name or _("The site")
    if entry.actor_id is not None and User.objects.filter(pk=entry.actor_id).exists():
        actor = _link(_address_of_person(request, entry.actor_id), actor)
    return Shown(
        actor=actor,
        target=_link(_address_of_target(request, entry), entry.called or entry.target_name or entry.target),
        before=facts_in_words(request, entry.before),
        after=facts_in_words(request, entry.after),
    )


def facts_in_words(request: HttpRequest, facts: Mapping[str, Any]) -> str:
    """The values before or after, one line each."""
    known = sorted(facts, key=lambda key: (_ORDER.get(key, len(_ORDER)), key))
    lines = [(capfirst(str(LABELS.get(key, key))), _value(request, key, facts[key])) for key in known]
    return format_html_join(SafeString("<br>"), "{}: {}", lines) or "–"


def _value(request: HttpRequest, key: str, value: Any) -> str:
    if key == "reports":
        return _links_to_reports(request, value)
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    if value in CHOICES.get(key, {}):
        return str(CHOICES[key][value])
    if key == "seat":
        return _("seat %(number)d") % {"number": value + 1}
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    at = parse_datetime(value) if key in TIMES else None
    return date_format(timezone.localtime(at), "DATETIME_FORMAT") if at else str(value)


def _links_to_reports(request: HttpRequest, ids: list[int]) -> str:
    is_mine = Q(pk__in=queue.reports_for(cast(User, request.user)).values("pk"))
    rows: list[Any] = list(Report.objects.filter(pk__in=ids).annotate(is_mine=is_mine).order_by("pk"))
    links = ((_link(_page_of(row) if row.is_mine else "", str(row)),) for row in rows)
    return format_html_join(", ", "{}", links) or "–"


def _id_of(entry: AuditEntry, model: type[Model]) -> int | None:
    """The id of the entry's row, if that is one of ``model``."""
    kind, _colon, pk = entry.target.partition(":")
    return int(pk) if kind == model._meta.model_name and pk.isdecimal() else None


def _address_of_target(request: HttpRequest, entry: AuditEntry) -> str:
    """The URL of the target at the desk; empty if it is gone, or this reader may not open it."""
    for model in apps.get_models():
        pk = _id_of(entry, model)
        if pk is None or not admin.site.is_registered(model):
            continue
        if issubclass(model, User):
            return _address_of_person(request, pk) if User.objects.filter(pk=pk).exists() else ""
        if not admin.site.get_model_admin(model).has_view_permission(request):
            return ""
        mine = queue.reports_for(cast(User, request.user)) if model is Report else model._base_manager.all()
        row = mine.filter(pk=pk).first()
        return _page_of(row) if row else ""
    return ""


def _page_of(row: Model) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def _address_of_person(request: HttpRequest, pk: int) -> str:
    """The URL of the person's page at the desk, for moderators."""
    may_open = any(request.user.has_perm(power) for power in queue.DESKS)
    return reverse("admin:person_file", args=[pk]) if may_open else ""


def _link(address: str, words: str) -> str:
    return format_html('<a href="{}">{}</a>', address, words) if address else words
