from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0012_lessons"),
    ]

    operations = [
        migrations.AddField(
            model_name="match",
            name="weekends_rest",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="No clock runs on each player's own Saturday and Sunday.",
                verbose_name="weekends off",
            ),
        ),
    ]
