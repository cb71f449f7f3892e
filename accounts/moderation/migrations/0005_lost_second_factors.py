"""Moderators of accounts take a second factor away from whoever has lost it."""

from typing import Any

from django.apps import apps as real_apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

POWERS = ("view_authenticator", "delete_authenticator")


def give(apps: Any, schema_editor: Any) -> None:
    create_permissions(real_apps.get_app_config("mfa"), verbosity=0, using=schema_editor.connection.alias)
    _group(apps).permissions.add(*_powers(apps))


def take(apps: Any, schema_editor: Any) -> None:
    _group(apps).permissions.remove(*_powers(apps))


def _group(apps: Any) -> Any:
    return apps.get_model("auth", "Group").objects.get(name="Moderators: accounts")


def _powers(apps: Any) -> Any:
    return apps.get_model("auth", "Permission").objects.filter(content_type__app_label="mfa", codename__in=POWERS)


class Migration(migrations.Migration):
    dependencies = [("moderation", "0004_sealed_log_and_powers"), ("mfa", "0003_authenticator_type_uniq")]

    operations = [migrations.RunPython(give, take)]
