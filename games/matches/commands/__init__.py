"""What can be done with a match, one module a kind; ``games.matches.service`` is the only way to them."""
