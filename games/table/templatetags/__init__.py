"""Template tags of the games."""
