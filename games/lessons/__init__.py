"""Lessons on the real table: which there are, where their player is, and what is done already."""
