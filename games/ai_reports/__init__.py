"""Moves of AI players that a player thought bad: kept with all that is needed to look at them again."""
