from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("mail", "0011_plainer_labels"),
    ]

    operations = [
        migrations.AlterField(
            model_name="correspondence",
            name="timing",
            field=models.CharField(
                blank=True,
                choices=[
                    ("at_once", "at once, for each match"),
                    ("after", "after a delay, for each match, unless I've already looked"),
                    ("together", "after a delay, one email for all my matches until I come back"),
                    ("digest", "as a digest, at times I choose"),
                    ("never", "never"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="preferences",
            name="discretion",
            field=models.CharField(
                choices=[
                    ("full", "my hand and my moves"),
                    ("click", "what's new; my hand only behind a link"),
                    ("none", "nothing about the game"),
                ],
                default="full",
                max_length=10,
                verbose_name="what an email shows",
            ),
        ),
        migrations.AlterField(
            model_name="preferences",
            name="timing",
            field=models.CharField(
                choices=[
                    ("at_once", "at once, for each match"),
                    ("after", "after a delay, for each match, unless I've already looked"),
                    ("together", "after a delay, one email for all my matches until I come back"),
                    ("digest", "as a digest, at times I choose"),
                    ("never", "never"),
                ],
                default="after",
                max_length=10,
                verbose_name="your turn, by email",
            ),
        ),
        migrations.AlterField(
            model_name="preferences",
            name="wants_begins",
            field=models.BooleanField(default=True, verbose_name="one of my matches begins"),
        ),
        migrations.AlterField(
            model_name="preferences",
            name="wants_moderation",
            field=models.BooleanField(default=True, verbose_name="the moderators have decided something about me"),
        ),
        migrations.AlterField(
            model_name="preferences",
            name="wants_over",
            field=models.BooleanField(default=True, verbose_name="one of my matches is over"),
        ),
    ]
