"""Tables that a page or a room leaves for the writer: no second reading, and never an outdated answer."""

from collections.abc import Callable
from dataclasses import fields

import pytest

from accounts.models import User
from games.matches import handed_over, loading, service
from games.matches.commands import endings
from games.matches.commit.batch import BatchCommitter
from games.matches.commit.changeset import Acted, Refused
from games.matches.live_match import LiveMatch
from games.matches.models import Match
from games.table import projection
from tests.factories.commits import JOINED, assert_log_is_whole, command_of, done, first_moves, silent

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def match(ada: User, ben: User, start_match: Callable[..., Match]) -> Match:
    match = start_match("normal-cards", ada, ben)
    service.forget_all()
    return match


def test_the_first_move_after_a_page_reads_no_table(match, django_assert_num_queries):
    command = command_of(match, first_moves(match, 1), 0)
    projection.read(match.pk)
    # Whether the copy is current; then as for any move: begin, the version, the move, the clocks, the notice, the end.
    with django_assert_num_queries(7 - JOINED):
        assert done(BatchCommitter(silent), command) == [Acted(1, is_new=True)]


def test_the_page_keeps_its_own_table(match):
    moves = first_moves(match, 1)
    projected = projection.read(match.pk)
    before = projected.table.view(0).to_json()
    done(BatchCommitter(silent), command_of(match, moves, 0))
    assert projected.table.version == 0
    assert projected.table.view(0).to_json() == before


def test_a_copy_is_as_the_match_was_read(ada, ben, start_match):
    match = start_match("basic-rummy", ada, ben)
    moves = first_moves(match, 60)  # beyond a snapshot
    done(BatchCommitter(silent), *(command_of(match, moves, number) for number in range(60)))
    projection.read(match.pk)
    handed, loaded = handed_over.take([match.pk])[match.pk], loading.load([match.pk])[match.pk]
    assert handed.to_snapshot() == loaded.to_snapshot()
    assert handed.requests.items() >= loaded.requests.items()
    for each in fields(LiveMatch):
        if each.name not in ("state", "rules", "requests"):
            assert getattr(handed, each.name) == getattr(loaded, each.name), each.name


def test_an_outdated_copy_is_read_again_before_a_move(match):
    moves = first_moves(match, 3)
    projection.read(match.pk)
    here, there = BatchCommitter(silent), BatchCommitter(silent)
    (stale,) = handed_over.take([match.pk]).values()
    done(there, *(command_of(match, moves, number) for number in range(2)))
    handed_over.leave(stale)
    assert done(here, command_of(match, moves, 2)) == [Acted(3, is_new=True)]
    assert_log_is_whole(match, 3)


def test_an_outdated_copy_is_read_again_before_a_refusal(match):
    moves = first_moves(match, 2)
    projection.read(match.pk)
    here, there = BatchCommitter(silent), BatchCommitter(silent)
    (stale,) = handed_over.take([match.pk]).values()
    done(there, command_of(match, moves, 0))
    handed_over.leave(stale)
    late = command_of(match, moves, 0)
    late.request_id, late.seen_version = "another", 0
    (refused,) = done(here, late)
    assert isinstance(refused, Refused)
    assert (refused.code, refused.version) == ("stale", 1)


def test_a_copy_from_before_another_seating_is_not_taken(match, ada):
    projection.read(match.pk)
    (stale,) = handed_over.take([match.pk]).values()
    done(BatchCommitter(silent), endings.Resign(match.pk, ada.pk))
    handed_over.leave(stale)
    assert handed_over.take_current([match.pk]) == {}


def test_a_changed_seating_leaves_no_copy(match, ada):
    projection.read(match.pk)
    committer = BatchCommitter(silent)
    done(committer, command_of(match, first_moves(match, 1), 0))
    projection.read(match.pk)
    done(committer, endings.Resign(match.pk, ada.pk))
    assert handed_over.take([match.pk]) == {}


def test_only_the_newest_copies_are_kept(match, monkeypatch):
    monkeypatch.setattr(handed_over, "TABLES", 2)
    table = service.load(match.pk)
    for match_id in (1, 2, 1, 3):
        table.match_id = match_id
        handed_over.leave(table)
    assert list(handed_over.take([1, 2, 3])) == [1, 3]


def test_a_finished_match_is_not_left(match):
    moves = first_moves(match, 36)
    done(BatchCommitter(silent), *(command_of(match, moves, number) for number in range(36)))
    assert not service.load(match.pk).state.to_move()
    projection.read(match.pk)
    assert handed_over.take([match.pk]) == {}
