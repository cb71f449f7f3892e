"""Everybody has a name: pages and links need one."""

from typing import Any

from django.db import migrations, models

from accounts import names


def name_the_nameless(apps: Any, schema_editor: Any) -> None:
    """Commands could make somebody without one."""
    for user in apps.get_model("accounts", "User").objects.filter(name_key=""):
        user.name = f"Player {10**8 + user.pk}"
        user.name_key, user.name_look = names.key(user.name), names.look(user.name)
        user.save(update_fields=["name", "name_key", "name_look"])


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_language")]

    operations = [
        migrations.RunPython(name_the_nameless, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(name="user_has_name", condition=models.Q(name_key__gt="")),
        ),
    ]
