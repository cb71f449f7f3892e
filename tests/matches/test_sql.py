"""Parameters of hand-written SQL."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from games.matches import sql

zones = st.sampled_from([UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("Australia/Lord_Howe")])
times = st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2200, 1, 1), timezones=zones)  # noqa: DTZ001


@given(times | st.none())
def test_a_moment_is_the_parameter_that_django_makes_of_it(moment):
    assert sql.moments()(moment) == connection.ops.adapt_datetimefield_value(moment)


@pytest.mark.parametrize(("vendor", "row"), [("postgresql", "(%s::int, %s::text)"), ("sqlite", "(%s, %s)")])
def test_only_postgresql_is_told_the_types_of_a_row(vendor, row, monkeypatch):
    monkeypatch.setattr(connection, "vendor", vendor)
    assert sql.row(("int", "text")) == row
