"""``manage.py make_push_keys``: create the key that signs the site's web pushes."""

from typing import Any

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from py_vapid import Vapid02
from py_vapid.utils import b64urlencode

from games.mail import push


class Command(BaseCommand):
    help = "Make the key that signs web pushes, and print it as a line for .env."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--write", action="store_true", help="store it in DATA_DIR instead, for a site on one machine"
        )
        parser.add_argument(
            "--force", action="store_true", help="replace an existing key; every browser must then allow pushes again"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if push.private_key() and not options["force"]:
            raise CommandError(
                "This site has a key. With --force you get a new one, and every browser must allow pushes again."
            )
        vapid = Vapid02()
        vapid.generate_keys()
        key = b64urlencode(vapid.private_key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))
        if not options["write"]:
            self.stdout.write(f"VAPID_PRIVATE_KEY={key}")
            return
        path = settings.DATA_DIR / push.KEY_FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(key, encoding="ascii")
        self.stdout.write(f"The key is in {path}. Restart the site.")
