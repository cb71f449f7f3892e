from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from armani_site.management.commands import serve
from games.devtools.bench import stages


class Command(serve.Command):
    help = "(internal) Run a benchmark server that measures itself: each SIGUSR1 writes the cost of moves so far."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--to", type=Path, required=True, help="the folder to write to")

    def handle(self, **options: Any) -> None:
        stages.write_on_signal(options.pop("to"))
        super().handle(**options)
