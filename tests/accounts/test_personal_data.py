"""Every model that refers to a user: what is deleted with the account, and what an export contains."""

import json
import re

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.urls import reverse
from django.utils import timezone

from accounts import account_deletion, renames
from accounts.models import OutgoingMail, User
from accounts.moderation import sanctions
from accounts.moderation.models import Report, Sanction
from accounts.personal_data import FORMER, TABLE, export, key_of, pointers
from accounts.signals import account_closing
from games.chat import lines
from games.mail.models import Correspondence
from games.matches import service
from games.matches.models import Incident, Match, Seat
from games.moderation import reports
from tests.factories.people import PASSWORD

pytestmark = pytest.mark.django_db
POINTERS = {key_of(model, column): (model, column) for model, column in pointers()}
NAME, EMAIL = "Quixotina", "quixotina@example.org"
#: Required values that :func:`make_row` can't work out by itself.
WANTED = {
    "account.EmailAddress": {"email": "new@example.org"},
    "games.Seat": {"number": 2},
    "moderation.Report": {"outcome": "", "closed_at": None},
    "talk.Line": {"text": "My own words", "phrase": ""},
    "moderation.Sanction": {"confirmed_by": None},
}


@pytest.fixture
def quix() -> User:
    return User.objects.create_user(EMAIL, PASSWORD, name=NAME)


@pytest.fixture
def ben() -> User:
    return User.objects.create_user("ben@example.org", PASSWORD, name="Ben")


def test_every_model_that_points_at_a_user_has_a_decision():
    assert set(TABLE) == set(POINTERS), "a line for accounts.personal_data.TABLE is missing, or one too many"


@pytest.mark.parametrize("key", sorted(POINTERS))
def test_decisions_hold_what_the_database_does(key):
    model, column = POINTERS[key]
    decision = TABLE[key]
    if not decision.goes:
        assert column.remote_field.on_delete is models.SET_NULL
        assert decision.why
    elif not column.null:
        assert column.remote_field.on_delete is models.CASCADE
    assert decision.exports or decision.why, "say why this is not given out"
    model._default_manager.values(*decision.exports, *decision.names, *decision.blanks)  # they exist


@pytest.mark.parametrize(
    "key",
    ["hours.PlayingTimes.user", "mail.Preferences.user", "people.Preferences.user", "people.Profile.user",
     "plans.Habit.user"],
)  # fmt: skip
def test_an_export_holds_every_setting(key):
    model, pointer = POINTERS[key]
    columns = [column for column in model._meta.concrete_fields if column.editable and not column.primary_key]
    assert {column.name for column in columns} - {pointer.name} == set(TABLE[key].exports)


def value_of(column: models.Field, user: User, other: User, match: Match):
    """A valid value for a column without a default."""
    if column.is_relation:
        return {
            User: other,
            Match: match,
            Seat: match.seats.last(),
            Group: Group.objects.first(),
            Permission: Permission.objects.first(),
            ContentType: ContentType.objects.first(),
        }.get(column.related_model) or make_row(column.related_model, None, user, other, match)
    if column.choices:
        return column.choices[0][0]
    kinds = {
        models.EmailField: EMAIL,
        models.CharField: f"x{column.name}",
        models.TextField: "words",
        models.DateTimeField: timezone.now(),
        models.JSONField: {},
        models.GenericIPAddressField: "192.0.2.1",
        models.BooleanField: False,
    }
    return next((value for kind, value in kinds.items() if isinstance(column, kind)), 1)


def make_row(model, pointer, user, other, match):
    """Create a row of ``model`` whose ``pointer`` is ``user``, with their name wherever names are stored."""
    decision = TABLE[key_of(model, pointer)] if pointer else None
    values = dict(WANTED.get(model._meta.label, {}))
    for column in model._meta.concrete_fields:
        if pointer and column.name == pointer.name:
            values[column.name] = user
        elif decision and column.name in (*decision.names, *decision.blanks):
            values[column.name] = NAME
        elif (
            not (column.primary_key and not column.is_relation)
            and column.name not in values
            and not (column.null or column.has_default() or column.blank)
        ):
            values[column.name] = value_of(column, user, other, match)
    return model._default_manager.create(**values)


def mentions(*words: str) -> set[str]:
    """The models that contain any of these words."""
    found = set()
    for model in apps.get_models(include_auto_created=True):
        text = " ".join(str(list(row.values())) for row in model._base_manager.values()).lower()
        found |= {model._meta.label for word in words if word.lower() in text}
    return found


def test_a_row_of_every_kind_is_deleted_or_loses_the_person(quix, ben, start_match):
    match = start_match("basic-rummy", ben, ai={1: "easy"})
    others = {key: User.objects.create_user(name=f"Other {number}") for number, key in enumerate(POINTERS)}
    rows = {key: make_row(*POINTERS[key], quix, others[key], match) for key in POINTERS}
    pk = quix.pk
    account_deletion.close_account(quix)
    for key, (model, column) in POINTERS.items():
        left = model._default_manager.filter(pk=rows[key].pk).first()
        if TABLE[key].goes:
            assert left is None, key
        else:
            assert getattr(left, column.name) is None, key
        assert not model._default_manager.filter(**{column.name: pk}).exists(), key
    assert mentions(NAME, EMAIL, "new@example.org") == {"accounts.OutgoingMail"}  # the farewell
    assert OutgoingMail.objects.get().subject == "Your Armani account is deleted"


def test_no_one_s_match_is_broken_when_someone_leaves_for_good(quix, ben, make_player, start_match):
    cleo = make_player("Cleo")
    duel = start_match("basic-rummy", quix, ben)
    table_of_three = start_match("armani", quix, ben, cleo)
    waiting = service.open_table(quix, "basic-rummy", 2, {})
    over = start_match("basic-rummy", quix, ben)
    service.resign(over, ben)
    lines.say(duel, quix, text=f"It is {NAME} who speaks")
    reports.file(ben, reports.find(ben, "line", f"{duel.key}-{duel.talk.get().pk}"), "respect", "She boasts.")
    account_deletion.close_account(quix)
    for match in (duel, table_of_three, waiting, over):
        match.refresh_from_db()
    assert duel.status == Match.Status.OVER
    assert duel.seats.get(player=ben).place == 1
    assert waiting.status == Match.Status.CANCELLED
    assert table_of_three.status == Match.Status.RUNNING
    assert table_of_three.seats.filter(ai_level="", has_resigned=False).count() == 2
    assert over.seats.get(player=ben).place == 2
    assert over.seats.get(player=None).name == FORMER
    assert not duel.talk.exists()
    assert service.load(over.pk).names[over.seats.get(player=None).number] == FORMER
    talk = Report.objects.get().context["talk"]
    assert [line["name"] for line in talk] == [FORMER]
    # The message is kept as evidence for an open report; the name is in it only if someone wrote it.
    assert mentions(NAME, EMAIL) == {"accounts.OutgoingMail", "moderation.Report"}


def test_the_log_of_a_match_and_emails_to_others_lose_every_former_name(quix, ben, start_match):
    match = start_match("basic-rummy", quix, ben)
    renames.change_name(quix, "Dulcinea")
    told = {"match": match, "version": 0, "seat": 0, "kind": Incident.Kind.RETURNED, "at": timezone.now()}
    Incident.objects.create(**told, name=NAME)
    Incident.objects.create(**told, name="Ben", other="Dulcinea")
    thread = Correspondence.objects.create(user=ben, match=match, subject=f"Rummy: {NAME}, Dulcinea, Dulcineas, Ben")
    match.refresh_from_db()
    seating_epoch = match.seating_epoch
    account_deletion.close_account(quix)
    thread.refresh_from_db()
    assert thread.subject == f"Rummy: {FORMER}, {FORMER}, Dulcineas, Ben"
    told_of = set(match.incidents.values_list("name", "other"))
    assert {(FORMER, ""), ("Ben", FORMER)} <= told_of
    assert not {NAME, "Dulcinea"} & {name for names in told_of for name in names}
    match.refresh_from_db()
    assert match.seating_epoch > seating_epoch


def test_the_name_is_also_taken_out_where_another_person_plays_on_from_the_seat(quix, ben, make_player, start_match):
    match = start_match("basic-rummy", quix, ben)
    cleo = make_player("Cleo")
    reports.file(ben, reports.find(ben, "match", match.key), "respect", "She boasts.")
    thread = Correspondence.objects.create(user=ben, match=match, subject=f"Rummy: {NAME}, Ben")
    told = {"match": match, "version": 0, "seat": 0, "kind": Incident.Kind.TAKEN, "at": timezone.now()}
    Incident.objects.create(**told, name=NAME, other="Cleo")
    match.departures.create(seat=0, player=quix, player_name=NAME, at=timezone.now())
    match.seats.filter(number=0).update(player=cleo, player_name="Cleo")
    service.forget_all()
    account_deletion.close_account(quix)
    thread.refresh_from_db()
    assert thread.subject == f"Rummy: {FORMER}, Ben"
    assert mentions(NAME) == {"accounts.OutgoingMail"}  # the farewell


def test_a_report_loses_the_name_of_a_spectator_in_the_chat(quix, ben, make_player, start_match):
    match = start_match("basic-rummy", ben, make_player("Cleo"))
    lines.say(match, quix, text="Well played")
    line = lines.say(match, make_player("Dora"), text="Badly played")
    finn = make_player("Finn")
    reports.file(finn, reports.find(finn, "line", f"{match.key}-{line.pk}"), "respect", "She insults us.")
    account_deletion.close_account(quix)
    assert [said["name"] for said in Report.objects.get().context["talk"]] == [FORMER, "Dora"]


def test_emails_to_an_address_that_was_never_confirmed_are_deleted_too_but_no_one_else_s(quix, ben):
    for email in ("new@example.org", ben.email):
        EmailAddress.objects.create(user=quix, email=email)
        OutgoingMail.objects.create(to=email, subject="Confirm your address")
    account_deletion.close_account(quix)
    assert set(OutgoingMail.objects.values_list("to", flat=True)) == {EMAIL, ben.email}


def test_an_account_stays_as_it_was_if_a_name_cannot_be_taken_out(quix, ben, start_match):
    match = start_match("basic-rummy", quix, ben)
    thread = Correspondence.objects.create(user=ben, match=match, subject=f"Rummy: {NAME}, Ben")

    def fail(**_signal):
        raise RuntimeError("out of order")

    account_closing.connect(fail)
    try:
        with pytest.raises(RuntimeError):
            account_deletion.close_account(quix)
    finally:
        account_closing.disconnect(fail)
    quix.refresh_from_db()
    thread.refresh_from_db()
    assert thread.subject == f"Rummy: {NAME}, Ben"
    assert match.seats.get(player=quix).player_name == NAME
    assert not OutgoingMail.objects.filter(to=EMAIL).exists()
    # Only the seat was given up.
    assert match.seats.get(player=quix).has_resigned


def test_decisions_of_moderators_stay_without_the_name(quix, ben):
    mia = User.objects.create_superuser("mia@example.org", name="Mia")
    sanctions.impose(mia, quix, "silence", "respect", "Shouting.")
    account_deletion.close_account(quix)
    sanction = Sanction.objects.get()
    assert (sanction.person, sanction.person_name) == (None, FORMER)
    assert mentions(NAME) == {"accounts.OutgoingMail", "moderation.AuditEntry"}  # the log is never changed


def test_staff_gives_its_roles_back_first(quix):
    quix.is_staff = True
    quix.save()
    with pytest.raises(account_deletion.DeletionError):
        account_deletion.close_account(quix)


# The pages.


def reauthenticated(person):
    person.log_in(EMAIL)
    person.client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return person.client


def test_leaving_asks_for_the_password_and_the_name(person, stranger, quix):
    person.log_in(EMAIL)
    url = reverse("account_delete")
    assert person.client.post(url, {"name": NAME})["Location"].startswith(reverse("account_reauthenticate"))
    assert User.objects.filter(name=NAME).exists()
    person.client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert person.client.post(url, {"name": "Somebody"}).status_code == 422
    stranger.log_in(EMAIL)
    assert person.client.post(url, {"name": NAME.lower()})["Location"] == "/"
    assert not User.objects.filter(name=NAME).exists()
    assert person.client.get(reverse("account_settings")).status_code == 302
    assert stranger.client.get(reverse("account_settings")).status_code == 302
    assert not UserSession.objects.exists()
    stranger.log_in(EMAIL)
    assert stranger.user is None


def test_a_guest_leaves_without_a_password(client, db):
    guest = User.objects.create_user(name="Guest 1000")
    client.force_login(guest)
    client.post(reverse("account_delete"), {"name": "Guest 1000"})
    assert not User.objects.exists()
    assert not OutgoingMail.objects.exists()


def test_the_export_holds_what_is_one_s_own_and_no_one_else_s_secrets(person, quix, ben, start_match):
    match = start_match("basic-rummy", ben, quix)
    lines.say(match, quix, text="Good luck <b>all</b>")
    lines.say(match, ben, text="You will need it")
    service.act(match.pk, 1, "draw:stock", request_id="m1", player=quix)
    client = reauthenticated(person)
    response = client.post(reverse("export"))
    assert re.fullmatch(r'attachment; filename="armani-[\d-]+\.json"', response["Content-Disposition"])
    data = json.loads(response.content)
    assert data["Account"][0]["email"] == EMAIL
    assert data["Seats (player)"][0]["match__key"] == match.key
    assert [move["move"] for move in data["Moves"]] == ["draw:stock"]
    assert [line["text"] for line in data["Chat messages (author)"]] == ["Good luck <b>all</b>"]
    assert data["User sessions (user)"][0]["ip"] == "127.0.0.1"
    whole = response.content.decode()
    quix.refresh_from_db()
    match.refresh_from_db()
    for secret in (quix.password, match.seed, "You will need it", "ben@example.org", client.session.session_key):
        assert secret not in whole
    page = client.post(reverse("export"), {"form": "html"}).content.decode()
    assert ">Is guest</th>" in page
    assert ">Match: key</th>" in page
    assert "is_guest" not in page
    assert "Good luck &lt;b&gt;all&lt;/b&gt;" in page
    assert match.key in page


def exported(user: User, key: str) -> list[dict]:
    return next(section.rows for section in export(user) if section.key == key)


def test_an_export_holds_the_moves_of_a_seat_only_while_it_was_one_s_own(quix, ben, make_player, start_match):
    cleo = make_player("Cleo")
    match = start_match("basic-rummy", ben, quix)
    drawn = service.act(match.pk, 1, "draw:stock", request_id="m1", player=quix)
    match.departures.create(seat=1, player=quix, player_name=NAME, at=timezone.now())
    match.seats.filter(number=1).update(player=cleo)
    service.forget_all()
    move = service.load(match.pk).state.default_move(1)
    service.act(match.pk, 1, move, request_id="m2", player=cleo)
    moves = {"seat": 1, "source": "ai", "move": "hidden", "at": timezone.now()}
    match.moves.create(number=drawn.version + 2, request_id="m3", **moves)
    assert [row["move"] for row in exported(quix, "games.Move")] == ["draw:stock"]
    assert [row["move"] for row in exported(cleo, "games.Move")] == [move]


def test_an_export_leaves_out_the_moves_of_others_before_a_continued_match(quix, ben, make_player, start_match):
    match = start_match("basic-rummy", ben, quix)
    service.act(match.pk, 1, "draw:stock", request_id="m1", player=quix)
    service.resign(match, ben)
    cleo = make_player("Cleo")
    service.play_on(match, cleo, version=1, seat=1, level="easy")
    assert exported(cleo, "games.Move") == []
    assert len(exported(quix, "games.Move")) == 1


def test_the_parts_of_an_export_have_names_for_people_the_same_in_each_language(person, quix):
    titles = [section.title for section in export(quix)]
    assert len(set(titles)) == len(titles)
    client = reauthenticated(person)
    User.objects.filter(pk=quix.pk).update(language="de")
    assert list(json.loads(client.post(reverse("export")).content)) == titles


def test_exports_are_five_a_day(person, quix):
    client = reauthenticated(person)
    answers = [client.post(reverse("export")).status_code for _turn in range(6)]
    assert answers == [200] * 5 + [429]
