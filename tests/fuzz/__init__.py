"""Fuzzing of everything strangers can send: see ``targets.py``."""
