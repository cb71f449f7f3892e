"""Second, slow implementations of games, written from their rules alone, to compare the real ones with."""
