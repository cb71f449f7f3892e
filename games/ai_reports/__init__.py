"""Moves of AI players that somebody thought bad: kept with all that is needed to look at them again."""
