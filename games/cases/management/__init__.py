"""Commands of reported moves."""
