"""Reported moves of AI players, stored with everything needed to analyse them."""
