"""Recipients of notices: from the commit of the cause to the email that is sent."""

import re
from datetime import timedelta
from html import unescape

import pytest
import time_machine
from django.utils import timezone

from accounts import outbox
from accounts.models import MailTrouble, OutgoingMail, User
from games.mail import dispatch, notices
from games.mail.models import Correspondence, Discretion, Kind, Notice, Preferences, PushSubscription, Timing
from games.mail.turn_summary import since_last_turn
from games.matches import service
from games.matches.events import Turn
from games.matches.models import Match, Move, Seat
from games.table.prompts import prompt_of
from tests.factories.turns import asked

pytestmark = pytest.mark.django_db
Status = OutgoingMail.Status


@pytest.fixture
def clock(settings):
    """A stopped clock that tests can move, and a mail server that accepts everything."""
    settings.MAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    with time_machine.travel("2026-11-23T11:00:00Z", tick=False) as traveller:
        yield traveller


@pytest.fixture
def match(clock, ada, ben, start_by_mail) -> Match:
    return start_by_mail("normal-cards", ada, ben)


def move(match: Match, at: int = 0) -> Seat:
    """Let the asked seat make a move; returns the seat."""
    seat = asked(match)
    table = service.load(match.pk)
    legal = table.state.legal_moves(seat.number)
    service.act(match.pk, seat.number, legal[at], request_id=f"m{table.version}", player=seat.player)
    return seat


def told(user: User | None = None) -> list[OutgoingMail]:
    """The emails about turns so far, after processing all pending notices."""
    dispatch.send_due()
    mails = OutgoingMail.objects.filter(key__startswith="turn:").order_by("pk")
    return list(mails.filter(to=user.email) if user else mails)


def test_a_turn_that_begins_is_noted_with_the_move_that_begins_it(match):
    first = Notice.objects.get(kind=Kind.TURN)
    assert (first.seat, first.version) == (asked(match).number, 0)
    move(match)
    second = Notice.objects.filter(kind=Kind.TURN).latest("pk")
    assert (second.user_id, second.seat, second.version) == (asked(match).player_id, asked(match).number, 1)


def test_a_move_that_is_not_stored_notes_nothing(match, monkeypatch):
    monkeypatch.setattr("games.matches.commit.store.insert_attempts", lambda _changes: 1 / 0)
    with pytest.raises(service.Refused):
        move(match)
    assert Notice.objects.filter(kind=Kind.TURN).count() == 1


def test_a_turn_noted_twice_is_one(match, ada):
    seat = asked(match)
    turn = Turn(match.pk, seat.player_id, seat.number, 0, timezone.now(), False)
    notices.ask([turn, turn])
    notices.ask([turn])
    assert Notice.objects.filter(kind=Kind.TURN).count() == 1


def test_the_email_comes_after_half_an_hour_and_once(match, clock):
    assert told() == []
    clock.shift(timedelta(minutes=29))
    assert told() == []
    clock.shift(timedelta(minutes=2))
    (mail,) = told()
    assert mail.to == asked(match).player.email
    assert told() == [mail]


def test_an_email_wanted_at_once_comes_within_seconds(match, clock):
    Preferences.objects.create(user=asked(match).player, timing=Timing.AT_ONCE)
    clock.shift(timedelta(seconds=6))
    assert len(told()) == 1


def test_a_move_cancels_pending_notices(match, clock):
    mover = move(match)
    clock.shift(timedelta(minutes=31))
    assert [mail.to for mail in told()] == [asked(match).player.email]
    assert not Notice.objects.get(user=mover.player, kind=Kind.TURN).next_at


def test_looking_at_the_match_cancels_pending_notices_and_an_open_tab_does_not(match, clock):
    seat = asked(match)
    service.looked(match.pk, seat.player, match.version)
    clock.shift(timedelta(days=1))
    assert told() == []
    move(match)
    other = asked(match)
    # A tab with an older version has not shown the turn.
    service.looked(match.pk, other.player, 0)
    clock.shift(timedelta(minutes=31))
    assert [mail.to for mail in told()] == [other.player.email]


def test_a_turn_has_at_most_three_emails(match, clock):
    seat = asked(match)
    sent = []
    for _hour in range(40):
        clock.shift(timedelta(hours=1))
        Seat.objects.filter(pk=seat.pk, asked_version__isnull=True).update(asked_version=0)
        sent = told(seat.player)
    assert [mail.key.rpartition(":")[2] for mail in sent] == ["mail", "reminder", "last"]


def test_a_last_call_is_left_out_shortly_after_the_first_email(clock, ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben, clock="lunch")
    seat = asked(match)
    Seat.objects.filter(pk=seat.pk).update(due_at=timezone.now() + timedelta(minutes=80))
    sent = []
    for _minute in range(79):
        clock.shift(timedelta(minutes=1))
        sent = told(seat.player)
    # The first comes after half an hour, with 50 minutes left; the last call would follow ten minutes later.
    assert [mail.key.rpartition(":")[2] for mail in sent] == ["mail"]


def test_a_last_call_comes_long_after_the_first_email(clock, ada, ben, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben, clock="lunch")
    user = asked(match).player
    Preferences.objects.create(user=user, timing=Timing.AT_ONCE)
    sent = []
    for _minute in range(119):
        clock.shift(timedelta(minutes=1))
        sent = told(user)
    assert [mail.key.rpartition(":")[2] for mail in sent] == ["mail", "last"]


def turns_of(mail: OutgoingMail) -> int:
    """How many turns an email links to."""
    return len(set(re.findall(r"/turn/\w+", mail.text)))


def test_each_match_has_its_own_email_and_its_own_thread(match, clock, ada, ben, start_by_mail):
    clock.shift(timedelta(minutes=31))
    user = asked(match).player
    (first,) = told(user)
    assert "Anyone with this email can play this turn for you" in " ".join(first.text.split())
    other = start_by_mail("armed", ada, ben)
    clock.shift(timedelta(minutes=31))
    _first, second = told(user)
    assert other.game_name in second.subject
    assert "In-Reply-To" not in second.headers
    assert first.subject != second.subject


def test_turns_that_are_due_together_are_one_email_with_the_most_urgent_in_full(match, clock, ada, ben, start_by_mail):
    user = asked(match).player
    Preferences.objects.create(user=user, timing=Timing.AT_ONCE)
    others = [start_by_mail("normal-cards", ada, ben, clock=name) for name in ("relaxed", "lunch", "daily", "relaxed")]
    assert {asked(other).player for other in others} == {user}
    clock.shift(timedelta(seconds=6))
    (mail,) = told(user)
    assert turns_of(mail) == 5
    assert mail.key.split(":")[1] == str(others[1].pk)
    assert mail.text.count("YOUR MOVES") == 1
    # What a forwarded email risks is said as it is.
    assert "Anyone with this email can play these turns for you" in " ".join(mail.text.split())
    assert all(notice.mails == 1 for notice in Notice.objects.filter(user=user, kind=Kind.TURN))
    # Each has its own reminder and last call; the most urgent first.
    clock.shift(timedelta(hours=2))
    assert told(user)[-1].key == f"turn:{others[1].pk}:{user.pk}:0:last"


def test_a_player_who_wants_emails_at_once_gets_one_about_every_turn_within_15_minutes(
    match, clock, ada, ben, start_by_mail
):
    user = asked(match).player
    Preferences.objects.create(user=user, timing=Timing.AT_ONCE)
    for minute in range(60):
        if minute in (1, 2, 3, 7, 11, 12, 40):
            start_by_mail("normal-cards", ada, ben)
        clock.shift(timedelta(minutes=1))
        told(user)
    notices_ = Notice.objects.filter(user=user, kind=Kind.TURN)
    assert len(notices_) == 8
    waits = [notice.mailed_at - notice.created_at for notice in notices_]
    assert max(waits) <= timedelta(minutes=15)
    assert len(told(user)) == 4  # at minutes 0, 10, 20 and 40


def test_an_email_that_is_dropped_leaves_the_other_turns_to_another(match, clock, ada, ben, start_by_mail):
    other = start_by_mail("normal-cards", ada, ben)
    user = asked(match).player
    clock.shift(timedelta(minutes=31))
    (mail,) = told(user)
    first, second = sorted((match, other), key=lambda each: str(each.pk) != mail.key.split(":")[1])
    move(first)
    assert outbox.send_due() == 0
    clock.shift(timedelta(minutes=11))
    assert told(user)[-1].key == f"turn:{second.pk}:{user.pk}:0:mail"
    assert outbox.send_due() == 1


def test_a_reminder_that_is_dropped_leaves_the_other_turn_to_another(match, clock, ada, ben, start_by_mail):
    other = start_by_mail("normal-cards", ada, ben)
    user = asked(match).player
    clock.shift(timedelta(minutes=31))
    told(user)
    outbox.send_due()
    while not (mail := told(user)[-1]).key.endswith(":reminder"):
        clock.shift(timedelta(minutes=30))
    first, second = sorted((match, other), key=lambda each: str(each.pk) != mail.key.split(":")[1])
    move(first)
    assert outbox.send_due() == 0
    clock.shift(timedelta(minutes=11))
    assert told(user)[-1].key == f"turn:{second.pk}:{user.pk}:0:reminder"


def test_an_unsubscribe_while_an_email_is_written_is_kept(match, clock, monkeypatch):
    Correspondence.objects.create(user=asked(match).player, match=match)
    turn_mail = dispatch.turn_mail

    def write_while_the_player_unsubscribes(*about):
        Correspondence.objects.update(timing=Timing.NEVER)
        return turn_mail(*about)

    monkeypatch.setattr(dispatch, "turn_mail", write_while_the_player_unsubscribes)
    clock.shift(timedelta(minutes=31))
    assert len(told()) == 1
    kept = Correspondence.objects.get()
    assert kept.timing == Timing.NEVER
    assert kept.subject
    assert kept.last_id


def test_one_email_for_all_until_i_come_back_is_a_choice(match, clock, ada, ben, start_by_mail):
    others = [start_by_mail("normal-cards", ada, ben), start_by_mail("normal-cards", ada, ben)]
    user = asked(match).player
    Preferences.objects.create(user=user, timing=Timing.TOGETHER)
    clock.shift(timedelta(minutes=31))
    (mail,) = told(user)
    assert turns_of(mail) == 1 + len(others)
    late = start_by_mail("normal-cards", ada, ben)
    clock.shift(timedelta(hours=2))
    assert told(user) == [mail]
    # Once those turns are played, the next one gets its own.
    for each in (match, *others):
        move(each)
    clock.shift(timedelta(minutes=11))
    assert told(user)[-1].key.split(":")[1] == str(late.pk)


def test_never_two_emails_within_ten_minutes(match, clock, ada, ben, start_by_mail):
    user = asked(match).player
    clock.shift(timedelta(minutes=29))
    start_by_mail("normal-cards", ada, ben)
    clock.shift(timedelta(minutes=2))
    assert len(told(user)) == 1
    Notice.objects.filter(mails=0).update(next_at=timezone.now(), created_at=timezone.now() - timedelta(minutes=31))
    clock.shift(timedelta(minutes=5))
    assert len(told(user)) == 1
    clock.shift(timedelta(minutes=6))
    assert len(told(user)) == 2


def test_a_digest_without_names_of_matches_says_nothing_of_them(match, clock):
    user = asked(match).player
    Preferences.objects.create(user=user, timing=Timing.DIGEST, digest_hours="18", discretion=Discretion.NONE)
    clock.move_to("2026-11-23T18:00:05Z")
    dispatch.send_due()
    (digest,) = OutgoingMail.objects.filter(key__startswith="digest:")
    assert "A match" in digest.text
    assert prompt_of("normal-cards", ["play:2C"]) not in digest.text + digest.html


def test_a_digest_is_one_email_about_all_matches_at_the_chosen_hour(match, clock, ada, ben, start_by_mail):
    other = start_by_mail("normal-cards", ada, ben)
    user = asked(match).player
    move(other)
    while asked(other).player != user:
        move(other)
    Preferences.objects.create(user=user, timing=Timing.DIGEST, digest_hours="18")
    clock.move_to("2026-11-23T17:59:00Z")
    assert told(user) == []
    clock.move_to("2026-11-23T18:00:05Z")
    dispatch.send_due()
    (digest,) = OutgoingMail.objects.filter(key__startswith="digest:")
    assert digest.text.count("/turn/") == 2
    assert "2 matches are waiting for you" in digest.text
    digest.text = " ".join(digest.text.split())
    news = since_last_turn(other, asked(other).number, shows_hand=True).headline
    for said in (news, prompt_of("normal-cards", ["play:2C"])):
        assert said
        assert said in digest.text
        assert said in unescape(digest.html)
    dispatch.send_due()
    clock.shift(timedelta(minutes=30))
    dispatch.send_due()
    assert OutgoingMail.objects.filter(to=user.email).count() == 1
    assert other.pk


def test_a_digest_shows_no_more_than_its_player_allows_when_it_is_done(match, clock, monkeypatch):
    Preferences.objects.create(user=asked(match).player, timing=Timing.DIGEST, digest_hours="18")
    digest_mail = dispatch.digest_mail

    def write_while_the_player_hides_matches(*about, **at):
        message = digest_mail(*about, **at)
        Preferences.objects.update(discretion=Discretion.NONE)
        return message

    monkeypatch.setattr(dispatch, "digest_mail", write_while_the_player_hides_matches)
    clock.move_to("2026-11-23T18:00:05Z")
    dispatch.send_due()
    (digest,) = OutgoingMail.objects.filter(key__startswith="digest:")
    assert "A match" in digest.text
    assert "Normal Cards" not in digest.text


def test_a_digest_lists_a_match_that_cannot_be_read_without_its_details(match, clock, ada, ben, start_by_mail):
    other = start_by_mail("normal-cards", ada, ben)
    user = asked(match).player
    move(other)
    move_on_to(user, other)
    Match.objects.filter(pk=other.pk).update(snapshot=None, snapshot_version=0)
    Move.objects.filter(match=other).update(move="play:unknown")
    Preferences.objects.create(user=user, timing=Timing.DIGEST, digest_hours="18")
    clock.move_to("2026-11-23T18:00:05Z")
    dispatch.send_due()
    (digest,) = OutgoingMail.objects.filter(key__startswith="digest:")
    assert digest.text.count("/turn/") == 2
    assert " ".join(digest.text.split()).count(prompt_of("normal-cards", ["play:2C"])) == 1


def test_a_player_who_wants_no_emails_gets_none(match, clock):
    user = asked(match).player
    Preferences.objects.create(user=user, timing=Timing.NEVER)
    for _hour in range(23):
        clock.shift(timedelta(hours=1))
        assert told(user) == []


def test_a_match_can_differ_from_all_others(match, clock):
    user = asked(match).player
    Preferences.objects.create(user=user, timing=Timing.NEVER)
    Correspondence.objects.create(user=user, match=match, timing=Timing.AT_ONCE)
    clock.shift(timedelta(minutes=1))
    assert len(told(user)) == 1


def test_an_email_that_waited_in_the_outbox_until_its_turn_was_over_is_dropped(match, clock):
    clock.shift(timedelta(minutes=31))
    (mail,) = told()
    move(match)
    assert outbox.send_due() == 0
    mail.refresh_from_db()
    assert mail.status == Status.DROPPED


def test_a_guest_gets_no_email(clock, ada, start_by_mail):
    guest = User.objects.create_user(name="Guest")
    start_by_mail("normal-cards", ada, guest)
    clock.shift(timedelta(hours=5))
    assert told(guest) == []
    assert not OutgoingMail.objects.filter(to="").exists()


def test_an_address_that_bounced_gets_nothing_until_it_is_fixed(match, clock):
    user = asked(match).player
    outbox.give_up(user.email, MailTrouble.BOUNCED)
    clock.shift(timedelta(hours=2))
    assert told(user) == []
    User.objects.filter(pk=user.pk).update(undeliverable="")
    clock.shift(timedelta(hours=28))
    assert len(told(user)) == 1


def test_a_live_table_notes_only_turns_of_people_with_a_browser_that_takes_pushes(clock, ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    assert not Notice.objects.exists()
    for user in (ada, ben):
        PushSubscription.objects.create(user=user, endpoint=f"https://fcm.googleapis.com/{user}", p256dh="p", auth="a")
    move(match)
    assert Notice.objects.count() == 1
    clock.shift(timedelta(hours=5))
    assert told() == []


def test_there_are_no_notices_about_a_match_without_a_clock_against_ai_players_alone(clock, ada, start_by_mail):
    match = service.open_table(ada, "normal-cards", 2, {}, ai={1: "easy"}, is_public=False, clock="none")
    service.start(match, ada)
    assert not Notice.objects.exists()


def test_one_notice_that_fails_holds_up_no_other_and_is_tried_again(match, clock, ada, ben, start_by_mail, monkeypatch):
    other = start_by_mail("normal-cards", ada, ben)
    Notice.objects.filter(match=other).update(user=ben if asked(other).player == ada else ada)
    Seat.objects.filter(match=other, number=1 - asked(other).number).update(asked_version=0)
    read_turn = dispatch.read_turn

    def fail_one(seat: Seat, discretion: str):
        if seat.match_id == match.pk:
            raise RuntimeError("QH in a hand")
        return read_turn(seat, discretion)

    monkeypatch.setattr(dispatch, "read_turn", fail_one)
    clock.shift(timedelta(minutes=31))
    assert len(told()) == 1
    failed = Notice.objects.get(match=match, kind=Kind.TURN)
    assert failed.error.startswith("RuntimeError in mail/test_notices.py")
    assert "QH" not in failed.error
    monkeypatch.undo()
    clock.shift(timedelta(minutes=2))
    assert len(told()) == 2


def test_a_sweep_finds_what_is_due_by_the_index(match, django_assert_max_num_queries):
    Notice.objects.update(next_at=None)
    with django_assert_max_num_queries(2):
        assert dispatch.send_due() == 0


def test_players_who_have_not_seen_the_end_of_a_match_are_notified(match, clock, ada, ben):
    service.resign(match, ada)
    match.refresh_from_db()
    service.looked(match.pk, ada, match.version)
    clock.shift(timedelta(minutes=6))
    dispatch.send_due()
    (mail,) = OutgoingMail.objects.filter(key__startswith="over:")
    assert mail.to == ben.email
    assert "You won!" in mail.text
    assert match.get_absolute_url() in mail.text


def test_players_who_are_not_asked_first_are_notified_that_a_match_begins(clock, ada, ben, make_player, start_by_mail):
    match = start_by_mail("normal-cards", ada, ben, make_player("Chidi"))
    clock.shift(timedelta(minutes=6))
    dispatch.send_due()
    told_of_begin = set(OutgoingMail.objects.filter(key__startswith="begins:").values_list("to", flat=True))
    assert told_of_begin == {"ben@example.org", "chidi@example.org"} - {asked(match).player.email}


def mails_to(user: User) -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(to=user.email).order_by("pk"))


@pytest.fixture
def chidi(make_player) -> User:
    """The third player: not the host, and not the first to be asked."""
    return make_player("Chidi")


@pytest.fixture
def begun(clock, ada, ben, chidi, start_by_mail) -> list[Match]:
    """Matches that start at the same time, about which Chidi must be told."""
    matches = [start_by_mail("normal-cards", ada, chidi, ben) for _match in range(3)]
    assert {asked(match).player for match in matches} == {ben}
    return matches


def move_on_to(user: User, match: Match) -> None:
    while asked(match).player != user:
        move(match)


def test_matches_that_begin_together_share_one_email(begun, clock, chidi):
    clock.shift(timedelta(minutes=6))
    for _sweep in range(5):
        dispatch.send_due()
        clock.shift(timedelta(minutes=11))
    (mail,) = mails_to(chidi)
    for match in begun:
        assert match.get_absolute_url() in mail.text
        assert match.get_absolute_url() in mail.html


def test_an_email_about_a_turn_mentions_begun_matches_and_another_does_if_it_is_dropped(begun, clock, chidi):
    first, *others = begun
    Preferences.objects.create(user=chidi, timing=Timing.AT_ONCE)
    move_on_to(chidi, first)
    clock.shift(timedelta(seconds=6))
    (mail,) = told(chidi)
    assert all(match.get_absolute_url() in mail.text for match in others)
    move(first)
    outbox.send_due()
    mail.refresh_from_db()
    assert mail.status == Status.DROPPED
    clock.shift(timedelta(minutes=11))
    dispatch.send_due()
    _dropped, second = mails_to(chidi)
    assert second.key.startswith("begins:")
    assert all(match.get_absolute_url() in second.text for match in others)
    clock.shift(timedelta(minutes=11))
    dispatch.send_due()
    assert len(mails_to(chidi)) == 2


def test_emails_about_turns_only_mention_begun_matches_if_the_player_wants_that(begun, clock, chidi):
    first, *others = begun
    Preferences.objects.create(user=chidi, timing=Timing.AT_ONCE, wants_begins=False)
    move_on_to(chidi, first)
    clock.shift(timedelta(seconds=6))
    (mail,) = told(chidi)
    assert not any(match.get_absolute_url() in mail.text for match in others)


def test_begun_matches_are_mentioned_without_names_to_a_discreet_player(begun, clock, chidi):
    Preferences.objects.create(user=chidi, timing=Timing.AT_ONCE, discretion="none")
    move_on_to(chidi, begun[0])
    clock.shift(timedelta(seconds=6))
    (mail,) = told(chidi)
    assert begun[1].get_absolute_url() in mail.text
    # Three letters of a token can happen to spell a name.
    said = re.sub(r"[\w:-]{25,}", " ", mail.text + mail.html)
    for word in ("Ada", "Ben", "Normal Cards"):
        assert word not in said


def test_switched_off_emails_are_not_written(match, clock, ada, ben):
    Preferences.objects.create(user=ben, wants_over=False)
    service.resign(match, ada)
    clock.shift(timedelta(minutes=6))
    dispatch.send_due()
    assert not OutgoingMail.objects.filter(key__startswith="over:", to=ben.email).exists()


def test_an_invitation_comes_at_once_and_only_once(clock, ada, ben):
    match = service.open_table(ada, "normal-cards", 2, {}, clock="daily")
    notices.invite(match=match, user_ids=[ben.pk])
    notices.invite(match=match, user_ids=[ben.pk])
    dispatch.send_due()
    (mail,) = OutgoingMail.objects.filter(to=ben.email)
    assert mail.subject == "Ada invites you to Normal Cards"
    assert match.get_absolute_url() in mail.text


def test_an_invitation_to_a_table_that_has_begun_is_dropped(clock, ada, ben, make_player):
    match = service.open_table(ada, "normal-cards", 2, {}, clock="daily")
    notices.invite(match=match, user_ids=[ben.pk])
    service.join(match, make_player("Chidi"))
    dispatch.send_due()
    assert not OutgoingMail.objects.filter(to=ben.email).exists()


def test_old_notices_are_deleted_and_open_ones_are_not(match, clock):
    move(match)
    dispatch.send_due()
    clock.shift(dispatch.KEEP + timedelta(days=1))
    Notice.objects.filter(version=0).update(next_at=None)
    dispatch.delete_expired()
    assert list(Notice.objects.values_list("version", flat=True)) == [1]
