"""Commands of the site and what they start."""
