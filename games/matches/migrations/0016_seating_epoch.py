"""Call the counter of seating changes ``seating_epoch`` in Python; its column keeps the name ``roster``."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0013_weekends_rest")]

    operations = [
        migrations.AlterField(
            "match", "roster", models.PositiveIntegerField(default=0, editable=False, db_column="roster")
        ),
        migrations.RenameField("match", "roster", "seating_epoch"),
    ]
