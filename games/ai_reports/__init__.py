"""Reported moves of AI players, kept with everything needed to look at them again."""
