"""The rules of each game about turns, scores and the end, and where players meet them.

A clause is shown by a lesson that ``teaches`` it, or stated by the refusal of a move that breaks it. ``python -m
tests.lessons.clauses`` prints those without either.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from games import rules

RULES = Path(rules.__file__).parent


class Clause(NamedTuple):
    """One clause: its topic, its text, and part of the refusal that states it, if no lesson does."""

    about: str
    words: str
    refusal: str = ""


TURN, SCORE, END, OTHER = "turn", "score", "end", "other"

CLAUSES: dict[str, dict[str, Clause]] = {
    "armani": {
        "bet": Clause(TURN, "Bets go round and up; the highest bettor's side promises that many points."),
        "teams": Clause(OTHER, "Same colour of the top card, same team."),
        "pair": Clause(TURN, "The last two cards played have the same rank."),
        "sandwich": Clause(TURN, "The last card and the last but two have the same rank."),
        "wrong-slap": Clause(TURN, "A wrong slap burns the top card to the bottom of the pile."),
        "lock-out": Clause(TURN, "After a wrong slap a seat may not slap for some cards."),
        "duel": Clause(TURN, "After a face card the next player has 1 to 4 chances to play one."),
        "slap-beats": Clause(TURN, "A slap beats everything, also a duel that is lost."),
        "points": Clause(SCORE, "1 point a card, 7 for the queen of spades, 58 in all."),
        "power": Clause(SCORE, "A bet that is kept gives Choosing Power, else the other side has it."),
        "choose": Clause(TURN, "The side with Choosing Power picks a fan, then takes cards of the other."),
        "last-card": Clause(END, "The only player with cards wins the hand with a card."),
        "all-cards": Clause(END, "A side that holds all 52 cards wins."),
        "final-lap": Clause(END, "After a bound of flips the hands are laid aside and counted."),
    },
    "armed": {
        "battle": Clause(TURN, "Both choose in secret; the higher value takes all."),
        "values": Clause(TURN, "2 to 10 as printed, J 11, Q 12, K 13, A 14; no suits."),
        "war": Clause(TURN, "Equal values: another card, added to the value; repeated while equal."),
        "deck-out": Clause(END, "A player who must draw and can't loses."),
        "battles": Clause(END, "After a number of battles more cards win."),
    },
    "avalanche": {
        "start": Clause(TURN, "With no avalanche play cards of one rank."),
        "snowfall": Clause(TURN, "Or take a card from the stock."),
        "grow": Clause(TURN, "As many cards, as high or higher, or more cards."),
        "fall": Clause(TURN, "Fewer cards, or one lower one: it goes to the player before."),
        "stop": Clause(TURN, "As many lower cards, two at least: it leaves the game."),
        "joker": Clause(OTHER, "A joker is its own highest rank."),
        "empty-hand": Clause(TURN, "When an avalanche has ended an empty hand is filled."),
        "stored": Clause(SCORE, "Most stored cards win."),
        "end": Clause(END, "Without a stock hands are not filled; with one player left it is over."),
    },
    "basic-rummy": {
        "draw": Clause(TURN, "Draw from the stock or the discard pile."),
        "set": Clause(TURN, "3 or 4 cards of a rank."),
        "run": Clause(TURN, "3 or more of a suit in sequence."),
        "one-meld": Clause(TURN, "At most one new meld a turn."),
        "lay-off": Clause(TURN, "Add to any meld, any number of times."),
        "joined": Clause(TURN, "A complete set may take a run that continues it."),
        "discard": Clause(TURN, "A discard ends the turn."),
        "taken": Clause(TURN, "The card taken may not be discarded.", "this turn, so you can't discard"),
        "going-out": Clause(END, "A player without cards ends the deal."),
        "score": Clause(SCORE, "The winner gets the sum of all other hands; 100 points win."),
    },
    "rummy-500": {
        "dig": Clause(TURN, "Take any card of the pile with all above it."),
        "must-use": Clause(TURN, "The chosen card must be used at once."),
        "ace": Clause(TURN, "An ace is high or low."),
        "joker": Clause(TURN, "A joker stands for one card, and never changes."),
        "lay-off": Clause(TURN, "Cards that are added score for the player who adds them."),
        "score": Clause(SCORE, "Cards on the table less cards in hand; 500 points win."),
        "going-out": Clause(END, "The deal ends with an empty hand."),
        "no-stock": Clause(END, "The deal ends when the stock is empty and nothing is taken."),
    },
    "amagande": {
        "match": Clause(TURN, "Match the suit or rank of the top card."),
        "draw": Clause(TURN, "Or draw one card, then play or pass."),
        "eight": Clause(TURN, "An 8 skips the next player."),
        "jack": Clause(TURN, "A jack turns the direction round."),
        "ace": Clause(TURN, "An ace is wild and names a suit."),
        "penalty": Clause(TURN, "2, 3 and joker make the next player draw."),
        "counter": Clause(TURN, "A penalty is countered by certain cards."),
        "joker": Clause(TURN, "A joker leaves a required colour.", "The next card must be {colour}, and not a joker"),
        "showdown": Clause(END, "The bomb, a 7, ends the match."),
        "values": Clause(SCORE, "Sums of hands; ace, joker or more than 30 eliminates."),
        "out": Clause(END, "Playing the last card wins at once."),
    },
    "normal-cards": {
        "ranks": Clause(TURN, "A 7 K J Q 6 5 4 3."),
        "trick": Clause(TURN, "The best card of the suit led takes the trick; its winner draws and leads."),
        "trump": Clause(TURN, "The best trump goes before."),
        "no-duty": Clause(TURN, "Any card may be played."),
        "main-card": Clause(OTHER, "The main card shows trumps and is drawn last."),
        "points": Clause(SCORE, "A 11, 7 10, K 4, J 3, Q 2; most points win."),
        "end": Clause(END, "Without a stock the cards in hand are played, then points are counted."),
    },
    "ten-skip": {
        "turn": Clause(TURN, "Discard one, draw two, keep one."),
        "swap": Clause(TURN, "Or exchange with a victim."),
        "made-hand": Clause(TURN, "Four cards in skipped sequence."),
        "claim": Clause(TURN, "At the end of a turn claim a made hand, truly or not."),
        "unchallenged": Clause(END, "An unchallenged claim wins the round."),
        "challenge": Clause(TURN, "A right challenge brings its player safely out."),
        "bluff": Clause(TURN, "A claim need not be true."),
        "points": Clause(SCORE, "The loser's hand; a wrong challenge both hands; a pair doubles; 1000 and out."),
    },
}


def taught(slug: str) -> set[str]:
    """The clauses taught by a game's lessons."""
    return {clause for lesson in rules.by_slug()[slug].lessons for clause in lesson.teaches}


def refused(slug: str) -> set[str]:
    """The clauses stated by a game's refusals."""
    folder = RULES / slug.replace("-", "_")
    source = "".join(path.read_text() for path in [*folder.glob("*.py"), *(RULES / "_shared").glob("*.py")])
    return {name for name, clause in CLAUSES[slug].items() if clause.refusal and clause.refusal in source}


def uncovered() -> Iterator[tuple[str, str, Clause]]:
    """Clauses in neither a lesson nor a refusal."""
    for slug, clauses in CLAUSES.items():
        there = taught(slug) | refused(slug)
        for name, clause in clauses.items():
            if name not in there:
                yield slug, name, clause


if __name__ == "__main__":
    for game, named, one in uncovered():
        sys.stdout.write(f"{game:14}{named:14}{one.about:7}{one.words}\n")
    total = sum(map(len, CLAUSES.values()))
    sys.stdout.write(f"{total - len(list(uncovered()))} of {total} clauses are covered\n")
