"""What can be done with a match, one module a kind: the rooms behind ``games.play``, the only door to them."""
