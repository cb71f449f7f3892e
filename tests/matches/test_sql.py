"""Parameters of hand-written SQL."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import DatabaseError, connection, connections, transaction
from hypothesis import given
from hypothesis import strategies as st

from games.matches import service, sql
from games.matches.models import Match

zones = st.sampled_from([UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("Australia/Lord_Howe")])
BEGIN, CENTURIES = datetime(1970, 1, 2, tzinfo=UTC), timedelta(days=80_000)
times = st.builds(lambda since, zone: (BEGIN + since).astimezone(zone), st.timedeltas(timedelta(0), CENTURIES), zones)


@given(times | st.none())
def test_a_moment_is_the_parameter_that_django_makes_of_it(moment):
    assert sql.moments()(moment) == connection.ops.adapt_datetimefield_value(moment)


NAMES = "SELECT new.column2 FROM (VALUES {rows}) AS new WHERE new.column1 > 0"


@pytest.mark.django_db
def test_a_statement_reads_its_rows():
    assert list(sql.fetch(NAMES, ("int", "text"), [1, "a", 0, "b", 2, "%s{rows}"])) == [("a",), ("%s{rows}",)]


@pytest.mark.django_db
def test_an_error_is_one_of_djangos():
    with pytest.raises(DatabaseError), transaction.atomic():
        sql.execute("UPDATE no_such_table SET x = 1 WHERE y IN ({rows})", ("int",), [1])


@pytest.mark.django_db
def test_statements_are_counted(django_assert_num_queries):
    with django_assert_num_queries(1):
        sql.fetch(NAMES, ("int", "text"), [1, "a"])


COUNT = "UPDATE games_match SET seat_count = seat_count + 1 WHERE id IN ({rows})"


@pytest.mark.django_db
@pytest.mark.parametrize(("copies", "on_postgresql"), [(2, 1), (50, 2)])
def test_statements_executed_together_are_one_on_postgresql_if_they_are_short(
    copies, on_postgresql, ada, django_assert_num_queries
):
    match, other = (service.open_table(ada, "armed", 2, {}) for _ in range(2))
    with django_assert_num_queries(on_postgresql if connection.vendor == "postgresql" else 2), sql.together():
        sql.execute(COUNT, ("bigint",), [match.pk] * copies)
        sql.execute(COUNT, ("bigint",), [other.pk] * copies)
    assert set(Match.objects.values_list("seat_count", flat=True)) == {3}


@pytest.mark.django_db
def test_after_an_error_nothing_is_gathered_any_more(ada):
    match = service.open_table(ada, "armed", 2, {})
    with pytest.raises(KeyError), sql.together():
        raise KeyError
    sql.execute(COUNT, ("bigint",), [match.pk])
    assert Match.objects.get().seat_count == 3


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_a_connection_that_died_while_it_was_idle_costs_nothing():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    other = connections.create_connection("default")
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    other.close()
    connection.close_if_unusable_or_obsolete()  # as the writer does from time to time
    assert list(sql.fetch(NAMES, ("int", "text"), [1, "a"])) == [("a",)]


@pytest.mark.services
@pytest.mark.django_db
def test_postgresql_prepares_a_statement_that_is_repeated():
    def prepared() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%%(VALUES ($1::int%%'")
            return cursor.fetchone()[0]

    for name in "abcde":
        sql.fetch(NAMES, ("int", "text"), [1, name])
    assert not prepared()
    for name in "fg":
        assert list(sql.fetch(NAMES, ("int", "text"), [1, name])) == [(name,)]
    assert prepared() == 1
