"""Every alarm required by docs/operations.md has a rule, and each rule queries existing metrics.

Rules are checked like ``promtool check rules`` does: fields, times, expressions. Only the parts of the expression
language in use are known; a new one must be added here.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from django.db import connection
from prometheus_client import REGISTRY

from accounts.models import OutgoingMail, User
from armani_site import asgi
from games.slaps.models import Flag
from tests.factories.site_process import ROOT

ALERTS = ROOT / "docs" / "alerts"
PAGE = (ROOT / "docs" / "operations.md").read_text()
ROWS = re.findall(r"^\|(?!---).+\|$", PAGE.partition("Set alarms for these.")[2].partition("###")[0], re.MULTILINE)[1:]

#: The fields of a rule, and the required ones.
FIELDS, NEEDED = {"alert", "expr", "for", "keep_firing_for", "labels", "annotations"}, {"alert", "expr"}
DURATION = r"(?:\d+(?:ms|[smhdwy]))+"
NAME = r"[a-zA-Z_][a-zA-Z0-9_]*"
MATCHER = rf"{NAME}(?:=~|!~|!=|=)\"[^\"\\]*\""
SELECTOR = rf"[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{{{MATCHER}(?:, ?{MATCHER})*\}})?(?:\[{DURATION}\])?"
#: Parts of our expressions: calls and sums around selectors and numbers, joined by operators.
CALL = rf"(?:delta|rate|increase) ?\({SELECTOR}\)"
SUM = rf"(?:sum|max|min)(?: by \({NAME}(?:, {NAME})*\))? ?\((?:{CALL}|{SELECTOR})\)"
QUANTILE = rf"histogram_quantile\(0\.\d+, {SUM}\)"
OPERAND = rf"(?:{QUANTILE}|{CALL}|{SUM}|{SELECTOR}|\d+(?:\.\d+)?)"
EXPRESSION = re.compile(rf"{OPERAND}(?: (?:[-+*/<>]|==|!=|<=|>=) {OPERAND})*")
#: Calls that need a range of time.
OVER_TIME = re.compile(r"\b(?:delta|rate|increase) ?\((?P<of>[^()]*)\)")


def faults(file: Any) -> Iterator[str]:
    """Why Prometheus would refuse a file of rules."""
    if file.keys() != {"groups"}:
        yield "a file has groups"
    names = [group.get("name") for group in file["groups"]]
    if len(set(names)) != len(names):
        yield "a group has a name of its own"
    for group in file["groups"]:
        if not {"name", "rules"} <= group.keys() <= {"name", "rules", "interval", "limit"}:
            yield "a group has a name and rules"
        for rule in group["rules"]:
            yield from (f"{rule.get('alert')}: {fault}" for fault in faults_of(rule))


def faults_of(rule: dict[str, Any]) -> Iterator[str]:
    if not NEEDED <= rule.keys() <= FIELDS:
        yield "its fields"
    if not rule.get("alert"):
        yield "its name"
    if not re.fullmatch(DURATION, rule.get("for", "0s")):
        yield "how long"
    expression = str(rule.get("expr"))
    if not EXPRESSION.fullmatch(expression):
        yield "its expression"
    if not all(found["of"].endswith("]") for found in OVER_TIME.finditer(expression)):
        yield "a call wants what was measured over a time"
    for field in ("labels", "annotations"):
        told = rule.get(field, {})
        if not all(re.fullmatch(NAME, name) and isinstance(text, str) for name, text in told.items()):
            yield f"its {field}"
        if any("{{" in str(text) for text in told.values()):
            yield "a template, which is not looked at here"


def test_prometheus_would_read_its_rules() -> None:
    assert list(faults(yaml.safe_load((ALERTS / "prometheus.yml").read_text()))) == []


GOOD = {"alert": "ArmaniX", "expr": "delta(armani_x[15m]) > 0", "for": "1m", "annotations": {"summary": "x"}}


@pytest.mark.parametrize(
    "change",
    [
        {"alert": ""},
        {"expr": "delta(armani_x[15m] > 0"},
        {"expr": "delta(armani_x) > 0"},
        {"expr": "delta(armani_x[15 minutes]) > 0"},
        {"expr": 'probe_success{job="x} == 0'},
        {"expr": "probe_success{job=x} == 0"},
        {"expr": "probe_success = 0"},
        {"expr": ""},
        {"for": "a minute"},
        {"form": "1m"},
        {"annotations": {"a summary": "x"}},
    ],
    ids=str,
)
def test_a_rule_that_it_would_not_read_is_found(change: dict[str, Any]) -> None:
    assert list(faults_of(GOOD)) == []
    assert list(faults_of({**GOOD, **change}))


def rules() -> dict[str, Any]:
    read = [yaml.safe_load((ALERTS / f"{name}.yml").read_text()) for name in ("prometheus", "loki")]
    return {rule["alert"]: rule["expr"] for file in read for group in file["groups"] for rule in group["rules"]}


def queries() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ALERTS / "queries.yml").read_text())
    return found


def test_each_row_of_the_table_has_a_rule_and_each_rule_its_row() -> None:
    named = [re.findall(r"`(Armani\w+)`", row) for row in ROWS]
    assert len(named) >= 7
    assert all(named), ROWS
    assert sorted(rule for row in named for rule in row) == sorted(rules())


def test_rules_ask_only_for_figures_that_the_site_or_a_query_gives() -> None:
    given = {f"{name}_{column}" for name, query in queries().items() for each in query["metrics"] for column in each}
    asked = {name for expression in rules().values() for name in re.findall(r"\barmani_(?!readyz)\w+", expression)}
    assert asgi.metrics  # with the application all that counts is loaded
    told = tuple(metric.name for metric in REGISTRY.collect() if metric.name.startswith("armani_"))
    assert {name for name in asked if not name.startswith(told)} == given


@pytest.mark.django_db
def test_the_queries_count_what_their_names_say(ada: User) -> None:
    OutgoingMail.objects.create(to="a@example.org", sender="b@example.org", status=OutgoingMail.Status.FAILED)
    OutgoingMail.objects.create(to="a@example.org", sender="b@example.org")
    Flag.objects.create(player=ada, kind=Flag.Kind.STEADY, figure=3, cards=40)
    for query in queries().values():
        with connection.cursor() as cursor:
            cursor.execute(query["query"])
            columns = [column.name if hasattr(column, "name") else column[0] for column in cursor.description]
            assert [list(each) for each in query["metrics"]] == [[column] for column in columns]
            assert cursor.fetchone() == (1,)
