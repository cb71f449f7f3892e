"""Commands about finished matches."""
