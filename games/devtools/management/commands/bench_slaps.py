import asyncio
import json
import os
import random
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.models import User
from games import rules
from games.devtools.bench import model, noise, slaps
from games.devtools.bench.site import log_in, scratch_site
from games.devtools.bench.statistics import TOLERATED, report, row, together
from games.matches import history, service
from games.matches.models import Match, Move, SlapAttempt
from games.slaps.rejudge import differences


class Command(BaseCommand):
    help = (
        "Measure slaps with its own server processes, a scratch database, and people of known reactions behind lines "
        "of known delay, jitter and loss. Prints how often the truly fastest player won, how often the first press to "
        "arrive would have, and how long verdicts took. Embedded by default; with DATABASE_URL and REDIS_URL, two "
        "servers."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tables", type=int, default=40, help="tables played at once")
        parser.add_argument("--seconds", type=float, default=90)
        parser.add_argument("--runs", type=int, default=1, help="runs, each on a new site; times are medians")
        parser.add_argument(
            "--scenario", action="append", help="only this kind of table; may be given several times (default: all)"
        )
        parser.add_argument(
            "--rated", action="store_true", help="play rated matches, in which slow connections get less credit"
        )
        parser.add_argument("--processes", type=int, default=0, help="server processes (default: 1, with Redis 2)")
        parser.add_argument(
            "--kills", type=int, default=0, help="how many times to kill -9 a server, at random moments"
        )
        parser.add_argument("--seed", type=int, default=0, help="the seed of the random moments")
        parser.add_argument(
            "--model", type=int, metavar="N", help="without servers: N cards of each kind on a virtual clock"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--prepare", help="(internal) make the matches and print them")
        parser.add_argument("--stored", action="store_true", help="(internal) print what is stored, and judge it again")

    def handle(self, **options: Any) -> None:
        if options["prepare"]:
            json.dump(_prepare(json.loads(options["prepare"]), is_rated=options["rated"]), self.stdout)
        elif options["stored"]:
            json.dump(_stored(), self.stdout)
        else:
            self._measure(**options)

    def _measure(self, *, kills: int, processes: int, **options: Any) -> None:
        names = options["scenario"] or list(slaps.SCENARIOS)
        if unknown := set(names) - set(slaps.SCENARIOS):
            raise CommandError(f"There is no kind of table called {unknown}. There are: {', '.join(slaps.SCENARIOS)}.")
        if options["model"]:
            self._imagine([slaps.SCENARIOS[name] for name in names], options["model"], is_rated=options["rated"])
            return
        scenarios = [slaps.SCENARIOS[names[number % len(names)]] for number in range(options["tables"])]
        processes = processes or (1 if settings.EMBEDDED else 2)
        set_up = "embedded" if settings.EMBEDDED else "services"
        # The machine's load before this began.
        load = os.getloadavg()[0]
        goes_first = noise.raise_priority(-10)
        runs = [
            _play(scenarios, kills, processes, {**options, "seed": options["seed"] + number}, TOLERATED[set_up])
            for number in range(options["runs"])
        ]
        answer = {
            "load": load,
            "raised_priority": goes_first,
            "set_up": set_up,
            "tolerated_ms": TOLERATED[set_up],
            "processes": processes,
            "tables": len(scenarios),
            "seconds": options["seconds"],
            "kills": kills,
            "rated": options["rated"],
            **together(runs),
        }
        if options["json"]:
            self.stdout.write(json.dumps(answer))
        else:
            self._print(answer)
        if answer["faults"]:
            raise CommandError("\n".join(answer["faults"][:20]))

    def _imagine(self, scenarios: list[Any], count: int, *, is_rated: bool) -> None:
        self.stdout.write(f"{count} cards of each kind on a virtual clock{', rated' if is_rated else ''}")
        self._print_rows({each.name: row(model.play(each, count, is_rated=is_rated)) for each in scenarios})

    def _print(self, answer: dict[str, Any]) -> None:
        self.stdout.write(
            "{tables} tables, {seconds:.0f} s, {processes} {set_up} server processes, {kills} kills, "
            "{runs} runs, {valid_runs} of them on a quiet machine, {processor:.0%} of a core, "
            "load average {load:.2f} at the start".format(**answer)
        )
        if answer["foreign"] is not None:
            self.stdout.write("all other processes {foreign:.0%} of a core".format(**answer))
        self._print_rows(answer["scenarios"])
        self.stdout.write(
            "verdicts {verdicts}, {late} sent more than {tolerated_ms} ms past their bound; "
            "time past it, p50/p90/p99/max:".format(**answer)
        )
        for stage, figures in answer["lateness"].items():
            low_high = ", ".join(f"{low:.0f}–{high:.0f}" for low, high in answer["spread"][stage])
            self.stdout.write(f"{stage:>9} " + "/".join(f"{value:.0f}" for value in figures) + f" ms ({low_high})")
        self.stdout.write(
            "while people came and left: verdicts {verdicts}, late {late}, at most by {max:.0f} ms".format(
                **answer["coming_and_going"]
            )
        )
        self.stdout.write(
            "reconnects {reconnects}, stored slaps {slaps}, faults {n}".format(n=len(answer["faults"]), **answer)
        )

    def _print_rows(self, rows: dict[str, Any]) -> None:
        """Rates in percent with their 95 % intervals; times are the 50th, 90th and 99th percentiles."""
        layout = "{:>16} {:>6}  {:<18}  {:<18}  {:<18}  {:<18}  {:<13} {}"
        heads = ("cards", "fastest wins", "or 5 ms slower", "first to arrive", "liar wins", "verdict, ms", "error, ms")
        self.stdout.write(layout.format("", *heads))
        for name, figures in rows.items():
            rates = [_percent(figures[key]) for key in ("fastest", "near", "arrival", "liar")]
            times = ["/".join(f"{value:.0f}" for value in figures[key]) for key in ("latency", "error")]
            self.stdout.write(layout.format(name, figures["contests"], *rates, *times))


def _play(
    scenarios: list[Any], kills: int, processes: int, options: dict[str, Any], tolerated: float
) -> dict[str, Any]:
    """One run on a site of its own."""
    rng = random.Random(options["seed"])
    seconds = options["seconds"]
    with scratch_site(processes) as site:
        sizes = json.dumps([len(scenario.lines) for scenario in scenarios])
        rated = ["--rated"] if options["rated"] else []
        prepared = json.loads(site.manage("bench_slaps", f"--prepare={sizes}", *rated))
        tables = [
            (table["key"], scenario, table["cookies"]) for table, scenario in zip(prepared, scenarios, strict=True)
        ]
        used, foreign = site.processor_seconds(), site.foreign_seconds()

        async def trouble() -> None:
            for _kill in range(kills):
                await asyncio.sleep(rng.uniform(0.5, 1.5) * seconds / (kills + 1))
                await asyncio.to_thread(site.crash, rng.randrange(processes))

        with noise.listening() as heard:
            played, all_there = asyncio.run(
                slaps.run(tables, site.urls, seconds=seconds, trouble=trouble if kills else None)
            )
        processor, foreign = site.processor_seconds() - used, site.foreign_seconds() - foreign
        # Let pending moves be stored first; nothing changes after that.
        site.stop()
        stored = json.loads(site.manage("bench_slaps", "--stored"))
    return {
        # As a share of one core, for all servers; a killed server's time is lost.
        "processor": round(processor / seconds, 3),
        # As a share of one core, for everything except servers and load: services, if any, and other programs.
        "foreign": None if kills else round(foreign / seconds, 3),
        "noise": heard,
        **report(played, stored, all_there, tolerated=tolerated),
    }


def _percent(figure: dict[str, Any] | None) -> str:
    if figure is None:
        return ""
    low, high = figure["interval"]
    return f"{figure['rate']:.1%} ({low:.1%}–{high:.1%})".replace("%–", "–")


def _prepare(sizes: list[int], *, is_rated: bool) -> list[dict[str, Any]]:
    """Start matches between new guests, played past the bets, and return their session cookies."""
    prepared = []
    options = {"slaps": list(rules.presentation("armani").patterns), "lockout": 0, "teams": "alternate"}
    for number, seats in enumerate(sizes):
        with transaction.atomic():
            guests = [User.objects.create_user(name=f"Bench {number}-{seat}") for seat in range(seats)]
            match = service.open_table(guests[0], "armani", seats, options, pace="fast")
            for guest in guests[1:]:
                service.join(match, guest)
            match.is_rated = is_rated
            match.save(update_fields=["is_rated"])
            service.start(match, guests[0])
        while not (table := service.load(match.pk)).forced_step():
            seat = table.state.to_move()[0]
            moves = table.state.legal_moves(seat)
            move = "fold" if "fold" in moves else moves[0]
            service.act(match.pk, seat, move, request_id=f"b{table.version}", player=guests[seat])
        prepared.append({"key": match.key, "cookies": [log_in(guest) for guest in guests]})
    return prepared


def _stored() -> dict[str, Any]:
    """Everything stored about each match: moves, presses, and the result of judging again."""
    answer = {}
    for match in Match.objects.all():
        whole = history.last(match)
        shown = service.load(match.pk)
        differing = differences(match)
        viewers = (*range(match.seat_count), None)
        if any(whole.state.view(seat).to_json() != shown.state.view(seat).to_json() for seat in viewers):
            differing.append("the log leads to another state")
        if whole.version != match.version:
            differing.append("the log has another length")
        answer[match.key] = {
            "version": match.version,
            "moves": {
                number: [seat, move, at.timestamp(), name]
                for number, seat, move, at, name in Move.objects.filter(match=match).values_list(
                    "number", "seat", "move", "at", "request_id"
                )
            },
            "slaps": [
                {
                    "card": slap.version,
                    "seat": slap.seat,
                    "at": slap.at.timestamp(),
                    # When this press made the verdict due; if that is in the past, when the press arrived.
                    "due": slap.at.timestamp() + (slap.verdict_after - slap.elapsed) / 1000,
                    "result": slap.result,
                    "reaction": slap.reaction,
                }
                for slap in SlapAttempt.objects.filter(match=match)
            ],
            "differences": [f"{match.key}: {text}" for text in differing],
        }
    return answer
