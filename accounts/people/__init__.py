"""Profiles, preferences, friends and blocks."""
