"""Deciding and storing commands: whatever arrives in the same moment goes into one transaction."""
