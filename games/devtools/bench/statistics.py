"""The statistics of ``bench_slaps``: winners, times of verdicts, and whether everything is stored."""

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from games.ai.ladder import wilson
from games.judging.timing import TIE

if TYPE_CHECKING:
    from games.devtools.bench.slaps import Contest, Table

#: The tolerated delay of a verdict in ms: embedded, and with services.
TOLERATED = {"embedded": 50, "services": 100}
#: The stages of a verdict: decided by the server, sent by it (according to the kernel), and read by the load, which
#: shares a core with four hundred players.
STAGES = ("decided", "sent", "read")
#: Counts for the contests of a kind of table; None if no one cheats there.
RATES = ("fastest", "near", "arrival", "liar")


def quantiles(values: Sequence[float], *shares: float) -> list[float]:
    """The given quantiles of ``values``; none if there are no values."""
    ordered = sorted(values)
    return [round(ordered[math.ceil(len(ordered) * share) - 1], 1) for share in shares] if ordered else []


def report(
    played: Sequence["Table"], stored: dict[str, Any], all_there: tuple[float, float], *, tolerated: float
) -> dict[str, Any]:
    """The figures and faults: anything shown but not stored, stored twice, or judged differently.

    A verdict is late if it is sent more than ``tolerated`` ms after its bound. Verdicts due outside the timestamps of
    ``all_there``, while people arrived or left, are counted separately.
    """
    by_scenario: dict[str, list[Contest]] = defaultdict(list)
    lateness: dict[str, list[float]] = {stage: [] for stage in STAGES}
    coming_and_going: list[float] = []
    faults: list[str] = []
    for table in played:
        rows = stored[table.key]
        faults += [*rows["differences"], *table.contradictions, *_not_stored(table, rows)]
        for contest in table.contests.values():
            if contest.is_complete:
                by_scenario[contest.scenario.name].append(contest)
            bound = _bound(contest, rows["slaps"])
            decision = rows["moves"].get(str(contest.card + 1))
            if bound is None or decision is None or contest.judged_at is None or contest.read_at is None:
                continue
            if not all_there[0] <= bound <= all_there[1]:
                coming_and_going.append((contest.judged_at - bound) * 1000)
                continue
            for stage, at in zip(STAGES, (decision[2], contest.judged_at, contest.read_at), strict=True):
                lateness[stage].append((at - bound) * 1000)
    sent = lateness["sent"]
    return {
        "scenarios": {name: row(contests) for name, contests in sorted(by_scenario.items())},
        "verdicts": len(sent),
        "lateness": {stage: quantiles(values, 0.5, 0.9, 0.99, 1) for stage, values in lateness.items()},
        "late": sum(late > tolerated for late in sent),
        "coming_and_going": {
            "verdicts": len(coming_and_going),
            "late": sum(late > tolerated for late in coming_and_going),
            "max": max(coming_and_going, default=0.0),
        },
        "reconnects": sum(table.reconnects for table in played),
        "slaps": sum(len(rows["slaps"]) for rows in stored.values()),
        "faults": faults,
    }


def together(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Combine several runs: medians and spread of measurements, and sums of counts.

    Measurements use only runs on a quiet machine, or all if it never was quiet; faults always count.
    """
    quiet = [run for run in runs if run["noise"]["is_quiet"]]
    measured = quiet or runs
    names = sorted({name for run in measured for name in run["scenarios"]})
    lateness = {stage: [run["lateness"][stage] for run in measured if run["lateness"][stage]] for stage in STAGES}
    leaving = [run["coming_and_going"] for run in measured]
    return {
        "runs": len(runs),
        "valid_runs": len(quiet),
        "longest_stalls_ms": [run["noise"]["stall_ms"] for run in runs],
        "processor": statistics.median(run["processor"] for run in measured),
        "foreign": median_of_each([[run["foreign"]] for run in measured if run["foreign"] is not None], [None])[0],
        "scenarios": {
            name: _pooled([run["scenarios"][name] for run in measured if name in run["scenarios"]]) for name in names
        },
        **{name: sum(run[name] for run in measured) for name in ("verdicts", "late")},
        "lateness": {stage: median_of_each(figures) for stage, figures in lateness.items()},
        "spread": {
            stage: [[min(values), max(values)] for values in zip(*figures, strict=True)]
            for stage, figures in lateness.items()
        },
        "coming_and_going": {
            **{name: sum(each[name] for each in leaving) for name in ("verdicts", "late")},
            "max": max(each["max"] for each in leaving),
        },
        **{name: sum(run[name] for run in runs) for name in ("reconnects", "slaps")},
        "faults": [fault for run in runs for fault in run["faults"]],
    }


def median_of_each(rows: Sequence[Sequence[float]], otherwise: Sequence[Any] = ()) -> list[Any]:
    """The medians of the first, second, … figures of ``rows``."""
    return [round(statistics.median(values), 3) for values in zip(*rows, strict=True)] or list(otherwise)


def _pooled(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Combine rows of one kind of table: contests are added, times are medians."""
    count = sum(each["contests"] for each in rows)
    rates = {
        name: rows[0][name] and _rate(round(sum(each[name]["rate"] * each["contests"] for each in rows)), count)
        for name in RATES
    }
    times = {name: median_of_each([each[name] for each in rows if each[name]]) for name in ("latency", "error")}
    return {"contests": count, **rates, **times}


def row(contests: Sequence["Contest"]) -> dict[str, Any]:
    """The figures of one kind of table: rates of ``contests``, each with its 95 % interval."""
    liar = contests[0].scenario.liar
    fastest = near = arrival = lied = 0
    for contest in contests:
        truth, arrivals, winner = contest.reactions, contest.arrivals, contest.winner
        first = min(truth, key=truth.__getitem__)
        fastest += winner == first
        near += winner is not None and truth[winner] - truth[first] <= TIE
        arrival += min(arrivals, key=arrivals.__getitem__) == first
        lied += winner == liar
    count = len(contests)
    return {
        "contests": count,
        "fastest": _rate(fastest, count),
        "near": _rate(near, count),
        "arrival": _rate(arrival, count),
        "liar": None if liar is None else _rate(lied, count),
        "latency": quantiles([c.latency for c in contests if c.latency is not None], 0.5, 0.9, 0.99),
        "error": quantiles(
            [abs(error) for contest in contests for seat, error in contest.errors() if seat != liar], 0.5, 0.9, 0.99
        ),
    }


def _rate(times: int, count: int) -> dict[str, Any]:
    return {"rate": times / count, "interval": wilson(times, count)}


def _bound(contest: "Contest", slaps: Sequence[dict[str, Any]]) -> float | None:
    """When the verdict on a card was due at the latest; None if no slap was judged.

    A press can't bring it forward to before its arrival at the server.
    """
    return min(
        (
            max(slap["due"], contest.arrivals.get(slap["seat"], slap["at"]))
            for slap in slaps
            if slap["card"] == contest.card and slap["result"] not in ("early", "late")
        ),
        default=None,
    )


def _not_stored(table: "Table", rows: dict[str, Any]) -> list[str]:
    """Everything a player was shown that isn't in the database."""
    faults = []
    for version, (seat, move) in table.moves.items():
        if rows["moves"].get(str(version), [None, None])[:2] != [seat, move]:
            faults.append(f"{table.key} v{version}: {seat} {move} was shown and is not stored")
    results = {(slap["card"], slap["seat"]): slap["result"] for slap in rows["slaps"]}
    for card, verdict in table.verdicts.items():
        faults += [
            f"{table.key} v{card}: the verdict {slap} was shown and is not stored"
            for slap in verdict
            if results.get((card, slap["seat"])) != slap["result"]
        ]
    return faults
