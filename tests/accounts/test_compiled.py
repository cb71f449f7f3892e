"""Queries compiled once find what Django's own find, for any values, in each thread."""

import gc
import threading
import weakref
from datetime import datetime, timedelta

import pytest
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db import connection, connections
from django.db.models import QuerySet
from django.utils import timezone

from accounts.compiled import compiled
from accounts.models import User
from accounts.session_store import SessionStore

pytestmark = pytest.mark.django_db


@compiled
def people_since(day: datetime, is_guest: bool, name: str) -> QuerySet[User]:
    return User.objects.filter(created_at__gte=day, is_guest=is_guest).exclude(name=name).order_by("name")


@compiled
def names_after(pk: int) -> QuerySet[User, str]:
    return User.objects.filter(pk__gt=pk).order_by("-pk").values_list("name", flat=True)[:2]


def test_rows_are_those_of_the_query_for_the_values_of_each_call(make_player):
    ada, ben, cai = (make_player(name) for name in ("Ada", "Ben", "Cai"))
    before, after = ada.created_at, cai.created_at + timedelta(microseconds=1)
    assert people_since(before, False, "Nobody") == [ada, ben, cai]
    assert people_since(before, False, "Ben") == [ada, cai]
    assert people_since(ben.created_at, False, "Nobody") == [ben, cai]
    assert people_since(before, True, "Nobody") == people_since(after, False, "Nobody") == []


def test_a_row_has_all_its_columns_as_django_reads_them(ada):
    (read,) = people_since(ada.created_at, False, "Nobody")
    stored = User.objects.get(email=ada.email)
    assert {field.attname: getattr(read, field.attname) for field in User._meta.concrete_fields} == {
        field.attname: getattr(stored, field.attname) for field in User._meta.concrete_fields
    }
    assert read.created_at.tzinfo is not None


def test_values_and_limits_are_kept(make_player):
    first, *_others = (make_player(name) for name in ("Ada", "Ben", "Cai", "Dee"))
    assert names_after(first.pk) == ["Dee", "Cai"]
    assert names_after(first.pk + 2) == ["Dee"]


def test_a_text_is_a_value_and_never_part_of_the_statement(make_player):
    ada = make_player("Ada")
    assert people_since(ada.created_at, False, "' OR 1=1 --%s") == [ada]


def test_no_value_finds_nothing(ada):
    assert names_after(None) == []


def test_each_call_is_one_statement_and_reads_anew(ada, make_player, django_assert_num_queries):
    names_after(0)
    with django_assert_num_queries(2):
        assert names_after(0) == ["Ada"]
        assert names_after(0) == ["Ada"]
    make_player("Ben")
    assert names_after(0) == ["Ben", "Ada"]


def test_what_one_call_found_is_not_in_the_next(ada):
    (one,) = people_since(ada.created_at, False, "Nobody")
    one.name = "changed"
    (other,) = people_since(ada.created_at, False, "Nobody")
    assert other.name == "Ada"


@pytest.mark.django_db(transaction=True)
def test_threads_use_their_own_connections(ada):
    used = []

    def read() -> None:
        try:
            used.append((connection.connection, names_after(0)))
        finally:
            used.append(connection.connection)
            connection.close()

    names_after(0)
    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    assert used[0][1] == ["Ada"]
    assert used[1] not in (None, connection.connection)


@pytest.mark.django_db(transaction=True)
def test_the_connection_of_a_thread_that_has_ended_is_not_kept(ada):
    @compiled
    def anyone(pk: int) -> QuerySet[User]:
        return User.objects.filter(pk=pk)

    kept = []

    def read() -> None:
        assert anyone(ada.pk) == [ada]
        kept.append(weakref.ref(connections["default"]))
        connections["default"].close()

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    gc.collect()
    assert kept[0]() is None
    assert anyone(ada.pk) == [ada]


class TestWhereItIsUsed:
    def test_a_user_is_found_by_primary_key_or_missed_as_ever(self, ada):
        assert User.objects.get(pk=ada.pk) == User.objects.get(pk=str(ada.pk)) == ada
        with pytest.raises(User.DoesNotExist):
            User.objects.get(pk=ada.pk + 1)
        with pytest.raises(ValueError, match="expected a number"):
            User.objects.get(pk="ada")
        with pytest.raises(User.DoesNotExist):
            User.objects.get(pk=2**64)

    def test_a_session_is_read_until_it_expires(self, client, ada):
        client.force_login(ada)
        assert client.get("/accounts/settings/sessions/").status_code == 200
        Session.objects.update(expire_date=timezone.now())
        assert client.get("/accounts/settings/sessions/").status_code == 302

    def test_sessions_that_djangos_own_store_wrote_go_on(self):
        earlier = db.SessionStore()
        earlier["land_at"] = "/match/x/"
        earlier.save()
        assert SessionStore(earlier.session_key)["land_at"] == "/match/x/"

    def test_an_unknown_session_is_nobodys(self, client, ada):
        client.cookies["sessionid"] = "x" * 32
        assert client.get("/accounts/settings/sessions/").status_code == 302
