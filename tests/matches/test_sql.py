"""Parameters of hand-written SQL."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from games.matches import sql

zones = st.sampled_from([UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("Australia/Lord_Howe")])
BEGIN, CENTURIES = datetime(1970, 1, 2, tzinfo=UTC), timedelta(days=80_000)
times = st.builds(lambda since, zone: (BEGIN + since).astimezone(zone), st.timedeltas(timedelta(0), CENTURIES), zones)


@given(times | st.none())
def test_a_moment_is_the_parameter_that_django_makes_of_it(moment):
    assert sql.moments()(moment) == connection.ops.adapt_datetimefield_value(moment)


@pytest.mark.parametrize(("vendor", "row"), [("postgresql", "(%s::int, %s::text)"), ("sqlite", "(%s, %s)")])
def test_only_postgresql_is_told_the_types_of_a_row(vendor, row, monkeypatch):
    monkeypatch.setattr(connection, "vendor", vendor)
    assert sql.row(("int", "text")) == row
