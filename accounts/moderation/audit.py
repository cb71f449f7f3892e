"""The log of staff actions. Entries can't be changed."""

from typing import Any

from django.db.models import CharField, Model, OuterRef, QuerySet, Value
from django.db.models.functions import Cast, Concat

from accounts.models import User
from accounts.moderation.models import AuditEntry


def entries_of_row(model: type[Model], action: str) -> QuerySet[AuditEntry]:
    """A subquery of the log's entries about this action, for the row of ``model`` in the outer query."""
    target = Concat(Value(f"{model._meta.model_name}:"), Cast(OuterRef("pk"), CharField()))
    return AuditEntry.objects.filter(target=target, action=action).order_by("-pk")


def one_at_a_time(actor: User) -> None:
    """In a transaction, wait for everything else that ``actor`` is doing: a double click sends a request twice."""
    User.objects.select_for_update(no_key=True).filter(pk=actor.pk).first()


def record(
    actor: User | None,
    action: str,
    target: Model,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    note: str = "",
    name: str | None = None,
) -> AuditEntry:
    """Add an entry, in the transaction of the action it describes.

    ``actor`` None is the site itself. ``before`` and ``after`` are JSON values of what changed. ``name`` is the log's
    name for the target, if the target's own name says more than should be kept for good, such as an address.
    """
    return AuditEntry.objects.create(
        actor_id=actor.pk if actor else None,
        actor_name=actor.name if actor else "",
        action=action,
        target=f"{target._meta.model_name}:{target.pk}",
        target_name=(str(target) if name is None else name)[:120],
        before=before or {},
        after=after or {},
        note=note,
    )
