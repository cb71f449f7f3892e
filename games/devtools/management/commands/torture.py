import json
import random
import signal
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from games.devtools.torture import stored
from games.devtools.torture.faults import torture
from games.devtools.torture.history import FOUND, Record, totals


class Command(BaseCommand):
    help = (
        "Play on a scratch site while its processes are killed, stopped and cut off and its disk is full, and prove"
        " that everything the players saw is stored. Ctrl-C ends it; --resume adds to the figures of an earlier run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--kills", type=int, default=50, help="how many times to kill -9 a process (default: %(default)s)"
        )
        parser.add_argument("--form", default="embedded", choices=("embedded", "services"))
        parser.add_argument("--resume", type=Path, metavar="FILE", help="add to this record and its figures")
        parser.add_argument("--seed", type=int, help="the seed that chooses the faults")
        parser.add_argument("--prepare", type=int, metavar="ROUND", help="(internal) make tables and print them")
        parser.add_argument("--stored", action="store_true", help="(internal) print what is stored")

    def handle(self, *, kills: int, form: str, resume: Path | None, seed: int | None, **options: Any) -> None:
        if options["prepare"] is not None:
            json.dump(stored.prepare(options["prepare"]), self.stdout)
        elif options["stored"]:
            json.dump(stored.read(**json.load(sys.stdin)), self.stdout)
        else:
            self._torture(form, kills, resume or settings.DATA_DIR / "torture.jsonl", seed)

    def _torture(self, form: str, kills: int, path: Path, seed: int | None) -> None:
        seed = random.randrange(10**6) if seed is None else seed
        self.stdout.write(f"{form}, seed {seed}, record {path}")
        # A shell that starts this in the background makes it ignore Ctrl-C.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        with Record(path) as record:
            try:
                torture(form, kills, record, random.Random(seed), self.stdout.write)
            except KeyboardInterrupt:
                self.stdout.write("Stopped. Unchecked play doesn't count.")
            sums = totals(record.of_kind("checked"))
        for each, counts in sums.items():
            self.stdout.write(f"{each}: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
        if any(counts[name] for counts in sums.values() for name in FOUND):
            raise CommandError("Players saw something else than what is stored.")
