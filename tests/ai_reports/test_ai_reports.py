"""A reported AI move: what is stored, who can report, who sees what, and how it is replayed."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from games.ai_reports.models import AiCase
from games.ai_reports.reports import reportable
from games.matches import service
from games.matches.models import Match, Move
from games.matches.tasks import ai_turn

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(start_match, ada):
    """A match of Ada against an AI player, who has made a move of its own choice."""
    match = start_match("normal-cards", ada, ai={1: "medium"})
    while not match.moves.filter(source=Move.Source.AI).exists():
        table = service.load(match.pk)
        if table.state.to_move()[0] == 0:
            service.act(match.pk, 0, table.state.default_move(0), request_id=f"t{table.version}", player=ada)
        else:
            ai_turn(match.pk, table.version)
    match.refresh_from_db()
    return match


@pytest.fixture
def number(match):
    return match.moves.filter(source=Move.Source.AI).first().number


def _report(client, match, number, **data):
    return client.post(reverse("report_ai_move", args=[match.key, number]), data)


def test_a_reported_move_is_kept_with_all_that_its_player_saw(client, ada, match, number):
    client.force_login(ada)
    response = _report(client, match, number, note="  The ace was good. ")
    assert response.status_code == 302
    case = AiCase.objects.get()
    made = match.moves.get(number=number)
    assert (case.match, case.number, case.move, case.level, case.reporter) == (match, number, made.move, "medium", ada)
    assert case.note == "The ace was good."
    assert case.seen().moves
    assert case.move in case.seen().moves
    assert len(case.record["entries"]) == number - 1


def test_a_move_is_described_as_the_player_read_it_at_the_table(ada, match, monkeypatch):
    monkeypatch.setattr(type(match.rules), "say", lambda _rules, _event, names: f"{names[0]:* loses|You lose}")
    assert {each.sentence for each in reportable(match, ada)} == {"You lose"}


def test_the_page_lists_moves_of_ai_players_and_says_which_are_reported(client, ada, match, number):
    client.force_login(ada)
    page = client.get(reverse("ai_moves", args=[match.key])).content.decode()
    assert f'data-number="{number}"' in page
    assert "Report this move" in page
    _report(client, match, number)
    assert "reported" in client.get(reverse("ai_moves", args=[match.key])).content.decode()


def test_a_move_reported_twice_is_one_case(client, ada, match, number):
    client.force_login(ada)
    _report(client, match, number)
    _report(client, match, number)
    assert AiCase.objects.count() == 1


def test_a_script_gets_its_answer_as_json(client, ada, match, number):
    client.force_login(ada)
    address = reverse("report_ai_move", args=[match.key, number])
    assert client.post(address, headers={"Accept": "application/json"}).json()["t"] == "ok"
    refused = client.post(reverse("report_ai_move", args=[match.key, 9999]), headers={"Accept": "application/json"})
    assert (refused.status_code, refused.json()["code"]) == (409, "not_ai")


def test_only_players_of_the_match_may_report(client, ben, match, number):
    client.force_login(ben)
    _report(client, match, number)
    client.logout()
    _report(client, match, number)
    assert not AiCase.objects.exists()


def test_a_persons_move_cannot_be_reported_as_a_case(client, ada, match):
    client.force_login(ada)
    persons = match.moves.exclude(source=Move.Source.AI).first()
    if persons is None:
        table = service.load(match.pk)
        service.act(match.pk, 0, table.state.default_move(0), request_id="own", player=ada)
        persons = match.moves.exclude(source=Move.Source.AI).first()
    _report(client, match, persons.number)
    assert not AiCase.objects.exists()


def test_only_after_the_match_a_report_says_whether_there_was_a_choice(client, ada, start_match):
    match = start_match("amagande", ada, ai={1: "easy"})
    had_choice = {}
    while set(had_choice.values()) != {True, False}:
        table = service.load(match.pk)
        (seat,) = table.state.to_move()
        if seat == 0:
            service.act(match.pk, 0, table.state.default_move(0), request_id=f"t{table.version}", player=ada)
        else:
            had_choice[table.version + 1] = len(table.state.view(1).moves) > 1
            ai_turn(match.pk, table.version)
    client.force_login(ada)
    answers = {_report(client, match, number, note="Hm.").status_code for number in had_choice}
    page = client.get(reverse("ai_moves", args=[match.key])).content.decode()
    assert (len(answers), "had no choice" in page, "Report this move" in page) == (1, False, False)
    assert AiCase.objects.count() == len(had_choice)
    AiCase.objects.all().delete()
    service.resign(match, ada)
    for number in had_choice:
        _report(client, match, number)
    assert {case.number for case in AiCase.objects.all()} == {number for number, had in had_choice.items() if had}


def test_no_page_shows_a_seed_or_hidden_cards_while_the_match_runs(client, admin_client, ada, match, number):
    client.force_login(ada)
    hidden = service.load(match.pk).state.view(1).zone("hand:1").cards
    answers = [_report(client, match, number), client.get(reverse("ai_moves", args=[match.key]))]
    case = AiCase.objects.get()
    answers.append(admin_client.get(reverse("admin:cases_aicase_changelist")))
    answers.append(admin_client.get(reverse("admin:cases_aicase_change", args=[case.pk])))
    for answer in answers:
        text = answer.content.decode()
        assert match.seed not in text
        assert case.luck not in text
        assert not any(f'"{card}"' in text or f"&quot;{card}&quot;" in text for card in hidden)
        assert "hand:1" not in text


def test_after_the_match_the_admin_site_shows_what_the_ai_player_saw(client, admin_client, ada, match, number):
    client.force_login(ada)
    _report(client, match, number)
    service.resign(Match.objects.get(pk=match.pk), ada)
    case = AiCase.objects.get()
    text = admin_client.get(reverse("admin:cases_aicase_change", args=[case.pk])).content.decode()
    assert "hand:1" in text
    assert f"ai_case {case.pk}" in text


def _run(*args):
    out = StringIO()
    call_command("ai_case", *args, stdout=out)
    return out.getvalue()


def test_the_command_plays_the_case_again_with_every_level(client, ada, match, number):
    client.force_login(ada)
    _report(client, match, number, note="Hm.")
    case = AiCase.objects.get()
    out = _run(str(case.pk), "--tries", "2")
    assert f"Played: {case.move}" in out
    assert f"medium plays {case.move}" in out
    assert "easy plays" in out
    assert "hard plays" in out
    assert "otherwise now" not in out
    assert "Hm." in out
    assert "Hm." in _run()


def test_the_command_gives_the_case_for_the_tests(client, ada, match, number):
    client.force_login(ada)
    _report(client, match, number)
    case = AiCase.objects.get()
    data = json.loads(_run(str(case.pk), "--json"))
    assert (data["move"], data["level"], data["record"]["slug"]) == (case.move, "medium", "normal-cards")


def test_a_case_outlives_its_match(client, ada, match, number):
    client.force_login(ada)
    _report(client, match, number)
    case = AiCase.objects.get()
    Match.objects.filter(pk=match.pk).delete()
    assert f"medium plays {case.move}" in _run(str(case.pk), "--tries", "0")


def test_there_is_no_case_of_that_number():
    with pytest.raises(CommandError, match="no case 77"):
        _run("77")
    assert "No open cases" in _run()


def test_a_sealed_choice_is_kept_as_it_was_decided(start_match, client, ada):
    """In Armed, the opponent's choice may be stored while an AI player thinks: the view is the earlier one."""
    match = start_match("armed", ada, ai={1: "easy"})
    version = service.load(match.pk).version
    service.act(match.pk, 0, service.load(match.pk).state.default_move(0), request_id="first", player=ada)
    state = service.load(match.pk).state
    service.act(
        match.pk, 1, state.legal_moves(1)[0], request_id=f"ai:{version}:1", seen_version=version, source=Move.Source.AI
    )
    client.force_login(ada)
    _report(client, match, version + 2)
    case = AiCase.objects.get()
    assert case.record["entries"] == []
    assert case.number == version + 2
