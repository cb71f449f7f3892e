import django.utils.timezone
from typing import Any

from django.db import migrations, models
from django.utils import timezone


def end_finished(apps: Any, schema_editor: Any) -> None:
    mails = apps.get_model("accounts", "OutgoingMail").objects
    mails.exclude(status__in=["waiting", "sending"]).update(next_try_at=None)


def begin_anew(apps: Any, schema_editor: Any) -> None:
    apps.get_model("accounts", "OutgoingMail").objects.filter(next_try_at=None).update(next_try_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_undeliverable"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="outgoingmail",
            name="mail_due",
        ),
        migrations.AlterField(
            model_name="outgoingmail",
            name="next_try_at",
            field=models.DateTimeField(
                blank=True,
                default=django.utils.timezone.now,
                help_text="While sending: when this attempt counts as lost and we send the email again. Empty: we won't try again.",
                null=True,
                verbose_name="next try",
            ),
        ),
        migrations.RunPython(end_finished, begin_anew, elidable=True),
        migrations.AddIndex(
            model_name="outgoingmail",
            index=models.Index(
                models.F("next_try_at"),
                condition=models.Q(("next_try_at__isnull", False)),
                name="mail_due",
            ),
        ),
    ]
