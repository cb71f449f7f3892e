"""The log refuses removals on SQLite as well; operations and results see what their daily work needs."""

from typing import Any

from django.apps import apps as real_apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

DELETE = "moderation_log_kept"

#: Powers given in addition to those that the roles were made with.
MORE = {
    "Moderators: results": ["slaps.view_flag"],
    "Operations": [
        "games.view_outage",
        "mail.view_notice",
        "mail.change_notice",
        "points.view_slappoint",
        "cases.view_aicase",
    ],
}


def seal(apps: Any, schema_editor: Any) -> None:
    """PostgreSQL has one trigger for both."""
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(
            f"CREATE TRIGGER {DELETE} BEFORE DELETE ON moderation_auditentry "
            "BEGIN SELECT RAISE(ABORT, 'entries of the log are not removed'); END"
        )


def unseal(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"DROP TRIGGER {DELETE}")


def give(apps: Any, schema_editor: Any) -> None:
    for label in ("games", "mail", "points", "cases", "slaps"):
        create_permissions(real_apps.get_app_config(label), verbosity=0, using=schema_editor.connection.alias)
    for group, power in _powers(apps):
        group.permissions.add(power)


def take(apps: Any, schema_editor: Any) -> None:
    for group, power in _powers(apps):
        group.permissions.remove(power)


def _powers(apps: Any) -> list[tuple[Any, Any]]:
    groups, permissions = apps.get_model("auth", "Group").objects, apps.get_model("auth", "Permission").objects
    return [
        (groups.get(name=name), permissions.get(content_type__app_label=label, codename=codename))
        for name, powers in MORE.items()
        for label, codename in (power.split(".") for power in powers)
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("moderation", "0003_admin_lists"),
        ("games", "0008_seat_offered"),
        ("mail", "0001_notices"),
        ("points", "0001_points"),
        ("cases", "0001_reported_moves"),
        ("slaps", "0002_flags"),
    ]

    operations = [
        migrations.RunPython(seal, unseal),
        migrations.RunPython(give, take),
    ]
