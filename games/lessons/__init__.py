"""Lessons at the real table: the list, the player's progress, and completed lessons."""
