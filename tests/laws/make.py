"""Make the pinned numbers and the golden logs: ``python -m tests.laws.make [SLUG …]``.

Counts the move sequences of the named games (default: all) and writes ``tests/data/perft.json``; plays missing golden
logs, and rewrites existing ones from their moves. Read the difference before committing it: it is the effect of your
change on the game.
"""

import sys
from collections.abc import Sequence

import games.rules
from tests.laws import goldens, perft


def main(slugs: Sequence[str]) -> None:
    """Make both for the games named."""
    counted = perft.load() if perft.FILE.exists() else {}
    for rules in map(games.rules.get, slugs or [rules.slug for rules in games.rules.all()]):
        counted[rules.slug] = list(perft.count(rules))
        for number in range(1, goldens.LOGS + 1):
            log = goldens.FOLDER / rules.slug / f"{number}.jsonl"
            match = goldens.read(log) if log.exists() else goldens.new_match(rules, number)
            goldens.write(games.rules.get(match.slug, match.version), match, log)
    perft.save(counted)


if __name__ == "__main__":
    main(sys.argv[1:])
