"""Tags of playing by email."""
