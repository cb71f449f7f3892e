"""Player pages."""
