"""Changing one's name: once in sixty days, and old names stay reserved."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.urls import reverse

from accounts import renames
from accounts.models import User
from accounts.moderation.models import NameChange
from accounts.playing_times.models import PlayingTimes

pytestmark = pytest.mark.django_db
PAGE = reverse("account_settings_account")


def rename(client, name):
    return client.post(PAGE, {"name": name})


@pytest.fixture
def clock():
    with time_machine.travel(datetime(2026, 3, 1, 12, tzinfo=UTC), tick=False) as clock:
        yield clock


def test_a_member_changes_the_name_once_in_sixty_days_and_the_old_one_is_kept(client, ada, clock):
    client.force_login(ada)
    assert rename(client, "Ada Lovelace").status_code == 302
    page = client.get(PAGE).content.decode()
    assert "30 Apr 2026" in page
    assert "disabled" in page
    rename(client, "Countess")
    assert User.objects.get(pk=ada.pk).name == "Ada Lovelace"
    clock.shift(timedelta(days=60))
    client.force_login(ada)
    rename(client, "Countess")
    assert User.objects.get(pk=ada.pk).name == "Countess"
    changes = NameChange.objects.order_by("at").values_list("old_name", "new_name", "was_forced")
    assert list(changes) == [("Ada", "Ada Lovelace", False), ("Ada Lovelace", "Countess", False)]


def test_the_day_of_the_next_change_is_the_members_own(client, ada, clock):
    PlayingTimes.objects.create(user=ada, zone="Pacific/Kiritimati")
    client.force_login(ada)
    rename(client, "Ada Lovelace")
    assert "1 May 2026" in client.get(PAGE).content.decode()


def test_saving_the_same_name_is_no_change(client, ada):
    client.force_login(ada)
    rename(client, "Ada")
    assert not NameChange.objects.exists()
    assert rename(client, "ADA").status_code == 302  # the same name in another case
    assert User.objects.get(pk=ada.pk).name == "ADA"


def test_a_person_whose_name_was_removed_can_choose_a_new_one_at_once(client, ada, clock):
    moderator = User.objects.create_user("mia@example.org", name="Mia")
    renames.change_name(ada, "Rude")
    renames.change_name(ada, "Guest 4711", by=moderator)
    client.force_login(ada)
    rename(client, "Kind")
    assert User.objects.get(pk=ada.pk).name == "Kind"


def test_guests_may_change_their_name_at_any_time(client, clock):
    guest = User.objects.create_user(name="Guest 1000")
    client.force_login(guest)
    for name in ("Gus", "Gil"):
        rename(client, name)
        assert User.objects.get(pk=guest.pk).name == name


def test_no_one_can_take_a_name_that_was_given_up_recently(client, ada, clock):
    renames.change_name(ada, "Countess")
    ben = User.objects.create_user("ben@example.org", name="Ben")
    client.force_login(ben)
    for name in ("ada", "A.d.a"):
        assert "This name is taken" in rename(client, name).content.decode()
    clock.shift(timedelta(days=60, seconds=1))
    client.force_login(ben)
    rename(client, "ada")
    assert User.objects.get(pk=ben.pk).name == "ada"


def test_no_one_takes_a_name_that_looks_like_another_s(client, ada):
    ben = User.objects.create_user("ben@example.org", name="Ben")
    client.force_login(ben)
    assert "looks just like" in rename(client, "A.d.a").content.decode()
