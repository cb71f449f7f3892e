"""Plans: made before the turn, played in it, dropped when their preconditions have changed."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from django.db.models import F
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.moderation.models import Sanction
from accounts.moderation.restrictions import forget
from games.engine import Move as MoveText
from games.matches import service
from games.matches.models import Match, Move, Seat
from games.plans import run_plans
from games.plans.models import ForcedMove, Habit, Plan
from games.plans.preconditions import Ending, candidates
from games.table import coach
from tests.factories.tables import keep_up
from tests.factories.turns import asked

Start = Callable[..., Match]


@pytest.fixture(autouse=True)
def queued(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """No task reaches a worker: tests decide when plans run."""
    queued: list[int] = []
    for module in ("games.plans.tasks", "games.plans.views"):
        monkeypatch.setattr(f"{module}.queue", lambda _task, match_id: queued.append(match_id))
    return queued


def view_of(match: Match, seat: int):
    return service.load(match.pk).state.view(seat)


def act(match: Match, seat: Seat, move: MoveText | None = None) -> str:
    """Make a move of the seat's player, by default the last legal one."""
    table = service.load(match.pk)
    move = move or table.state.legal_moves(seat.number)[-1]
    service.act(match.pk, seat.number, move, request_id=f"web-{table.version}", player=seat.player)
    return move


def after(match: Match, seat: int, move: MoveText):
    """The state after a move."""
    state = service.load(match.pk).state.copy()
    state.apply(seat, move)
    return state


def moves_of(match: Match, seat: Seat) -> list[str]:
    return list(Move.objects.filter(match=match, seat=seat.number).order_by("number").values_list("move", flat=True))


@pytest.fixture
def armed(start_by_mail: Start, ada: User, ben: User) -> Match:
    return start_by_mail("armed", ada, ben)


def test_planned_cards_in_armed_are_played_battle_by_battle(armed: Match, ada: User):
    mine, other = armed.seats.order_by("number")
    order = view_of(armed, 0).moves[:3]
    plan = run_plans.lay(armed, ada, moves=order)
    run_plans.run(armed.pk)
    assert moves_of(armed, mine) == order[:1]
    for _battle in range(2):
        act(armed, other)
        run_plans.run(armed.pk)
    assert moves_of(armed, mine) == order
    plan.refresh_from_db()
    assert plan.ending == Ending.DONE


def test_planned_moves_are_the_players_own(armed: Match, ada: User):
    run_plans.lay(armed, ada, moves=view_of(armed, 0).moves[:1])
    run_plans.run(armed.pk)
    entry = Move.objects.get()
    assert (entry.source, entry.seat) == (Move.Source.PLAYER, 0)
    assert Seat.objects.get(match=armed, number=0).missed == 0


def test_a_plan_runs_as_often_as_it_likes_and_plays_each_step_once(armed: Match, ada: User):
    mine = armed.seats.get(number=0)
    order = view_of(armed, 0).moves[:3]
    run_plans.lay(armed, ada, moves=order)
    for _run in range(3):
        run_plans.run(armed.pk)
        run_plans.sweep()
    assert moves_of(armed, mine) == order[:1]


def test_a_worker_killed_between_the_move_and_its_note_plays_nothing_twice(armed: Match, ada: User, monkeypatch):
    mine, other = armed.seats.order_by("number")
    order = view_of(armed, 0).moves[:2]
    plan = run_plans.lay(armed, ada, moves=order)

    def killed(*_args: object) -> bool:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(run_plans, "advance", killed)
        with pytest.raises(SystemExit):
            run_plans.run(armed.pk)
    assert moves_of(armed, mine) == order[:1]
    act(armed, other)
    run_plans.run(armed.pk)
    assert moves_of(armed, mine) == order
    plan.refresh_from_db()
    assert (plan.position, plan.ending) == (2, Ending.DONE)


def test_a_card_played_by_hand_first_drops_the_rest(armed: Match, ada: User):
    mine, other = armed.seats.order_by("number")
    order = view_of(armed, 0).moves[:3]
    plan = run_plans.lay(armed, ada, moves=order)
    act(armed, mine, order[0])
    act(armed, other)
    run_plans.run(armed.pk)
    assert moves_of(armed, mine) == order[:1]
    plan.refresh_from_db()
    assert plan.ending == Ending.ILLEGAL


@pytest.fixture
def cards(start_by_mail: Start, ada: User, ben: User) -> tuple[Match, Seat, Seat]:
    """A match of Normal Cards: the seat whose turn it is and the next one."""
    match = start_by_mail("normal-cards", ada, ben)
    first = asked(match)
    return match, first, match.seats.exclude(pk=first.pk).get()


def test_a_planned_move_that_is_legal_when_the_turn_comes_is_played(cards: tuple[Match, Seat, Seat]):
    match, first, second = cards
    led = act(match, first)
    # It isn't known in advance which card follows suit, so choose one that does.
    legal = view_of(match, second.number).moves[0]
    assert second.player is not None
    run_plans.lay(match, second.player, moves=[legal])
    run_plans.run(match.pk)
    assert moves_of(match, first) == [led]
    assert moves_of(match, second) == [legal]


def test_a_planned_move_that_is_no_longer_legal_is_dropped_and_the_player_decides(
    start_by_mail: Start, ada: User, ben: User
):
    match = start_by_mail("amagande", ada, ben)
    first = asked(match)
    second = match.seats.exclude(pk=first.pk).get()
    assert second.player is not None
    planned = candidates(view_of(match, second.number))
    led, refused = next(
        (lead, move)
        for lead in view_of(match, first.number).moves
        for move in planned
        if move not in after(match, first.number, lead).legal_moves(second.number)
        and second.number in after(match, first.number, lead).to_move()
    )
    plan = run_plans.lay(match, second.player, moves=[refused])
    act(match, first, led)
    run_plans.run(match.pk)
    plan.refresh_from_db()
    assert plan.ending == Ending.ILLEGAL
    assert moves_of(match, second) == []


def test_a_hand_that_someone_else_has_changed_ends_a_plan(start_by_mail: Start, ada: User, ben: User):
    match = start_by_mail("ten-skip", ada, ben)
    first = asked(match)
    second = match.seats.exclude(pk=first.pk).get()
    assert second.player is not None
    hand = [move.partition(":")[2] for move in candidates(view_of(match, second.number))]
    plan = run_plans.lay(match, second.player, moves=[f"discard:{hand[0]}"])
    swap = next(move for move in view_of(match, first.number).moves if move.startswith("swap:"))
    act(match, first, swap)
    act(match, second, f"give:{hand[-1]}")
    act(match, first, "end")
    run_plans.run(match.pk)
    plan.refresh_from_db()
    assert plan.ending == Ending.HAND


def test_a_turn_of_several_moves_is_planned_as_one(start_by_mail: Start, ada: User, ben: User):
    match = start_by_mail("basic-rummy", ada, ben)
    first = asked(match)
    second = match.seats.exclude(pk=first.pk).get()
    assert second.player is not None
    discard = candidates(view_of(match, second.number))[1]
    plan = run_plans.lay(match, second.player, moves=["draw:stock", discard])
    act(match, first)
    while asked(match) == first:
        act(match, first)
    run_plans.run(match.pk)
    assert moves_of(match, second) == ["draw:stock", discard]
    assert asked(match) == first
    plan.refresh_from_db()
    assert plan.ending == Ending.DONE


def test_bids_stop_at_the_maximum(start_by_mail: Start, ada: User, ben: User):
    match = start_by_mail("armani", ada, ben)
    first = asked(match)
    second = match.seats.exclude(pk=first.pk).get()
    assert second.player is not None
    plan = run_plans.lay(match, second.player, maximum=6)
    for bet in ("bet:2", "bet:5"):
        act(match, first, bet)
        run_plans.run(match.pk)
        run_plans.run(match.pk)
    assert moves_of(match, second) == ["bet:3", "bet:6"]
    act(match, first, "bet:7")
    run_plans.run(match.pk)
    assert moves_of(match, second) == ["bet:3", "bet:6", "fold"]
    plan.refresh_from_db()
    assert plan.ending == Ending.DONE


def test_a_maximum_opens_with_the_least(start_by_mail: Start, ada: User, ben: User):
    match = start_by_mail("armani", ada, ben)
    first = asked(match)
    assert first.player is not None
    run_plans.lay(match, first.player, maximum=20)
    run_plans.run(match.pk)
    assert moves_of(match, first) == ["bet:1"]


def test_nothing_is_planned_for_others_at_live_tables_or_after_the_end(
    armed: Match, ada: User, ben: User, make_player, start_match
):
    moves = view_of(armed, 0).moves[:1]
    with pytest.raises(service.Refused, match="no seat"):
        run_plans.lay(armed, make_player("Carla"), moves=moves)
    live = start_match("armed", ada, ben)
    with pytest.raises(service.Refused, match="turn-based"):
        run_plans.lay(live, ada, moves=view_of(live, 0).moves[:1])
    service.resign(armed, ben)
    armed.refresh_from_db()
    with pytest.raises(service.Refused, match="turn-based"):
        run_plans.lay(armed, ada, moves=moves)


@pytest.mark.parametrize("bad", [[], ["play:XX"], ["draw:stock"], ["own", "own"], ["own"] * 11])
def test_an_impossible_plan_is_refused(armed: Match, ada: User, bad: list[str]):
    own = view_of(armed, 0).moves[0]
    with pytest.raises(service.Refused):
        run_plans.lay(armed, ada, moves=[own if move == "own" else move for move in bad])
    assert not Plan.objects.filter(ending="").exists()


def test_a_new_player_does_not_get_the_former_players_plan(armed: Match, ada: User, make_player):
    plan = run_plans.lay(armed, ada, moves=view_of(armed, 0).moves[:1])
    carla = make_player("Carla")
    Seat.objects.filter(match=armed, number=0).update(player=carla)
    Match.objects.filter(pk=armed.pk).update(seating_epoch=5)
    service.forget_all()
    run_plans.run(armed.pk)
    assert not Move.objects.exists()
    assert run_plans.plan_of(Seat.objects.get(match=armed, number=0), carla) is None
    assert plan.is_active


def test_autoplay_has_no_plans(armed: Match, ada: User):
    plan = run_plans.lay(armed, ada, moves=view_of(armed, 0).moves[:1])
    Seat.objects.filter(match=armed, number=0).update(autopilot_at=timezone.now())
    run_plans.run(armed.pk)
    plan.refresh_from_db()
    assert plan.ending == Ending.AWAY
    assert not Move.objects.exists()


def bar(person: User) -> None:
    """Keep a person from playing, by a warning that they haven't read."""
    Sanction.objects.create(
        person=person,
        person_name=person.name,
        kind="warning",
        rule="respect",
        reason="Rude.",
        in_force_at=timezone.now(),
    )
    forget(person.pk)


def test_a_plan_ends_when_its_player_may_not_play(armed: Match, ada: User):
    plan = run_plans.lay(armed, ada, moves=view_of(armed, 0).moves[:1])
    bar(ada)
    run_plans.run(armed.pk)
    plan.refresh_from_db()
    assert plan.ending == Ending.BARRED
    assert not Move.objects.exists()


def swept(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The matches whose plans one sweep looks at."""
    looked: list[int] = []
    with monkeypatch.context() as patched:
        run = run_plans.run
        patched.setattr(run_plans, "run", lambda match_id: (looked.append(match_id), run(match_id)))
        run_plans.sweep()
    return looked


def test_the_sweep_looks_once_at_a_plan_that_has_to_wait(
    start_by_mail: Start, ada: User, ben: User, monkeypatch: pytest.MonkeyPatch
):
    match = start_by_mail("armani", ada, ben)
    first = asked(match)
    second = match.seats.exclude(pk=first.pk).get()
    assert second.player is not None
    plan = run_plans.lay(match, second.player, maximum=6)
    act(match, first, "bet:1")
    act(match, second, "fold")
    assert service.load(match.pk).at_slap_point
    assert swept(monkeypatch) == [match.pk]
    assert swept(monkeypatch) == []
    plan.refresh_from_db()
    assert plan.is_active
    Match.objects.filter(pk=match.pk).update(version=F("version") + 1)
    assert swept(monkeypatch) == [match.pk]


def test_the_sweep_leaves_a_former_players_plan_alone(
    armed: Match, ada: User, make_player, monkeypatch: pytest.MonkeyPatch
):
    run_plans.lay(armed, ada, moves=view_of(armed, 0).moves[:1])
    Seat.objects.filter(match=armed, number=0).update(player=make_player("Carla"))
    assert swept(monkeypatch) == []


def test_the_sweep_replaces_a_lost_task(armed: Match, ada: User, queued: list[int]):
    order = view_of(armed, 0).moves[:2]
    run_plans.lay(armed, ada, moves=order)
    run_plans.sweep()
    act(armed, armed.seats.get(number=1))
    assert queued == [armed.pk]
    run_plans.sweep()
    assert moves_of(armed, armed.seats.get(number=0)) == order


def test_a_commit_queues_plans_only_for_turn_based_matches(start_match, ada: User, ben: User, queued: list[int]):
    live = start_match("armed", ada, ben)
    for seat in live.seats.all():
        act(live, seat)
    assert queued == []


def test_a_commit_queues_plans_only_where_something_is_planned(
    start_by_mail: Start, ada: User, ben: User, queued: list[int]
):
    match = start_by_mail("normal-cards", ada, ben)

    def turns() -> list[int]:
        queued.clear()
        for _turn in range(2):
            act(match, asked(match))
        return queued

    assert turns() == []
    mine = match.seats.get(player=ada)
    run_plans.lay(match, ada, moves=candidates(view_of(match, mine.number))[:1])
    assert set(turns()) == {match.pk}
    run_plans.drop(match, ada)
    assert turns() == []
    Habit.objects.create(user=ben, plays_forced=True)
    assert set(turns()) == {match.pk}


# Forced moves.


def forced_match(start_by_mail: Start, *people: User) -> tuple[Match, Seat]:
    """A match of Normal Cards whose asked seat has one card left, and wants automatic moves."""
    match = start_by_mail("normal-cards", *people)
    table = service.load(match.pk)
    players = {seat.number: seat.player for seat in match.seats.select_related("player")}
    while len(moves := table.state.legal_moves(number := min(table.deciders()))) > 1:
        service.act(match.pk, number, moves[-1], request_id=f"web-{table.version}", player=players[number])
        keep_up(table)
    seat = asked(match)
    assert seat.player is not None
    Habit.objects.create(user=seat.player, plays_forced=True)
    return match, seat


def test_a_forced_move_is_played_after_a_while_for_players_who_want_that(start_by_mail: Start, ada: User, ben: User):
    _match, seat = forced_match(start_by_mail, ada, ben)
    count = Move.objects.count()
    run_plans.sweep()
    due_at = ForcedMove.objects.get().due_at
    assert due_at is not None
    assert timedelta(seconds=55) < due_at - timezone.now() <= timedelta(minutes=10)
    run_plans.sweep()
    assert ForcedMove.objects.get().due_at == due_at
    assert Move.objects.count() == count
    with time_machine.travel(due_at + timedelta(seconds=1)):
        run_plans.sweep()
        run_plans.sweep()
    assert Move.objects.count() >= count + 1
    last = Move.objects.get(number=count + 1)
    assert (last.seat, last.source) == (seat.number, Move.Source.PLAYER)


def test_forced_moves_come_at_random_times(start_by_mail: Start, ada: User, ben: User):
    forced_match(start_by_mail, ada, ben)
    waits = set()
    for _draw in range(5):
        ForcedMove.objects.all().delete()
        run_plans.sweep()
        waits.add(round((ForcedMove.objects.get().due_at - timezone.now()).total_seconds()))
    assert len(waits) > 1


def test_no_moves_are_made_for_players_who_do_not_want_it_or_have_missed_a_turn(
    start_by_mail: Start, ada: User, ben: User
):
    _match, seat = forced_match(start_by_mail, ada, ben)
    Seat.objects.filter(pk=seat.pk).update(missed=1)
    run_plans.sweep()
    assert not ForcedMove.objects.exists()
    Seat.objects.filter(pk=seat.pk).update(missed=0)
    Habit.objects.update(plays_forced=False)
    run_plans.sweep()
    assert not ForcedMove.objects.exists()


def test_an_unsubscribed_setting_changed_back_in_time_counts(start_by_mail: Start, ada: User, ben: User):
    _match, _seat = forced_match(start_by_mail, ada, ben)
    run_plans.sweep()
    Habit.objects.update(plays_forced=False)
    count = Move.objects.count()
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        run_plans.sweep()
    assert Move.objects.count() == count


@pytest.mark.parametrize("refused", ["barred", "over"])
def test_a_forced_move_that_is_refused_is_not_tried_for_ever(start_by_mail: Start, ada: User, ben: User, refused: str):
    match, seat = forced_match(start_by_mail, ada, ben)
    assert seat.player is not None
    run_plans.sweep()
    count = Move.objects.count()
    if refused == "barred":
        bar(seat.player)
    else:
        service.resign(match, seat.player)
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        run_plans.sweep()
    assert ForcedMove.objects.get().due_at is None
    assert Move.objects.count() == count


def test_no_move_is_made_for_a_player_with_a_choice(cards: tuple[Match, Seat, Seat]):
    _match, first, _second = cards
    assert first.player is not None
    Habit.objects.create(user=first.player, plays_forced=True)
    run_plans.sweep()
    assert ForcedMove.objects.get().due_at is None
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        run_plans.sweep()
    assert not Move.objects.exists()


# The pages.


def test_a_plan_is_made_shown_changed_and_deleted_on_its_page(
    armed: Match, ada: User, client: Client, queued: list[int]
):
    client.force_login(ada)
    url = f"/match/{armed.key}/plan/"
    page = client.get(url)
    assert page.status_code == 200
    order = view_of(armed, 0).moves
    assert client.post(url, {"step0": order[1], "step2": order[0]}).status_code == 302
    assert Plan.objects.get().left == [order[1], order[0]]
    shown = client.get(url).content.decode()
    assert "Delete the plan" in shown
    assert client.post(url, {"step0": order[2]}).status_code == 302
    assert Plan.objects.get().left == [order[2]]
    assert queued == [armed.pk, armed.pk]
    assert client.post(url, {"drop": "1"}).status_code == 302
    assert Plan.objects.get().ending == Ending.DROPPED
    assert "You deleted the plan." in client.get(url).content.decode()


def test_only_the_player_has_the_plans_panel_at_the_table(
    armed: Match, ada: User, ben: User, client: Client, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(coach, "is_coached", lambda _match, _user_id: False)  # new players aren't offered plans
    order = view_of(armed, 0).moves
    run_plans.lay(armed, ada, moves=order[:1])
    client.force_login(ada)
    assert "Change the plan" in client.get(armed.get_absolute_url()).content.decode()
    client.force_login(ben)
    content = client.get(armed.get_absolute_url()).content.decode()
    assert "Make a plan" in content
    assert "Change the plan" not in content
    client.logout()
    assert "Make a plan" not in client.get(armed.get_absolute_url()).content.decode()


def test_the_page_is_for_players_of_the_match_only(armed: Match, make_player, client: Client):
    url = f"/match/{armed.key}/plan/"
    assert client.get(url).status_code == 302
    client.force_login(make_player("Carla"))
    assert client.get(url).status_code == 404


def test_an_empty_form_says_what_is_missing(armed: Match, ada: User, client: Client):
    client.force_login(ada)
    response = client.post(f"/match/{armed.key}/plan/", {})
    assert response.status_code == 422
    assert "Choose one to 10 moves." in response.content.decode()


def test_the_page_of_bids_asks_for_a_maximum(start_by_mail: Start, ada: User, ben: User, client: Client):
    match = start_by_mail("armani", ada, ben)
    client.force_login(ada)
    url = f"/match/{match.key}/plan/"
    assert "Bet for me up to" in client.get(url).content.decode()
    assert client.post(url, {"maximum": "59"}).status_code == 422
    assert client.post(url, {"maximum": "12"}).status_code == 302
    assert "Bets for you up to 12." in client.get(url).content.decode()


def test_forced_moves_are_a_setting(ada: User, client: Client):
    client.force_login(ada)
    url = "/accounts/settings/plans/"
    assert client.get(url).status_code == 200
    client.post(url, {"plays_forced": "on"})
    assert Habit.objects.get(user=ada).plays_forced
    client.post(url, {})
    assert not Habit.objects.get(user=ada).plays_forced
