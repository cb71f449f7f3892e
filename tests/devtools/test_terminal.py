"""The smallest client: a match and a replay at the keyboard, from views alone."""

import io
import json
from random import Random

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

import games.rules
from games.devtools import terminal
from games.engine import TABLE, IllegalMove, Match

SEED = "00112233445566778899aabbccddeeff"


def host_for(slug: str, seats: int, emit=lambda event: None, **options) -> terminal.Host:
    rules = games.rules.get(slug)
    return terminal.Host(rules, Match(slug, rules.version, seats, options, SEED, []), emit)


def names(seats: int) -> list[str]:
    return [f"Player {seat}" for seat in range(seats)]


def at_random(rng: Random) -> terminal.Player:
    """A player that sees only views, and skips optional moves."""
    return lambda view: rng.choice(view.moves) if view.seat in view.to_move else None


class Keyboard:
    """Types the given lines, then always ``otherwise``; records what was shown and asked."""

    def __init__(self, *lines: str, otherwise: str | None = None) -> None:
        self.lines = list(lines)
        self.otherwise = otherwise
        self.screen: list[str] = []

    def ask(self, prompt: str) -> str:
        self.screen.append(prompt)
        if self.lines:
            return self.lines.pop(0)
        if self.otherwise is None:
            raise EOFError
        return self.otherwise

    def show(self, line: str) -> None:
        self.screen.append(line)

    @property
    def text(self) -> str:
        return "\n".join(self.screen)


#: Matches of random players that take hundreds of moves more than others, in the same way.
LONG = {"armed", "basic-rummy"}
WHOLE = [
    pytest.param(rules, marks=pytest.mark.whole_match if rules.slug in LONG else [], id=rules.slug)
    for rules in games.rules.all()
]


@pytest.mark.parametrize("rules", WHOLE)
def test_a_whole_match_of_every_game_from_views_and_the_record_replays(rules):
    seats = min(rules.seats)
    host = host_for(rules.slug, seats)
    terminal.play(host, [at_random(Random(seat)) for seat in range(seats)])
    view = host.view(None)
    assert view.phase == "over"
    assert terminal.results(view, names(seats))[0].startswith("1. Player ")
    *_earlier, last = games.engine.replay(json.loads(json.dumps(host.record().to_json())))
    assert last.view(None) == view


def test_a_person_chooses_by_number_or_by_name_and_learns_why_a_choice_is_refused():
    host = host_for("normal-cards", 2)
    (seat,) = host.view(None).to_move
    first, second = host.view(seat).moves[:2]
    keyboard = Keyboard("99", "play:2C", "?", "v", second)
    person = terminal.Person(seat, host, names(2), keyboard.ask, keyboard.show)
    assert person(host.view(seat)) == second
    assert "isn't a move in this game" in keyboard.text
    assert terminal.HELP in keyboard.text
    assert keyboard.text.count("── normal-cards · play") == 2
    assert terminal.Person(seat, host, names(2), Keyboard("1").ask, keyboard.show)(host.view(seat)) == first


def test_enter_makes_the_only_move_there_is():
    host = host_for("armani", 2)
    (opener,) = host.view(None).to_move
    host.act(opener, "bet:58")
    (seat,) = host.view(None).to_move
    host.act(seat, "flip")
    (seat,) = host.view(None).to_move
    assert set(host.view(seat).moves) == {"flip", "slap"}
    keyboard = Keyboard("", "q")
    assert terminal.Person(seat, host, names(2), keyboard.ask, keyboard.show)(host.view(seat)) == "flip"


def test_enter_makes_no_choice():
    host = host_for("normal-cards", 2)
    (seat,) = host.view(None).to_move
    keyboard = Keyboard("", "1")
    terminal.Person(seat, host, names(2), keyboard.ask, keyboard.show)(host.view(seat))
    assert terminal.HELP in keyboard.screen


def test_q_ends_the_match():
    host = host_for("normal-cards", 2)
    (seat,) = host.view(None).to_move
    person = terminal.Person(seat, host, names(2), Keyboard("q").ask, Keyboard().show)
    with pytest.raises(terminal.Quit):
        person(host.view(seat))


def test_the_screen_shows_my_cards_and_no_one_elses():
    host = host_for("normal-cards", 3)
    mine = host.view(0).zone("hand:0").cards
    text = "\n".join(terminal.render(host.view(0), names(3)))
    assert f"hand:0 (Player 0), 4: {' '.join(mine)}" in text
    assert f"hand:1 (Player 1), 4: {' '.join([terminal.HIDDEN] * 4)}" in text
    for other in (1, 2):
        for code in host.view(other).zone(f"hand:{other}").cards:
            assert code not in text


def test_at_a_shared_keyboard_the_screen_is_cleared_before_a_hand_is_shown():
    host = host_for("normal-cards", 2)
    (seat,) = host.view(None).to_move
    keyboard = Keyboard("", "1")
    terminal.Person(seat, host, names(2), keyboard.ask, keyboard.show, shared=True)(host.view(seat))
    assert keyboard.screen[0].count("\n") >= 40
    assert "when no one else is looking" in keyboard.screen[1]


def test_private_events_are_said_to_the_only_person_and_not_at_a_shared_keyboard():
    told = {}
    for watchers in ([0], [0, 1]):
        keyboard = Keyboard()
        rules = games.rules.get("normal-cards")
        host = host_for("normal-cards", 2, terminal.announce(rules, names(2), watchers, keyboard.show))
        terminal.play(host, [at_random(Random(1)), at_random(Random(2))])
        told[len(watchers)] = keyboard.text
    assert "Player 0's new card is" in told[1]
    assert "Player 1's new card is" not in told[1]
    assert "new card is" not in told[2]
    assert "Player 0 draws a card." in told[2]


def test_anyone_may_slap_before_the_match_goes_on():
    host = host_for("armani", 3)
    asked = []

    def slapper(view):
        if 0 in view.to_move:
            return "bet:58" if "bet:58" in view.moves else next(move for move in view.moves if move != "slap")
        asked.append(view.moves)
        return "slap" if len(asked) == 1 else None

    rng = Random(5)
    terminal.play(host, [slapper, at_random(rng), at_random(rng)], quickest=[0])
    assert set(map(tuple, asked)) == {("slap",)}
    assert [entry for entry in host.entries if entry == (0, "slap")] == [(0, "slap")]
    assert (TABLE, "close") in host.entries


def test_an_awaited_player_must_move():
    with pytest.raises(IllegalMove, match="seat"):
        terminal.play(host_for("normal-cards", 2), [lambda view: None] * 2)


@pytest.fixture
def finished():
    """The rules and the record of a whole match of Normal Cards."""
    host = host_for("normal-cards", 2)
    terminal.play(host, [at_random(Random(1)), at_random(Random(2))])
    return host.rules, host.record()


def step_through(finished, *lines: str, seat: int | None = None) -> Keyboard:
    rules, match = finished
    keyboard = Keyboard(*lines)
    with pytest.raises((terminal.Quit, EOFError)):
        terminal.step_through(rules, match, names(2), keyboard.ask, keyboard.show, seat)
    return keyboard


def test_a_replay_is_stepped_through_to_its_result(finished):
    keyboard = step_through(finished, *[""] * 40, "q")
    for number in range(37):
        assert f"\nMove {number} of 36" in keyboard.screen
    assert "That was the last move." in keyboard.screen
    assert any(line.startswith("1. Player ") for line in keyboard.screen)


def test_a_replay_jumps_goes_back_and_changes_seats(finished):
    keyboard = step_through(finished, "5", "b", "s 1", "s", "s 2", "37", "x", "q")
    moves = [line for line in keyboard.screen if line.startswith("\nMove")]
    assert moves == [f"\nMove {number} of 36" for number in (0, 5, 4, 4, 4)]
    assert keyboard.screen.count(terminal.REPLAY_HELP) == 4
    assert sum("you" in line for line in keyboard.screen if line.startswith(("▸", "  1"))) == 1


def test_a_spectators_replay_shows_no_hand(finished):
    for line in step_through(finished, *[""] * 8).screen:
        if line.startswith("  hand:"):
            assert set(line.split(": ")[-1].split()) == {terminal.HIDDEN}


def test_the_command_plays_saves_and_replays(tmp_path, monkeypatch):
    file = tmp_path / "match.json"
    monkeypatch.setattr("builtins.input", Keyboard(otherwise="1").ask)
    out = io.StringIO()
    call_command("play", "normal-cards", seed=SEED, level="easy", save=file, stdout=out)
    assert "The match is over." in out.getvalue()
    assert len(json.loads(file.read_text())["entries"]) == 36
    monkeypatch.setattr("builtins.input", Keyboard("36", "q").ask)
    out = io.StringIO()
    call_command("play", "normal-cards", replay=file, seat=1, stdout=out)
    assert "Move 36 of 36" in out.getvalue()
    assert "Player 1: " in out.getvalue()


def test_leaving_early_saves_what_was_played(tmp_path, monkeypatch):
    file = tmp_path / "match.json"
    monkeypatch.setattr("builtins.input", Keyboard("1", "q").ask)
    call_command("play", "normal-cards", seed=SEED, level="easy", save=file, stdout=io.StringIO())
    assert 1 <= len(json.loads(file.read_text())["entries"]) < 5


def test_ai_players_play_armani_among_themselves():
    out = io.StringIO()
    call_command("play", "armani", people=0, seats=3, seed=SEED, level="easy", stdout=out)
    assert "1. AI " in out.getvalue()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"slug": "whist"}, "no game whist"),
        ({"slug": "armani", "seats": 9}, "2, 3, 4, 5, 6, 7, 8 players"),
        ({"slug": "armani", "people": 3}, "0 to 2"),
        ({"slug": "armani", "seed": "xyz"}, "hexadecimal"),
        ({"slug": "normal-cards", "options": {"deals": 99}}, "deals must be"),
    ],
)
def test_an_impossible_match_is_refused_in_one_line(arguments, reason):
    with pytest.raises(CommandError, match=reason):
        call_command("play", arguments.pop("slug"), **arguments)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "can't be read"),
        ("{", "isn't a saved match"),
        ("[]", "isn't a saved match"),
        ('{"slug": "normal-cards"}', "isn't a saved match"),
        (json.dumps(Match("armani", 1, 2, {}, SEED, []).to_json()), "a match of armani"),
        (json.dumps(Match("normal-cards", 1, 2, {}, SEED, [(0, "play:2C")]).to_json()), "isn't a saved match"),
        (json.dumps(Match("normal-cards", 99, 2, {}, SEED, []).to_json()), "isn't a saved match"),
    ],
)
def test_a_file_without_a_match_is_refused_in_one_line(tmp_path, content, reason):
    file = tmp_path / "match.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(CommandError, match=reason):
        call_command("play", "normal-cards", replay=file)


@pytest.mark.parametrize("seats", [None, 4])
def test_playout_prints_its_figures(seats):
    out = io.StringIO()
    call_command("playout", "normal-cards", seats=seats, seconds=0.05, json=True, stdout=out)
    figures = json.loads(out.getvalue())
    assert figures["seats"] == (seats or 2)
    assert figures["moves_per_match"] == 36
    assert figures["moves"] == 36 * figures["matches"]
    assert figures["matches_per_s"] == pytest.approx(figures["matches"] / figures["seconds"], rel=0.05)
    assert figures["moves_per_s"] == pytest.approx(36 * figures["matches_per_s"], rel=0.01)
    out = io.StringIO()
    call_command("playout", "normal-cards", seconds=0, stdout=out)
    assert "1 matches" in out.getvalue()
    assert "36.0 moves a match, from 36 to 36" in out.getvalue()


def test_playout_refuses_matches_that_cannot_be_played():
    with pytest.raises(CommandError, match="no game whist"):
        call_command("playout", "whist")
    with pytest.raises(CommandError, match="2, 3, 4, 6 players"):
        call_command("playout", "normal-cards", seats=5)
