"""Slaps by mail: matches that go from one slap point to the next, each player watching when it suits them."""
