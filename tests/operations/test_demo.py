"""``seed_demo --week``: a demo site on which no list of the desk is empty."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.core.management import call_command
from django.urls import reverse

from accounts.models import User
from games.operations import daily_stats
from games.operations.models import DayCount
from games.site_status.models import Switches
from games.slaps.models import Flag
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db


def test_a_busy_week_leaves_no_list_of_the_desk_empty(settings, capsys):
    settings.DEV_TOOLS = True
    call_command("seed_demo", "--week", "--matches", "1")
    assert "mila@demo.example" in capsys.readouterr().out
    empty = [
        model._meta.label
        for model in apps.get_models()
        if admin.site.is_registered(model) and model is not Switches and not model._default_manager.exists()
    ]
    assert empty == []
    assert all(flag.matches for flag in Flag.objects.all())
    for name, waits in (("anna", "Account closed: Kofi"), ("rolf", "Result annulled"), ("anna", "Mila asks to look")):
        client = QuickClient()
        client.force_login(User.objects.get(email=f"{name}@demo.example"))
        assert waits in client.get(reverse("admin:index")).content.decode(), name


def test_a_site_that_has_counted_its_days_can_be_filled(settings, capsys):
    settings.DEV_TOOLS = True
    daily_stats.count_days()
    before = DayCount.objects.count()
    assert before
    call_command("seed_demo", "--matches", "1")
    assert DayCount.objects.count() >= before
    assert "@demo.example" in capsys.readouterr().out
