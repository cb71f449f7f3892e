"""The log refuses changes in the database itself; the roles of moderators are groups with powers of their own."""

from typing import Any

from django.apps import apps as real_apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

UPDATE = "moderation_log_unchanged"

#: Powers by role; whoever runs the site can give them to other groups as well.
ROLES = {
    "Moderators: talk": [
        "moderation.view_report",
        "moderation.handle_talk",
        "moderation.view_sanction",
        "moderation.view_appeal",
        "moderation.view_auditentry",
        "talk.view_line",
        "accounts.view_user",
    ],
    "Moderators: results": [
        "moderation.view_report",
        "moderation.handle_results",
        "moderation.see_hands",
        "moderation.view_sanction",
        "moderation.view_appeal",
        "moderation.view_auditentry",
        "games.view_match",
        "games.view_slapattempt",
        "talk.view_line",
        "accounts.view_user",
    ],
    "Moderators: accounts": [
        "moderation.view_report",
        "moderation.handle_talk",
        "moderation.handle_accounts",
        "moderation.view_sanction",
        "moderation.view_appeal",
        "moderation.view_auditentry",
        "moderation.view_namechange",
        "talk.view_line",
        "accounts.view_user",
    ],
    "Operations": [
        "moderation.operate",
        "moderation.view_auditentry",
        "games.view_match",
        "accounts.view_outgoingmail",
        "accounts.change_outgoingmail",
    ],
}


def protect(apps: Any, schema_editor: Any) -> None:
    """An entry of the log is never changed, and on PostgreSQL never removed either.

    SQLite cannot tell a removal from the emptying of all tables that its tools do, so there the ORM alone refuses it.
    """
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            f"CREATE FUNCTION {UPDATE}() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'entries of the log are not changed'; END $$"
        )
        schema_editor.execute(
            f"CREATE TRIGGER {UPDATE} BEFORE UPDATE OR DELETE ON moderation_auditentry "
            f"FOR EACH ROW EXECUTE FUNCTION {UPDATE}()"
        )
    else:
        schema_editor.execute(
            f"CREATE TRIGGER {UPDATE} BEFORE UPDATE ON moderation_auditentry "
            "BEGIN SELECT RAISE(ABORT, 'entries of the log are not changed'); END"
        )


def unprotect(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP TRIGGER {UPDATE} ON moderation_auditentry")
        schema_editor.execute(f"DROP FUNCTION {UPDATE}()")
    else:
        schema_editor.execute(f"DROP TRIGGER {UPDATE}")


def make_roles(apps: Any, schema_editor: Any) -> None:
    # Permissions are made after all migrations otherwise, which is too late for the groups.
    for label in ("accounts", "games", "moderation", "talk"):
        create_permissions(real_apps.get_app_config(label), verbosity=0, using=schema_editor.connection.alias)
    group_model = apps.get_model("auth", "Group")
    permission_model = apps.get_model("auth", "Permission")
    for name, powers in ROLES.items():
        group, _is_new = group_model.objects.get_or_create(name=name)
        for power in powers:
            label, codename = power.split(".")
            group.permissions.add(permission_model.objects.get(content_type__app_label=label, codename=codename))


def drop_roles(apps: Any, schema_editor: Any) -> None:
    apps.get_model("auth", "Group").objects.filter(name__in=ROLES).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("moderation", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("accounts", "0002_undeliverable"),
        ("games", "0006_absence"),
        ("talk", "0001_initial"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.RunPython(protect, unprotect),
        migrations.RunPython(make_roles, drop_roles),
    ]
