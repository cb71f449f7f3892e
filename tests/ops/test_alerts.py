"""What docs/operations.md finds worth an alarm has a rule, and each rule asks for something that is there."""

import re
from typing import Any

import pytest
import yaml
from django.db import connection

from accounts.models import OutgoingMail, User
from games.slaps.models import Flag
from tests.factories.site_process import ROOT

ALERTS = ROOT / "docs" / "alerts"
PAGE = (ROOT / "docs" / "operations.md").read_text()
ROWS = re.findall(r"^\|(?!---).+\|$", PAGE.partition("Worth an alarm")[2].partition("###")[0], re.MULTILINE)[1:]


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


def test_rules_ask_only_for_figures_of_the_site_that_a_query_gives() -> None:
    given = {f"{name}_{column}" for name, query in queries().items() for each in query["metrics"] for column in each}
    asked = {name for expression in rules().values() for name in re.findall(r"\barmani_(?!readyz)\w+", expression)}
    assert asked == given


@pytest.mark.django_db
def test_queries_count_what_they_say(ada: User) -> None:
    OutgoingMail.objects.create(to="a@example.org", sender="b@example.org", status=OutgoingMail.Status.FAILED)
    OutgoingMail.objects.create(to="a@example.org", sender="b@example.org")
    Flag.objects.create(player=ada, kind=Flag.Kind.STEADY, figure=3, cards=40)
    for query in queries().values():
        with connection.cursor() as cursor:
            cursor.execute(query["query"])
            columns = [column.name if hasattr(column, "name") else column[0] for column in cursor.description]
            assert [list(each) for each in query["metrics"]] == [[column] for column in columns]
            assert cursor.fetchone() == (1,)
