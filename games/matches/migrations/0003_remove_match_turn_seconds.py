from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0002_clocks"),
    ]

    operations = [
        migrations.RemoveField(
            model_name="match",
            name="turn_seconds",
        ),
    ]
