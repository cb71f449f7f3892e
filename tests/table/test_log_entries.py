"""A sentence of the log is written for each reader whom it calls "You", and once for everyone else."""

from games import rules
from games.engine import Event
from games.engine.text import names_for
from games.table.projection import LogEntry, Viewer

NAMES = ["Ada", "Ben", "Cleo", "Dan"]


def test_only_the_player_in_a_sentence_has_it_written_again() -> None:
    game = rules.get("normal-cards")
    event = Event("play", 1, {"card": "QS", "source": "hand:1", "target": "trick"})
    written: list[Viewer] = []

    def say(viewer: Viewer) -> str:
        written.append(viewer)
        return game.say(event, names_for(NAMES, viewer))

    entry = LogEntry(1, event, say, NAMES)
    for _time in range(2):
        texts = [entry.text(viewer) for viewer in (None, 0, 1, 2, 3)]
        others = "Ben plays the queen of spades."
        assert texts == [others, others, "You play the queen of spades.", others, others]
    assert written == [None, 1]
