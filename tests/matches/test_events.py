"""How a feature follows matches: docs/extending.md, word for word, and failures of listeners."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import override_settings

from accounts.models import User
from games.matches import events, service
from games.matches.commit.changeset import ChangeSet
from games.matches.models import Match

EXAMPLE = Path(__file__).parent / "achievements"
PAGE = Path(__file__).parents[2] / "docs" / "extending.md"

Start = Callable[..., Match]


@pytest.fixture
def wins(db: None, settings: Any) -> Iterator[Any]:
    """The installed example's model."""
    followers = (events.recorders, events.listeners)
    known = [{kind: list(handlers) for kind, handlers in registered.items()} for registered in followers]

    def only_known() -> None:
        for registered, before in zip(followers, known, strict=True):
            registered.clear()
            registered.update({kind: list(handlers) for kind, handlers in before.items()})

    with override_settings(INSTALLED_APPS=[*settings.INSTALLED_APPS, "tests.matches.achievements"]):
        # This makes every application ready again, so all register again; the example for the first time.
        example = events.recorders[events.MatchEnded][-1]
        only_known()
        events.recorders[events.MatchEnded].append(example)
        model = apps.get_model("achievements", "Wins")
        assert example == model.count_one
        with connection.schema_editor() as editor:
            editor.create_model(model)
        yield model
        with connection.schema_editor() as editor:
            editor.delete_model(model)
    only_known()


def test_the_page_shows_the_example_as_it_is() -> None:
    shown = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert (EXAMPLE / "models.py").read_text() in shown
    assert (EXAMPLE / "apps.py").read_text() in shown


@pytest.mark.django_db(transaction=True)
def test_a_feature_counts_wins_and_touches_no_other_file(wins: Any, ada: User, ben: User, start_match: Start) -> None:
    for _match in range(2):
        match = start_match("normal-cards", ada, ben)
        service.resign(match, ben)
    assert list(wins.objects.values_list("user__name", "count")) == [("Ada", 2)]


@pytest.mark.django_db(transaction=True)
def test_an_end_by_agreement_is_a_win_for_no_one(wins: Any, ada: User, ben: User, start_match: Start) -> None:
    match = start_match("normal-cards", ada, ben)
    assert not service.offer_end(match, ada)
    assert service.offer_end(match, ben)
    assert not wins.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_end_of_a_match_is_news_to_all_its_people_also_to_one_whose_seat_an_ai_player_has_taken_over(
    ada: User, ben: User, make_player: Callable[..., User], start_match: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[events.MatchEnded] = []
    monkeypatch.setitem(events.recorders, events.MatchEnded, [ended.append])
    cleo = make_player("Cleo")
    match = start_match("normal-cards", ada, ben, cleo, ai={3: "easy"})
    service.resign(match, ada)
    assert ended == []
    service.offer_end(match, ben)
    service.offer_end(match, cleo)
    assert [tuple(event.user_ids) for event in ended] == [tuple(sorted((ada.pk, ben.pk, cleo.pk)))]


@pytest.mark.django_db(transaction=True)
def test_a_recorder_that_fails_keeps_the_move_from_being_stored(
    ada: User, ben: User, start_match: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = start_match("normal-cards", ada, ben)
    monkeypatch.setitem(events.recorders, events.TurnsBegan, [fail])
    with pytest.raises(service.Unavailable):
        a_move(match)
    match.refresh_from_db()
    assert (match.version, match.moves.count()) == (0, 0)
    monkeypatch.setitem(events.recorders, events.TurnsBegan, [])
    a_move(match)
    assert match.moves.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_listener_that_fails_is_logged_and_the_others_listen(
    ada: User, ben: User, start_match: Start, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    match = start_match("normal-cards", ada, ben)
    heard: list[int] = []
    monkeypatch.setitem(events.listeners, ChangeSet, [fail, lambda change: heard.append(change.table.version)])
    a_move(match)
    assert heard == [1]
    assert "ZeroDivisionError" in caplog.text


def fail(_event: object) -> None:
    raise ZeroDivisionError


def a_move(match: Match) -> None:
    table = service.load(match.pk)
    seat = table.state.to_move()[0]
    player = match.seats.get(number=seat).player
    service.act(match.pk, seat, table.state.legal_moves(seat)[0], request_id=f"m{table.version}", player=player)
