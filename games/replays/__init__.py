"""Finished matches: replayed move by move from any seat, checked, and played on from any position."""
