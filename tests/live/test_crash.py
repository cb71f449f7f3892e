"""A killed server loses nothing that was seen: real processes, real sockets, kill -9 during a match."""

import pytest

from tests.factories.bench import bench


@pytest.mark.process
def test_moves_go_on_where_players_last_saw_them_after_a_kill():
    report = bench("--matches=6", "--seats=4", "--rate=30", "--seconds=6", "--kill")
    assert report["killed"]
    assert report["reconnects"] > 0
    assert (report["lost"], report["seen_but_not_stored"]) == (0, 0)
    assert report["moves"] > 60


@pytest.mark.services
def test_servers_that_restart_one_after_the_other_show_no_one_an_error():
    report = bench("--matches=4", "--seats=4", "--rate=20", "--seconds=2", "--roll")
    assert report["reconnects"] >= 16, "everybody has come again"
    assert (report["lost"], report["seen_but_not_stored"]) == (0, 0)
    assert (report["broken"], report["broken_pages"]) == (0, 0)
    assert report["moves"] > 20
    assert report["pages"] > 5


@pytest.mark.services
def test_two_servers_deliver_every_move_to_both_sides_of_a_table():
    report = bench("--matches=4", "--seats=4", "--seconds=3")
    assert report["processes"] == 2
    assert (report["lost"], report["seen_but_not_stored"], report["reconnects"]) == (0, 0, 0)
    assert report["moves"] > 20
