"""The match service: what it accepts, what it refuses, and that nothing is lost or doubled."""

from datetime import timedelta

import pytest
from django.utils import timezone

from games.matches import history, live_match, service
from games.matches.commands import endings, seating
from games.matches.models import Match, Move, hash_of
from games.table import projection
from tests.factories.samples import sampled


def first_move(match: Match) -> tuple[int, str]:
    table = service.load(match.pk)
    seat = table.state.to_move()[0]
    return seat, table.state.legal_moves(seat)[0]


def player_of(match: Match, seat: int):
    return match.seats.get(number=seat).player


def play_to_end(match: Match) -> None:
    while (table := service.load(match.pk)).status == Match.Status.RUNNING:
        seat = table.state.to_move()[0]
        move = table.state.legal_moves(seat)[0]
        service.act(match.pk, seat, move, request_id=f"m{table.version}", player=player_of(match, seat))


def test_a_table_is_opened_with_its_host_on_the_first_free_seat(ada):
    match = service.open_table(ada, "normal-cards", 3, {"deals": 2}, ai={0: "easy"})
    assert [(seat.number, seat.player, seat.ai_level) for seat in match.seats.all()] == [
        (0, None, "easy"),
        (1, ada, ""),
        (2, None, ""),
    ]
    assert match.options == {"teams": True, "deals": 2}
    assert match.seed_hash == hash_of(match.seed)
    assert len(match.seed) == 32


@pytest.mark.parametrize(
    ("slug", "seats", "options", "more"),
    [
        ("whist", 4, {}, {}),
        ("normal-cards", 5, {}, {}),
        ("normal-cards", 2, {"deals": 0}, {}),
        ("normal-cards", 2, {"jokers": True}, {}),
        ("normal-cards", 2, {}, {"ai": {2: "easy"}}),
        ("normal-cards", 2, {}, {"ai": {1: "brilliant"}}),
        ("normal-cards", 2, {}, {"ai": {0: "easy", 1: "easy"}}),
        ("normal-cards", 2, {}, {"pace": "breakneck"}),
        ("normal-cards", 2, {}, {"clock": "sundial"}),
    ],
)
def test_an_impossible_table_is_refused_and_nothing_of_it_is_stored(ada, slug, seats, options, more):
    with pytest.raises(service.Refused) as refused:
        service.open_table(ada, slug, seats, options, **more)
    assert str(refused.value)
    assert not Match.objects.exists()


def test_people_sit_down_once_and_may_change_seats(ada, ben):
    match = service.open_table(ada, "normal-cards", 3, {})
    assert service.join(match, ben).number == 1
    assert service.join(match, ben).number == 1
    assert service.join(match, ben, 2).number == 2
    assert [seat.name for seat in match.seats.all()] == ["Ada", "", "Ben"]


def test_a_taken_seat_and_a_full_table_are_refused(ada, ben, make_player):
    match = service.open_table(ada, "normal-cards", 2, {})
    with pytest.raises(service.Refused):
        service.join(match, ben, 0)
    service.join(match, ben)
    with pytest.raises(service.Refused):
        service.join(match, make_player("Cleo"))


def test_when_the_host_leaves_the_next_person_is_host_and_the_last_one_closes_the_table(ada, ben):
    match = service.open_table(ada, "normal-cards", 2, {})
    service.join(match, ben)
    service.leave(match, ada)
    assert (match.host, match.status) == (ben, Match.Status.OPEN)
    service.leave(match, ben)
    assert match.status == Match.Status.CANCELLED


def test_only_the_host_starts_and_only_a_full_table(ada, ben):
    match = service.open_table(ada, "normal-cards", 2, {})
    with pytest.raises(service.Refused):
        service.start(match, ada)
    service.join(match, ben)
    with pytest.raises(service.Refused):
        service.start(match, ben)
    service.start(match, ada)
    assert match.status == Match.Status.RUNNING
    with pytest.raises(service.Refused):
        service.start(match, ada)


def test_a_move_is_stored_and_increments_the_version(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    seat, move = first_move(match)
    assert service.act(match.pk, seat, move, request_id="a", seen_version=0, player=player_of(match, seat)).version == 1
    stored = match.moves.get()
    assert (stored.number, stored.seat, stored.move, stored.source) == (1, seat, move, Move.Source.PLAYER)
    match.refresh_from_db()
    assert match.version == 1
    assert match.awaited_seats == list(service.load(match.pk).state.to_move())


def test_a_move_sent_twice_counts_once(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    seat, move = first_move(match)
    player = player_of(match, seat)
    first = service.act(match.pk, seat, move, request_id="a", seen_version=0, player=player)
    again = service.act(match.pk, seat, move, request_id="a", seen_version=0, player=player)
    assert (first.version, first.repeated) == (1, False)
    assert (again.version, again.repeated) == (1, True)
    assert match.moves.count() == 1


def test_a_move_repeated_long_after_is_still_known(ada, ben, start_match, monkeypatch):
    monkeypatch.setattr(live_match, "SNAPSHOT_EVERY", 2)
    match = start_match("normal-cards", ada, ben)
    for number in range(4):
        seat, move = first_move(match)
        service.act(match.pk, seat, move, request_id=f"m{number}", player=player_of(match, seat))
    service.forget_all()
    seat, move = first_move(match)
    repeated = service.act(match.pk, seat, move, request_id="m0", player=player_of(match, seat))
    assert repeated == service.Acted(1, repeated=True)
    assert match.moves.count() == 4


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"move": "play:XX"}, "illegal"),
        ({"move": "x" * 201}, "malformed"),
        ({"move": ""}, "malformed"),
        ({"move": None}, "malformed"),
        ({"request_id": "with space"}, "malformed"),
        ({"request_id": "x" * 65}, "malformed"),
        ({"request_id": 7}, "malformed"),
        ({"seen_version": -1}, "malformed"),
        ({"seen_version": True}, "malformed"),
        ({"seen_version": 10**9}, "stale"),
        ({"seat": 99}, "not_seated"),
        ({"seat": -1}, "not_seated"),
    ],
)
def test_an_impossible_move_is_refused_with_its_reason_and_changes_nothing(ada, ben, start_match, change, code):
    match = start_match("normal-cards", ada, ben)
    seat, move = first_move(match)
    command = {
        "seat": seat,
        "move": move,
        "request_id": "a",
        "seen_version": 0,
        "player": player_of(match, seat),
    } | change
    with pytest.raises(service.Refused) as refused:
        service.act(match.pk, **command)
    assert refused.value.code == code
    assert str(refused.value)
    assert not match.moves.exists()


def test_no_one_moves_for_someone_else(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    seat, move = first_move(match)
    with pytest.raises(service.Refused) as refused:
        service.act(match.pk, seat, move, request_id="a", player=player_of(match, 1 - seat))
    assert refused.value.code == "not_seated"
    with pytest.raises(service.Refused):
        service.act(match.pk, seat, move, request_id="a", player=None)


def test_a_move_decided_on_an_older_table_is_refused(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    seat, move = first_move(match)
    service.act(match.pk, seat, move, request_id="a", player=player_of(match, seat))
    seat, move = first_move(match)
    with pytest.raises(service.Refused) as refused:
        service.act(match.pk, seat, move, request_id="b", seen_version=0, player=player_of(match, seat))
    assert (refused.value.code, refused.value.version) == ("stale", 1)


def test_a_sealed_choice_does_not_make_the_other_one_stale(ada, ben, start_match):
    match = start_match("armed", ada, ben)
    state = service.load(match.pk).state
    for seat in (1, 0):
        choice = state.legal_moves(seat)[0]
        service.act(match.pk, seat, choice, request_id=f"s{seat}", seen_version=0, player=player_of(match, seat))
    assert match.moves.count() == 2
    with pytest.raises(service.Refused) as refused:
        service.act(match.pk, 0, "play:2C", request_id="again", seen_version=1, player=player_of(match, 0))
    assert refused.value.code == "stale"


def test_moves_at_a_table_that_has_not_begun_are_refused(ada):
    match = service.open_table(ada, "normal-cards", 2, {})
    with pytest.raises(service.Refused):
        service.act(match.pk, 0, "play:AC", request_id="a", player=ada)
    with pytest.raises(service.Refused):
        service.act(match.pk + 1, 0, "play:AC", request_id="a", player=ada)


def test_a_whole_match_ends_with_places_points_and_a_shown_outcome(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    play_to_end(match)
    match.refresh_from_db()
    assert match.status == Match.Status.OVER
    assert match.outcome["reason"] == "points"
    assert (match.awaited, match.due_at) == ("", None)
    assert sum(match.outcome["points"]) == 120
    assert [seat.points for seat in match.seats.all()] == match.outcome["points"]
    assert all(seat.place in (1, 2) for seat in match.seats.all())
    with pytest.raises(service.Refused) as refused:
        service.act(match.pk, 0, "play:AC", request_id="late", player=player_of(match, 0))
    assert refused.value.code == "over"


@pytest.mark.parametrize(
    "slug",
    sampled(["normal-cards", "armani", "armed"], "armani"),
)
def test_snapshot_and_later_moves_give_the_same_table_as_the_moves_alone(ada, ben, start_match, monkeypatch, slug):
    monkeypatch.setattr(live_match, "SNAPSHOT_EVERY", 7)
    match = start_match(slug, ada, ben)
    for number in range(24):
        table = service.load(match.pk)
        forced = table.forced_step()
        if forced:
            service.step(match.pk, table.version)
        else:
            seat = table.state.to_move()[0]
            move = table.state.legal_moves(seat)[0]
            service.act(match.pk, seat, move, request_id=f"m{number}", player=player_of(match, seat))
        service.forget_all()
    match.refresh_from_db()
    assert match.snapshot_version == 21
    whole = history.last(match)
    short = service.load(match.pk)
    assert short.version == whole.version == 24
    assert (short.open_version, short.card) == (whole.open_version, whole.card)
    for seat in (0, 1, None):
        assert short.state.view(seat).to_json() == whole.state.view(seat).to_json()


def test_an_unreadable_snapshot_is_ignored(ada, ben, start_match, monkeypatch):
    monkeypatch.setattr(live_match, "SNAPSHOT_EVERY", 2)
    match = start_match("normal-cards", ada, ben)
    for number in range(3):
        seat, move = first_move(match)
        service.act(match.pk, seat, move, request_id=f"m{number}", player=player_of(match, seat))
    before = service.load(match.pk).state.view(0).to_json()
    Match.objects.filter(pk=match.pk).update(snapshot={"state": {"of": "old"}, "open_version": 2, "card": None})
    assert service.load(match.pk).state.view(0).to_json() == before


def test_autoplay_makes_one_cautious_move_for_a_player_whose_time_is_over(ada, ben, start_match, time_machine):
    time_machine.move_to("2026-11-21 12:00:00+00:00", tick=False)
    match = start_match("normal-cards", ada, ben)
    assert not service.time_out(match.pk).is_new
    match.seats.update(is_excused=True)
    service.forget_all()
    time_machine.shift(timedelta(minutes=3, seconds=1))
    assert service.time_out(match.pk) == service.Acted(1, is_new=True)
    assert match.moves.get().source == Move.Source.STAND_IN
    assert not service.time_out(match.pk).is_new


def test_the_end_of_a_turn_is_a_column_that_follows_each_move(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    assert match.due_at == match.turn_since + timedelta(seconds=180)
    seat, move = first_move(match)
    service.act(match.pk, seat, move, request_id="a", player=player_of(match, seat))
    begun = match.turn_since
    match.refresh_from_db()
    assert match.turn_since > begun
    assert match.due_at == match.turn_since + timedelta(seconds=180)


def test_resigning_from_two_seats_ends_the_match(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    service.resign(match, ada)
    match.refresh_from_db()
    assert match.status == Match.Status.OVER
    assert match.outcome["reason"] == "resignation"
    assert [(seat.player, seat.place) for seat in match.seats.all()] == [(ada, 2), (ben, 1)]
    with pytest.raises(service.Refused):
        service.resign(match, ben)


def test_resigning_from_a_bigger_table_hands_the_seat_to_an_ai_player(ada, ben, make_player, start_match):
    match = start_match("normal-cards", ada, ben, make_player("Cleo"))
    awaited, move = first_move(match)
    waiting = (awaited + 1) % 3
    due_at = match.due_at
    service.resign(match, player_of(match, waiting))
    match.refresh_from_db()
    assert match.due_at == due_at
    leaver = player_of(match, awaited)
    service.resign(match, leaver)
    seat = match.seats.get(number=awaited)
    assert (seat.has_resigned, seat.ai_level, seat.player) == (True, "easy", leaver)
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    assert match.due_at <= timezone.now()
    with pytest.raises(service.Refused):
        service.act(match.pk, awaited, move, request_id="a", player=leaver)


def test_a_rematch_is_one_table_for_all_who_played(ada, ben, make_player, start_match):
    match = start_match("normal-cards", ada, ben, deals=2)
    with pytest.raises(service.Refused):
        service.rematch(match, ada)
    service.resign(match, ada)
    again = service.rematch(match, ada)
    assert service.rematch(match, ben) == again
    assert [seat.name for seat in again.seats.all()] == ["Ada", "Ben"]
    assert again.options == match.options
    with pytest.raises(service.Refused):
        service.rematch(match, make_player("Cleo"))


def test_a_player_who_resigned_is_in_the_rematch_and_a_closed_rematch_is_opened_again(ada, ben, start_match):
    match = start_match("armani", ada, ben, ai={2: "hard"})
    service.resign(match, ada)
    Match.objects.filter(pk=match.pk).update(status="over", outcome={}, finished_at=timezone.now())
    again = service.rematch(match, ada)
    assert [(seat.player, seat.ai_level) for seat in again.seats.all()] == [(ada, ""), (None, ""), (None, "hard")]
    service.leave(again, ada)
    third = service.rematch(match, ben)
    assert third.status == Match.Status.OPEN
    assert service.rematch(match, ada) == third


def test_a_rematch_begins_when_all_have_asked_and_against_ai_players_at_once(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    service.resign(match, ada)
    again = service.rematch(match, ben)
    assert (again.status, again.is_public) == (Match.Status.OPEN, False)
    assert service.rematch(match, ben).status == Match.Status.OPEN
    assert service.rematch(match, ada).status == Match.Status.RUNNING
    alone = start_match("normal-cards", ada, ai={1: "easy"})
    service.resign(alone, ada)
    again = service.rematch(alone, ada)
    assert again.status == Match.Status.RUNNING
    assert again.seats.get(number=1).ai_name == alone.seats.get(number=1).ai_name


def test_after_a_live_match_a_rematch_is_offered_for_a_minute(ada, ben, start_match, time_machine):
    time_machine.move_to("2026-03-01T12:00Z", tick=False)
    match = start_match("normal-cards", ada, ben)
    service.resign(match, ada)
    again = service.rematch(match, ben)
    assert projection.read(match.pk).match.rematch == again
    shown = projection.rematch_to_json(projection.read(match.pk).match)
    assert shown == {
        "url": again.get_absolute_url(), "status": "open", "agreed": [1], "asked": [0], "seconds": 60,
    }  # fmt: skip
    time_machine.shift(61)
    assert projection.rematch_to_json(projection.read(match.pk).match) is None
    anew = service.rematch(match, ada)
    assert anew != again
    assert [seat.player for seat in anew.seats.all()] == [ada, None]
    again.refresh_from_db()
    assert again.status == Match.Status.CANCELLED


def test_the_rematch_of_a_turn_based_match_waits_as_any_table_does(ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben)
    service.resign(match, ada)
    again = service.rematch(match, ben)
    assert again.due_at > timezone.now() + timedelta(hours=23)
    assert projection.rematch_to_json(projection.read(match.pk).match)["seconds"] is None


def test_no_player_can_use_the_request_id_of_a_step_of_the_table(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    seat, move = first_move(match)
    for name in ("table:1", "ai:1:1", "stand-in:1:0", "slap:1:0"):
        with pytest.raises(service.Refused) as refused:
            service.act(match.pk, seat, move, request_id=name, player=player_of(match, seat))
        assert refused.value.code == "malformed"


def test_the_table_turns_forced_cards_by_itself_and_a_player_only_asks(ada, ben, start_match):
    match = start_match("armani", ada, ben)
    while not service.load(match.pk).forced_step():
        seat, _ = first_move(match)
        moves = service.load(match.pk).state.legal_moves(seat)
        service.act(
            match.pk, seat, "fold" if "fold" in moves else moves[0], request_id=f"bet{seat}{len(moves)}",
            player=player_of(match, seat),
        )  # fmt: skip
    table = service.load(match.pk)
    seat, move = table.forced_step()
    assert move == "flip"
    asked = service.act(match.pk, seat, "flip", request_id="asks", player=player_of(match, seat))
    assert asked.version == table.version
    assert service.step(match.pk, table.version).version == table.version + 1
    with pytest.raises(service.Refused) as refused:
        service.step(match.pk, table.version)
    assert refused.value.code == "stale"


def test_seats_follow_a_new_name_and_keep_the_last_one(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    ada.name = "Ada L."
    ada.save()
    assert service.load(match.pk).names == ["Ada L.", "Ben"]
    ada.delete()
    assert [seat.name for seat in match.seats.all()] == ["Ada L.", "Ben"]


def test_a_player_who_leaves_everything_while_a_match_begins_has_left_it(ada, ben, make_player, monkeypatch):
    match = service.open_table(ada, "amagande", 3, {})
    for person in (ben, make_player("Cleo")):
        service.join(match, person)

    def too_late(opened: Match, player: object) -> None:
        service.start(opened, ada)
        seating.leave(opened, player)

    monkeypatch.setattr(endings, "leave", too_late)
    service.leave_everything(ben)
    seat = match.seats.get(player=ben)
    assert (seat.has_resigned, seat.ai_level) == (True, "easy")


def test_when_the_last_person_resigns_the_match_ends(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben, ai={2: "easy"})
    service.resign(match, ada)
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    service.resign(match, ben)
    match.refresh_from_db()
    assert match.status == Match.Status.OVER
    assert [seat.place for seat in match.seats.all()] == [1, 3, 1]


def test_no_one_waits_for_a_player_whose_account_is_deleted(ada, ben, make_player, start_match):
    duel = start_match("normal-cards", ada, ben)
    round_table = start_match("normal-cards", ada, ben, make_player("Cleo"))
    waiting = service.open_table(ada, "normal-cards", 2, {})
    ada.delete()
    for match in (duel, round_table, waiting):
        match.refresh_from_db()
    assert duel.outcome["ranking"] == [[1], [0]]
    assert round_table.seats.get(number=0).ai_level == "easy"
    assert waiting.status == Match.Status.CANCELLED
