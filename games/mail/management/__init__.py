"""Commands of playing by mail."""
