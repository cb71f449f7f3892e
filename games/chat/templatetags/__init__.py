"""Template tags of the talk."""
