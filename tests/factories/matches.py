"""Matches with the same cards each time."""

#: The seed of every match that tests start: the same cards each time.
SEED = "5eed" * 8
