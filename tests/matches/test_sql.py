"""Parameters of hand-written SQL."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import DatabaseError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from games.matches import sql

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
