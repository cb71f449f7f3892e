"""The commands on a match, one module per kind. Only ``games.matches.service`` calls them."""
