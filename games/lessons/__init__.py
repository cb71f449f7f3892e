"""Lessons on the real table: which there are, how far the player is, and what is done."""
