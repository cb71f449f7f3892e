"""Commands of playing by email."""
