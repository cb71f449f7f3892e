"""A lesson is a match like any other, but visible only to its player."""

import copy
from datetime import timedelta
from html import unescape

import pytest
import time_machine
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from accounts.models import OutgoingMail, User
from games import engine, rules
from games.engine.lesson import READING
from games.judging.timing import WINDOW
from games.lessons import progress, tasks
from games.lessons.models import Done
from games.live.consumers import match_page
from games.matches import service
from games.matches.models import Match, Move
from games.matches.tasks import ai_turn
from games.operations import daily_stats
from games.operations.models import DayCount
from games.profiles import figures
from games.replays.check import faults
from tests.factories.ninth_game import ninth_game
from tests.factories.samples import sampled
from tests.factories.slaps import press

pytestmark = pytest.mark.django_db
KEYS = [lesson.key for game in rules.all() for lesson in rules.by_slug()[game.slug].lessons]
ONE = "basic-rummy/turn"


@pytest.fixture
def lesson() -> engine.Lesson:
    return rules.lesson(ONE)


@pytest.fixture
def match(ada: User, lesson: engine.Lesson) -> Match:
    return service.begin_lesson(ada, lesson)


def make(match: Match, player: User, upto: int | None = None) -> Match:
    """Continue a lesson with its reference solution, up to ``upto`` moves."""
    lesson = rules.lesson(match.lesson_key)
    table = service.load(match.pk)
    for version, entry in enumerate(lesson.line[:upto]):
        if version < table.version:
            continue
        assert table.version == version
        if isinstance(entry, engine.Step):
            service.act(match.pk, 0, entry.move, request_id=f"own-{version}", player=player, seen_version=version)
        elif table.forced_step():
            service.step(match.pk, version)
        else:
            ai_turn(match.pk, version)
        made = Move.objects.get(match=match, number=version + 1)
        assert made.move == entry.move
        table = service.load(match.pk)
    match.refresh_from_db()
    return match


def wrong_tries(lesson: engine.Lesson) -> dict[int, str]:
    """For each step, a move that belongs elsewhere in the lesson."""
    state = lesson.deal()
    legal = []
    for entry in lesson.line:
        legal.append(set(state.legal_moves(0)))
        state.apply(0 if isinstance(entry, engine.Step) else entry.seat, entry.move)
    every = set().union(*legal) - {"slap"}  # a slap is judged by the time of its key press
    return {version: min(every - legal[version]) for version in lesson.versions}


@pytest.mark.parametrize("key", sampled(KEYS, ONE))
def test_the_reference_solution_solves_a_lesson(key, ada):
    match = make(service.begin_lesson(ada, rules.lesson(key)), ada)
    assert Done.objects.filter(user=ada, lesson=key).count() == 1
    assert service.load(match.pk).awaits_pupil
    assert faults(match) == []


@pytest.mark.parametrize("key", sampled(KEYS, ONE))
def test_a_move_against_the_rules_is_refused_at_every_step_with_their_reason(key, ada):
    lesson = rules.lesson(key)
    match = service.begin_lesson(ada, lesson)
    for version, wrong in wrong_tries(lesson).items():
        table = service.load(make(match, ada, version).pk)
        with pytest.raises(engine.IllegalMove) as by_rules:
            table.state.check(0, wrong)
        with pytest.raises(service.Refused) as refusal:
            service.act(match.pk, 0, wrong, request_id=f"wrong-{version}", player=ada, seen_version=version)
        assert (refusal.value.code, str(refusal.value)) == ("illegal", str(by_rules.value))
        assert service.load(match.pk).version == version


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=() if key == "armani/slap" else pytest.mark.whole_match) for key in KEYS]
)
def test_without_scripts_each_step_is_one_of_the_numbered_moves(key, ada, client):
    client.force_login(ada)
    lesson = rules.lesson(key)
    match = service.begin_lesson(ada, lesson)
    for number, (version, step) in enumerate(zip(lesson.versions, lesson.steps, strict=True), 1):
        make(match, ada, version)
        page = unescape(client.get(match.get_absolute_url()).content.decode())
        plain = page[page.index("plain-table") :]
        assert f"Step {number} of {len(lesson.steps)}" in plain
        assert step.say in plain
        assert f'name="move" value="{step.move}"' in plain
        client.post(reverse("match_move", args=[match.key]), {"move": step.move, "v": str(version)})
        assert service.load(match.pk).version == version + 1
    make(match, ada)
    assert lesson.end in unescape(client.get(match.get_absolute_url()).content.decode())


def test_a_legal_move_that_is_not_meant_is_answered_kindly_and_nothing_happens(match, ada):
    with pytest.raises(service.Refused, match="You could take that card"):
        service.act(match.pk, 0, "draw:discard", request_id="other", player=ada)
    assert service.load(match.pk).version == 0


def test_an_unexpected_move_is_answered_with_the_steps_sentence(match, ada, monkeypatch):
    make(match, ada, 2)
    with pytest.raises(service.Refused, match="choose the lit one"):
        service.act(match.pk, 0, "discard:QS", request_id="other", player=ada)


def test_the_others_wait_while_a_step_is_asked_for(match):
    ai_turn(match.pk, 0)
    match.refresh_from_db()
    assert (match.version, match.due_at) == (0, None)


def test_nothing_moves_after_the_lesson_has_ended(match, ada):
    make(match, ada)
    ai_turn(match.pk, match.version)
    assert service.load(match.pk).version == len(rules.lesson(ONE).line)
    assert match.due_at is None


def test_an_unknown_match_has_no_lesson(ada, ben, start_match):
    table = service.load(start_match("basic-rummy", ada, ben).pk)
    assert not table.awaits_pupil
    table.require_meant("anything")


def test_a_lesson_opens_after_the_moves_that_are_made_before_it(ada):
    lesson = rules.lesson("armani/slap")
    match = service.begin_lesson(ada, lesson)
    table = service.load(match.pk)
    assert table.version == lesson.opens_at == 4
    assert table.state.view(0).zone("pile").cards == ["4D", "9C"]
    assert faults(match) == []


def test_the_log_of_a_lesson_begins_where_the_lesson_does(ada, client):
    lesson = rules.lesson("armani/slap")
    match = service.begin_lesson(ada, lesson)
    client.force_login(ada)
    state = reverse("match_state", args=[match.key])
    assert client.get(state).json()["log"] == []
    make(match, ada, lesson.opens_at + 1)
    assert {line["v"] for line in client.get(state).json()["log"]} == {lesson.opens_at + 1}


@override_settings(HURRY=1)
def test_nothing_moves_before_the_sentence_can_be_read(ada):
    lesson = rules.lesson("armani/slap")
    match = service.begin_lesson(ada, lesson)
    words = len(lesson.said_at(lesson.opens_at).split())
    assert match.due_at - match.turn_since >= timedelta(milliseconds=READING * words)
    assert READING * words > WINDOW["relaxed"]


def test_a_slap_over_a_slow_connection_is_in_time_however_late_it_comes(ada):
    lesson = rules.lesson("armani/slap")
    match = make(service.begin_lesson(ada, lesson), ada, lesson.versions[0])
    version = match.version
    assert match.due_at is None
    press(match, ada, 0, version, reaction=90_000, elapsed=95_000, ping=4_000)
    service.step(match.pk, version)
    assert Move.objects.get(match=match, number=version + 1).move == "slap"
    assert service.load(match.pk).state.view(0).zone("won:0").count == 4


def test_a_lesson_keeps_its_rules_when_a_newer_version_comes(ada, lesson, monkeypatch):
    newer = copy.copy(rules.get("basic-rummy"))
    newer.version = lesson.rules_version + 1
    monkeypatch.setitem(rules.by_slug()["basic-rummy"].versions, newer.version, newer)
    assert rules.get("basic-rummy") is newer
    match = make(service.begin_lesson(ada, lesson), ada)
    assert match.rules_version == lesson.rules_version
    assert Done.objects.filter(user=ada, lesson=ONE).exists()


def test_no_one_else_can_open_a_lesson(match, ada, ben, client):
    paths = [
        reverse(name, args=[match.key])
        for name in ("match", "match_state", "replay", "check", "ai_moves", "match_talk")
    ]
    client.force_login(ben)
    for browser in (client, Client()):
        assert {browser.get(path).status_code for path in paths} == {404}
        assert browser.post(reverse("match_move", args=[match.key])).status_code == 404
        assert browser.post(reverse("learn_step", args=[match.key])).status_code == 404
    asked = [(match.key, ben.pk), (match.key, None), (match.key, ada.pk)]
    assert match_page.find(asked) == [None, None, match.pk]


@pytest.mark.parametrize("key", [ONE, "armani/power"])
def test_the_match_of_a_finished_lesson_is_not_listed_counted_or_emailed(key, ada, client):
    match = make(service.begin_lesson(ada, rules.lesson(key)), ada)
    assert (match.status == Match.Status.OVER) == (key != ONE)
    client.force_login(ada)
    for path in (reverse("home"), reverse("my_matches"), reverse("lobby"), reverse("player", args=[ada.name_key])):
        assert match.key not in client.get(path).content.decode()
    assert not match.is_public
    assert not match.is_rated
    table = service.load(match.pk)
    assert (table.by_mail, table.is_live) == (False, True)
    assert figures.results(ada) == []
    assert not figures.visible_matches(ada, ada).exists()
    daily_stats.count_days()
    assert not DayCount.objects.filter(count__gt=0).exclude(what=DayCount.What.SIGN_UPS).exists()
    assert not OutgoingMail.objects.exists()


def test_lesson_matches_are_deleted_after_a_day_and_completed_lessons_stay(match, ada, ben, start_match):
    make(match, ada)
    other = start_match("armed", ada, ben)
    tasks.delete_expired()
    assert Match.objects.filter(pk=match.pk).exists()
    with time_machine.travel(timezone.now() + timedelta(days=1, minutes=1)):
        tasks.delete_expired()
    assert list(Match.objects.all()) == [other]
    assert Done.objects.filter(user=ada).count() == 1


def test_a_lesson_cannot_be_played_on_from_its_replay(match, ada):
    Match.objects.filter(pk=match.pk).update(status="over", outcome={}, finished_at=timezone.now())
    match.refresh_from_db()
    with pytest.raises(service.Refused, match="This was a lesson"):
        service.play_on(match, ada, version=0, seat=0, level="easy")


def test_the_match_of_a_deleted_lesson_can_still_be_read(match, ada):
    Match.objects.filter(pk=match.pk).update(lesson={**match.lesson, "key": "basic-rummy/gone"})
    assert service.load(match.pk).lesson is None
    assert progress.begun_match(ada, rules.lesson(ONE)) is None


def test_a_ninth_game_brings_its_lessons_in_its_own_package(ada, client):
    client.force_login(ada)
    with ninth_game():
        page = client.get(reverse("learn")).content.decode()
        assert "The highest card takes the point" in page
        match = make(service.begin_lesson(ada, rules.lesson("high-card/rounds")), ada)
        assert Done.objects.filter(user=ada, lesson="high-card/rounds").count() == 1
        assert "You won all five rounds." in client.get(match.get_absolute_url()).content.decode()
