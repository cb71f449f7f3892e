"""Benchmarks, a terminal client and demo data for developers; the site never imports them."""
