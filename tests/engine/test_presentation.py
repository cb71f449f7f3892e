"""What a game shows if it says nothing else."""

from games.engine import Presentation, SeatView, View
from games.engine.presentation import by_points, knows_points


def test_points_are_known_and_are_the_reason_for_each_place():
    seats = [SeatView(0, place=1, points=12), SeatView(1, place=2, points=2.5)]
    view = View("whist", None, "over", (), seats, [], {}, [])
    assert by_points(view, ("Ada", "Ben"), ()) == ["12 points", "2.5 points"]
    assert knows_points(view)


def test_a_hand_lies_in_pack_order_or_by_rank():
    hand = ["KC", "2D", "TD", "RJ"]
    assert Presentation().in_order(hand) == hand
    assert Presentation(sorts_by_rank=True).in_order(hand) == ["RJ", "2D", "TD", "KC"]
    assert Presentation(sorts_by_rank=True, ranks="KT2R").in_order(hand) == ["KC", "TD", "2D", "RJ"]
