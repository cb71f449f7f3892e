"""Finished matches looked at again: move by move, from any seat, checked, and played on from."""
