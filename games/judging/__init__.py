"""Judge slaps. Pure functions."""
