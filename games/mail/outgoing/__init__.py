"""Emails that are sent."""
