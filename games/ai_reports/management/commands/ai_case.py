"""``manage.py ai_case N``: replay a reported move, with what each level plays there now."""

import json
from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games import engine
from games.ai.players import LEVELS, choose
from games.ai_reports.models import AiCase
from games.engine import View


class Command(BaseCommand):
    help = "Show a reported move of an AI player: what it saw, what it played, and what each level would play now."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("case", type=int, nargs="?", help="number of the case; leave it out to list the open ones")
        parser.add_argument(
            "--tries", type=int, default=10, help="choices to make per level, each with a different seed"
        )
        parser.add_argument("--json", action="store_true", help="print the case in the format of tests/ai/cases")

    def handle(self, *args: Any, case: int | None, tries: int, **options: Any) -> None:
        if case is None:
            self._list()
            return
        try:
            found = AiCase.objects.select_related("match").get(pk=case)
        except AiCase.DoesNotExist:
            raise CommandError(f"There is no case {case}.") from None
        if options["json"]:
            self.stdout.write(json.dumps(found.to_json(), indent=1))
            return
        # The record, not the stored view: the rules may have been wrong.
        for state in engine.replay(found.record):
            last = state
        view = last.view(found.seat)
        self._show(found, view)
        for level in LEVELS:
            same = choose(view, level, found.luck)
            others = Counter(choose(view, level, f"{found.luck}/{number}") for number in range(tries))
            chances = ", ".join(f"{move} × {count}" for move, count in others.most_common())
            self.stdout.write(f"{level:>8} plays {same}" + (f"   (with other seeds: {chances})" if chances else ""))

    def _show(self, case: AiCase, view: View) -> None:
        self.stdout.write(f"Case {case.pk}: {case}")
        if case.note:
            self.stdout.write(f"Note: {case.note}")
        if view.to_json() != View.from_json(case.view).to_json():
            self.stdout.write("The rules have changed: they show this position differently now.")
        self.stdout.write(f"Seat {case.seat}, phase {view.phase}")
        for zone in view.zones:
            if zone.count:
                cards = "" if zone.cards is None else " ".join(code or "??" for code in zone.cards)
                self.stdout.write(f"  {zone.id:<16}{zone.count:>3}  {cards}")
        for name, fact in view.facts.items():
            if name != "options":
                self.stdout.write(f"  {name}: {json.dumps(fact)}")
        self.stdout.write(f"Moves: {' '.join(view.moves)}")
        self.stdout.write(f"Played: {case.move}")

    def _list(self) -> None:
        cases = AiCase.objects.filter(is_settled=False)
        for case in cases:
            self.stdout.write(f"{case.pk:>6}  {case.created_at:%Y-%m-%d}  {case}  {case.note}".rstrip())
        if not cases:
            self.stdout.write("No open cases.")
