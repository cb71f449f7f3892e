"""How many tables may be open, and what happens to forgotten ones."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games.lobby import tasks
from games.matches import service
from games.matches.models import Match, Seat

ARMED = {"option_hand_size": 6, "option_battles": 0}


@pytest.fixture
def as_ada(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


@pytest.fixture
def _few_tables_an_hour(settings) -> None:
    """Three tables an hour from one address, with a fresh count."""
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "open_table": "3/h/ip"}


def test_no_one_has_more_than_ten_open_tables(as_ada: Client, ada: User) -> None:
    for _table in range(service.MOST_OPEN):
        last = service.open_table(ada, "normal-cards", 2, {})
    with pytest.raises(service.Refused) as refused:
        service.open_table(ada, "normal-cards", 2, {})
    assert refused.value.code == "too_many"
    answer = as_ada.post("/lobby/new/", {"game": "armed", "seats": 2, "is_public": "yes", "clock": "table"} | ARMED)
    assert answer.status_code == 422
    assert "You have many open tables" in answer.content.decode()
    assert Match.objects.count() == service.MOST_OPEN

    service.leave(last, ada)
    assert service.open_table(ada, "normal-cards", 2, {}).status == Match.Status.OPEN


def test_running_matches_are_not_counted(ada: User) -> None:
    for _table in range(service.MOST_OPEN + 1):
        service.start(service.open_table(ada, "normal-cards", 2, {}, ai={1: "easy"}), ada)


@pytest.mark.usefixtures("_few_tables_an_hour")
def test_too_many_quick_matches_from_one_address_are_refused_and_make_no_guests(db: None) -> None:
    for _match in range(3):
        assert Client().post("/quick/armed/").status_code == 302
    answer = Client().post("/quick/armed/")
    assert answer.status_code == 429
    assert "Too many attempts" in answer.content.decode()
    assert Match.objects.count() == 3
    assert User.objects.count() == 3


@pytest.mark.usefixtures("_few_tables_an_hour")
def test_a_form_sent_with_faults_is_not_counted(as_ada: Client) -> None:
    sound = {"game": "armed", "seats": 2, "is_public": "yes", "clock": "table"} | ARMED
    for _try in range(5):
        assert as_ada.post("/lobby/new/", sound | {"option_hand_size": 99}).status_code == 422
    for status in (302, 302, 302, 429):
        assert as_ada.post("/lobby/new/", sound).status_code == status


def forgotten(match: Match) -> Match:
    """Make ``match`` look as if no one had come to it for more than a day."""
    Match.objects.filter(pk=match.pk).update(due_at=timezone.now() - timedelta(minutes=1))
    return match


def test_a_table_that_everyone_has_forgotten_is_closed(as_ada: Client, ada: User) -> None:
    match = service.open_table(ada, "normal-cards", 2, {})
    tasks.close_stale_tables()
    match.refresh_from_db()
    assert match.status == Match.Status.OPEN
    assert match.due_at > timezone.now() + timedelta(hours=23)

    forgotten(match)
    tasks.close_stale_tables()
    match.refresh_from_db()
    assert (match.status, match.due_at) == (Match.Status.CANCELLED, None)
    answer = as_ada.get(match.get_absolute_url())
    assert answer.status_code == 410
    assert "This table was closed" in answer.content.decode()


def test_a_player_who_sits_at_a_table_keeps_it_open_by_looking_at_it(as_ada: Client, ada: User) -> None:
    match = forgotten(service.open_table(ada, "normal-cards", 2, {}))
    Client().get(match.get_absolute_url())  # a stranger's visit doesn't count
    match.refresh_from_db()
    assert match.due_at < timezone.now()
    as_ada.get(match.get_absolute_url())
    tasks.close_stale_tables()
    match.refresh_from_db()
    assert match.status == Match.Status.OPEN


def test_a_table_to_which_someone_comes_stays_open(ada: User, ben: User) -> None:
    match = forgotten(service.open_table(ada, "normal-cards", 3, {}))
    service.join(match, ben)
    tasks.close_stale_tables()
    match.refresh_from_db()
    assert match.status == Match.Status.OPEN


def test_matches_that_have_begun_are_never_closed(ada: User, ben: User, start_match) -> None:
    match = forgotten(start_match("normal-cards", ada, ben))
    tasks.close_stale_tables()
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    assert Seat.objects.filter(match=match, player=ada).exists()


def test_the_schedule_closes_forgotten_tables(settings) -> None:
    scheduled = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert tasks.close_stale_tables.name in scheduled


@pytest.mark.parametrize("wrong", ["9" * 5000, "999999999", "-1", "1e9", "²", "<b>", ""])
def test_nonsense_in_any_number_is_refused_without_an_error(as_ada: Client, ada: User, wrong: str) -> None:
    match = service.open_table(ada, "normal-cards", 3, {})
    for command in ("seat", "join"):
        assert as_ada.post(f"{match.get_absolute_url()}{command}/", {"seat": wrong, "level": "easy"}).status_code == 302
    form = {"game": "armed", "seats": 2, "is_public": "yes", "clock": "table"} | ARMED
    for field in ("seats", "option_hand_size", "clock", "is_public"):
        assert as_ada.post("/lobby/new/", form | {field: wrong}).status_code == 422
    assert as_ada.post("/lobby/new/", form | {"game": wrong or "nothing"}).status_code == 404
    assert as_ada.get("/my/", {"page": wrong}).status_code == 200
    assert as_ada.get("/lobby/", {"game": wrong or "nothing"}).status_code == 404
    assert Match.objects.count() == 1
    assert [seat.ai_level for seat in match.seats.all()] == ["", "", ""]
