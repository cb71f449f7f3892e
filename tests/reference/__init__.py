"""Second, slow implementations of games, written only from their rules, to check the real ones."""
