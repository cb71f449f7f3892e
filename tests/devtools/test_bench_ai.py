"""The benchmark of AI players."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command


def _run(*args):
    out = StringIO()
    call_command("bench_ai", *args, stdout=out)
    return out.getvalue()


def test_every_level_is_measured():
    rows = [json.loads(line) for line in _run("ten-skip", "--moves", "5", "--json").splitlines()]
    assert [row["level"] for row in rows] == ["easy", "medium", "hard"]
    for row in rows:
        assert row["moves"] == 5
        assert 0 <= row["p50_ms"] <= row["p95_ms"] <= row["p99_ms"] <= row["max_ms"] < 1000
        assert row["turns_a_minute"] > 60


def test_it_prints_rows_of_a_table():
    assert _run("basic-rummy", "--moves", "3", "--seats", "4").count("| Basic Rummy | 4 |") == 3


@pytest.mark.parametrize("args", [("chess",), ("armed", "--seats", "5"), ("armed", "--moves", "0")])
def test_an_unmeasurable_press_is_refused(args):
    with pytest.raises(CommandError):
        _run(*args)
