"""The record of everything clients saw, as lines of JSON, and the proof that it agrees with the database.

Lines have a kind ``k``; those about a match have its key ``m``, the seat ``s`` that saw it and the version ``v``:

- ``saw``: a move ``[seat, move]``, the ``id`` of the request if it was the viewer's own;
- ``whole``: the whole table; both have the digest of the ``view``, the ``clocks`` and the server's ``now``;
- ``ok``: the request ``id`` was confirmed to have led to ``v``, or before it;
- ``verdict``: the ``slaps`` on the card of ``v``;
- ``email``: the email with that ``id`` has arrived; ``answered``: the site has accepted an email to the address ``to``;
- ``unavailable``: a request was refused because nothing could be stored; the page sends it again;
- ``fault``: a kill, a pause, a cut, a full disk or a changed clock; ``checked``: the result of a round, to which later
  runs add.
"""

import hashlib
import json
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import Any, Self, TextIO

Line = dict[str, Any]

#: Live clocks, in seconds: the maximum shown, the increment per turn, the extension per match, and by how much two
#: calculations may differ.
CAP, INCREMENT, EXCUSE, ROUNDING = 300, 15, 60, 0.01
#: Seconds until everything sent to a page uses the new clock, and until an outage is detected and credited.
DELAY = 15.0
#: A clock set forward by more than the longest silence looks like an outage: turns running until the next heartbeat get
#: that time back (``games/matches/outages.py``).
LONGEST_SILENCE, BEAT_EVERY = 60, 10.0
#: The kinds of findings.
FOUND = ("lost", "doubled", "contradictory", "clocks", "stuck")
#: The result of a press in a stored row and in the message.
JUDGED = {"won", "beaten", "wrong"}


def digest(view: Any) -> str:
    """A digest that identifies a view, regardless of the order of its fields."""
    return hashlib.blake2b(json.dumps(view, sort_keys=True).encode(), digest_size=8).hexdigest()


class Record:
    """The append-only file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: TextIO = path.open("a")
        self._file.write("\n")  # a killed run may have left half a line
        #: The lines of this round.
        self.lines: list[Line] = []
        #: The emails of this run before this round.
        self._before: Counter[str] = Counter()

    def note(self, kind: str, **what: Any) -> None:
        """Add a line."""
        line = {"k": kind, "at": round(time.time(), 3), **what}
        self.lines.append(line)
        self._file.write(json.dumps(line) + "\n")

    def next_round(self) -> None:
        """Start a new round, whose check includes emails of earlier rounds."""
        self.lines = [line for line in self.lines if line["k"] in ("email", "answered")]
        self._before = self._emails()

    def note_round(self, form: str, kills: int, found: "Findings") -> None:
        """Add a round's results."""
        # Pages also reconnect after other faults, but from an earlier one, such as a cut.
        faults = [line for line in self.lines if line["k"] == "fault"]
        kills_of_web = [line for line in faults if line["fault"] == "kill" and line["what"].startswith("web")]
        others = Counter(line["fault"] for line in faults)
        seen = Counter(line["k"] for line in self.lines)
        moves = {(line["m"], line["v"]) for line in self.lines if line["k"] == "saw"}
        self.note(
            "checked",
            form=form,
            counts={
                "kills": kills,
                "stops": others["stop"],
                "cuts": others["cut"],
                "full disks": others["full"],
                "clocks set": others["jump"],
                **found.counts(),
            },
            seen={
                "moves": len(moves),
                "views": seen["saw"] + seen["whole"],
                "verdicts": seen["verdict"],
                "refused for now": seen["unavailable"],
            }
            | dict(self._emails() - self._before),
            back=[line["back"] for line in kills_of_web if line["back"] is not None],
            findings=list(found.texts()),
        )
        self._file.flush()

    def _emails(self) -> Counter[str]:
        seen = Counter(line["k"] for line in self.lines)
        again = repeated_emails(self.lines)
        return Counter({"emails": seen["email"], "emails come again": again, "answers": seen["answered"]})

    def of_kind(self, kind: str) -> list[Line]:
        """All lines of a kind, of this run and earlier ones, ignoring an incomplete line of a killed run."""
        self._file.flush()
        texts = self._path.read_text().splitlines()
        return [json.loads(text) for text in texts if text.startswith(f'{{"k": "{kind}"') and text.endswith("}")]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


@dataclass(slots=True)
class StoredMatch:
    """A match from the database, rebuilt move by move."""

    #: By version: seat, move, public move, and request id.
    moves: Mapping[int, tuple[int, str, str, str]]
    #: By version and seat: the digest of the view.
    views: Mapping[tuple[int, int], str]
    #: By version: seat and result of each press that was judged.
    slaps: Mapping[int, frozenset[tuple[int, str]]] = field(default_factory=dict)
    #: Faults found during the rebuild.
    faults: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Self:
        """Read from JSON."""
        views = {
            (int(version), seat): view
            for version, seats in told["views"].items()
            for seat, view in enumerate(seats)
        }  # fmt: skip
        slaps: dict[int, set[tuple[int, str]]] = defaultdict(set)
        for version, seat, result in told["slaps"]:
            slaps[version].add((seat, result))
        return cls(
            {number: (seat, move, public, name) for number, seat, move, public, name in told["moves"]},
            views,
            {version: frozenset(pressed) for version, pressed in slaps.items()},
            told["faults"],
        )


@dataclass(slots=True)
class Stored:
    """The content of the database."""

    matches: Mapping[str, StoredMatch]
    #: The move played by each answered email, by address; None if none was.
    answers: Mapping[str, str | None] = field(default_factory=dict)
    #: Message-IDs of all emails that count as sent.
    sent: frozenset[str] = frozenset()

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Self:
        """Read from JSON."""
        matches = {key: StoredMatch.read(match) for key, match in told["matches"].items()}
        return cls(matches, told["answers"], frozenset(told["sent"]))


@dataclass(slots=True)
class Findings:
    """All contradictions, in words; empty if there are none."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    contradictory: list[str] = field(default_factory=list)
    clocks: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """The number of findings of each kind."""
        return {name: len(getattr(self, name)) for name in FOUND}

    def leave_out(self, told: Collection[str]) -> None:
        """Drop findings of earlier rounds, since each round checks all emails."""
        for name in FOUND:
            setattr(self, name, [text for text in getattr(self, name) if f"{name}: {text}" not in told])

    def texts(self) -> Iterator[str]:
        """All findings, each with its kind."""
        for name in self.counts():
            for text in getattr(self, name):
                yield f"{name}: {text}"


def check(record: Iterable[Line], stored: Stored) -> Findings:
    """Compare everything that was seen with the database."""
    found = Findings()
    lines = list(record)
    _check_stored(stored, found)
    _check_moves(lines, stored, found)
    _check_verdicts(lines, stored, found)
    _check_emails(lines, stored, found)
    _check_clocks(lines, found)
    return found


def repeated_emails(record: Iterable[Line]) -> int:
    """Emails that arrived again under the same Message-ID: the sender died before recording that they were sent."""
    came = Counter(line["id"] for line in record if line["k"] == "email")
    return sum(came.values()) - len(came)


def totals(checked: Iterable[Line]) -> dict[str, dict[str, float]]:
    """By form: the sums of all rounds, and the seconds until pages were back once the server answered."""
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    waits: dict[str, list[float]] = defaultdict(list)
    for line in checked:
        sums[line["form"]].update(line["counts"])
        sums[line["form"]].update(line["seen"])
        waits[line["form"]] += line["back"]
    figures: dict[str, dict[str, float]] = {}
    for form, counts in sums.items():
        figures[form] = dict(counts)
        if waits[form]:
            figures[form] |= {"s back (median)": round(median(waits[form]), 2), "s back (most)": max(waits[form])}
    return figures


def _check_stored(stored: Stored, found: Findings) -> None:
    for key, match in stored.matches.items():
        found.contradictory += [f"{key}: {fault}" for fault in match.faults]
        if sorted(match.moves) != list(range(1, len(match.moves) + 1)):
            found.lost.append(f"{key}: the stored moves have a gap")
        names = Counter(name for _seat, _move, _public, name in match.moves.values())
        found.doubled += [f"{key}: request {name} is {count} moves" for name, count in names.items() if count > 1]


def _check_moves(lines: list[Line], stored: Stored, found: Findings) -> None:
    """Check every move, view and confirmation."""
    shown: dict[tuple[str, int, bool], Any] = {}
    led_to: dict[tuple[str, str], int] = {}
    for line in lines:
        if line["k"] not in ("saw", "whole", "ok"):
            continue
        key, version, viewer = line["m"], line["v"], line["s"]
        where = f"{key} v{version} seat {viewer}"
        match = stored.matches.get(key)
        if match is None or version > len(match.moves):
            found.lost.append(f"{where}: {line['k']}, and not stored")
            continue
        if line["k"] == "ok":
            if line["id"] not in {name for _seat, _move, _public, name in match.moves.values()}:
                found.lost.append(f"{where}: {line['id']} was confirmed, and is not stored")
            continue
        view = match.views.get((version, viewer))
        if view is not None and view != line["view"]:
            found.contradictory.append(f"{where}: the moves lead to another view")
        if line["k"] == "whole":
            continue
        seat, move = line["move"]
        is_own = viewer == seat
        first = shown.setdefault((key, version, is_own), line["move"])
        if first != line["move"]:
            found.contradictory.append(f"{where}: {first} was shown to others, {line['move']} here")
        by, whole, public, name = match.moves[version]
        if (seat, move) != (by, whole if is_own else public):
            found.contradictory.append(f"{where}: {line['move']} was shown, {[by, whole]} is stored")
        if line["id"] is not None:
            if led_to.setdefault((key, line["id"]), version) != version:
                found.doubled.append(f"{where}: {line['id']} led to version {led_to[key, line['id']]} before")
            if line["id"] != name:
                found.contradictory.append(f"{where}: request {line['id']} was shown, {name} is stored")


def _check_verdicts(lines: list[Line], stored: Stored, found: Findings) -> None:
    shown: dict[tuple[str, int], Any] = {}
    for line in lines:
        if line["k"] != "verdict":
            continue
        key, version = line["m"], line["v"]
        where = f"{key} v{version} seat {line['s']}"
        first = shown.setdefault((key, version), line["slaps"])
        if first != line["slaps"]:
            found.contradictory.append(f"{where}: verdict {line['slaps']}, and {first} to others")
        told = frozenset((slap["seat"], slap["result"]) for slap in line["slaps"] if slap["result"] in JUDGED)
        match = stored.matches.get(key)
        kept = match.slaps.get(version, frozenset()) if match else frozenset()
        if told and not kept:
            found.lost.append(f"{where}: verdict {sorted(told)}, and no press is stored")
        elif not told <= kept:
            found.contradictory.append(f"{where}: verdict {sorted(told)}, stored {sorted(kept)}")


def _check_emails(lines: list[Line], stored: Stored, found: Findings) -> None:
    came = {line["id"] for line in lines if line["k"] == "email"}
    found.lost += [f"email {name} is sent, and never came" for name in sorted(stored.sent - came)]
    answered = {line["to"] for line in lines if line["k"] == "answered"}
    found.lost += [
        f"the answer to {to} was taken in, and not played"
        for to in sorted(answered & stored.answers.keys())
        if not stored.answers[to]
    ]


def _check_clocks(lines: list[Line], found: Findings) -> None:
    """A seat's time left never grows within a turn, and its bank never by more than the increments.

    If the clock is set, the seat whose turn it is gets more time: as much as it is set back, or what looks like an
    outage.
    """
    viewers: dict[tuple[str, int], list[Line]] = defaultdict(list)
    gifts: list[tuple[float, float]] = []
    for line in lines:
        if line["k"] in ("saw", "whole"):
            viewers[line["m"], line["s"]].append(line)
        elif line["k"] == "fault" and line["fault"] == "jump":
            seconds = line["seconds"]
            gifts.append((line["at"], BEAT_EVERY if seconds > LONGEST_SILENCE else max(0, -seconds)))
    for (key, _viewer), seen in viewers.items():
        # Moves stored together are announced with the clocks after all of them.
        commits = [list(group) for _clocks, group in groupby(seen, key=itemgetter("clocks"))]
        for before, after in pairwise(commits):
            grown = after[0]["v"] - before[-1]["v"]
            # Otherwise some moves weren't shown one by one, and it is unknown which player made them.
            if grown == 0 or (grown == 1 and after[0]["k"] == "saw"):
                first, last = before[-1]["at"] - DELAY, after[0]["at"]
                given = sum(seconds for at, seconds in gifts if first <= at <= last)
                found.clocks += [f"{key} v{after[0]['v']}: {text}" for text in _gains(before, after, given)]


def _gains(before: list[Line], after: list[Line], given: float) -> Iterator[str]:
    """Time gained between commits beyond what was ``given``, as shown to the same viewer."""
    then, now = before[-1]["now"], after[0]["now"]
    movers = [line["move"][0] for line in after if line["k"] == "saw"]
    old = {seat: (bank, due) for seat, bank, due in before[-1]["clocks"]}
    for seat, bank, due in after[0]["clocks"]:
        old_bank, old_due = old.get(seat, (None, None))
        if bank is None or old_bank is None:
            continue
        if due is not None and old_due is not None:
            if now + given >= old_due and due - now <= EXCUSE + given:
                continue  # its time was over, and it used its extension
            if seat not in movers and due - now > old_due - then + given + ROUNDING:
                yield f"seat {seat} had {old_due - then:.2f} s left, and then {due - now:.2f} s"
        if bank > min(CAP, old_bank + INCREMENT * max(1, movers.count(seat))) + given:
            yield f"the clock of seat {seat} went from {old_bank} to {bank} s"
