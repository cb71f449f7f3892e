"""Players' pages."""
