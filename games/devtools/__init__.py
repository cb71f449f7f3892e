"""Benches, a terminal client, demonstration data: for those who work on the site, never imported by it."""
