"""``manage.py match KEY``: a match as text, without hidden cards."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.moderation.models import AuditEntry
from games import rules
from games.matches import history, service, tasks
from games.matches.models import Match, Move, Seat
from games.operations import failures
from games.operations.models import Failure

pytestmark = pytest.mark.django_db(transaction=True)


def shown(match, *flags):
    out = StringIO()
    call_command("match", match.key, *flags, stdout=out)
    return out.getvalue()


def move(match, times=1):
    """Make that many ordinary moves of awaited players and the table."""
    table = service.load(match.pk)
    for _time in range(times):
        name = f"m{table.version}"
        if forced := table.forced_step():
            seat, chosen = forced
            service.step(match.pk, table.version)
        elif table.state.to_move():
            seat = table.state.to_move()[0]
            chosen = table.state.default_move(seat)
            service.act(match.pk, seat, chosen, request_id=name, source=Move.Source.STAND_IN)
        else:
            return
        table.enter(seat, chosen, name)


@pytest.mark.parametrize("slug", [game.slug for game in rules.all()])
def test_the_description_has_what_a_spectator_may_know_and_nothing_else(slug, start_match, make_player):
    people = [make_player(f"Player {number}") for number in range(min(rules.get(slug).seats))]
    match = start_match(slug, *people)
    move(match, 12)
    public, private = set(), set()
    for table, _made, events in history.replay(match):
        for event in events:
            (public if event.is_for(None) else private).add(table.rules.say(event, table.names))
    text = shown(match)
    assert public - {""}
    assert [sentence for sentence in public if sentence not in text] == []
    assert [sentence for sentence in private - public if sentence and sentence in text] == []
    assert match.seed not in text
    assert not AuditEntry.objects.exists()


def test_a_sealed_choice_and_hands_are_shown_on_request_and_that_is_logged(start_match, ada, ben):
    match = start_match("armed", ada, ben)
    move(match)
    [made] = match.moves.all()
    card = made.move.partition(":")[2]
    assert card not in shown(match)
    text = shown(match, "--hands")
    assert made.move in text
    hand = [zone for zone in service.load(match.pk).state.view(1).zones if zone.owner == 1 and zone.cards]
    assert " ".join(code for code in hand[0].cards if code) in text
    assert match.seed not in text
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.target, entry.after) == ("look at all hands", f"match:{match.pk}", {"version": 1})


def test_it_says_what_is_due_and_why(start_match, start_by_mail, ada, ben):
    match = start_match("avalanche", ada, ben)
    text = shown(match)
    assert "Due: " in text
    assert f"the first clock runs out: {service.load(match.pk).names[service.load(match.pk).awaited()[0]]}" in text
    by_mail = start_by_mail("avalanche", ada, ben)
    Seat.objects.filter(match=by_mail, asked_at__isnull=False).update(autopilot_at=timezone.now())
    Match.objects.filter(pk=by_mail.pk).update(seating_epoch=9)
    service.forget_all()
    assert "autoplay moves for" in shown(by_mail)
    free = start_by_mail("armed", ada, ben, clock="daily")
    Match.objects.filter(pk=free.pk).update(due_at=None)
    Seat.objects.filter(match=free).update(due_at=None)
    assert "never: it waits for Ada, Ben, without a time limit" in shown(free)


def test_it_says_that_ai_players_and_the_table_are_due(start_match, ada, ben):
    match = start_match("avalanche", ada, ai={1: "easy"})
    while service.load(match.pk).awaited()[0] == 0:
        move(match)
    assert "the AI player's move, " in shown(match)
    turning = start_match("armani", ada, ben)
    while not service.load(turning.pk).forced_step():
        move(turning)
    assert "the table turns the next card" in shown(turning)
    Match.objects.filter(pk=turning.pk).update(due_at=None)
    assert "never: the next card turns when a player comes to the table" in shown(turning)


def test_it_names_players_who_still_have_to_watch_turn_based_slaps(start_by_mail, ada, ben):
    match = start_by_mail("armani", ada, ben)
    while not service.load(match.pk).at_slap_point:
        move(match)
    assert "a slap point that Ada, Ben must still watch" in shown(match)


def test_the_description_has_missed_turns_leases_and_failures(start_match, ada, ben):
    match = start_match("avalanche", ada, ben)
    late = timezone.now() - timedelta(minutes=9)
    Seat.objects.filter(match=match, due_at__isnull=False).update(due_at=late, is_excused=True)
    Match.objects.filter(pk=match.pk).update(due_at=timezone.now() + timedelta(seconds=20))
    failures.note(Failure.Kind.OVERDUE, match.pk, 0, "KeyError in some/place.py, line 9, act")
    service.forget_all()
    text = shown(match)
    assert "overdue: a sweep is working on it" in text
    assert "Failed at v0, 1 times" in text
    tasks.process_due(match.pk, 0)
    text = shown(match)
    assert "1. " in text
    assert "by stand_in" in text
    assert "autoplay played: " in text
    assert "missed 1" in text


def test_open_and_finished_matches_have_one_too(start_match, ada, ben):
    opened = service.open_table(ada, "avalanche", 2, {})
    assert "seat 1: free" in shown(opened)
    match = start_match("avalanche", ada, ben)
    service.resign(match, ben)
    assert "Due: never: the match is over" in shown(match)


def test_a_broken_match_is_reported_without_its_cards(start_match, ada, ben):
    match = start_match("armed", ada, ben)
    move(match, 4)
    match.moves.filter(number=3).update(move="play:XX")
    text = shown(match)
    assert "The stored moves can't be played further: " in text
    assert "XX" not in text


def test_an_unknown_key_is_refused():
    with pytest.raises(CommandError, match="There is no match with the key nothing"):
        call_command("match", "nothing")
