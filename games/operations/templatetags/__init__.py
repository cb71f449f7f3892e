"""Template tags of the desk's first page."""
