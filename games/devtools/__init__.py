"""Benches, a terminal client and demonstration data for developers; the site never imports them."""
