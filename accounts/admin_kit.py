"""Lists of the admin site that stay fast with a million rows.

Three things would slow them down: counting all rows for the page numbers, filters and orders without an index, and
searches inside words or across tables. ``manage.py bench_admin`` measures every list.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

from django.contrib import admin
from django.core.paginator import Paginator
from django.db import connection
from django.db.models import DateTimeField, FloatField, Model, Q, QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext_lazy as _

from accounts import names
from accounts.models import User

#: How many rows of a list can be paged through; use filters or search to find others.
MOST = 10_000
#: How many people the beginning of a name may match.
MOST_PEOPLE = 50
#: How many rows one action may change.
MOST_AT_ONCE = 100


#: Names for columns that Django would name after the Python attributes, in the reader's language.
COLUMNS = {
    "user": _("user"),
    "type": _("type"),
    "created at": _("created"),
    "last used at": _("last used"),
    "key": _("key"),
    "match": _("match"),
    "version": _("version"),
    "opened at": _("opened"),
    "settled at": _("decided"),
    "verdict": _("verdict"),
    "seat": _("seat"),
    "author": _("author"),
    "author name": _("author name"),
    "phrase": _("phrase"),
    "text": _("text"),
    "at": _("time"),
    "is removed": _("removed"),
    "kind": _("kind"),
    "next at": _("next try"),
    "stages": _("stages"),
    "mails": _("emails"),
    "mailed at": _("emailed"),
    "failures": _("failures"),
    "error": _("error"),
    "player": _("player"),
    "number": _("number"),
    "level": _("level"),
    "name": _("name"),
    "reporter": _("reporter"),
    "note": _("note"),
    "imposed by": _("imposed by"),
    "confirmed by": _("confirmed by"),
    "lifted by": _("lifted by"),
    "read at": _("read"),
    "sanction": _("sanction"),
    "decided by": _("decided by"),
    "actor id": _("person number"),
    "before": _("before"),
    "after": _("after"),
    "was forced": _("forced"),
    "rules version": _("rules version"),
    "seat count": _("seat count"),
    "options": _("options"),
    "seed hash": _("seed hash"),
    "status": _("status"),
    "host": _("host"),
    "is public": _("public"),
    "pace": _("pace"),
    "started at": _("started"),
    "finished at": _("finished"),
    "awaited": _("waiting for"),
    "turn since": _("turn since"),
    "due at": _("due"),
    "outcome": _("outcome"),
    "rematch": _("rematch"),
    "since": _("since"),
    "until": _("until"),
    "is credited": _("credited"),
    "elapsed": _("time taken"),
    "claimed": _("time claimed"),
    "ping": _("ping"),
    "cap": _("upper limit"),
    "reaction": _("reaction"),
    "result": _("result"),
    "verdict after": _("time to verdict"),
    "by lot": _("decided at random"),
    "handicap": _("handicap"),
    "last seat": _("last seat"),
    "state": _("state"),
    "shown at": _("shown on screen"),
    "losses": _("connections lost"),
}
#: Names of other packages' models and columns, for translation.
NAMES_OF_OTHERS = (_("TOTP Authenticator"), _("WebAuthn"))


def name_columns(model: type[Model]) -> None:
    """Name the columns of a model in the reader's language."""
    for field in model._meta.concrete_fields:
        if isinstance(field.verbose_name, str):
            field.verbose_name = COLUMNS.get(field.verbose_name, field.verbose_name)


class CappedPaginator(Paginator):
    """Counts to :data:`MOST` and no further."""

    @cached_property
    def count(self) -> int:
        """How many rows the pages can show."""
        return min(self._counted, MOST)

    @property
    def is_capped(self) -> bool:
        """Whether there are more rows than the pages can show."""
        return self._counted > MOST

    @cached_property
    def _counted(self) -> int:
        rows = self.object_list
        return rows.order_by().values("pk")[: MOST + 1].count() if isinstance(rows, QuerySet) else len(rows)


class LongListAdmin(admin.ModelAdmin):
    """A list that may have a million rows: newest first, filters and search by indexes alone."""

    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    ordering = ("-pk",)
    #: Any other order would sort the whole table.
    sortable_by: ClassVar[Any] = ()
    #: Related rows are fetched for one page only. A join would be computed for all rows up to a late page.
    list_select_related: ClassVar[Any] = ()
    list_prefetch: ClassVar[tuple[str, ...]] = ()

    def __init__(self, model: type[Model], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        name_columns(model)

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        """The rows, with related ones."""
        return super().get_queryset(request).prefetch_related(*self.list_prefetch)

    def get_list_display(self, request: HttpRequest) -> Any:
        """The columns, with short times and numbers: a full month name would squeeze the other columns."""
        return [self._short.get(name, name) for name in super().get_list_display(request)]

    @cached_property
    def _short(self) -> dict[Any, Callable[[Model], str | None]]:
        fields = [field for field in self.opts.concrete_fields if field.name not in self.sortable_by]
        times = {field.name: _short_time(field) for field in fields if isinstance(field, DateTimeField)}
        return times | self._whole

    @cached_property
    def _whole(self) -> dict[str, Callable[[Model], str | None]]:
        return {field.name: _whole(field) for field in self.opts.concrete_fields if isinstance(field, FloatField)}

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The fields; a related row is a link only for roles that may open it."""
        return [self._in_words(name, request) for name in super().get_fields(request, obj)]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The read-only fields, with the same links."""
        return [self._in_words(name, request) for name in super().get_readonly_fields(request, obj)]

    def _in_words(self, name: Any, request: HttpRequest) -> Any:
        """A field in short form: a rounded number, a short time, or a value without a link to a refused page."""
        if name in self._whole:
            return self._whole[name]
        fields = {field.name: field for field in self.opts.concrete_fields if field.is_relation}
        related = fields[name].related_model if isinstance(name, str) and name in fields else None
        if related is None or not self.admin_site.is_registered(related):
            return name
        if self.admin_site.get_model_admin(related).has_view_permission(request):
            return name
        if name not in self._words:
            self._words[name] = _value_of(fields[name])
        return self._words[name]

    @cached_property
    def _words(self) -> dict[str, Callable[[Model], str]]:
        return {}

    def find(self, term: str) -> Q:
        """The query condition for a search term, on indexed columns; a list without a search returns all rows."""
        return Q()

    def get_search_results(self, request: HttpRequest, queryset: QuerySet, search_term: str) -> tuple[QuerySet, bool]:
        """Rows that match the term; all rows without one."""
        term = search_term.strip()
        return (queryset.filter(self.find(term)) if term else queryset), False


def _value_of(field: Any) -> Callable[[Model], str]:
    """A column that shows a related row in words."""

    @admin.display(description=field.verbose_name)
    def show(row: Model) -> str:
        return str(getattr(row, field.name) or "–")

    return show


def _short_time(field: DateTimeField) -> Callable[[Model], str | None]:
    """A column that shows a time in short form."""

    @admin.display(description=field.verbose_name, empty_value="–")
    def show(row: Model) -> str | None:
        at = getattr(row, field.name)
        return at and date_format(timezone.localtime(at), "SHORT_DATETIME_FORMAT")

    show.__name__ = field.name
    return show


def _whole(field: FloatField) -> Callable[[Model], str | None]:
    """A column that shows a number without decimals."""

    @admin.display(description=field.verbose_name, empty_value="–")
    def show(row: Model) -> str | None:
        value = getattr(row, field.name)
        return None if value is None else number_format(round(value))

    show.__name__ = field.name
    return show


class ReadOnlyAdmin(LongListAdmin):
    """Rows that only the site itself writes."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No row is added by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No row is changed by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No row is deleted by hand."""
        return False


def begins_with(column: str, text: str) -> Q:
    """The condition that a column begins with ``text``, in the form that each database can use an index for."""
    if connection.vendor == "postgresql":
        return Q(**{f"{column}__startswith": text})
    return Q(**{f"{column}__gte": text, f"{column}__lt": text + "\U0010ffff"})


def people(term: str) -> list[int]:
    """Ids of the people that a search term matches: by address, or by the beginning of the name."""
    by = Q(email=term.lower()) if "@" in term else begins_with("name_key", names.key(term))
    return list(User.objects.filter(by).values_list("pk", flat=True)[:MOST_PEOPLE])


BY_PERSON = _("Search by an address, or the start of a name.")


def row_or_404(rows: QuerySet, pk: Any) -> Any:
    """The row with that key; 404 if there is none, or if the text isn't a key."""
    if not str(pk).isdecimal():
        raise Http404
    return get_object_or_404(rows, pk=pk)
