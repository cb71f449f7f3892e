"""Reports: what can be reported, what is stored with it, who handles it, and what the reporter is told."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import social
from accounts.models import OutgoingMail
from accounts.moderation.models import AuditEntry, Report
from games.chat import lines
from games.matches import service
from games.matches.models import Departure, Match, Move, Seat
from games.moderation import queue, reports
from games.moderation.conflict_of_interest import FREQUENT

pytestmark = pytest.mark.django_db


def file(reporter, kind, ref, rule="respect", sentence="He swore at me."):
    return reports.file(reporter, reports.find(reporter, kind, ref), rule, sentence)


def ref_of(line):
    return f"{line.match.key}-{line.pk}"


@pytest.fixture
def line(start_match, ada, ben):
    match = start_match("amagande", ada, ben)
    for text in ("hello", "you fool", "good game"):
        said = lines.say(match, ben, text=text)
        if text == "you fool":
            found = said
    return found


def test_a_message_is_reported_with_the_chat_around_it(line, ada, ben):
    report = file(ada, "line", ref_of(line))
    assert report.accused == ben
    assert report.match == line.match
    assert [each["text"] for each in report.context["talk"]] == ["hello", "you fool", "good game"]


def test_a_reported_text_stays_with_the_report_when_the_message_is_deleted(line, ada):
    report = file(ada, "line", ref_of(line))
    line.delete()
    report.refresh_from_db()
    assert report.line is None
    assert "you fool" in str(report.context)


def test_a_move_is_reported_with_its_match_and_number(start_match, ada, ben):
    match = start_match("basic-rummy", ada, ben)
    seat = service.load(match.pk).state.to_move()[0]
    mover = match.seats.get(number=seat).player
    service.act(match.pk, seat, "draw:stock", request_id="m1", player=mover)
    other = ben if mover == ada else ada
    report = file(other, "move", f"{match.key}-1", rule="fair")
    assert (report.match, report.move_number, report.accused) == (match, 1, mover)


@pytest.mark.parametrize("source", [Move.Source.STAND_IN, Move.Source.AI])
def test_a_move_that_no_person_made_accuses_no_one(start_match, ada, ben, source):
    match = start_match("basic-rummy", ada, ben)
    seat = service.load(match.pk).state.to_move()[0]
    mover = match.seats.get(number=seat).player
    service.act(match.pk, seat, "draw:stock", request_id="m1", player=mover)
    match.moves.update(source=source)
    assert file(ben if mover == ada else ada, "move", f"{match.key}-1", rule="fair").accused is None


def test_a_reported_move_is_about_the_player_who_made_it_and_not_the_one_who_has_the_seat_now(
    start_match, ada, ben, make_player
):
    cleo = make_player("Cleo")
    match = start_match("basic-rummy", ada, ben)
    seat = service.load(match.pk).state.to_move()[0]
    mover = match.seats.get(number=seat).player
    other = ben if mover == ada else ada
    service.act(match.pk, seat, "draw:stock", request_id="m1", player=mover)
    made = match.moves.get()
    later = made.at + timedelta(hours=1)
    Departure.objects.create(match=match, seat=seat, player=mover, player_name=mover.name, at=later)
    match.seats.filter(number=seat).update(player=cleo, player_name="Cleo")
    assert file(other, "move", f"{match.key}-1", rule="fair").accused == mover
    # Later moves belong to the new player.
    match.moves.create(
        number=2, seat=seat, move="x", source=Move.Source.PLAYER, request_id="m2", at=later + timedelta(seconds=1)
    )
    assert file(other, "move", f"{match.key}-2", rule="fair").accused == cleo


def test_players_and_matches_can_be_reported(start_match, ada, ben):
    match = start_match("amagande", ada, ben)
    assert file(ada, "player", ben.name_key).accused == ben
    assert file(ada, "match", match.key).match == match


@pytest.mark.parametrize(
    ("kind", "ref"),
    [
        ("player", "nobody"),
        ("line", "9999"),
        ("line", "x"),
        ("line", "x-1"),
        ("line", "KEY-"),
        ("line", "KEY-x"),
        ("line", "KEY-999999999999999"),
        ("line", "KEY-" + "9" * 5000),
        ("match", "x"),
        ("match", "KEY-1"),
        ("move", "x-1"),
        ("move", "x"),
        ("move", "KEY-"),
        ("move", "KEY-999999999999999"),
        ("move", "KEY-" + "9" * 5000),
        ("sun", "1"),
    ],
)
def test_a_missing_thing_cannot_be_reported(ada, line, kind, ref):
    with pytest.raises(reports.ReportError):
        reports.find(ada, kind, ref.replace("KEY", line.match.key))


def test_one_open_report_per_thing_and_reporter(ada, ben, make_player, mia):
    first = file(ada, "player", ben.name_key)
    with pytest.raises(reports.ReportError, match="already"):
        file(ada, "player", ben.name_key)
    file(make_player("Cleo"), "player", ben.name_key)
    reports.claim(mia, first)
    reports.close(mia, first, "dismissed", "Nothing found.")
    assert file(ada, "player", ben.name_key).pk != first.pk


def test_no_one_reports_themselves_or_without_a_sentence(ada, ben):
    with pytest.raises(reports.ReportError):
        file(ada, "player", ada.name_key)
    for sentence in ("", "   ", "x" * 501):
        with pytest.raises(reports.ReportError):
            file(ada, "player", ben.name_key, sentence=sentence)
    with pytest.raises(reports.ReportError):
        file(ada, "player", ben.name_key, rule="none")


def test_a_claimed_report_is_the_moderators_until_it_is_released_or_forgotten(ada, ben, mia, moe, time_machine):
    report = file(ada, "player", ben.name_key)
    reports.claim(mia, report)
    with pytest.raises(reports.ReportError, match="is working on it"):
        reports.claim(moe, report)
    reports.release(mia, report)
    reports.claim(moe, report)
    time_machine.move_to(timezone.now() + queue.CLAIM + timedelta(seconds=1))
    reports.claim(mia, report)


def test_only_the_moderator_who_claimed_a_report_closes_it_and_the_reporter_is_notified(
    ada, ben, mia, moe, django_capture_on_commit_callbacks
):
    report = file(ada, "player", ben.name_key)
    with pytest.raises(reports.ReportError, match="Claim"):
        reports.close(mia, report, "upheld", "Thank you.")
    reports.claim(mia, report)
    with pytest.raises(reports.ReportError):
        reports.close(moe, report, "upheld", "Thank you.")
    with pytest.raises(reports.ReportError, match="answer"):
        reports.close(mia, report, "upheld", " ")
    reports.close(mia, report, "upheld", "We have acted.")
    written = OutgoingMail.objects.get(to=ada.email)
    assert "We have acted." in written.text
    assert not OutgoingMail.objects.filter(to=ben.email).exists()
    assert AuditEntry.objects.filter(action="close report", actor_id=mia.pk).count() == 1


def test_no_one_handles_a_report_about_or_by_themselves_a_friend_or_a_frequent_partner(ada, ben, mia, moe):
    mine = file(mia, "player", ben.name_key)
    about_me = file(ada, "player", mia.name_key)
    for report in (mine, about_me):
        with pytest.raises(reports.ReportError):
            reports.claim(mia, report)
        reports.claim(moe, report)

    report = file(ada, "player", ben.name_key)
    social.ask(moe, ben)
    social.ask(ben, moe)
    with pytest.raises(reports.ReportError, match="friend"):
        reports.claim(moe, report)

    for _n in range(FREQUENT):
        now = timezone.now()
        match = Match.objects.create(
            slug="amagande", rules_version=1, seat_count=2, status="over", outcome={}, started_at=now, finished_at=now
        )
        Seat.objects.create(match=match, number=0, player=mia, player_name="Mia")
        Seat.objects.create(match=match, number=1, player=ada, player_name="Ada")
    with pytest.raises(reports.ReportError, match="often"):
        reports.claim(mia, report)


def test_the_weight_of_a_reporter_is_how_often_they_were_right(ada, ben, mia, make_player):
    assert reports.weights({ada.pk}) == {ada.pk: 0.5}
    for n, outcome in enumerate(["upheld", "upheld", "dismissed"]):
        other = make_player(f"Other{n}")
        report = file(ada, "player", other.name_key)
        reports.claim(mia, report)
        reports.close(mia, report, outcome, "Thank you.")
    assert reports.weights({ada.pk})[ada.pk] == pytest.approx(3 / 5)


def test_the_page_makes_a_report_and_says_what_is_missing(ada, ben):
    client = Client()
    address = reverse("report", args=["player", ben.name_key])
    assert client.get(address).status_code == 302
    client.force_login(ada)
    assert client.get(address).status_code == 200
    assert client.post(address, {"rule": "spam"}).status_code == 422
    answer = client.post(address, {"rule": "spam", "sentence": "He sells things."}, follow=True)
    assert "He sells things." in answer.content.decode()
    assert Report.objects.get().accused == ben
    assert client.get(reverse("report", args=["player", "nobody"])).status_code == 404


def test_a_question_tells_the_reporter_which_report_it_is_about_and_the_other_side_nothing(ada, ben, mia):
    report = reports.file(ada, reports.find(ada, "player", "ben"), "respect", "He was rude.")
    reports.claim(mia, report)
    for person in (ada, ben):
        reports.ask(mia, report, person, "What happened?")
    to_ada, to_ben = (OutgoingMail.objects.get(to=person.email).text for person in (ada, ben))
    assert "You reported Ben." in to_ada
    assert "You reported" not in to_ben
