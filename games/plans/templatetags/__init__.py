"""Template tags of plans."""
