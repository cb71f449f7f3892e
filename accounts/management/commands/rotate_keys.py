from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand
from django.db import transaction

from accounts.second_factor import MFAAdapter

#: The encrypted values of an authenticator, by their names in the row.
ENCRYPTED = ("secret", "seed")


class Command(BaseCommand):
    help = (
        "Encrypt the secrets of second factors with the current SECRET_KEY. After that you can remove the keys in "
        "SECRET_KEY_FALLBACKS as soon as sessions and links made with them may end."
    )

    def handle(self, **options: Any) -> None:
        adapter = MFAAdapter()
        rows = Authenticator.objects.exclude(type=Authenticator.Type.WEBAUTHN)
        count = 0
        for pk in rows.values_list("pk", flat=True):
            with transaction.atomic():
                row = rows.select_for_update().filter(pk=pk).first()
                if row is None:
                    continue
                kept = {name: adapter.decrypt(row.data[name]) for name in ENCRYPTED if name in row.data}
                row.data |= {name: adapter.encrypt(secret) for name, secret in kept.items()}
                row.save(update_fields=["data"])
                count += 1
        self.stdout.write(f"Re-encrypted {count} secrets.")
