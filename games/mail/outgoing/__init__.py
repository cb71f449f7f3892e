"""Outgoing emails."""
