"""Compiled queries return what Django's own queries return, for any values and in any thread."""

import gc
import threading
import weakref
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db import connection, connections
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.compiled import compiled
from accounts.models import User, addresses
from accounts.session_store import SessionStore

pytestmark = pytest.mark.django_db


@compiled
def users_since(created: datetime, is_guest: bool, excluded_name: str) -> QuerySet[User]:
    users = User.objects.filter(created_at__gte=created, is_guest=is_guest)
    return users.exclude(name=excluded_name).order_by("name")


@compiled
def newest_names(after_pk: int) -> QuerySet[User, str]:
    return User.objects.filter(pk__gt=after_pk).order_by("-pk").values_list("name", flat=True)[:2]


@compiled
def named_among(pks: Collection[int], names: Collection[str]) -> QuerySet[User, str]:
    return User.objects.filter(pk__in=pks, name__in=names).order_by("name").values_list("name", flat=True)


@compiled
def addresses_of(users: Collection[int]) -> QuerySet[Any]:
    return addresses().select_related("user").filter(user__in=users).order_by("email")


def test_each_call_uses_its_own_values(make_player):
    ada, ben, cai = (make_player(name) for name in ("Ada", "Ben", "Cai"))
    assert users_since(ada.created_at, False, "") == [ada, ben, cai]
    assert users_since(ada.created_at, False, "Ben") == [ada, cai]
    assert users_since(ben.created_at, False, "") == [ben, cai]
    assert users_since(ada.created_at, True, "") == []
    assert users_since(cai.created_at + timedelta(microseconds=1), False, "") == []


def test_rows_have_the_same_columns_as_django_reads(ada):
    (user,) = users_since(ada.created_at, False, "")
    expected = User.objects.get(email=ada.email)
    columns = [field.attname for field in User._meta.concrete_fields]
    assert [getattr(user, name) for name in columns] == [getattr(expected, name) for name in columns]
    assert user.created_at.tzinfo is not None


def test_values_list_and_limit_work(make_player):
    oldest, *_others = (make_player(name) for name in ("Ada", "Ben", "Cai", "Dee"))
    assert newest_names(oldest.pk) == ["Dee", "Cai"]
    assert newest_names(oldest.pk + 2) == ["Dee"]


def test_lists_of_any_length_work_in_the_same_statement(make_player, django_assert_num_queries):
    ada, ben, _cai = (make_player(name) for name in ("Ada", "Ben", "Cai"))
    with CaptureQueriesContext(connection) as queries:
        assert named_among([ada.pk, ben.pk], ["Ben", "Cai"]) == ["Ben"]
        assert named_among({ada.pk, ben.pk}, {"Ada", "Ben", "Cai"}) == ["Ada", "Ben"]
        assert named_among((), ["Ada"]) == named_among([ada.pk], ()) == []
        everybody = list(range(3_000))
        assert named_among([*everybody, ada.pk], ["Ada"]) == ["Ada"]
    assert len(queries) == 5
    with django_assert_num_queries(1):
        assert [each.user for each in addresses_of([ben.pk, ada.pk])] == [ada, ben]


def test_strings_are_never_part_of_the_sql(ada):
    assert users_since(ada.created_at, False, "' OR 1=1 --%s") == [ada]
    quotes = ["'", '"', "\\", "{", "}", ",", "%s", "Ada'"]
    assert named_among([ada.pk], quotes) == []
    ada.name = "{'\"%s\\,"
    ada.save()
    assert named_among([ada.pk], [*quotes, ada.name]) == [ada.name]


def test_none_matches_no_row(ada):
    assert newest_names(None) == []


def test_each_call_reads_the_database_in_one_statement(ada, make_player, django_assert_num_queries):
    newest_names(0)
    with django_assert_num_queries(2):
        assert newest_names(0) == ["Ada"]
        assert newest_names(0) == ["Ada"]
    make_player("Ben")
    assert newest_names(0) == ["Ben", "Ada"]


@pytest.mark.services
def test_postgresql_prepares_what_runs_often_and_lists_of_any_length_are_one_statement(ada):
    @compiled
    def guests_among(pks: Collection[int]) -> QuerySet[User, int]:
        return User.objects.filter(pk__in=pks, is_guest=True).values_list("pk", flat=True)

    def prepared() -> int:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%%unnest($1::bigint[])%%'"
            )
            return cursor.fetchone()[0]

    before = prepared()
    for length in range(7):
        assert guests_among([ada.pk] * length) == []
    assert prepared() == before + 1


def test_calls_share_no_objects(ada):
    (user,) = users_since(ada.created_at, False, "")
    user.name = "changed"
    (again,) = users_since(ada.created_at, False, "")
    assert again.name == "Ada"


def run_in_thread(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


@pytest.mark.django_db(transaction=True)
def test_each_thread_uses_its_own_connection(ada):
    used = []

    def read() -> None:
        used.append(newest_names(0))
        used.append(connection.connection)
        connection.close()

    newest_names(0)
    run_in_thread(read)
    names, its_own = used
    assert names == ["Ada"]
    assert its_own not in (None, connection.connection)


@pytest.mark.django_db(transaction=True)
def test_the_connection_of_a_finished_thread_is_released(ada):
    @compiled
    def user_by_pk(pk: int) -> QuerySet[User]:
        return User.objects.filter(pk=pk)

    wrappers = []

    def read() -> None:
        assert user_by_pk(ada.pk) == [ada]
        wrappers.append(weakref.ref(connections["default"]))
        connections["default"].close()

    run_in_thread(read)
    gc.collect()
    assert wrappers[0]() is None
    assert user_by_pk(ada.pk) == [ada]


class TestUsers:
    def test_get_by_primary_key_behaves_as_in_django(self, ada):
        assert User.objects.get(pk=ada.pk) == User.objects.get(pk=str(ada.pk)) == ada
        with pytest.raises(User.DoesNotExist):
            User.objects.get(pk=ada.pk + 1)
        with pytest.raises(ValueError, match="expected a number"):
            User.objects.get(pk="ada")
        with pytest.raises(User.DoesNotExist):
            User.objects.get(pk=2**64)


class TestSessions:
    def test_a_session_ends_when_it_expires(self, client, ada):
        client.force_login(ada)
        assert client.get("/accounts/settings/sessions/").status_code == 200
        Session.objects.update(expire_date=timezone.now())
        assert client.get("/accounts/settings/sessions/").status_code == 302

    def test_sessions_saved_by_djangos_store_stay_valid(self):
        earlier = db.SessionStore()
        earlier["land_at"] = "/match/x/"
        earlier.save()
        assert SessionStore(earlier.session_key)["land_at"] == "/match/x/"

    def test_an_unknown_session_is_logged_out(self, client, ada):
        client.cookies["sessionid"] = "x" * 32
        assert client.get("/accounts/settings/sessions/").status_code == 302
