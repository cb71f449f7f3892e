"""A site from commit 96109f2 is upgraded, and its people play on."""

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from accounts.models import User
from accounts.moderation.restrictions import restrictions_of
from games import rules
from games.matches import history, service
from games.matches.models import Match, Move, SlapAttempt
from games.matches.slap_points.models import SlapPoint, Watch
from games.replays.check import faults
from tests.upgrade.conftest import migrations_in, rows, select

#: Added or removed models are listed here; an upgrade may add nothing else.
GROWS = {"django_content_type", "auth_permission", "auth_group_permissions", "django_migrations"}


def test_the_old_database_has_something_of_everything(untouched):
    assert [table for table, held in untouched.before.items() if not any(held.values())] == []
    tables = {model._meta.db_table for model in apps.get_models(include_auto_created=True) if model._meta.managed}
    made = {model for model in apps.get_models() if model._meta.db_table in tables - untouched.before.keys()}
    assert [model for model in made if model.objects.exists()] == [], "what the upgrade makes is empty"
    slugs = {game.slug for game in rules.all()}
    for clock in ("table", "daily"):
        assert set(running().filter(clock=clock).values_list("slug", flat=True)) == slugs
    assert set(running().filter(seats__ai_level="medium").values_list("slug", flat=True)) == slugs
    states = Watch.objects.filter(point__settled_at=None).values_list("state", flat=True)
    assert set(states) == {Watch.State.SEEN, Watch.State.WATCHING, Watch.State.WAITING}
    assert SlapAttempt.objects.filter(result=SlapAttempt.Result.PENDING).exists()
    assert {match.clock for match in sealed()} >= {"table", "daily"}


def test_every_row_is_the_same_afterwards(untouched):
    for table, held in untouched.before.items():
        for columns, before in held.items():
            after = select(table, columns)
            if table in GROWS:
                after = [row for row in after if row in before]
            assert after == before, table


def test_content_types_roles_and_the_history_of_the_admin_site_still_mean_something(untouched):
    assert [kind for kind in ContentType.objects.all() if kind.model_class() is None] == []
    edited = [entry.get_edited_object() for entry in LogEntry.objects.all()]
    assert {type(thing).__name__ for thing in edited} == {"Match", "Report", "Sanction"}
    anna, olga = User.objects.get(name="Anna"), User.objects.get(name="Olga")
    assert anna.has_perms(["moderation.handle_talk", "moderation.handle_accounts", "moderation.see_hands"])
    assert olga.has_perm("moderation.operate")
    assert not olga.has_perm("moderation.handle_talk")


def test_no_match_is_broken(untouched):
    begun = list(Match.objects.filter(started_at__isnull=False))
    for match in begun:
        assert history.last(match).version == match.version
        assert faults(match) == [], match
    assert {match.status for match in begun} == {Match.Status.RUNNING, Match.Status.OVER}


def test_every_match_is_played_on(site):
    matches = list(running())
    assert len(matches) > 30
    for match in matches:
        before = match.version
        # Three steps; watching cards that others have seen is one, too, and may not settle anything yet.
        for _step in range(3):
            if (table := service.load(match.pk)).status == Match.Status.RUNNING:
                go_on(match, table)
        match.refresh_from_db()
        assert history.last(match).version == match.version > before
        assert faults(match) == [], match


def test_a_sealed_choice_counts_when_the_other_is_made(site):
    for match in sealed():
        chosen = match.moves.last()
        table = service.load(match.pk)
        [other] = table.state.to_move()
        assert other != chosen.seat
        assert chosen.move not in str(table.state.view(other).to_json())
        one_choice(match, table)
        made = list(history.replay(match, events_from=match.version))[-1]
        shown = [event.data for event in made.events]
        assert chosen.move.removeprefix("play:") in str(shown)


def test_a_slap_from_before_wins(site):
    point = SlapPoint.objects.get(settled_at=None, watches__state=Watch.State.SEEN)
    pressed = SlapAttempt.objects.get(match=point.match, result=SlapAttempt.Result.PENDING)
    while SlapPoint.objects.filter(pk=point.pk, settled_at=None).exists():
        go_on(point.match, service.load(point.match_id))
    pressed.refresh_from_db()
    assert pressed.result == SlapAttempt.Result.WON
    assert point.match.moves.filter(seat=pressed.seat, move="slap", number=pressed.version + 1).exists()


def test_its_people_see_their_tables(site):
    for match in {match.slug: match for match in running()}.values():
        person = User.objects.filter(seats__match=match).first()
        client = Client()
        client.force_login(person)
        assert client.get(match.get_absolute_url()).status_code == 200


def test_the_way_back_leads_to_the_same_tables(taken_back):
    """As long as nothing was stored in new tables, the old code finds its data."""
    left = rows()
    assert migrations_in(left) == migrations_in(taken_back.before)
    assert left.keys() == taken_back.before.keys()
    for table in left.keys() - GROWS:
        for columns, before in taken_back.before[table].items():
            # SQLite recreates a table for each change, with its columns in another order.
            assert [set(found) for found in left[table]] == [set(columns)], table
            assert select(table, columns) == before, table


def running():
    return Match.objects.filter(status=Match.Status.RUNNING).order_by("pk")


def sealed():
    """Matches in which one seat has made a choice that is still hidden from others."""
    return [
        match
        for match in running().filter(slug="armed")
        if match.version % 2 and len(service.load(match.pk).state.to_move()) == 1
    ]


def go_on(match, table):
    """Do what the match waits for: watch slaps, step the table, or choose."""
    if table.at_slap_point:
        for watch in Watch.objects.filter(point__match=match, point__settled_at=None, state__in=Watch.UNFINISHED):
            session = f"again{watch.seat}"
            assert service.begin_watch(match.pk, watch.seat, session) is not None
            service.finish_watch(match.pk, watch.seat, session)
    elif table.forced_step() is not None:
        service.step(match.pk, table.version)
    else:
        one_choice(match, table)


def one_choice(match, table):
    """Make a legal move of the awaited player; autoplay moves for those whom moderators keep from playing."""
    seat = table.state.to_move()[0]
    player = User.objects.filter(pk=table.sitters[seat].player_id).first()
    source = Move.Source.PLAYER if player else Move.Source.AI
    if player is not None and not restrictions_of(player).may_play:
        player, source = None, Move.Source.STAND_IN
    service.act(
        match.pk,
        seat,
        table.state.default_move(seat),
        request_id=f"on{table.version}",
        seen_version=table.version,
        player=player,
        source=source,
    )
