"""Incoming emails."""
