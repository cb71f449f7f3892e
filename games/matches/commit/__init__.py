"""Deciding and storing: whatever arrives in one moment, in one transaction."""
