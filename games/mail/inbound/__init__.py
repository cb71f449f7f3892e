"""Emails that come in."""
