"""Every list of the admin site, with each filter and search, uses an index and counts only up to a limit."""

import re

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.admin_kit import MOST, CappedPaginator, LongListAdmin
from accounts.models import User
from games.devtools.management.commands.bench_admin import queries_of, request_for

pytestmark = pytest.mark.django_db

#: Filter values of most rows: the newest hundred of them are found without an index.
COMMON = {
    ("accounts.User", "is_staff__exact=0"),
    ("accounts.User", "is_active__exact=1"),
    ("talk.Line", "is_removed__exact=0"),
    ("cases.AiCase", "is_settled__exact=1"),
    ("moderation.Report", "state=closed"),
    ("games.SlapAttempt", ""),  # except turn-based ones that are still to be judged
}
#: An index finds a few rows, which are then sorted.
FEW = {
    ("moderation.Report", ""),  # the open ones
    ("moderation.Report", "state=mine"),
    ("moderation.Report", "state=aside"),
    ("moderation.Report", "state=second"),  # one in twenty of a month
    ("games.Match", "due=stuck"),
    ("operations.Failure", "state=still"),
    ("moderation.Sanction", "state=force"),
    ("moderation.Sanction", "state=back"),  # SQLite reads all decisions; there are never many
}
#: Tables that stay small however much is played.
SMALL = re.compile(
    r"auth_group|games_outage|operations_(switches|announcement|daycount)|mfa_authenticator|django_content_type"
)


@pytest.fixture
def boss(db):
    return User.objects.create_superuser("boss@example.org", name="Boss")


def plan_of(sql: str) -> list[str]:
    """Steps that read a whole table, or sort it.

    What PostgreSQL sorts depends on the number of rows: ``manage.py bench_admin`` measures it with a million.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute(f"EXPLAIN {sql}")
            return [row[0].strip() for row in cursor.fetchall() if "Seq Scan on" in row[0]]
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        steps = [row[3] for row in cursor.fetchall()]
        bad = [step for step in steps if step.startswith("SCAN ") and " USING " not in step and "subquery" not in step]
        return bad + [step for step in steps if step == "USE TEMP B-TREE FOR ORDER BY"]


def test_every_list_filter_and_search_has_its_index(boss):
    wrong = []
    asked = 0
    for model in filter(admin.site.is_registered, apps.get_models()):
        model_admin = admin.site.get_model_admin(model)
        if SMALL.search(model._meta.db_table):
            continue
        for query in queries_of(model_admin, boss):
            if (model._meta.label, query) in COMMON | FEW:
                continue
            with CaptureQueriesContext(
                connection,
            ) as captured:
                changes = model_admin.get_changelist_instance(request_for(query, boss))
                list(changes.result_list)
            for each in captured.captured_queries:
                sql = each["sql"]
                # All rows in the order of their key are read in that order, up to the page's end.
                if " WHERE " not in sql or SMALL.search(sql):
                    continue
                asked += 1
                wrong += [(model._meta.label, query, step) for step in plan_of(sql)]
    assert asked > 100
    assert wrong == []


def test_no_list_counts_all_of_its_rows(boss):
    for model in filter(admin.site.is_registered, apps.get_models()):
        model_admin = admin.site.get_model_admin(model)
        with CaptureQueriesContext(connection) as captured:
            model_admin.get_changelist_instance(request_for("", boss))
        counts = [each["sql"] for each in captured.captured_queries if "COUNT(" in each["sql"]]
        assert all(f"LIMIT {MOST + 1}" in sql for sql in counts) or SMALL.search(model._meta.db_table), counts


def test_a_list_has_a_last_page_and_says_that_there_is_more(boss, client, monkeypatch):
    monkeypatch.setattr("accounts.admin_kit.MOST", 3)
    for number in range(4):
        User.objects.create_user(f"u{number}@example.org", name=f"User {number}")
    paginator = CappedPaginator(User.objects.order_by("-pk"), 2)
    assert (paginator.count, paginator.is_capped, paginator.num_pages) == (3, True, 2)
    client.force_login(boss)
    assert "the first 3 of many users" in client.get("/admin/accounts/user/").content.decode()
    assert CappedPaginator(User.objects.filter(pk=boss.pk).order_by("pk"), 2).is_capped is False


@pytest.mark.usefixtures("contexts")
def test_a_search_finds_by_key_address_and_the_beginning_of_a_name(boss, client, ada, ben, start_match):
    match = start_match("amagande", ada, ben)
    client.force_login(boss)

    def found(page, term):
        return client.get(f"/admin/{page}/", {"q": term}).context["cl"].result_count

    for term, count in ((match.key, 1), ("ADA", 1), ("ad", 1), ("ada@example.org", 1), ("da", 0), ("nobody", 0)):
        assert found("games/match", term) == count, term
    assert found("accounts/user", "b") == 2
    assert found("accounts/user", "BEN@example.org") == 1


def test_a_list_without_a_search_has_all_its_rows_whatever_is_asked(ada):
    plain = LongListAdmin(User, admin.site)
    found, _may_repeat = plain.get_search_results(request_for("q=x", ada), User.objects.all(), "x")
    assert list(found) == [ada]
